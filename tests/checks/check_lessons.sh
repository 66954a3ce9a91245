#!/bin/bash
# Tests the course: check_lessons.sh BUILD [NUMBER...]. For each lesson of examples/lessons:
#   - the skeleton compiles without a warning and gets 0 points, and no check of it crashes or runs out of time;
#   - the solution gets all points for 20 seeds;
#   - each wrong variant marked in solution.c gets exactly its stated points, for 3 seeds;
#   - the page's blocks compile, run and print what the page says.
#
# Blocks of lesson.md: ```c is a program, or statements that are put into a main; the ```text after it is what it
# prints. ```c solution has lines of the solution in order (... may stand for some). ```text solution is what the
# solution's main prints, ```text skeleton what the grader says of the skeleton with seed 1.
set -eu
build=$(realpath "$1")
shift
given_flags=${CFLAGS:--O1}
export LIBRARY=$build/libtapegrad.a CFLAGS="$given_flags -Wextra -Werror" TAPEGRAD_ISA="${TAPEGRAD_ISA:-avx2}"
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" # a check's process ends by _exit or a crash of the student's
block_flags="-std=gnu11 -Wall -Werror=implicit-function-declaration -g $CFLAGS -I."
lessons=examples/lessons tool=examples/lessons/lesson.sh
out=$build/lessons
failed=0

bad() { echo "check_lessons: $*"; failed=1; }

# points PROGRAM SEED: what the grader gives
points() { "$1" --seed "$2" | sed -n 's/^\([0-9]*\) of [0-9]* points$/\1/p'; }

# expect_points WHAT PROGRAM POINTS SEED...: the grader gives these points with each seed
expect_points() {
    local what=$1 program=$2 want=$3 seed got
    shift 3
    for seed in "$@"; do
        got=$(points "$program" "$seed")
        [ "$got" = "$want" ] && continue
        bad "$what gets $got points, not $want, with seed $seed: $("$program" --seed "$seed" | grep '^  0/')"
        return
    done
}

# The statements of a page become a program.
statements_program() {
    printf '#include <%s>\n' math.h stdio.h string.h
    printf '#include "%s"\n' core/core.h core/data/data.h core/plot/plot.h nn/nn.h optim/optim.h
    printf 'int main(void) {\n'
    cat "$1"
    printf 'return 0;\n}\n'
}

check_lesson() {
    lesson=$1 folder=$(basename "$1") number=$(basename "$1" | cut -d_ -f1)
    name=$(echo "$folder" | cut -d_ -f2-).c work=$out/$folder
    rm -rf "$work"
    mkdir -p "$work"/{skeleton,solution,wrong,page}
    make_() { awk -v make="$1" -f $lessons/solution.awk "$lesson/solution.c" > "$work/$2/$name"; }

    make_ skeleton skeleton
    if $tool grader "$number" "$work/skeleton" "$work/skeleton/grader"; then
        (cd "$work/skeleton" && grader/grade --seed 1) > "$work/skeleton/report"
        grep -q '^0 of [0-9]* points$' "$work/skeleton/report" ||
            bad "$folder: the skeleton gets points: $(cat "$work/skeleton/report")"
        ! grep -E 'crashed|still running|ended itself|no function' "$work/skeleton/report" ||
            bad "$folder: the skeleton"
    else bad "$folder: the skeleton does not compile"; fi

    make_ solution solution
    if $tool grader "$number" "$work/solution" "$work/solution/grader"; then
        all=$("$work/solution/grader/grade" | sed -n 's/.* of \([0-9]*\) points$/\1/p')
        expect_points "$folder: the solution" "$work/solution/grader/grade" "$all" $(seq 1 20)
    else bad "$folder: the solution does not compile"; all=0; fi

    variants=0
    while read -r variant stated; do
        variants=$((variants + 1))
        make_ "$variant" wrong
        cmp -s "$work/wrong/$name" "$work/solution/$name" && bad "$folder: the variant $variant is the solution"
        messages=$work/wrong/messages
        if CFLAGS=$given_flags $tool grader "$number" "$work/wrong" "$work/wrong/grader" > "$messages"; then
            expect_points "$folder: $variant" "$work/wrong/grader/grade" "$stated" 1 2 3
        else bad "$folder: $variant does not compile: $(head -5 "$messages")"; fi
    done < <(awk -v make=variants -f $lessons/solution.awk "$lesson/solution.c")

    check_page
    echo "check_lessons: $folder: $all points, $variants wrong variants, $blocks blocks"
}

# in_order LINES FILE: each of the lines is in the file, after the one before it; prints the first that is not.
in_order() {
    awk '
        FNR == NR { want[++n] = $0; next }
        want[i + 1] ~ /^ *\.\.\.$/ { i++ }
        $0 == want[i + 1] { i++ }
        END { if (i < n) { print want[i + 1]; exit 1 } }' "$1" "$2"
}

