# Prints the names at file scope that are local to a source file (static functions and objects, types, tags,
# enumerators), a line each, from the preprocessor's output: cc -E x.c | awk -f names.awk. Declarations in headers are
# skipped; with -v headers=1 only these are printed, as "x.h NAME".
#
# The tokens of a declaration are collected in tokens[1..n], with a body in braces as the one token "{}"; when the
# declaration ends, it is parsed.
function declaration_ends(    i, kept, depth, is_static, token) {
    # Remove attributes and typeof with their arguments, which declare no name.
    for (i = kept = 1; i <= n; i++) {
        if (tokens[i] ~ /^(__attribute__|__typeof__|typeof|_Alignas)$/) {
            for (depth = 0; i < n;) {
                token = tokens[++i]
                depth += (token == "(") - (token == ")")
                if (depth == 0) break
            }
            continue
        }
        tokens[kept++] = tokens[i]
    }
    n = kept - 1
    if (n == 4 && tokens[1] == "typedef" && tokens[3] == tokens[4]) n = 0 # typedef struct X X; X is declared elsewhere
    is_static = 0 # or a typedef
    for (i = 1; i <= n; i++) if (tokens[i] == "static" || tokens[i] == "typedef") is_static = 1
    for (i = 1; i < n; i++)
        if (tokens[i] ~ /^(struct|union|enum)$/ && tokens[i + 2] == "{}") print file tokens[i + 1]
    depth = 0
    for (i = 1; is_static && i <= n; i++) {
        token = tokens[i]
        if (token == "(") depth++
        else if (token == ")") depth--
        else if (token == "=" && depth == 0) # skip the initial value
            while (i < n && !(tokens[i + 1] == "," && depth == 0)) {
                i++
                depth += (tokens[i] == "(") - (tokens[i] == ")")
            }
        else if (token !~ /^[A-Za-z_]/ || token ~ keyword) continue
        else if (depth == 0 && (i == n || tokens[i + 1] ~ /^([(=,[]|{})$/)) print file token
        else if (depth == 1 && tokens[i + 1] ~ /^[)[]$/ &&
                 (tokens[i - 2] tokens[i - 1] == "(*" || tokens[i - 3] tokens[i - 2] tokens[i - 1] == "(*const"))
            print file token # a pointer to a function or an array
    }
    n = 0
}
BEGIN {
    n = depth = is_body = 0
    enum_depth = -1
    keyword = "^(void|_Bool|int|char|float|double|const|static|inline|struct|union|enum)$"
}
/^# [0-9]+ "/ {
    split($0, part, "\"")
    wanted = part[2] ~ (headers ? "^[^/<].*[.]h$" : "[.](c|inc)$")
    if (wanted && headers) file = part[2] " "
    next
}
/^#/ || !wanted { next }
{
    line = $0
    gsub(/\\\\/, "", line); gsub(/\\"/, "", line); gsub(/"[^"]*"/, "\"\"", line)
    gsub(/'\\?.[^']*'/, "0", line)
    while (line != "") {
        if (match(line, /^[ \t]+/)) { line = substr(line, RLENGTH + 1); continue }
        if (depth > 0 && is_body) { # skip to its end
            if (!match(line, /[{}]/)) break
            token = substr(line, RSTART, 1)
            line = substr(line, RSTART + 1)
        } else if (match(line, /^[A-Za-z_0-9]+/)) {
            token = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
        } else {
            token = substr(line, 1, 1)
            line = substr(line, 2)
        }
        if (token == "{") {
            if (depth++ == 0) {
                is_body = tokens[n] == ")"
                for (i = 1; i <= n; i++) if (tokens[i] == "=") is_body = 0
            }
            if (second_last == "enum" || last == "enum") { enum_depth = depth; name_expected = 1; parens = 0 }
        } else if (token == "}") {
            if (depth == enum_depth) enum_depth = -1
            if (--depth == 0) {
                tokens[++n] = "{}"
                if (is_body) declaration_ends()
                is_body = 0
            }
        } else if (depth > 0) {
            if (depth == enum_depth) {
                parens += (token == "(") - (token == ")")
                if (token == "," && parens == 0) name_expected = 1
                else if (name_expected && token ~ /^[A-Za-z_]/) { print file token; name_expected = 0 }
            }
        } else if (token == ";") declaration_ends()
        else tokens[++n] = token
        second_last = last
        last = token
    }
}
