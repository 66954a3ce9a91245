#!/bin/sh
# The worked example of "Adding an op" in README.md: each line of code is a line of the file that its step names, and
# the numbers of files and lines in the text are true. Usage: tests/checks/check_op_example.sh [README]
set -eu
awk '
    function fail(message) { print "check_op_example: " message; failed = 1; exit 1 }
    function read_file(path,    line) {
        while ((getline line < path) > 0) { sub(/^ +/, "", line); known[path, line] = 1 }
        close(path)
        if (files[path]++ == 0) count_files++
    }
    /^## / { on = $0 == "## Adding an op" }
    !on { next }
    match($0, /[0-9]+ files and [0-9]+ lines/) { claim = substr($0, RSTART, RLENGTH) }
    /^[0-9]+\. `/ { split($0, part, "`"); path = part[2]; read_file(path) }
    /^       [^ ]|^           / {
        line = $0
        sub(/^ +/, "", line)
        if (!((path, line) in known)) fail("not in " path ": " line)
        count_lines++
    }
    END {
        if (failed) exit 1
        if (count_lines < 5) fail("the example was not found")
        truth = count_files " files and " count_lines " lines"
        if (claim != truth) fail("it is " truth ", not " claim)
        print "check_op_example: " claim " of the example are in the tree"
    }' "${1:-README.md}"
