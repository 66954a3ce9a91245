#!/bin/sh
# The C blocks of README.md and examples/PORTING.md are whole programs: each is compiled as a user would (warnings are
# errors) and run, and what it prints must be the ```text block that follows it. A block whose first line is a comment
# like /* neuron.c */ is a file of that name. The C cells of the tables in
# examples/PORTING.md must be lines of tests/programs/guide*.c, which are compiled and run.
# Usage: tests/checks/check_readme.sh build
set -eu
say() { echo "check_readme: $*"; exit 1; }
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
out=$1/readme
rm -rf "$out"
mkdir -p "$out"
awk -v out="$out" '
    /^```c$/    { n++; name = "block" n; file = out "/" name ".c"; is_first = 1; next }
    /^```text$/ { file = n && !(n in seen) ? out "/" name ".text" : ""; seen[n] = 1; if (file) printf "" > file; next }
    /^```/      { file = ""; next }
    file && is_first && /^\/\* [a-z_]+[.]c \*\/$/ { name = substr($2, 1, length($2) - 2); file = out "/" name ".c" }
    { is_first = 0 }
    file        { print > file }
' README.md examples/PORTING.md
for block in "$out"/*.c; do
    program=${block%.c}
    ${CC:-cc} -std=c11 -O2 $warnings -I. -o "$program" "$block" "$1/libtapegrad.a" -lm -lpthread
    (cd "$out" && "./$(basename "$program")" >"$(basename "$program").printed" 2>&1) || true
    [ -f "$program.text" ] || continue
    sed "s|$out/||g" "$program.printed" | diff -u "$program.text" - || say "$block prints something else"
done
echo "check_readme: $(ls "$out"/*.c | wc -l) programs of README.md and the guide compile and print what they say"

# The blocks of the Chinese page are blocks of the English ones.
awk '
    /^```$/ && inside {
        inside = 0
        if (FILENAME !~ /zh/) { known[block] = 1; next }
        if (!(block in known)) { print "not an English block: " substr(block, 1, 60); bad = 1 }
        count++
        next
    }
    /^```/  { inside = 1; block = $0 "\n"; next }
    inside  { block = block $0 "\n" }
    END     { exit bad || count < 5 }' README.md examples/PORTING.md examples/README.zh.md ||
    say "examples/README.zh.md has other blocks than README.md and examples/PORTING.md"

# all_in LINES FILE...: each of the lines is in a line of one of the files; prints the first that is not.
all_in() {
    awk '
        FILENAME == ARGV[1] { lines[++n] = $0; next }
        { text = text "\n" $0 }
        END { for (i = 1; i <= n; i++) if (!index(text, lines[i])) { print lines[i]; exit 1 } }' "$@"
}

# A cell of the right column, between backquotes, that looks like a call.
awk -F' [|] ' '/^\| `/ {
    n = split($2, part, "`")
    for (i = 2; i <= n; i += 2) if (part[i] ~ /[(=]/) print part[i]
}' examples/PORTING.md > "$out/cells"
cell=$(all_in "$out/cells" tests/programs/guide*.c) ||
    say "examples/PORTING.md: not in tests/programs/guide*.c: $cell"
[ "$(wc -l < "$out/cells")" -gt 100 ] || say "too few cells were found"
echo "check_readme: $(wc -l < "$out/cells") C lines of the guide are in tests/programs/guide*.c"
