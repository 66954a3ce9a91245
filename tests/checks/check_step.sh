#!/bin/sh
# TAPEGRAD_STEP: the keys of the stepping backward, on examples/backprop.c, whose results stay the same.
# check_step.sh BUILD
set -eu
program=$1/examples/backprop out=$1/step
mkdir -p "$out"

# step KEYS STOPS: with these keys the program stops so many times, and prints the same otherwise.
step() {
    printf "$1" | TAPEGRAD_STEP=always "$program" > "$out/printed"
    stops=$(grep -o '\[Enter\]' "$out/printed" | wc -l)
    [ "$stops" = "$2" ] || { echo "check_step: keys '$1': $stops stops, not $2"; exit 1; }
    "$program" | tail -4 > "$out/plain"
    tail -4 "$out/printed" | cmp -s - "$out/plain" || { echo "check_step: keys '$1' change the results"; exit 1; }
}
step 'q\n' 1
step '\n\nq\n' 3
step 'nonsense\nw\nt\nq\n' 4
grep -q '^.*> name  shape  made by' "$out/printed" || { echo "check_step: w prints no table"; exit 1; }
grep -q '^.*>    1  mul  .* saved ' "$out/printed" || { echo "check_step: t prints no tape"; exit 1; }
step "$(printf '%0200d' 0)\nq\n" 2 # a line longer than what is read at once is one key
step 'c\nq\n' 2
step '' 1
grep -q 'dx\[0\] to 4: tensor(-0.6719)' "$out/printed" || { echo "check_step: no gradient was printed"; exit 1; }
stops=$(TAPEGRAD_STEP=1 "$program" < /dev/null | grep -c Enter || true)
[ "$stops" = 0 ] || { echo "check_step: stops without a terminal"; exit 1; }
echo "check_step: TAPEGRAD_STEP stops, continues and ends"
