# The reference page from the public headers: awk -v version=V -f reference.awk HEADERS... -- SOURCES... (reference.sh).
# From a header: its first comment, its sections ("---- x ----"), the comment before a group of declarations, its types,
# and a row for each T_API function with the comment on its line. From the source files: the comment before the
# definition of the function, with formula, shapes and errors, if it names the function. First come the macros that have
# no plain function, with the comment above them that names them.
function html(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
    return text
}
function bare(comment) { # without /* and */
    sub(/^\/\*+ */, "", comment)
    sub(/ *\*\/ *$/, "", comment)
    gsub(/\n \* ?/, "\n", comment)
    return comment
}
# A comment as paragraphs; what is indented in it is code.
function paragraphs(comment,    lines, n, i, out, kind, now) {
    n = split(bare(comment), lines, "\n")
    for (i = 1; i <= n; i++) {
        now = lines[i] ~ /^    / ? "pre" : lines[i] == "" ? "" : "p"
        if (now != kind) out = out (kind ? "</" kind ">" : "") (now ? "<" now ">" : "")
        kind = now
        sub(/^    /, "", lines[i])
        out = out html(lines[i]) (now == "pre" ? "\n" : " ")
    }
    return out (kind ? "</" kind ">" : "")
}
function short_of(name) {
    sub(/^(nn_init|nn_utils|[A-Za-z]+)_/, "", name)
    sub(/_new$/, "", name)
    return name
}
function read_source(file,    line, comment, open, name) {
    while ((getline line < file) > 0) {
        if (line ~ /^\/\*/) { comment = ""; open = 1 }
        if (open) {
            comment = comment (comment == "" ? "" : "\n") line
            if (line ~ /\*\//) open = 0
            continue
        }
        if (line !~ /^[A-Za-z].*[(]/) continue
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if (!(name in functions)) continue
        if (comment !~ /^\/\* *----/ && index(comment, short_of(name))) comments[name] = comment
    }
    close(file)
}
function end_table() {
    if (in_table) print "</table>"
    in_table = 0
}
function show(declaration, comment,    name) {
    name = declaration
    sub(/\(.*/, "", name)
    sub(/;.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (declaration ~ /(^extern| extern) / || name ~ /_of_$/) return
    if (!in_table) print "<table>"
    in_table = 1
    gsub(/[ \n]+/, " ", declaration)
    sub(/T_PRINTF\([^)]*\)/, "", declaration)
    printf "<tr id=\"%s\"><td><b>%s</b><br><code>%s</code></td><td>%s%s</td></tr>\n", name, name, html(declaration),
        comment == "" ? "" : "<p class=\"spelling\">" html(comment) "</p>",
        (name in comments) ? paragraphs(comments[name]) : ""
    count++
}
function is_of_macros(file) { return file ~ /sugar/ }
# functions["t_add"] for each T_API function, and functions["nn_Linear"] for nn_Linear_new.
function collect_functions(file,    line, name) {
    while ((getline line < file) > 0) {
        if (line !~ /^(extern )?T_API .*[(]/) continue
        name = line
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        functions[name]
        sub(/_new$/, "", name)
        functions[name]
    }
    close(file)
}
# A row for each macro of the header that has no plain function, for example for_range(i, from, ...). Its comment is the
# one right above it, else the nearest one above that names it. Aliases (#define t_multiply t_mul) get a list of their
# own.
function read_macros(file,    line, comments_above, n, open, adjacent, name, call, comment, i) {
    while ((getline line < file) > 0) {
        if (line ~ /^\/\*/ && !open) { comments_above[++n] = ""; open = 1 }
        if (open) {
            comments_above[n] = comments_above[n] (comments_above[n] == "" ? "" : "\n") line
            if (line ~ /\*\//) { open = 0; adjacent = n }
            continue
        }
        comment = adjacent ? comments_above[adjacent] : ""
        adjacent = 0
        if (line ~ /^#define [a-z]+_[a-z0-9_]+ t_[a-z0-9_]+$/) {
            split(line, call, " ")
            aliases = aliases "<tr id=\"" call[2] "\"><td><b>" call[2] "</b></td><td>" call[3] "</td></tr>\n"
        }
        if (line !~ /^#define [a-z][A-Za-z0-9]*_[A-Za-z0-9_]*[(]/) continue
        name = substr(line, 9, index(line, "(") - 9)
        if (name in functions || name ~ /_$/) continue
        for (i = n; i > 0 && comment == ""; i--)
            if (comments_above[i] ~ "(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])") comment = comments_above[i]
        sub(/[)].*/, ")", line)
        printf "<tr id=\"%s\"><td><b>%s</b><br><code>%s</code></td><td>%s</td></tr>\n", name, name,
            html(substr(line, 9)), paragraphs(comment)
    }
    close(file)
}
function read_header(file,    line, comment, open, first, code, in_code, declaration, tail) {
    if (is_of_macros(file)) return
    first = 1
    comment = ""
    while ((getline line < file) > 0) {
        if (in_code) { # a type, to its end
            code = code "\n" line
            if (line ~ /^}/) { end_table(); printf "<pre>%s</pre>\n", html(code); in_code = 0 }
            continue
        }
        if (line ~ /^\/\*/ && !open) { comment = ""; open = 1 }
        if (open) {
            comment = comment (comment == "" ? "" : "\n") line
            if (line !~ /\*\//) continue
            open = 0
            if (first) {
                end_table()
                printf "<h2 id=\"%s\">%s</h2>\n%s\n", file, file, paragraphs(substr(comment, index(comment, ":") + 1))
                first = 0
            } else if (comment ~ /^\/\* *----/) {
                gsub(/^\/\* *-* *| *-* *\*\/$/, "", comment)
                end_table()
                printf "<h3>%s</h3>\n", html(comment)
            } else { end_table(); print paragraphs(comment) }
            continue
        }
        if (line ~ /^typedef (struct|enum|union) [A-Za-z_0-9]* *{/) {
            code = line
            if (line !~ /}/) in_code = 1
            else { end_table(); printf "<pre>%s</pre>\n", html(code) }
            continue
        }
        if (line ~ /^(extern )?T_API/) {
            declaration = line
            while (declaration !~ /;/ && (getline line < file) > 0) declaration = declaration " " line
            tail = declaration
            sub(/^[^;]*; */, "", tail)
            sub(/;.*/, "", declaration)
            while (tail ~ /^\/\*/ && tail !~ /\*\// && (getline line < file) > 0) tail = tail "\n" line
            tail = bare(tail)
            gsub(/\n +(\* )?/, " ", tail)
            sub(/^T_API /, "", declaration)
            show(declaration, tail)
        }
    }
    close(file)
    end_table()
}
BEGIN {
    for (f = 1; f < ARGC; f++) if (ARGV[f] == "--") break
    for (h = 1; h < f; h++) collect_functions(ARGV[h])
    for (u = f + 1; u < ARGC; u++) read_source(ARGV[u])
    printf "<h1>tapegrad %s: reference</h1>\n", version
    print "<p>The contents of the public headers, in their order. PyTorch's spelling comes first in the right column."
    print "Each plain function <code>t_x(...)</code> below has a macro of the same name (a class <code>nn_X_new</code>"
    print "has <code>nn_X(...)</code>), which takes numbers, shapes and keywords as Python does; the cheat sheet shows"
    printf "them.</p>\n<p class=\"contents\"><a href=\"#macros\">Blocks and other macros</a> "
    for (h = 1; h < f; h++) if (!is_of_macros(ARGV[h])) printf "<a href=\"#%s\">%s</a> ", ARGV[h], ARGV[h]
    print "</p>"
    print "<h2 id=\"macros\">Blocks and other macros</h2>"
    print "<p>These have no plain function. with_...() and for_... are statements with a block. return, goto and"
    print "continue out of a block are safe; a break inside with_...() leaves only the block, and is reported with"
    print "its line.</p>"
    print "<table>"
    for (h = 1; h < f; h++) read_macros(ARGV[h])
    print "</table>\n<h3>Aliases</h3>\n<p>Errors and the tape name the function on the right.</p>\n<table>"
    printf "%s</table>\n", aliases
    for (h = 1; h < f; h++) read_header(ARGV[h])
    printf "<p>%d functions.</p>\n", count
}
