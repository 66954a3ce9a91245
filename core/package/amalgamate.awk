# One of the two files of the amalgamation (amalgamate.sh):
#     awk -v make=tapegrad.h -f amalgamate.awk FACES...            the public headers, each where it is first included
#     awk -v make=tapegrad.c -v shared=FILE -f amalgamate.awk UNITS...
#         all headers that the units include, then the units, one after the other. FILE has a line
#         "UNIT NAME macro" for each name at file scope that several units use: in this unit it gets the unit's name as
#         a prefix. Macros are undefined at the end of their unit.

# The file that an #include "..." means: relative to the including file, or to the root of the tree.
function resolved(name, from,    relative) {
    relative = from
    sub(/[^\/]*$/, "", relative)
    relative = relative name
    return relative != name && exists(relative) ? relative : name
}
function exists(file,    line, there) {
    if (!(file in known)) {
        known[file] = (getline line < file) >= 0
        close(file)
    }
    return known[file]
}

# A header is printed once; if the include is under a condition (as the macros are, for C only), under that condition.
function print_header(header,    line, part, guard, inner, i) {
    for (i = length(conditions); i >= 0; i--) if ((substr(conditions, 1, i) SUBSEP header) in printed) return
    printed[conditions, header] = 1
    printf "\n/* ---- %s ---- */\n", header
    guard = inner = 0
    while ((getline line < header) > 0) {
        if (line ~ /^[ ]*#[ ]*include "/) {
            split(line, part, "\"")
            print_header(resolved(part[2], header))
            continue
        }
        if (make == "tapegrad.c" && line ~ /^[ ]*#[ ]*include </ && inner == 0) continue
        if (line ~ /^[ ]*#[ ]*if/) {
            if (!guard) guard = 1
            else { inner++; conditions = conditions line "\n" }
        } else if (line ~ /^[ ]*#[ ]*endif/ && inner > 0) {
            inner--
            sub(/[^\n]*\n$/, "", conditions)
        }
        if (make == "tapegrad.c" && line ~ /^[ ]*#pragma GCC system_header/) continue
        print line
    }
    close(header)
}

# The headers that a unit and its .inc files include.
function print_headers_of(file,    line, part, name) {
    while ((getline line < file) > 0)
        if (line ~ /^[ ]*#[ ]*include "/) {
            split(line, part, "\"")
            name = resolved(part[2], file)
            if (name ~ /\.h$/) print_header(name)
            else if (!(name in looked_into)) { looked_into[name] = 1; print_headers_of(name) }
        }
    close(file)
}

# A unit's text, with each .inc file inserted at every include; without comments from the second time on.
function print_unit(file,    line, part, name, again, in_comment, lines, i, n) {
    again = file ~ /\.inc$/ && seen[file]++
    for (n = 0; (getline line < file) > 0;) lines[++n] = line
    close(file)
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^[ ]*#[ ]*define KERNEL "/) { split(line, part, "\""); kernel = resolved(part[2], file); continue }
        if (line ~ /^[ ]*#[ ]*include KERNEL/) { print_unit(kernel); continue }
        if (line ~ /^[ ]*#[ ]*include "/) {
            split(line, part, "\"")
            name = resolved(part[2], file)
            if (name !~ /\.h$/) print_unit(name)
            continue
        }
        if (line ~ /^[ ]*#[ ]*if/) inside++
        if (line ~ /^[ ]*#[ ]*endif/) inside--
        if (line ~ /^[ ]*#[ ]*include </ && inside == 0) continue
        if (line ~ /^[ ]*#[ ]*define [_A-Z]*_SOURCE/) continue
        if (line ~ /^[ ]*#[ ]*define /) {
            name = line
            sub(/^[ ]*#[ ]*define +/, "", name)
            sub(/[^A-Za-z_0-9].*/, "", name)
            if (!(name in defined)) macros[++macro_count] = name
            defined[name] = 1
        }
        if (again) {
            if (!in_comment && line ~ /^[ ]*\/\*/) in_comment = 1
            if (in_comment) { if (line ~ /\*\//) in_comment = 0; continue }
            if (line ~ /^[ ]*$/) continue
        }
        print changed(line)
    }
}

# A line of the unit with the names replaced that must be changed in the text; not in strings, and not members.
function changed(line,    out, word) {
    while (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_0-9]+/)) {
        word = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        out = out (((the_unit, word) in in_text) && out !~ /([.]|->)$/ ? prefix "__" word : word)
    }
    return out line
}

# What is a macro of a header that a unit does not include may be something else in that unit.
function reach(file,    line, part, name) {
    if (file in reached) return
    reached[file] = 1
    while ((getline line < file) > 0)
        if (line ~ /^[ ]*#[ ]*include "/) { split(line, part, "\""); reach(resolved(part[2], file)) }
    close(file)
}
function put_aside_what_is_not_meant(unit,    line, n, words, i) {
    for (i in reached) delete reached[i]
    reach(unit)
    aside_count = 0
    for (i in is_aside) delete is_aside[i]
    while ((getline line < unit) > 0) {
        gsub(/[^A-Za-z_0-9]+/, " ", line)
        n = split(line, words, " ")
        for (i = 1; i <= n; i++)
            if ((words[i] in of_headers) && !(of_headers[words[i]] in reached) && !(words[i] in is_aside)) {
                is_aside[words[i]] = 1
                aside[++aside_count] = words[i]
                printf "#pragma push_macro(\"%s\")\n#undef %s\n", words[i], words[i]
            }
    }
    close(unit)
}
function note_macros_of_headers(    key, part, line) {
    for (key in printed) {
        split(key, part, SUBSEP)
        while ((getline line < part[2]) > 0)
            if (line ~ /^[ ]*#[ ]*define /) {
                sub(/^[ ]*#[ ]*define +/, "", line)
                sub(/[^A-Za-z_0-9].*/, "", line)
                of_headers[line] = part[2]
            }
        close(part[2])
    }
}

function print_whole_unit(unit,    i, n, names) {
    the_unit = prefix = unit
    sub(/\.c$/, "", prefix)
    if (prefix ~ /\/.*\//) sub(/^[^\/]*\//, "", prefix)
    gsub(/\//, "_", prefix)
    printf "\n/* ==== %s ==== */\n", unit
    put_aside_what_is_not_meant(unit)
    n = split(own[unit], names, " ")
    for (i = 1; i <= n; i++) {
        printf "#define %s %s__%s\n", names[i], prefix, names[i]
    }
    macro_count = inside = 0
    for (i in defined) delete defined[i]
    print_unit(unit)
    for (i = 1; i <= macro_count; i++) print "#undef " macros[i]
    for (i = 1; i <= n; i++) print "#undef " names[i]
    for (i = 1; i <= aside_count; i++) printf "#pragma pop_macro(\"%s\")\n", aside[i]
}

BEGIN {
    conditions = ""
    if (make == "tapegrad.h") {
        print "/* tapegrad.h: the headers of tapegrad in one file. The build's core/package/amalgamate.sh writes it: change it there. */"
        print "#ifndef TAPEGRAD_H\n#define TAPEGRAD_H"
        for (f = 1; f < ARGC; f++) print_header(ARGV[f])
        print "\n#endif"
        exit
    }
    while ((getline line < shared) > 0) {
        split(line, part, " ")
        if (part[3] == "text") in_text[part[1], part[2]] = 1
        else own[part[1]] = own[part[1]] part[2] " "
    }
    for (f = 1; f < ARGC; f++) print_headers_of(ARGV[f])
    note_macros_of_headers()
    for (f = 1; f < ARGC; f++) print_whole_unit(ARGV[f])
}
