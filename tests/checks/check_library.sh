#!/bin/sh
# What the shared library exports: only public names; it needs no library but libc's, and has
# few thread-locals, so that a program can load it while it runs (dlopen, ctypes).
# Usage: tests/checks/check_library.sh build/libtapegrad.so
set -eu
names=$(nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u)
[ -n "$names" ] || { echo "check_library: $1 exports nothing"; exit 1; }
# What T_API declares, a function or "extern const X a, b;", in the headers that are installed; and nothing else is
# exported.
public=$(core/package/headers.sh | xargs cat | awk '
    { sub(/\/\*.*\*\//, "") }
    /^(extern )?T_API/ { declaration = "" ; on = 1 }
    on { declaration = declaration " " $0 }
    on && /;/ {
        on = 0
        sub(/[(;].*/, "", declaration)
        n = split(declaration, parts, ",")
        for (i = 1; i <= n; i++) {
            w = split(parts[i], words, /[* ]+/)
            print words[w]
        }
    }' | sort -u)
printf '%s\n' "$public" > "$1.public"
strange=$(printf '%s\n' "$names" | grep -vxF -f "$1.public" || true)
[ -z "$strange" ] || { echo "check_library: exported, but in no public header: $strange"; exit 1; }
missing=$(printf '%s\n' "$names" | sort - "$1.public" | uniq -u)
[ -z "$missing" ] || { echo "check_library: in a public header, but not exported: $missing"; exit 1; }
prefixes='t|linalg|special|F|nn|optim|amp|data|distributions|plt|sns|safetensors|np|random|time|os|argparse'
prefixes="$prefixes|profiler|transforms|TF|datasets|io|utils"
prefixes="$prefixes|pd|sklearn"
prefixes="$prefixes|tiktoken|tokenizers|torchtext|GPT2Tokenizer"
prefixes="$prefixes|models|onnx|tensorboard"
prefixes="$prefixes|tqdm|loggers"
ours=$(printf '%s\n' "$names" | grep -vE "^($prefixes)_" || true)
[ -z "$ours" ] || { echo "check_library: names without a prefix of ours: $ours"; exit 1; }
size=$(strip -o "$1.stripped" "$1" && wc -c < "$1.stripped")
rm -f "$1.stripped" "$1.public"
needs=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' |
    grep -vE '^(libc|libm|libpthread|ld-linux[^ ]*)\.so' || true)
[ -z "$needs" ] || { echo "check_library: links $needs"; exit 1; }
locals=$(($(readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')))
[ "$locals" -le 1000 ] || {
    echo "check_library: $locals bytes of thread-locals; dlopen may lack space for more than 1000"
    exit 1
}
count=$(printf '%s\n' "$names" | wc -l)
echo "check_library: $count public names, as in the headers, nothing else; $size bytes stripped"
