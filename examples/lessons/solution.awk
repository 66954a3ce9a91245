# examples/lessons/solution.awk: makes a skeleton, a clean solution, or a wrong variant of a solution.c.
#
#     awk -v make=skeleton -f solution.awk solution.c
#     awk -v make=solution -f solution.awk solution.c
#     awk -v make=NAME -f solution.awk solution.c          the wrong variant NAME
#     awk -v make=variants -f solution.awk solution.c      lines "NAME POINTS"
#
# Marks in solution.c, each a comment on a line of its own:
#
#     // HOLE                          begins lines that the skeleton leaves out
#     //| return 0;                    a line that the skeleton has instead (any number, directly after HOLE)
#     // END                           ends the hole
#     // WRONG no_sum 14: return dy;   the variant no_sum has this line instead of the line above; it gets 14 points
#     // WRONG no_sum: x = dy;         further lines of the same variant, there or elsewhere
#
# A replacement starts at the indentation of its mark. An empty one removes the line. Several WRONG lines of one variant
# in a row, after one line, replace it by all of them.
function print_held() { if (held_is_set) print held; held_is_set = 0 }

/^[ \t]*\/\/ HOLE$/ { print_held(); in_hole = 1; in_stub = 1; next }
/^[ \t]*\/\/ END$/  { print_held(); in_hole = 0; next }
in_stub && /^[ \t]*\/\/\|/ { if (make == "skeleton") { sub(/\/\/\| ?/, ""); print }; next }
{ in_stub = 0 }
/^[ \t]*\/\/ WRONG / {
    indentation = $0
    sub(/\/\/.*/, "", indentation)
    match($0, /: ?/)
    head = substr($0, 1, RSTART - 1)
    line = substr($0, RSTART + RLENGTH)
    count = split(head, word, " ")
    if (make == "variants" && count == 4) print word[3], word[4]
    if (make == word[3]) {
        held_is_set = 0
        if (line != "") print indentation line
    }
    next
}
make == "skeleton" && in_hole { next }
make == "variants" { next }
{ print_held(); held = $0; held_is_set = 1 }
END { print_held() }
