#!/bin/sh
# Every function of the public headers is listed on examples/PARITY.md, which tests/golden/parity.py writes. (Functions
# that only macros call end in _of_.) The C lines of its tables are in tests/programs/guide*.c, which are compiled and
# run, and each name of the library in them is in the headers.
set -eu
awk '
    BEGIN { library = "^(t|linalg|special|F|nn|optim|amp|data|distributions|profiler|plt|safetensors|np|for|with|"
            library = library "models|onnx)_"
            library = library "[a-z_A-Z0-9]+$" }
    # The page: the names between backquotes.
    FILENAME == ARGV[1] {
        n = split($0, parts, "`")
        for (i = 2; i < n; i += 2) {
            count_of_names = split(parts[i], words, /[^A-Za-z_0-9]+/)
            for (j = 1; j <= count_of_names; j++) {
                is_there[words[j]]
                if (/^[|] / && words[j] ~ library)
                    mentioned[words[j]]
            }
        }
        next
    }
    { n = split($0, words, /[^A-Za-z_0-9]+/); for (i = 1; i <= n; i++) declared[words[i]] }
    FILENAME !~ /plot/ && /^T_API[^(]*[ *][a-z_A-Z0-9]*[(]/ { # plot is not of PyTorch
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
        for (name in mentioned) if (!(name in declared)) {
            print "check_parity: " ARGV[1] " mentions " name ", which is in no header"
            missing = 1
        }
        if (missing || count <= 500) exit 1
        print "check_parity: " count " public functions are listed on " ARGV[1]
    }' examples/PARITY.md $(find core nn optim -name '*.h' ! -path 'core/python/*' ! -path 'core/text/*' \
        ! -path 'core/pandas/*' ! -path 'core/sklearn/*' | sort)

# A part of a cell, between backquotes, that looks like a call or an assignment.
awk '
    FILENAME == ARGV[1] {
        if (!/^[|] /) next
        n = split($0, part, "`")
        for (i = 2; i < n; i += 2) if (part[i] ~ /[(=]/) lines[++count] = part[i]
        next
    }
    { text = text "\n" $0 }
    END {
        for (i = 1; i <= count; i++) if (!index(text, lines[i])) {
            print "check_parity: " ARGV[1] ": not in tests/programs/guide*.c: " lines[i]
            missing = 1
        }
        if (missing || count <= 60) exit 1
        print "check_parity: " count " C lines of its tables are in tests/programs/guide*.c"
    }' examples/PARITY.md tests/programs/guide*.c
