#!/bin/sh
# What the built shared library shows to the outside: only public names, and no library but libc's own; and that a program that
# is running can load it (dlopen, ctypes), for which glibc has no room where thread-locals want a fixed place.
# Usage: tests/check_library.sh build/libtapegrad.so
set -eu
names=$(nm -D --defined-only "$1" | awk '{print $3}')
[ -n "$names" ] || { echo "check_library: $1 exports nothing"; exit 1; }
strange=$(printf '%s\n' "$names" | grep -vE '^(t|F|nn|optim|data|plt|sns)_' || true)
[ -z "$strange" ] || { echo "check_library: names that are not public: $strange"; exit 1; }
needs=$(readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | grep -vE '^(libc|libm|libpthread|ld-linux[^ ]*)\.so' || true)
[ -z "$needs" ] || { echo "check_library: links $needs"; exit 1; }
readelf -d "$1" | grep -q STATIC_TLS && { echo "check_library: dlopen would refuse it (STATIC_TLS)"; exit 1; }
echo "check_library: $(printf '%s\n' "$names" | wc -l) public names, nothing else"
