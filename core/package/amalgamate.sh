#!/bin/sh
# Writes the library as two files, tapegrad.h and tapegrad.c, which a program can compile with its own sources:
#     cc demo.c tapegrad.c -lm -lpthread
# amalgamate.sh FOLDER writes them into the folder, with the preprocessor ($CC -E) and awk. Run from the root of the
# tree.
#
# In one file, static names that two source files share would clash. names.awk lists the names of each source file;
# all but one of the files that share a name have it renamed by amalgamate.awk.
set -eu
out=$1
: "${CC:=cc}"
here=core/package
mkdir -p "$out"
sources=$(find core nn optim -name '*.c' | sort)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# names: "x.c NAME" for each name at file scope. A kernel has a name for each dtype and instruction set, but the
# preprocessor of this machine may skip some instruction sets: one of these names stands for all of them.
for source in $sources; do
    $CC -E -std=c11 -D_DEFAULT_SOURCE -I. "$source" | awk -f $here/names.awk | sort -u | sed "s|^|$source |"
done | awk '
    match($2, /_(f32|f64)_(baseline|avx2|avx512)$/) {
        stem = substr($2, 1, RSTART - 1)
        if (!(($1, stem) in seen)) for (type = 32; type <= 64; type += 32)
            for (i = split("baseline avx2 avx512", isa, " "); i > 0; i--) print $1, stem "_f" type "_" isa[i]
        seen[$1, stem] = 1
        next
    }
    { print }' > "$work/names"

# headers: "x.h NAME" for the names that headers declare, without the sugar, which no source file includes.
plain=$(find core nn optim -name '*.h' | grep -v /sugar | sort)
printf '#include "%s"\n' $plain > "$work/all.c"
$CC -E -std=c11 -I. "$work/all.c" | awk -v headers=1 -f $here/names.awk | sed 's|^\./||' | sort -u > "$work/headers"
# system: the system headers that are included; library: the functions that they declare, as "system.h NAME".
cat $sources $plain $(find core optim -name '*.inc') | sed -n 's/^#include \(<.*>\).*/\1/p' |
    grep -vE 'intrin|neon|cpuid' | sort -u | sed 's/^/#include /' > "$work/system"
$CC -E -std=c11 -D_GNU_SOURCE -x c "$work/system" | grep -oE '[A-Za-z_0-9]+ *\(' |
    sed 's/^/system.h /; s/ *(//' | sort -u > "$work/library"
twice=$(cut -d' ' -f2 "$work/headers" | sort | uniq -d)
[ -z "$twice" ] || { grep -wF "$twice" "$work/headers"; echo "amalgamate: two headers declare these names"; exit 1; }
{
    cat "$work/headers" "$work/library" "$work/names"
    sed -n 's/^ *# *define \([A-Za-z_0-9]*\).*/a macro \1/p' $plain
} > "$work/all"

# shared: "x.c NAME macro" or "x.c NAME text" for each name that x.c must rename. A name in a header is renamed in all
# source files. Of source files alone, one keeps the name: the first that also has a struct member of that name, else
# the first. A file with such a member is renamed in its text, since a macro would rename the member too.
{
    for source in $sources; do
        grep -oE '([.]|->)[A-Za-z_][A-Za-z_0-9]*' "$source" | sed 's/^[.>-]*/member /' | sort -u | sed "s|\$| $source|"
    done
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
            if (count[$2] > 1 && (($2 in of_headers) || keeper[$2] != $1))
                print $1, $2, ($1, $2) in member ? "text" : "macro"
    }' > "$work/shared"

awk -v make=tapegrad.h -f $here/amalgamate.awk $($here/headers.sh --faces) > "$out/tapegrad.h"
{
    echo '/* tapegrad.c: the library in one file. Written by core/package/amalgamate.sh: edit the sources, not this'
    echo ' * file.'
    sed 's/^/ * /; s/ *$//' LICENSE
    echo ' */'
    echo '#define _GNU_SOURCE'
    cat "$work/system"
    printf '%s\n' '#if defined(__x86_64__)' '#include <cpuid.h>' '#include <immintrin.h>' '#endif'
    # Warnings that the single files do not get: a local name hides another file's (-Wshadow), functions for kernels
    # are unused in some (-Wunused-function), and inlining across files shows paths that cannot run (the other two).
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
    awk -v make=tapegrad.c -v shared="$work/shared" -f $here/amalgamate.awk $sources
    echo '#pragma GCC visibility pop'
} > "$out/tapegrad.c"
