#!/bin/sh
# Every function that the shared library exports has its row on the reference page, with PyTorch's spelling or a word
# about it, and every table of the guide its lines on the cheat sheet. Usage: tests/checks/check_reference.sh build
set -eu
say() { echo "check_reference: $*"; exit 1; }
nm -D --defined-only "$1/libtapegrad.so" | awk '$2 == "T" && $3 !~ /_of_$/ { print $3 }' |
    sort -u > "$1/reference.names"
missing=$(sed -n 's/^<tr id="\([^"]*\)".*/\1/p' "$1/reference.html" | sort -u | comm -13 - "$1/reference.names")
[ -z "$missing" ] || say "no row for $missing"
# The comment over the definition is in the row, whatever the prefix of the name is.
for name in t_sum linalg_svd F_linear distributions_kl_divergence plt_plot; do
    grep -q "^<tr id=\"$name\">.*</p><p>" "$1/reference.html" || say "no comment in the row of $name"
done
# The macros without a plain function have a row with a comment: these, and no row is empty.
for macro in with_scope with_no_grad with_detect_anomaly for_range for_batch for_list for_items for_module for_named \
    for_parameters for_backward t_keep t_keep_as t_scoped t_tensor t_tuple nn_set nn_as nn_module2; do
    grep -q "^<tr id=\"$macro\">.*[a-z].*</td></tr>" "$1/reference.html" || say "no row for $macro"
done
! sed -n '/id="macros"/,/<h3>Aliases/p' "$1/reference.html" | grep '<td></td>' || say "a macro without a comment"
rows=$(grep -c '^<tr><td>' "$1/cheatsheet.html")
lines=$(awk '/^## / { on = $0 == "## From call to call" }
    on && /^\| / && !/^\| (---|Python)/' examples/PORTING.md | wc -l)
[ "$rows" = "$lines" ] && [ "$rows" -gt 100 ] || say "$rows of the guide's $lines lines are on the cheat sheet"
echo "check_reference: $(wc -l < "$1/reference.names") functions on the reference page, $rows lines on the cheat sheet"
rm -f "$1/reference.names"
