#!/bin/sh
# The pages of t_tape_html in a real browser, by their DOM at several steps. Skipped where there is no Chromium.
# check_tape_html.sh BUILD
set -eu
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || { echo "check_tape_html: skipped, there is no Chromium"; exit 0; }
out=$(realpath "$1")/tape_pages
mkdir -p "$out"
"$1/tests/tape_pages" "$out"

# browse PAGE STEP OPTION...: opens the page at that step.
browse() {
    address="file://$out/$1.html#step=$2"
    shift 2
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$out/profile" \
        --virtual-time-budget=5000 "$@" "$address" 2> "$out/log" || { cat "$out/log"; exit 1; }
}

# shows PAGE STEP PATTERN COUNT [MOST]: the page at that step has so many matches.
opened=
shows() {
    [ "$opened" = "$1 $2" ] || browse "$1" "$2" --dump-dom > "$out/dom"
    opened="$1 $2"
    found=$(sed 's/<script.*//; /^"use strict";$/,$d' "$out/dom" | grep -oE -- "$3" | wc -l)
    [ "$found" -ge "$4" ] && [ "$found" -le "${5:-100000}" ] ||
        { echo "check_tape_html: $1 at step $2 has $found of $4${5:+ to $5}: $3"; exit 1; }
}
shows neuron 7 'backward 2 of 5' 1
shows neuron 7 'class="node now"' 1
shows neuron 7 'class="used now"' 1
shows neuron 7 'class="grad small halo"[^>]*>-0.6719<' 2
shows neuron 10 'grad -0.7513' 1
# An input without gradient, and its value on the edge.
shows neuron 10 'class="node constant"' 1
shows neuron 10 'class="value small halo"[^>]*>2<' 1
shows mlp 6 'model.0.weight' 1
shows mlp 12 'grad \|\.\|' 6
shows encoder 60 'class="node fold' 3
shows encoder 60 'layers.2  \[\+\]' 1
shows encoder 60 'class="node constant"' 1
# The grad of a leaf after its hooks; data that two records got.
shows hooked 6 'grad after its hooks 50' 1
shows hooked 6 'class="node constant"' 1 1
shows hooked 6 'path class="back' 3 3
# A box for each call of a cell. Boxes in a cycle had no layout: no box was drawn.
shows rnn 120 'call [0-9]+ of 20, 4 records' 20 20
shows rnn 120 'class="node constant"' 21 21
shows lstm 500 'call [0-9]+ of 20, 16 records' 20 20
# A picture of a bounded size, with a message, folded or not.
for step in 1 '1500&unfold' '6004&unfold'; do
    shows large "$step" 'class="node' 160 500
    shows large "$step" 'class="node[a-z ]* now"' 1 1
    shows large "$step" 'boxes are too many for one picture' 1
done
shows wide 1001 '>...<' 1
shows wide 1001 'class="node' 160 500

# printed PAGE STEP PAGES TEXT...: on at most so many sheets, with these texts.
printed() {
    browse "$1" "$2" --no-pdf-header-footer --print-to-pdf="$out/$1.pdf"
    pdftotext -layout "$out/$1.pdf" "$out/printed"
    page=$1
    sheets=$(tr -cd '\f' < "$out/printed" | wc -c)
    [ "$sheets" -le "$3" ] || { echo "check_tape_html: $page is on $sheets sheets, not $3"; exit 1; }
    shift 3
    for text; do
        grep -qF -- "$text" "$out/printed" || { echo "check_tape_html: $page does not print: $text"; exit 1; }
    done
}
if command -v pdftotext > /dev/null; then
    printed neuron 10 2 'backward 5 of 5' 'loss = square' 'grad -0.7513' 'tensor(-0.3756)'
    printed rnn 120 6 'call 1 of 20' 'call 10 of 20' 'call 20 of 20' 'd loss / d output'
fi
echo "check_tape_html: neuron, MLP, encoder, unrolled cells and large graphs in $(basename "$browser")"
