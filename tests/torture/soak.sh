#!/bin/sh
# tests/torture/soak.sh BUILD SECONDS: runs the main programs that train side by side for SECONDS, each with one thread,
# and compares the resident size of each after the first minute (of shorter runs, after the first half) with that at the
# end: it may not grow by more than 1 MB. Also prints the processor time that each had of the cores that they share.
build=$1
seconds=$2
warm=60
[ "$seconds" -ge 120 ] || warm=$((seconds / 2))
folder=$build/soak
mkdir -p "$folder"
export TAPEGRAD_NUM_THREADS=1
failed=0
programs=
trap 'for program in $programs; do kill "$(cat "$folder/$program.id")" 2>/dev/null; done' EXIT

start() {
    program=$1
    shift
    "$build/examples/$program" "$@" > "$folder/$program.txt" 2>&1 &
    echo $! > "$folder/$program.id"
    programs="$programs $program"
}

resident() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$1/status" 2>/dev/null; }

# The largest of some sizes over a while: a program allocates and frees.
largest() {
    most=0
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        now=$(resident "$1")
        [ "${now:-0}" -le "$most" ] || most=$now
        sleep 0.2
    done
    echo "$most"
}

processor_seconds() {
    awk -v ticks="$(getconf CLK_TCK)" '{ print int(($14 + $15) / ticks) }' "/proc/$1/stat" 2>/dev/null
}

start train_classifier --tutorial --epochs 1000000 --samples 2000 --dropout 0.5 --checkpoint "$folder/classifier"
start char_gpt --steps 100000000 --every 200 --layers 1 --d-model 32 --context 16 --checkpoint "$folder/gpt"
start sort_digits --steps 100000000
start mnist --data "$folder/digits" --digits 200 --epochs 1000000
start cifar --data "$folder/shapes" --shapes 100 --epochs 1000000

sleep "$warm"
for program in $programs; do
    largest "$(cat "$folder/$program.id")" > "$folder/$program.first"
done
sleep $((seconds - warm))
for program in $programs; do
    id=$(cat "$folder/$program.id")
    first=$(cat "$folder/$program.first")
    last=$(largest "$id")
    spent=$(processor_seconds "$id")
    if ! kill "$id" 2>/dev/null; then
        echo "torture_soak: $program ended before $seconds seconds: $(tail -n 1 "$folder/$program.txt")"
        failed=$((failed + 1))
    fi
    wait "$id" 2>/dev/null
    echo "torture_soak: $program: $first kB after $warm s, $last kB after $seconds s (${spent:-0} s of processor time)"
    if [ "$first" -eq 0 ] || [ $((last - first)) -gt 1024 ]; then
        echo "torture_soak: $program grew by $((last - first)) kB"
        failed=$((failed + 1))
    fi
done
trap - EXIT
rm -rf "$folder"
echo "torture_soak: $(echo $programs | wc -w) programs side by side for $seconds seconds: $failed findings"
[ "$failed" -eq 0 ]
