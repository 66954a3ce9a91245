#!/bin/sh
# Every function of the public headers stands on examples/PARITY.md, which tests/golden/parity.py writes: a new name without a
# place there fails. (What the macros alone call ends in an underscore after "of" and is not a user's.)
set -eu
awk '
    # The page: what stands between backquotes.
    FILENAME == ARGV[1] {
        n = split($0, parts, "`")
        for (i = 2; i < n; i++) is_there[parts[i]]
        next
    }
    /^T_API[^(]*[ *][a-z_A-Z0-9]*[(]/ {
        sub(/[(].*/, "")
        sub(/.*[ *]/, "")
        sub(/_new$/, "")
        if (/_of_$/ || $0 in names) next
        names[$0]
        count++
        short = $0
        sub(/^[^_]*_/, "", short)
        if (/^(nn_init|nn_utils|t_autograd)_/) sub(/^[^_]*_/, "", short)
        if (!($0 in is_there) && !(short in is_there)) {
            print "check_parity: " $0 " is not on " ARGV[1] "; run tests/golden/parity.py"
            missing = 1
        }
    }
    END {
        if (missing || count <= 500) exit 1
        print "check_parity: " count " public functions stand on " ARGV[1]
    }' examples/PARITY.md core/*.h core/data/*.h core/io/*.h nn/*.h optim/*.h
