# The wrappers of all public functions, from the preprocessed public headers: awk -v names=FILE -f wrappers.awk
# HEADERS.i
#
# For each function that the shared library exports a function __wrap_NAME with the same parameters (attempts.h), which
# the linker puts in the place of NAME (ld --wrap=NAME); the options for the linker go to the file `names`. Functions
# with "..." in their parameters have none.
function trim(text) {
    gsub(/^ +| +$/, "", text)
    return text
}
# The last identifier before the first "(".
function name_of(declaration,    head) {
    head = trim(substr(declaration, 1, index(declaration, "(") - 1))
    match(head, /[A-Za-z_0-9]+$/)
    return substr(head, RSTART)
}
# The parameters, split at the commas outside of parentheses; returns their number.
function split_parameters(text, to,    n, i, c, depth, part) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && !depth) { to[++n] = trim(part); part = "" }
        else part = part c
    }
    part = trim(part)
    if (part != "void" && part != "") to[++n] = part
    return n
}
# A parameter with another name: "const int64_t size[2]", "int (*f)(int)", "Tensor *x", "double".
function renamed(parameter, name) {
    if (match(parameter, /\(\* *[A-Za-z_0-9]+\)/))
        return substr(parameter, 1, RSTART) "*" name substr(parameter, RSTART + RLENGTH - 1)
    if (match(parameter, /[A-Za-z_0-9]+ *\[/))
        return substr(parameter, 1, RSTART - 1) name substr(parameter, RSTART + RLENGTH - 1)
    match(parameter, /[A-Za-z_0-9]+$/)
    return substr(parameter, 1, RSTART - 1) name
}
function wrap(declaration,    open, close_at, name, result, n, i, parameters, typed, names_only, paths, begin, call,
    can_fail, outcome) {
    gsub(/__attribute__ *\(\(__format__[^;]*/, "", declaration)
    open = index(declaration, "(")
    if (!open || declaration ~ /^ *extern/ || declaration ~ /\.\.\./) return
    name = name_of(declaration)
    if (name ~ /^t_(unwind|enter_|leave_)$/) return # attempts.c wraps the first, and calls the others
    result = trim(substr(declaration, 1, open - 1))
    result = trim(substr(result, 1, length(result) - length(name)))
    close_at = length(declaration)
    while (substr(declaration, close_at, 1) != ")") close_at--
    n = split_parameters(substr(declaration, open + 1, close_at - open - 1), parameters)
    for (i = 1; i <= n; i++) {
        typed = typed (i > 1 ? ", " : "") renamed(parameters[i], "a" i)
        names_only = names_only (i > 1 ? ", " : "") "a" i
        if (parameters[i] ~ /^const char \*[A-Za-z_0-9]+$/) paths = paths " tt_path(&f, a" i ");"
    }
    if (n == 0) typed = "void"
    printf "--wrap=%s\n", name > names
    table[++functions] = name
    print result " __real_" name "(" typed ");"
    print result " __wrap_" name "(" typed ");"
    print result " __wrap_" name "(" typed ") {"
    print "    tt_Frame f;"
    begin = "    if (!tt_begin(&f, " functions - 1 ", __builtin_return_address(0)))"
    call = "__real_" name "(" names_only ")"
    if (result == "void") {
        print begin " { " call "; return; }\n   " paths
        print "    do tt_arm(&f), " call "; while (tt_again(&f, TT_VOID));\n}"
        return
    }
    can_fail = result ~ /\*$/ || result == "_Bool"
    print begin " return " call ";\n   " paths "\n    " result " r;"
    outcome = can_fail ? "r ? TT_GIVEN : TT_FAILED" : "TT_VOID"
    print "    do tt_arm(&f), r = " call "; while (tt_again(&f, " outcome "));"
    print "    return r;\n}"
}
{ text = text " " $0 }
END {
    print "#include \"tests/torture/faults/attempts.h\""
    print "#pragma GCC diagnostic ignored \"-Wstrict-prototypes\""
    while ((at = index(text, "__attribute__((visibility(\"default\")))")) > 0) {
        text = substr(text, at + length("__attribute__((visibility(\"default\")))"))
        declaration = substr(text, 1, index(text, ";") - 1)
        gsub(/[ \t]+/, " ", declaration)
        wrap(declaration)
    }
    print "const char *const tt_functions[] = {"
    for (i = 1; i <= functions; i++) printf "    \"%s\",\n", table[i]
    printf "};\nconst int tt_function_count = %d;\n", functions
}
