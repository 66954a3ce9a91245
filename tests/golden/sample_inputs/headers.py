"""Declarations in the public headers: prototypes, structs, function types, enumerations, macros. Plain text, no
compiler: the headers are written in one style (.clang-format). No package is needed."""

import re
import subprocess


def public(root="."):
    """Paths of the public headers, each after those that it includes, as the reference page has them."""
    run = subprocess.run(["sh", "core/package/headers.sh"], cwd=root, capture_output=True, text=True, check=True)
    return run.stdout.split()


def bare(text):
    """Without comments and without the preprocessor's lines, for declarations."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)


def words(text):
    return re.sub(r"\s+", " ", text).strip()


def split(text):
    """At the commas outside of parentheses."""
    parts, depth, part = [], 0, ""
    for c in text:
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
            continue
        depth += (c in "([{") - (c in ")]}")
        part += c
    return [p for p in parts + [part.strip()] if p]


def parameter(text):
    """(type, name, length): "const int64_t *", "size", 0; of an array the type of a pointer, and its length. A pointer
    to a function is ("Tensor *(*)(Tensor *img)", "lambd", 0), "..." is ("...", "", 0)."""
    text = words(text)
    if text == "...":
        return "...", "", 0
    callback = re.fullmatch(r"(.*?)\(\*(\w+)\)(\(.*\))", text)
    if callback:
        return f"{callback.group(1)}(*){callback.group(3)}", callback.group(2), 0
    found = re.fullmatch(r"(.*\W)(\w+)(?:\[([\w +]+)\])?", text)
    if not found:
        return text, "", 0  # without a name
    type_, word, length = found.group(1).strip(), found.group(2), found.group(3)
    if length:
        type_ += " *"
        length = int(length) if length.isdigit() else length
    return re.sub(r"\s*\*\s*", "*", type_).replace("*", " *", 1), word, length or 0


def parameters(text):
    return [parameter(p) for p in split(text) if words(p) != "void"]


def prototypes(text):
    """(result, name, text of the parameters, comment that follows or precedes) of each exported function."""
    for found in re.finditer(r"^T_API ((?:[^;/]|/\*.*?\*/)*?);[ \t\n]*(/\*.*?\*/)?", text, re.M | re.S):
        declaration = words(re.sub(r"/\*.*?\*/", " ", found.group(1), flags=re.S))
        parts = re.fullmatch(r"(.*?[ *])(\w+)\((.*?)\)(?: T_PRINTF\(.*\))?", declaration)
        if parts and not declaration.startswith("extern"):
            yield parts.group(1).strip(), parts.group(2), parts.group(3), found.group(2) or ""


def structs(text):
    """name: fields as parameters, of each struct that is defined."""
    found = {}
    for name, body, alias in re.findall(r"\bstruct (\w*) ?\{([^{}]*)\} ?(\w*);", bare(text), re.S):
        fields = []
        for declaration in body.split(";"):
            declaration = words(declaration)
            if not declaration or not re.search(r"\w \W*\w", declaration):
                continue
            if "(*" in declaration:
                fields.append(parameter(declaration))
                continue
            first, *others = split(declaration)
            try:
                fields.append(parameter(first))
                base = re.match(r"((?:const |struct |unsigned |long )*\w+)", first).group(1)
                for other in others:
                    fields.append(parameter(base + " " + other))
            except AttributeError:
                fields = None
                break
        if fields is not None:
            found[alias or name] = fields
    return found


def opaque(text):
    return [b for a, b in re.findall(r"^typedef struct (\w+) (\w+);", bare(text), re.M)]


def function_types(text):
    """name: (result, text of the parameters, whether the name is that of a pointer)."""
    found = {}
    for declaration in re.findall(r"^typedef ([^;{}]*\));", bare(text), re.M | re.S):
        declaration = words(declaration)
        pointer = re.fullmatch(r"(.*?)\(\*(\w+)\)\((.*)\)", declaration)
        plain = re.fullmatch(r"(.*?[ *])(\w+)\((.*)\)", declaration)
        if pointer:
            found[pointer.group(2)] = pointer.group(1).strip(), pointer.group(3), True
        elif plain:
            found[plain.group(2)] = plain.group(1).strip(), plain.group(3), False
    return found


def enumerations(text):
    """name: names of the enumerators."""
    found = {}
    for body, name in re.findall(r"^typedef enum \w* ?\{([^{}]*)\} (\w+);", bare(text), re.M | re.S):
        found[name] = [re.match(r"\w+", e.strip()).group() for e in body.split(",") if e.strip()]
    return found


def defaults(text):
    """struct: names of the exported constants with its defaults."""
    found = {}
    for struct, names in re.findall(r"\bextern (?:T_API )?const (\w+) ([\w, ]+);", bare(text)):
        found.setdefault(struct, []).extend(n.strip() for n in names.split(","))
    for struct, names in re.findall(r"^T_API extern const (\w+) ([\w, ]+);", bare(text), re.M):
        found.setdefault(struct, []).extend(n.strip() for n in names.split(","))
    return found


def macros(text):
    """Names of the macros that look like functions, and NAME: OTHER of those that are another name."""
    return (
        set(re.findall(r"^#define (\w+)\(", text, re.M)),
        dict(re.findall(r"^#define (\w+) (\w+) *$", text, re.M)),
    )
