#!/bin/sh
# Packs the course into a folder that needs only a compiler and make: course.sh OUT. BUILD has the library.
#
#     OUT/include, OUT/lib     headers and the library, built for this kind of machine
#     OUT/lessons/03_rules     rules.c, the skeleton that the student fills in, and lesson.md
#     OUT/grader               the graders
#     OUT/Makefile             make try L=03, make grade L=03
set -eu
out=$1
here=examples/lessons
[ ! -e "$out" ] || [ -z "$(ls -A "$out")" ] || { echo "course.sh: $out is not empty; nothing was written" >&2; exit 2; }
mkdir -p "$out/lib" "$out/grader"
for header in $(core/package/headers.sh); do
    mkdir -p "$out/include/$(dirname "$header")"
    cp "$header" "$out/include/$header"
done
cp "$BUILD/libtapegrad.a" "$out/lib"
cp $here/lesson.sh $here/grader.h $here/grader.c $here/grader_source.h $here/grader_source.c "$out/grader"
for lesson in $here/[0-9]*/; do
    folder=$(basename "$lesson")
    mkdir -p "$out/grader/$folder"
    cp "$lesson/grade.c" "$out/grader/$folder"
    $here/lesson.sh lesson "${folder%%_*}" "$out/lessons/$folder" > /dev/null
done
cat > "$out/Makefile" <<'END'
# Lesson 03: read lessons/03_rules/lesson.md, fill in lessons/03_rules/rules.c, then
#     make try L=03       compiles and runs it; ARGS="--plots ." writes the figures of a lesson that has some
#     make grade L=03     prints the points; SEED=7 draws other cases, JSON=1 prints Gradescope's results.json
tool = CC="$(CC)" INCLUDE=include LIBRARY=lib/libtapegrad.a grader/lesson.sh
folder = $(or $(wildcard lessons/$(L)_* lessons/0$(L)_*),$(error which lesson? make $@ L=03))

try grade:
	@$(tool) $@ $(L) $(folder) $(if $(SEED),--seed $(SEED)) $(if $(JSON),--json) $(ARGS)
.PHONY: try grade
END
echo "$out: $(ls "$out/lessons" | wc -l) lessons; cd $out && make try L=03"
