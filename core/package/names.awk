# The names at file scope that are local to a source file (static functions and objects, types, tags, enumerators),
# from the preprocessor's output: cc -E x.c | awk -f names.awk prints them, a line each. Lines from headers are skipped, since
# all files share their declarations. (With -v headers=1 only lines from headers count: "x.h NAME".)
#
# A declaration is collected as words, its bodies in braces as one word, and looked at when it ends.
function declaration_ends(    i, k, depth, is_ours, w) {
    # without attributes and the like, whose arguments name nothing
    for (i = k = 1; i <= n; i++) {
        if (words[i] ~ /^(__attribute__|__typeof__|typeof|_Alignas)$/) {
            for (depth = 0; i < n;) {
                w = words[++i]
                depth += (w == "(") - (w == ")")
                if (depth == 0) break
            }
            continue
        }
        words[k++] = words[i]
    }
    n = k - 1
    if (n == 4 && words[1] == "typedef" && words[3] == words[4]) n = 0 # typedef struct X X; its body is elsewhere
    is_ours = 0
    for (i = 1; i <= n; i++) if (words[i] == "static" || words[i] == "typedef") is_ours = 1
    for (i = 1; i < n; i++)
        if (words[i] ~ /^(struct|union|enum)$/ && words[i + 2] == "{}") print file words[i + 1]
    depth = 0
    for (i = 1; is_ours && i <= n; i++) {
        w = words[i]
        if (w == "(") depth++
        else if (w == ")") depth--
        else if (w == "=" && depth == 0) # a value names nothing, either
            while (i < n && !(words[i + 1] == "," && depth == 0)) {
                i++
                depth += (words[i] == "(") - (words[i] == ")")
            }
        else if (w !~ /^[A-Za-z_]/ || w ~ /^(void|_Bool|int|char|float|double|const|static|inline|struct|union|enum)$/) continue
        else if (depth == 0 && (i == n || words[i + 1] ~ /^([(=,[]|{})$/)) print file w
        else if (depth == 1 && words[i + 1] ~ /^[)[]$/ && (words[i - 2] words[i - 1] == "(*" || words[i - 3] words[i - 2] words[i - 1] == "(*const"))
            print file w
    }
    n = 0
}
BEGIN { n = depth = is_body = 0; enum_depth = -1 }
/^# [0-9]+ "/ {
    split($0, part, "\"")
    looking = part[2] ~ (headers ? "^[^/<].*[.]h$" : "[.](c|inc)$")
    if (looking && headers) file = part[2] " "
    next
}
/^#/ || !looking { next }
{
    line = $0
    gsub(/\\\\/, "", line); gsub(/\\"/, "", line); gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'\\?.[^']*'/, "0", line)
    while (line != "") {
        if (match(line, /^[ \t]+/)) { line = substr(line, RLENGTH + 1); continue }
        if (depth > 0 && is_body) { # only its end matters
            if (!match(line, /[{}]/)) break
            c = substr(line, RSTART, 1)
            line = substr(line, RSTART + 1)
        } else if (match(line, /^[A-Za-z_0-9]+/)) {
            c = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else {
            c = substr(line, 1, 1)
            line = substr(line, 2)
        }
        if (c == "{") {
            if (depth++ == 0) {
                is_body = words[n] == ")"
                for (i = 1; i <= n; i++) if (words[i] == "=") is_body = 0
            }
            if (before == "enum" || last == "enum") { enum_depth = depth; fresh = 1; parens = 0 }
        } else if (c == "}") {
            if (depth == enum_depth) enum_depth = -1
            if (--depth == 0) {
                words[++n] = "{}"
                if (is_body) declaration_ends()
                is_body = 0
            }
        } else if (depth > 0) {
            if (depth == enum_depth) {
                parens += (c == "(") - (c == ")")
                if (c == "," && parens == 0) fresh = 1
                else if (fresh && c ~ /^[A-Za-z_]/) { print file c; fresh = 0 }
            }
        } else if (c == ";") declaration_ends()
        else words[++n] = c
        before = last
        last = c
    }
}
