#!/bin/sh
# What the built shared library shows to the outside: only public names, no library but libc's own, and
# few thread-locals, so that a program can load it while it runs (dlopen, ctypes).
# Usage: tests/check_library.sh build/libtapegrad.so
set -eu
names=$(nm -D --defined-only "$1" | awk '{print $3}')
[ -n "$names" ] || { echo "check_library: $1 exports nothing"; exit 1; }
strange=$(printf '%s\n' "$names" | grep -vE '^(t|F|nn|optim|data|plt|sns)_' || true)
[ -z "$strange" ] || { echo "check_library: names that are not public: $strange"; exit 1; }
needs=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | grep -vE '^(libc|libm|libpthread|ld-linux[^ ]*)\.so' || true)
[ -z "$needs" ] || { echo "check_library: links $needs"; exit 1; }
locals=$(($(readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')))
[ "$locals" -le 1000 ] || { echo "check_library: $locals bytes of thread-locals; dlopen may have no room for more than 1000"; exit 1; }
echo "check_library: $(printf '%s\n' "$names" | wc -l) public names, nothing else"
