#!/bin/sh
# The two files of the amalgamation as a user takes them: README.md's first program with them, by both compilers where
# they are there, without a warning; as C++ sees the header; then the full test suite, linked with them.
# check_amalgamation.sh BUILD
set -eu
here=$1/amalgamation
say() { echo "check_amalgamation: $*"; exit 1; }
warnings="-Wall -Wextra -Wpedantic -Wshadow -Werror"
awk -v out="$here" '/^```c$/ { file = out "/demo.c"; next } /^```text$/ { file = out "/demo.text"; next }
    /^```/ { if (file ~ /text$/) exit; file = ""; next } file { print > file }' README.md
# Its first line, like /* neuron.c */, is the name of the file, which the program prints.
name=$(sed -n '1s|^/\* \(.*\) \*/$|\1|p' "$here/demo.c")
program=$here/with/${name:-demo.c}
rm -rf "$here/with" && mkdir "$here/with"
sed 's|"core/core.h"|"tapegrad.h"|; /nn\/nn.h\|optim\/optim.h/d' "$here/demo.c" > "$program"
trap wait EXIT # for what runs in the background
# By both compilers at a time, since each takes a minute or two.
build_and_run() {
    $1 $warnings -I "$here" "$program" "$here/tapegrad.c" -lm -lpthread -o "$here/with/program.$2" ||
        say "$1 warns"
    "$here/with/program.$2" | diff -u "$here/demo.text" - || say "$1: the program prints something else"
}
build_and_run "${CC:-cc}" cc & running=$!
! command -v clang >/dev/null || build_and_run clang clang
wait $running || exit 1
for standard in c99 c2x; do
    $CC -std=$standard $warnings -I "$here" -fsyntax-only "$program" || say "$standard: the header fails"
done
if command -v g++ >/dev/null; then
    sed 's|"core/core.h"|"tapegrad.h"|; /#include "\(core\|nn\|optim\)/d' tests/programs/headers.cpp |
        g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -I "$here" -fsyntax-only - ||
        say "C++11: the header fails"
fi
"$here/run" 1/2 > "$here/1.txt" 2>&1 & running=$!
"$here/run" ops functional_each 2/2 || exit 1
wait $running || failed=1
cat "$here/1.txt"
[ -z "${failed:-}" ] || exit 1
for port in "$here"/tutorials/*; do "$port" || exit 1; done
echo "check_amalgamation: $(wc -c < "$here/tapegrad.c") bytes of tapegrad.c, the program and the suite with them"
