#!/bin/sh
# The pages of t_tape_html in a real browser, by their DOM at several steps. Skipped where there is no Chromium.
# check_tape_html.sh BUILD
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "check_tape_html: skipped, there is no Chromium"; exit 0; }
out=$(realpath "$1")/tape_pages
mkdir -p "$out"
"$1/tests/tape_pages" "$out"

# shows PAGE STEP PATTERN COUNT: the page at that step has so many matches.
shows() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$out/profile" --virtual-time-budget=5000 \
        --dump-dom "file://$out/$1.html#step=$2" > "$out/dom" 2> "$out/log" || { cat "$out/log"; exit 1; }
    found=$(sed 's/<script.*//; /^"use strict";$/,$d' "$out/dom" | grep -oE -- "$3" | wc -l)
    [ "$found" -ge "$4" ] || { echo "check_tape_html: $1 at step $2 has $found of $4: $3"; exit 1; }
}
shows neuron 7 'backward 2 of 5' 1
shows neuron 7 'class="node now"' 1
shows neuron 7 'class="used now"' 1
shows neuron 7 'class="grad small halo"[^>]*>-0.6719<' 2
shows neuron 10 'grad -0.7513' 1
shows mlp 6 'model.0.weight' 1
shows mlp 12 'grad \|\.\|' 6
shows encoder 60 'class="node fold' 3
shows encoder 60 'layers.2  \[\+\]' 1
echo "check_tape_html: neuron, MLP and encoder step forward and backward in $(basename "$browser")"
