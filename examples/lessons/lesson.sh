#!/bin/sh
# Hands lessons out and grades submissions; make lesson, try, grade and grades call it.
#
#     lesson.sh lesson 03 DIR              writes the skeleton and the page of lesson 03 into DIR
#     lesson.sh try 03 DIR [ARGUMENTS]     compiles and runs the program in DIR
#     lesson.sh grade 03 DIR [--seed N] [--json]    compiles it with the grader and prints the points
#     lesson.sh grader 03 DIR OUT          only compiles it: the program OUT/grade
#     lesson.sh grades 03 DIR [--seed N]   a table for all submissions DIR/STUDENT/: points of each check
#
# CC, CFLAGS, INCLUDE (the root of the headers) and LIBRARY may be set.
set -eu
here=$(dirname "$0")
INCLUDE=${INCLUDE:-.} LIBRARY=${LIBRARY:-build/libtapegrad.a}
flags="-std=gnu11 -Wall -Werror=implicit-function-declaration -g ${CFLAGS:--O1}"

die() { echo "lesson.sh: $*" >&2; exit 2; }
[ $# -ge 3 ] || die "usage: lesson.sh lesson|try|grade|grader|grades NUMBER DIR"
command=$1 number=$2 dir=$3
shift 3

case $number in [1-9]) number=0$number ;; esac
lesson=$(ls -d "$here/$number"_*/ 2>/dev/null) || die "there is no lesson $number: $(cd "$here" && echo [0-9]*_*)"
lesson=${lesson%/}
name=$(basename "$lesson" | cut -d_ -f2-).c # 03_rules: rules.c

# Writes what it reads into a file that must not exist.
write_new() { (set -C; cat > "$1") 2>/dev/null || die "$1 exists already; nothing was overwritten"; echo "wrote $1"; }

# submission DIR: sets `file` to the file in it.
submission() {
    file=$1/$name
    [ -f "$file" ] || die "there is no $file"
}

# compile_grader FILE WORK: WORK/grade, with the compiler's messages in WORK/messages. Messages of the compiler and of
# the library name the file without its folders.
compile_grader() {
    { printf '#line 1 "%s"\n' "$name"; cat "$1"; } > "$2/$name"
    ${CC:-cc} $flags -I"$INCLUDE" -I"$here" -DSUBMISSION="\"$2/$name\"" -o "$2/grade" "$lesson/grade.c" \
        "$here/grader.c" "$here/grader_source.c" "$LIBRARY" -lm -lpthread 2> "$2/all_messages" &&
        compiled=0 || compiled=1
    sed '/^In file included from /d; /^  *from /d' "$2/all_messages" > "$2/messages" # the paths of the headers
    return $compiled
}

# In the form of a JSON string.
json_text() {
    awk '{ gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, " "); gsub(/[^ -~]/, "?"); printf "%s\\n", $0 }'
}

does_not_compile() { # FILE WORK ARGUMENTS...
    work=$2
    shift 2
    case " $* " in
    *" --json "*) printf '{"score": 0, "output": "%s does not compile:\\n%s", "tests": []}\n' "$name" \
        "$(head -n 40 "$work/messages" | json_text)" ;;
    *) cat "$work/messages"; echo "$name does not compile: 0 points" ;;
    esac
}

grade_one() { # FILE WORK ARGUMENTS...
    file=$1 work=$2
    if compile_grader "$file" "$work"; then
        shift 2
        cat "$work/messages" >&2
        (cd "$work" && ./grade "$@")
    else
        does_not_compile "$@"
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
case $command in
lesson)
    mkdir -p "$dir"
    [ ! -e "$dir/$name" ] || die "$dir/$name exists already; nothing was overwritten"
    awk -v make=skeleton -f "$here/solution.awk" "$lesson/solution.c" | write_new "$dir/$name"
    [ -e "$dir/lesson.md" ] || write_new "$dir/lesson.md" < "$lesson/lesson.md"
    echo "read $dir/lesson.md, fill in $dir/$name, then: make grade L=$number FROM=$dir" ;;
try)
    submission "$dir"
    ${CC:-cc} $flags -I"$INCLUDE" -o "$work/program" "$file" "$LIBRARY" -lm -lpthread
    "$work/program" "$@" ;;
grade)
    submission "$dir"
    grade_one "$file" "$work" "$@" ;;
grader)
    submission "$dir"
    mkdir -p "$1"
    compile_grader "$file" "$1" || { cat "$1/messages"; exit 1; }
    cat "$1/messages" ;;
grades)
    printf 'student\tpoints\tlost\n'
    for each in "$dir"/*/; do
        student=$(basename "$each")
        if [ ! -f "$each$name" ]; then printf '%s\t0\tno %s\n' "$student" "$name"; continue; fi
        grade_one "$each$name" "$work" "$@" > "$work/report" 2> /dev/null
        awk -v student="$student" '
            / of [0-9]+ points$/ { points = $1 }
            /does not compile: 0 points$/ { points = 0; lost = "does not compile" }
            /^  0\// { lost = lost (lost == "" ? "" : ", ") $2 }
            END { printf "%s\t%s\t%s\n", student, points, lost }' "$work/report"
        rm -rf "$work"/*
    done ;;
*) die "unknown command $command" ;;
esac
