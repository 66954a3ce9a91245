# One of the two files of the amalgamation (amalgamate.sh):
#     awk -v make=tapegrad.h -f amalgamate.awk HEADERS...
#         these public headers and what they include, each once, at its first include
#     awk -v make=tapegrad.c -v shared=FILE -f amalgamate.awk SOURCES...
#         all headers that the source files include, then the source files. FILE has a line "x.c NAME macro" (or text)
#         for each name at file scope that x.c must rename, since another file uses it too: it gets the file's name as a
#         prefix. The macros that a source file defines are undefined at its end.

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

# The headers that a source file and its .inc files include.
function print_headers_of(file,    line, part, name) {
    while ((getline line < file) > 0)
        if (line ~ /^[ ]*#[ ]*include "/) {
            split(line, part, "\"")
            name = resolved(part[2], file)
            if (name ~ /\.h$/) print_header(name)
            else if (!(name in visited)) { visited[name] = 1; print_headers_of(name) }
        }
    close(file)
}

# The text of a source file, with each .inc file inserted at every include, from the second time on without comments.
function print_text(file,    line, part, name, is_repeated, in_comment, lines, i, n) {
    is_repeated = file ~ /\.inc$/ && seen[file]++
    for (n = 0; (getline line < file) > 0;) lines[++n] = line
    close(file)
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (line ~ /^[ ]*#[ ]*define KERNEL "/) { split(line, part, "\""); kernel = resolved(part[2], file); continue }
        if (line ~ /^[ ]*#[ ]*include KERNEL/) { print_text(kernel); continue }
        if (line ~ /^[ ]*#[ ]*include "/) {
            split(line, part, "\"")
            name = resolved(part[2], file)
            if (name !~ /\.h$/) print_text(name)
            continue
        }
        if (line ~ /^[ ]*#[ ]*if/) conditional_depth++
        if (line ~ /^[ ]*#[ ]*endif/) conditional_depth--
        if (line ~ /^[ ]*#[ ]*include </ && conditional_depth == 0) continue
        if (line ~ /^[ ]*#[ ]*define [_A-Z]*_SOURCE/) continue
        if (line ~ /^[ ]*#[ ]*define /) {
            name = line
            sub(/^[ ]*#[ ]*define +/, "", name)
            sub(/[^A-Za-z_0-9].*/, "", name)
            if (!(name in defined)) macros[++macro_count] = name
            defined[name] = 1
        }
        if (is_repeated) {
            if (!in_comment && line ~ /^[ ]*\/\*/) in_comment = 1
            if (in_comment) { if (line ~ /\*\//) in_comment = 0; continue }
            if (line ~ /^[ ]*$/) continue
        }
        print renamed(line)
    }
}

# A line of the source file in which the names of renamed_in_text are renamed, but not in strings and not members.
function renamed(line,    out, word) {
    while (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|[A-Za-z_0-9]+/)) {
        word = substr(line, RSTART, RLENGTH)
        out = out substr(line, 1, RSTART - 1)
        line = substr(line, RSTART + RLENGTH)
        out = out (((current_source, word) in renamed_in_text) && out !~ /([.]|->)$/ ? prefix "__" word : word)
    }
    return out line
}

# The headers that a source file includes, directly or not.
function collect_included(file,    line, part, name) {
    if (file in included) return
    included[file] = 1
    while ((getline line < file) > 0)
        if (line ~ /^[ ]*#[ ]*include "/) { split(line, part, "\""); collect_included(resolved(part[2], file)) }
    close(file)
}
function includes_one(headers,    n, list, i) {
    n = split(headers, list, " ")
    for (i = 1; i <= n; i++) if (list[i] in included) return 1
    return 0
}
# A name that is a macro in a header may be an ordinary name in a source file that does not include such a header: the
# macro is undefined for this file.
function hide_other_macros(source,    line, n, words, i) {
    for (i in included) delete included[i]
    collect_included(source)
    hidden_count = 0
    for (i in is_hidden) delete is_hidden[i]
    while ((getline line < source) > 0) {
        gsub(/[^A-Za-z_0-9]+/, " ", line)
        n = split(line, words, " ")
        for (i = 1; i <= n; i++)
            if ((words[i] in headers_of) && !includes_one(headers_of[words[i]]) && !(words[i] in is_hidden)) {
                is_hidden[words[i]] = 1
                hidden[++hidden_count] = words[i]
                printf "#pragma push_macro(\"%s\")\n#undef %s\n", words[i], words[i]
            }
    }
    close(source)
}
function collect_macros(    key, part, line) {
    for (key in printed) {
        split(key, part, SUBSEP)
        while ((getline line < part[2]) > 0)
            if (line ~ /^[ ]*#[ ]*define /) {
                sub(/^[ ]*#[ ]*define +/, "", line)
                sub(/[^A-Za-z_0-9].*/, "", line)
                headers_of[line] = headers_of[line] " " part[2]
            }
        close(part[2])
    }
}

function print_source(source,    i, n, names) {
    current_source = prefix = source
    sub(/\.c$/, "", prefix)
    if (prefix ~ /\/.*\//) sub(/^[^\/]*\//, "", prefix)
    gsub(/\//, "_", prefix)
    printf "\n/* ==== %s ==== */\n", source
    hide_other_macros(source)
    n = split(renamed_by_macro[source], names, " ")
    for (i = 1; i <= n; i++) {
        printf "#define %s %s__%s\n", names[i], prefix, names[i]
    }
    macro_count = conditional_depth = 0
    for (i in defined) delete defined[i]
    print_text(source)
    for (i = 1; i <= macro_count; i++) print "#undef " macros[i]
    for (i = 1; i <= n; i++) print "#undef " names[i]
    for (i = 1; i <= hidden_count; i++) printf "#pragma pop_macro(\"%s\")\n", hidden[i]
}

BEGIN {
    conditions = ""
    if (make == "tapegrad.h") {
        print "/* tapegrad.h: the headers of tapegrad in one file. Written by core/package/amalgamate.sh: edit the"
        print " * headers, not this file. */"
        print "#ifndef TAPEGRAD_H\n#define TAPEGRAD_H"
        for (f = 1; f < ARGC; f++) print_header(ARGV[f])
        print "\n#endif"
        exit
    }
    while ((getline line < shared) > 0) {
        split(line, part, " ")
        if (part[3] == "text") renamed_in_text[part[1], part[2]] = 1
        else renamed_by_macro[part[1]] = renamed_by_macro[part[1]] part[2] " "
    }
    for (f = 1; f < ARGC; f++) print_headers_of(ARGV[f])
    collect_macros()
    for (f = 1; f < ARGC; f++) print_source(ARGV[f])
}
