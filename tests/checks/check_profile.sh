#!/bin/sh
# TAPEGRAD_PROFILE=1, wide, trace.json and memory.svg: a program prints the same on stdout, and its tables on stderr;
# the trace and the picture are written whole. A name in a folder that does not exist is reported, and changes nothing
# else.
# Usage: check_profile.sh BUILD
set -eu
program=$1/examples/backprop out=$1/profile
rm -rf "$out"
mkdir -p "$out"
"$program" > "$out/plain.txt"
fail() { echo "check_profile: $*"; exit 1; }
for setting in 1 wide "$out/memory.svg" "$out/trace.json" "$out/none/trace.json"; do
    TAPEGRAD_PROFILE=$setting "$program" > "$out/profiled.txt" 2> "$out/tables.txt" || fail "TAPEGRAD_PROFILE=$setting"
    cmp -s "$out/plain.txt" "$out/profiled.txt" || fail "TAPEGRAD_PROFILE=$setting changes what the program prints"
    for by in operation module line; do
        grep -q "^TAPEGRAD_PROFILE: by $by" "$out/tables.txt" || fail "no table by $by with $setting"
    done
    longest=$(awk "length > n { n = length } END { print n }" "$out/tables.txt")
    case $setting in
    wide) [ "$longest" -gt 200 ] || fail "TAPEGRAD_PROFILE=wide leaves out columns" ;;
    1) [ "$longest" -le 140 ] || fail "TAPEGRAD_PROFILE=$setting prints lines of $longest characters" ;;
    esac
    grep -q 'AddmmBackward0' "$out/tables.txt" || fail "no gradient rule in the tables"
    grep -q 'backprop.c:' "$out/tables.txt" || fail "no line in the tables"
done
grep -q 'none/trace.json' "$out/tables.txt" || fail "a trace that cannot be written is not reported"
[ "$(tail -n 1 "$out/memory.svg")" = "</svg>" ] || fail "the picture is not whole"
[ "$(tail -n 1 "$out/trace.json")" = "}" ] || fail "the trace is not whole"
grep -q '"ph": "X", "cat": "cpu_op", "name": "AddmmBackward0"' "$out/trace.json" || fail "no MulBackward0 in the trace"
TAPEGRAD_PROFILE=0 "$program" 2> "$out/tables.txt" > /dev/null
[ ! -s "$out/tables.txt" ] || fail "TAPEGRAD_PROFILE=0 prints something"
echo "check_profile: tables and a trace of a program that is not changed"
