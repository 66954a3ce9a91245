#!/bin/sh
# Every path of the tree that a page (*.md) or a source file names, in a comment or in code, exists: core/ops/dict.c,
# tests/golden, nn/functional/*/*.h. A page may also name a path relative to its own folder, in backquotes or as a link.
# Includes are left to the compiler. Usage: tests/checks/check_paths.sh [FILE...], by default all files of the tree.
set -eu
if [ $# -eq 0 ]; then
    set -- $( (git ls-files 2>/dev/null || find core nn optim examples tests Makefile README.md -type f) |
        grep -E '(\.(md|c|h|inc|sh|awk|mk|py|cpp)|Makefile)$' | grep -v '^tests/checks/check_paths.sh$')
fi
list=$(mktemp)
trap 'rm -f "$list"' EXIT
# FILE<tab>PATH for each path: tokens that begin with a folder of the tree; in pages also `folder/file.suffix` and
# [text](path).
awk '
    function put(path) {
        sub(/[.:,]+$/, "", path)
        if (path ~ /[$%<>{}\\]/ || path ~ /FOLDER|NAME/) return # a placeholder: core/ops/NAME.c
        if (!((FILENAME, path) in seen)) print FILENAME "\t" path
        seen[FILENAME, path] = 1
    }
    /^[ \t]*#[ \t]*include/ { next }
    {
        line = " " $0
        while (match(line, /[^A-Za-z0-9_.\/$}){%*-](core|nn|optim|examples|tests)\/[A-Za-z0-9_.\/*$%<{}()-]*/)) {
            path = substr(line, RSTART + 1, RLENGTH - 1)
            line = substr(line, RSTART + RLENGTH)
            sub(/[)(].*/, "", path)
            put(path)
        }
        if (FILENAME ~ /[.]md$/) {
            line = $0
            while (match(line, /`[a-z_0-9*]+\/([A-Za-z_0-9*\/]+[.][a-z]+)?`|\]\([A-Za-z_0-9.\/]+\)/)) {
                path = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                gsub(/[]`()]/, "", path)
                if (path !~ /^build\//) put(path)
            }
        }
    }' "$@" > "$list"
bad=0
while IFS='	' read -r file path; do
    found=no
    for candidate in $path "$(dirname "$file")"/$path; do [ -e "$candidate" ] && found=yes; done
    [ "$found" = yes ] || { echo "check_paths: $file names $path, which does not exist"; bad=1; }
done < "$list"
[ "$bad" = 0 ] || exit 1
echo "check_paths: $(cut -f2 "$list" | sort -u | wc -l) paths that pages and sources name exist"
