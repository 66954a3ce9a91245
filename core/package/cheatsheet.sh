#!/bin/sh
# The cheat sheet, "PyTorch line -> C line", as a page to print (A4 landscape): the tables of examples/PORTING.md,
# whose C lines the tests compile and run. cheatsheet.sh > build/cheatsheet.html, from the root of the tree.
set -eu
version=$(sed -n 's/^#define TAPEGRAD_VERSION_[A-Z]* //p' core/tensor/api.h | paste -sd. -)
cat <<END
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>tapegrad: from PyTorch to C</title><style>
@page { size: A4 landscape; margin: 8mm }
body { font: 8.2pt/1.35 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; margin: 0; color: #111 }
h1 { font-size: 13pt; margin: 0 0 1mm } h1 small { font-weight: normal; font-size: 8.2pt; color: #555 }
main { columns: 2; column-gap: 7mm }
h2 { font-size: 10pt; margin: 2mm 0 .5mm; break-after: avoid; color: #8a2500 }
h2:first-child { margin-top: 0 }
table { border-collapse: collapse; width: 100%; table-layout: fixed }
td { vertical-align: top; padding: .22mm 1mm .22mm 0; border-top: .1mm solid #ccc; overflow-wrap: anywhere; width: 50% }
tr { break-inside: avoid } td + td { padding: .22mm 0 .22mm 1mm }
code { font: 7.4pt/1.3 "DejaVu Sans Mono", "Liberation Mono", monospace }
@media screen {
body { max-width: 1500px; margin: 1em auto; padding: 0 1em; font-size: 10pt }
code { font-size: 9pt } main { columns: auto 680px }
}
</style></head><body>
<h1>tapegrad $version: from PyTorch to C <small>torch.x, Tensor.x: t_x &middot; nn.X: nn_X &middot; F.x: F_x &middot;
optim.X: optim_X &middot; torch.utils.data.X: data_X &middot; plt.x: plt_x &middot;
keywords keep their names: .dim = 1</small></h1>
<main>
END
awk '
    function html(text) {
        gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
        while (match(text, /`[^`]*`/))
            text = substr(text, 1, RSTART - 1) "<code>" substr(text, RSTART + 1, RLENGTH - 2) "</code>" \
                   substr(text, RSTART + RLENGTH)
        return text
    }
    /^## / { on = $0 == "## From call to call" }
    !on { next }
    /^### / { title = substr($0, 5); next }
    /^\| Python \| C \|/ {
        if (open) print "</table>"
        if (title != "") printf "<h2>%s</h2>\n", html(title)
        print "<table>"
        open = 1
        title = ""
        next
    }
    /^\| ---/ || !/^\|/ { next }
    open {
        gsub(/\\\|/, "\001")
        n = split($0, cell, / *\| */)
        for (i = 2; i <= 3; i++) gsub(/\001/, "|", cell[i])
        printf "<tr><td>%s</td><td>%s</td></tr>\n", html(cell[2]), html(cell[3])
    }
    END { if (open) print "</table>" }' examples/PORTING.md
printf '</main></body></html>\n'
