#!/bin/sh
# The reference page, from the public headers and the comments over the functions. reference.sh > build/reference.html,
# from the root of the tree.
set -eu
version=$(sed -n 's/^#define TAPEGRAD_VERSION_[A-Z]* //p' core/tensor/api.h | paste -sd. -)
cat <<'END'
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>tapegrad: reference</title><style>
body { font: 15px/1.45 "Helvetica Neue", Arial, "Liberation Sans", sans-serif; color: #111;
       max-width: 1300px; margin: 1.5em auto; padding: 0 1em }
h2 { margin: 2em 0 .3em; color: #8a2500; border-bottom: 1px solid #ccc } h3 { margin: 1.2em 0 .3em }
p { margin: .35em 0; max-width: 75em } code, pre { font: 13px/1.4 "DejaVu Sans Mono", "Liberation Mono", monospace }
pre { background: #f5f3ef; padding: .5em .8em; overflow-x: auto }
table { border-collapse: collapse; width: 100%; table-layout: fixed; margin: .4em 0 }
td { vertical-align: top; border-top: 1px solid #ddd; padding: .35em .8em .35em 0; overflow-wrap: anywhere }
td:first-child { width: 45% }
td code { color: #555 } p.spelling { font-weight: bold } p.contents { columns: 4 } p.contents a { display: block }
</style></head><body>
END
sources=$(find core nn optim -name '*.c' | sort)
awk -v version="$version" -f core/package/reference.awk $(core/package/headers.sh) -- $sources
echo '</body></html>'
