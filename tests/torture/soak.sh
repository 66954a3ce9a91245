#!/bin/sh
# tests/torture/soak.sh BUILD SECONDS: runs each main program that trains for SECONDS, and compares its resident size
# after the first minute (of shorter runs, after the first half) with that at the end: it may not grow by more than
# 1 MB.
build=$1
seconds=$2
warm=60
[ "$seconds" -ge 120 ] || warm=$((seconds / 2))
folder=$build/soak
mkdir -p "$folder"
failed=0
programs=0

resident() { sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

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

soak() {
    program=$1
    shift
    "$build/examples/$program" "$@" > "$folder/$program.txt" 2>&1 &
    id=$!
    sleep "$warm"
    first=$(largest "$id")
    sleep $((seconds - warm))
    last=$(largest "$id")
    programs=$((programs + 1))
    if ! kill "$id" 2>/dev/null; then
        echo "torture_soak: $program ended before $seconds seconds: $(tail -n 1 "$folder/$program.txt")"
        failed=$((failed + 1))
    fi
    wait "$id" 2>/dev/null
    echo "torture_soak: $program: $first kB after $warm s, $last kB after $seconds s"
    if [ "$first" -eq 0 ] || [ $((last - first)) -gt 1024 ]; then
        echo "torture_soak: $program grew by $((last - first)) kB"
        failed=$((failed + 1))
    fi
}

soak train_classifier --tutorial --epochs 1000000 --samples 2000 --dropout 0.5 --checkpoint "$folder/classifier"
soak char_gpt --steps 100000000 --every 200 --layers 1 --d-model 32 --context 16 --checkpoint "$folder/gpt"
soak sort_digits --steps 100000000
soak mnist --data "$folder/digits" --digits 200 --epochs 1000000
soak cifar --data "$folder/shapes" --shapes 100 --epochs 1000000
rm -rf "$folder"
echo "torture_soak: $programs programs for $seconds seconds each: $failed findings"
[ "$failed" -eq 0 ]
