#!/bin/sh
# The C blocks of README.md and examples/README.md are whole programs: each is compiled as a user would (warnings are errors) and run, and what it
# prints must be the ```text block that follows it. The C cells of the tables in examples/README.md must stand in
# tests/alone/guide*.c, which are compiled and run. A file that they name must be there. Usage: tests/check_readme.sh build
set -eu
out=$1/readme
rm -rf "$out"
mkdir -p "$out"
awk -v out="$out" '
    /^```c$/    { n++; file = out "/block" n ".c"; next }
    /^```text$/ { file = n && !(n in seen) ? out "/block" n ".text" : ""; seen[n] = 1; if (file) printf "" > file; next }
    /^```/      { file = ""; next }
    file        { print > file }
' README.md examples/README.md
for block in "$out"/block*.c; do
    program=${block%.c}
    ${CC:-cc} -std=c11 -O2 -Wall -Wextra -Wpedantic -Wshadow -Werror -I. -o "$program" "$block" "$1/libtapegrad.a" -lm -lpthread
    (cd "$out" && "./$(basename "$program")" >"$(basename "$program").printed" 2>&1) || true
    [ -f "$program.text" ] || continue
    sed "s|$out/||g" "$program.printed" | diff -u "$program.text" - || { echo "check_readme: $block prints something else"; exit 1; }
done
echo "check_readme: $(ls "$out"/block*.c | wc -l) programs of README.md and the guide compile and print what they say"

# A cell of the right column, between backquotes, that looks like a call.
awk -F' [|] ' '/^\| `/ { n = split($2, part, "`"); for (i = 2; i <= n; i += 2) if (part[i] ~ /[(=]/) print part[i] }' examples/README.md > "$out/cells"
while IFS= read -r cell; do
    cat tests/alone/guide*.c | grep -qF -- "$cell" || { echo "check_readme: examples/README.md: not in tests/alone/guide*.c: $cell"; exit 1; }
done < "$out/cells"
echo "check_readme: $(wc -l < "$out/cells") C lines of the guide stand in tests/alone/guide*.c"

# The op that "Adding an op" quotes is the one in the tree.
places="core/kernels/pairs.inc core/kernels/curves.h core/ops/binary_math.c core/ops_pointwise.h core/sugar_pointwise.h tests/op_table_binary_math.c"
awk '/^## /{ on = $0 == "## Adding an op" } on && /^       [^ ]|^           / { sub(/^       /, ""); print }' README.md > "$out/quoted"
while IFS= read -r line; do
    cat $places | grep -qF -- "$line" || { echo "check_readme: README.md quotes what is not in $places: $line"; exit 1; }
done < "$out/quoted"
[ "$(wc -l < "$out/quoted")" -gt 15 ] || { echo "check_readme: README.md's example of an op was not found"; exit 1; }
echo "check_readme: $(wc -l < "$out/quoted") lines of the op in README.md stand in the tree"

# A file that they name by its path is there.
grep -ohE '`[a-z_0-9*]+/[A-Za-z_0-9/*]+\.[a-z]+`' README.md examples/README.md tests/bench/README.md | tr -d '`' | grep -v "^build/" | sort -u > "$out/paths"
while IFS= read -r path; do
    ls $path >/dev/null 2>&1 || { echo "check_readme: there is no $path"; exit 1; }
done < "$out/paths"
[ "$(wc -l < "$out/paths")" -gt 25 ] || { echo "check_readme: too few paths were found"; exit 1; }
echo "check_readme: $(wc -l < "$out/paths") paths named in README.md, the guide and the page of speed are there"
