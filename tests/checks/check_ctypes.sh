#!/bin/sh
# Python drives the shared library through ctypes alone: the same training as a C program's, to the last bit, and
# PyTorch's values (tests/ffi/pytorch.txt, or of an installed PyTorch).
# Usage: tests/checks/check_ctypes.sh build
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || { echo "check_ctypes needs python3: apt-get install python3"; exit 1; }
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
${CC:-cc} -std=c11 $warnings -I. tests/ffi/demo.c "$1/libtapegrad.a" -lm -lpthread -o "$work/demo"
"$work/demo" > "$work/c.txt"
python3 tests/ffi/ctypes_demo.py "$1/libtapegrad.so" > "$work/python.txt"
diff -u "$work/c.txt" "$work/python.txt" || { echo "check_ctypes: Python and C differ"; exit 1; }
cp tests/ffi/pytorch.txt "$work/pytorch.txt"
! python3 -c 'import torch' 2>/dev/null || python3 tests/ffi/ctypes_demo.py --torch > "$work/pytorch.txt"
paste -d' ' "$work/python.txt" "$work/pytorch.txt" | awk '
    function far(a, b) { return (a - b) ^ 2 > (1e-4 * b) ^ 2 }
    /^step/ { count++; if ($2 != $6 || far($4, $8)) bad = 1 }
    /^[0-9]/ { count++; if (far($1, $2)) bad = 1 }
    /shapes cannot/ {
        count++
        if ($0 !~ /^mm: mat1 .*multiplied \(64x2 and 64x2\) (mm: )?mat1 .*\(64x2 and 64x2\)$/) bad = 1
    }
    bad { print "check_ctypes: not as PyTorch: " $0; exit 1 }
    END { exit bad || count < 49 }'
echo "check_ctypes: $(wc -l < "$work/python.txt") lines from Python as from C, and PyTorch's numbers"
