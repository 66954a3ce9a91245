#!/bin/sh
# No line of a source file is longer than 120 columns (UTF-8 characters). Pages (*.md) and data are exempt.
# Usage: tests/checks/check_line_length.sh [FILE...], by default all source files of the tree.
set -eu
if [ $# -eq 0 ]; then
    files=$(git ls-files 2>/dev/null || true)
    [ -n "$files" ] || files=$(find core nn optim examples tests Makefile -type f)
    set -- $(printf '%s\n' "$files" |
        grep -vE '\.(md|txt|csv|json|svg|png|npy|npz|pt|bin|safetensors|pyc)$' |
        grep -vE '^(tests/golden/files|tests/fuzz/corpus)/')
fi
# A character of UTF-8 has one byte other than 10xxxxxx.
LC_ALL=C awk '
    length($0) > 120 {
        text = $0
        gsub(/[\200-\277]/, "", text)
        if (length(text) <= 120) next
        print "check_line_length: " FILENAME ":" FNR ": " length(text) " columns, more than 120"
        failed = 1
    }
    END {
        if (failed) exit 1
        print "check_line_length: " NR " lines of " ARGC - 1 " files, none longer than 120 columns"
    }' "$@"
