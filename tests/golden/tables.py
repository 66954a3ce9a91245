"""Reads the cases out of tests/ops/table/op_table_*.c, as the C preprocessor leaves them."""

import re
import subprocess

DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
NAMES = {"NULL": None, "true": 1, "false": 0, **{"t_" + name: i + 1 for i, name in enumerate(DTYPES)}}
TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z_]\w*)|(\d[\dxXa-fA-F]*)[uUlL]*|(.))', re.S)


def tokens(text):
    """Strings joined where they are adjacent; numbers; names; single characters."""
    found = []
    for string, name, number, sign in TOKEN.findall(text):
        if string:
            value = string[1:-1].encode().decode("unicode_escape")
            if found and found[-1][0] == "string":
                found[-1] = ("string", found[-1][1] + value)
            else:
                found.append(("string", value))
        elif name:
            found.append(("name", name))
        elif number:
            found.append(("number", number))
        elif sign.strip():
            found.append(("sign", sign))
    return found


def value_of(item):
    """The value of an expression: a string, a name, NULL, or arithmetic of integers."""
    if item[0][0] == "string":
        return item[0][1]
    if len(item) == 1 and item[0][1] in NAMES:
        return NAMES[item[0][1]]
    if all(kind in ("number", "sign") for kind, _ in item):
        number = eval("".join(text for _, text in item))
        return None if number == -(1 << 63) else number
    text = "".join(text for _, text in item)
    return None if text == "((void*)0)" else text


def read_braces(found, at):
    """The initialiser whose '{' is at `at` as nested lists, and the index after it."""
    items, item = [], []
    at += 1
    while True:
        kind, text = found[at]
        if (kind, text) == ("sign", "{"):
            inner, at = read_braces(found, at)
            items.append(inner)
            if found[at] == ("sign", ","):
                at += 1
            continue
        if kind == "sign" and text in ",}":
            if item:
                items.append(value_of(item))
            item = []
            at += 1
            if text == "}":
                return items, at
            continue
        item.append(found[at])
        at += 1


def arrays(path, type_name):
    """Every `static const <type> name[] = {...};` of a file: {name: nested lists}."""
    command = ["cc", "-std=c11", "-E", "-P", "-I.", path]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result = {}
    for match in re.finditer(r"static const " + type_name + r" ?(?:const )?(\w+)\[\] = ", text):
        found = tokens(text[match.end() : match.end() + 60000].split(";\n")[0])
        result[match.group(1)] = read_braces(found, 0)[0]
    return result


def key_of(name, inputs, numbers):
    numbers = list(numbers)
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return " ".join([name] + ([inputs] if inputs else []) + [str(number) for number in numbers])


def read_table(path):
    """Rows of (op, [(inputs, numbers)], [(inputs, numbers, message)]), and the golden file's name."""
    cases, errors = arrays(path, "OpCase"), arrays(path, "OpError")
    rows = []
    for row in arrays(path, "OpRow")["rows"]:
        own = [(case[0], case[1] if len(case) > 1 else []) for case in cases[row[2]] if case[0] is not None]
        bad = [tuple(error) for error in errors[row[3]] if error[0] is not None]
        rows.append((row[0], own, bad))
    golden = re.search(r"TABLE\(\w+, \"([\w.]+)\"", open(path).read()).group(1)
    texts = arrays(path, r"char \*const")
    return golden, rows, texts