check_page() {
    blocks=0 page=$lesson/lesson.md
    awk -v out="$work/page/" '
        /^```/ && file != "" { file = ""; next }
        /^```/ {
            n += /^```c/
            kind = substr($0, 4)
            gsub(/ /, "_", kind)
            file = "/dev/null"
            if (kind == "c" || kind == "c_solution") file = out n "." kind
            if (kind == "text") file = out n ".text"
            if (kind == "text_solution" || kind == "text_skeleton") file = out kind
            printf "" > file
            next
        }
        file != "" { print > file }' "$page"
    for block in "$work"/page/*.c; do
        [ -f "$block" ] || continue
        blocks=$((blocks + 1))
        program=${block%.c}.program
        if grep -q '^int main' "$block"; then cp "$block" "$program.c"
        else statements_program "$block" > "$program.c"; fi
        if ! ${CC:-cc} $block_flags -o "$program" "$program.c" "$LIBRARY" -lm -lpthread; then
            bad "$page: block $(basename "$block") does not compile"
            continue
        fi
        (cd "$work/page" && "./$(basename "$program")") > "$program.printed" 2>&1 || true
        expected=${block%.c}.text
        [ -f "$expected" ] || : > "$expected"
        "$build/tests/same_output" "$expected" "$program.printed" ||
            bad "$page: block $(basename "$block") prints something else: $(cat "$program.printed")"
    done
    for block in "$work"/page/*.c_solution; do
        [ -f "$block" ] || continue
        blocks=$((blocks + 1))
        in_order "$block" "$work/solution/$name" ||
            bad "$page: this line is not in the solution (in this order)"
    done
    if [ -f "$work/page/text_solution" ]; then
        blocks=$((blocks + 1))
        $tool try "$number" "$work/solution" > "$work/page/solution.printed" 2>&1 || true
        "$build/tests/same_output" "$work/page/text_solution" "$work/page/solution.printed" ||
            bad "$folder: the solution prints something else: $work/page/solution.printed"
    fi
    if [ -f "$work/page/text_skeleton" ]; then
        blocks=$((blocks + 1))
        diff "$work/page/text_skeleton" "$work/skeleton/report" ||
            bad "$folder: the grader says something else of the skeleton"
    fi
}

# The grader itself: what a check of a broken submission costs and says. broken EDIT EXPECTED...: softmax of lesson 03
# with the sed command EDIT, and lines of the report.
broken() {
    edit=$1 work=$out/broken
    shift
    rm -rf "$work"
    mkdir -p "$work"
    awk -v make=solution -f $lessons/solution.awk $lessons/03_rules/solution.c | sed "$edit" > "$work/rules.c"
    if ! CFLAGS=$given_flags $tool grader 03 "$work" "$work/grader" > /dev/null 2>&1; then
        bad "broken submission does not compile: $edit"
        return
    fi
    (cd "$work" && grader/grade --limit 2) > "$work/report" 2>&1
    for text in "$@"; do
        grep -qE -- "$text" "$work/report" ||
            bad "broken submission ($edit): no '$text' in: $(cat "$work/report")"
    done
}
check_grader() {
    at='/^Tensor .softmax(/a'
    line=$(awk -v make=solution -f $lessons/solution.awk $lessons/03_rules/solution.c |
        grep -n '^Tensor .softmax(' | cut -d: -f1)
    broken "$at while (dim < 100) {}" '0/3  softmax .*rules.c:[0-9]+: softmax: still running after 2 seconds' \
        '3/3  softmax_backward' '11 of 15'
    broken "$at dim = *(volatile int *)8;" \
        '0/3  softmax .*softmax: (crashed: Segmentation fault|the program ended itself)' '11 of 15'
    broken "$at exit(0);" '0/3  softmax .*the program ended itself with exit status 0' '11 of 15'
    broken "$at return NULL;" "0/3  softmax .*rules.c:$line: softmax: y is NULL" '11 of 15'
    broken "$at return t_sum(x);" '0/3  softmax .*y has shape \(\), expected \(2' '11 of 15'
    broken "$at x = t_matmul(x, t_ones(77, 2));" '0/3  softmax .*rules.c:[0-9]+: t_matmul' '11 of 15'
    broken "$at if (dim > 9) return F_softmax(x, dim);" \
        "0/3  softmax .*rules.c:$((line + 1)): softmax uses F_softmax" '11 of 15'
    broken '/^Tensor .softmax(/a return helper(x, dim);
            s/^Tensor .softmax(/#define soft t_softmax\nTensor *helper(Tensor *x, int d) { return (soft)(x, d); }\n&/' \
        'softmax uses t_softmax' '11 of 15'
    broken "$at fprintf(stderr, \"40\"); _Exit(41);" '0/3  softmax ' '11 of 15'
    ! $tool grade 03 "$out/absent" > "$out/absent.report" 2>&1 || bad "a folder without a submission is graded"
    [ "$(cat "$out/absent.report")" = "lesson.sh: there is no $out/absent/rules.c" ] ||
        bad "without a submission: $(cat "$out/absent.report")"
    echo "check_lessons: the grader reports crashes, endless loops, exits, and calls of the library's op"
}

if [ $# = 0 ]; then # all: a process for each lesson, two at a time
    check_grader
    (cd $lessons && ls -d [0-9]*_*) | cut -d_ -f1 | CFLAGS=$given_flags xargs -n 1 -P 2 "$0" "$build" || failed=1
fi
for number in "$@"; do check_lesson $lessons/"$number"_*; done
exit $failed
