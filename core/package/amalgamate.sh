#!/bin/sh
# The library in two files, tapegrad.h and tapegrad.c, for programs that would rather carry it along than link it:
#     cc demo.c tapegrad.c -lm -lpthread
# amalgamate.sh FOLDER writes them there, with the preprocessor ($CC -E) and awk. Run from the root of the tree.
set -eu
out=$1
: "${CC:=cc}"
here=core/package
mkdir -p "$out"
units=$(find core nn optim -name '*.c' | sort)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The names of each unit at file scope, and those that several units use. Names of the kernels exist for each
# instruction set and type, of which a machine's preprocessor may not show all: if one is shared, so are the others.
for unit in $units; do
    $CC -E -std=c11 -D_DEFAULT_SOURCE -I. "$unit" | awk -f $here/names.awk | sort -u | sed "s|^|$unit |"
done | awk '
    match($2, /_(f32|f64)_(baseline|avx2|avx512)$/) {
        stem = substr($2, 1, RSTART - 1)
        if (!(($1, stem) in seen)) for (type = 32; type <= 64; type += 32)
            for (i = split("baseline avx2 avx512", isa, " "); i > 0; i--) print $1, stem "_f" type "_" isa[i]
        seen[$1, stem] = 1
        next
    }
    { print }' > "$work/names"
plain=$(find core nn optim -name '*.h' | grep -v /sugar | sort) # units include no macros that shadow functions
printf '#include "%s"\n' $plain > "$work/all.c"
$CC -E -std=c11 -I. "$work/all.c" | awk -v headers=1 -f $here/names.awk | sed 's|^\./||' | sort -u > "$work/headers"
# What the C library declares counts as in a header, too.
cat $units $plain $(find core optim -name '*.inc') | sed -n 's/^#include \(<.*>\).*/\1/p' | grep -vE 'intrin|neon|cpuid' | sort -u | sed 's/^/#include /' > "$work/system"
$CC -E -std=c11 -D_GNU_SOURCE -x c "$work/system" | grep -oE '[A-Za-z_0-9]+ *\(' | sed 's/^/system.h /; s/ *(//' | sort -u > "$work/library"
twice=$(cut -d' ' -f2 "$work/headers" | sort | uniq -d)
[ -z "$twice" ] || { grep -wF "$twice" "$work/headers"; echo "amalgamate: names of two headers"; exit 1; }
{
    cat "$work/headers" "$work/library" "$work/names"
    sed -n 's/^ *# *define \([A-Za-z_0-9]*\).*/a macro \1/p' $plain
} > "$work/all"
# One unit keeps a name that only units share: the first one in which a struct member has that name too, else the first
# unit. In another unit with such a member the name is changed in the text, since a macro would change the member too.
{
    for unit in $units; do grep -oE '([.]|->)[A-Za-z_][A-Za-z_0-9]*' "$unit" | sed 's/^[.>-]*/member /' | sort -u | sed "s|\$| $unit|"; done
    sed 's/^/name /' "$work/all"
} | awk -v names="$work/names" '
    $1 == "member" { member[$3, $2] = 1; next }
    {
        count[$NF]++
        if ($2 !~ /[.]c$/) of_headers[$NF] = 1
        else if (!($NF in keeper) || (($2, $NF) in member) && !((keeper[$NF], $NF) in member)) keeper[$NF] = $2
    }
    END {
        while ((getline < names) > 0)
            if (count[$2] > 1 && (($2 in of_headers) || keeper[$2] != $1)) print $1, $2, ($1, $2) in member ? "text" : "macro"
    }' > "$work/shared"

awk -v make=tapegrad.h -f $here/amalgamate.awk $($here/headers.sh --faces) > "$out/tapegrad.h"
{
    echo '/* tapegrad.c: the library in one file, without its tests. core/package/amalgamate.sh wrote it from the tree: change it there.'
    sed 's/^/ * /; s/ *$//' LICENSE
    echo ' */'
    echo '#define _GNU_SOURCE'
    cat "$work/system"
    printf '%s\n' '#if defined(__x86_64__)' '#include <cpuid.h>' '#include <immintrin.h>' '#endif'
    # That many files in one make compilers speak of what they do not of each: of a name of another file's that a local one hides,
    # of words of the kernels that not every kernel uses, of results that a function leaves unset only where its caller gives up.
    cat <<'END'
#if defined(__clang__)
#pragma clang fp contract(off)
#else
#pragma GCC optimize("fp-contract=off")
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC visibility push(hidden)
END
    awk -v make=tapegrad.c -v shared="$work/shared" -f $here/amalgamate.awk $units
    echo '#pragma GCC visibility pop'
} > "$out/tapegrad.c"
