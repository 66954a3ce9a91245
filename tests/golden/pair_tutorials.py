"""Pairs the statements of the five tutorials with those of their ports, prints every pair and every exception.

    python pair_tutorials.py DIR [-q]      DIR holds tutorial_000.py to tutorial_004.py; make check never runs it

A class's __init__ is the C function of the class's name in snake_case, its forward is that name with _call, other
methods stand under their own names. Inside a function the statements are aligned in order (the alignment of highest
similarity, by shared words), and a pair counts only where both sides have the same kind and enough words in common.

What counts as a statement: on both sides an assignment, a call, a return, the head of an if, for or with. A tuple
assignment counts as its parts, a comprehension as its loop and an append; a tuple that is returned is one statement,
and so is C's return with the assignments through out-parameters before it; of what the copies repair it is the
tutorial's own side (not FIXED, not fixed). Declarations without a value, function heads, imports, docstrings and
`return self` count on neither side; the C statements of printing that make up one print() are one."""

import ast
import os
import re
import sys

import c_statements

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
PORTS = [
    ("000", "encoder_from_scratch"),
    ("001", "encoder_decoder"),
    ("002", "notebook"),
    ("003", "packed_qkv"),
    ("004", "attention_page"),
]
# What makes the copies runnable and is in no tutorial.
HARNESS = {"_save", "_path", "main", "configure", "nparams"}
ENOUGH = 0.25

OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "matmul",
    ast.Pow: "pow",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.BitOr: "or",
    ast.BitAnd: "and",
    ast.Invert: "not",
}


# ---- Python ----


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def words_of(node):
    """The words of an expression: names, attributes, numbers, and operators by their names in C."""
    words = []
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            words.append(part.id)
        elif isinstance(part, ast.Attribute):
            words.append(part.attr)
        elif isinstance(part, ast.keyword) and part.arg:
            words.append(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, (int, float)):
            words.append(repr(part.value))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            words += re.findall(r"[A-Za-z_]\w*", part.value, re.A)
        elif type(part) in OPERATORS:
            words.append(OPERATORS[type(part)])
    return {c_statements.plain(word) for word in words} - c_statements.IGNORED


def is_fixed(node):
    return isinstance(node, ast.Name) and node.id == "FIXED"


class Unfixed(ast.NodeTransformer):
    """The tutorial's own side of what the copies repair."""

    def visit_IfExp(self, node):
        self.generic_visit(node)
        return node.orelse if is_fixed(node.test) else node

    def visit_If(self, node):
        self.generic_visit(node)
        asked = node.test.values[0] if isinstance(node.test, ast.BoolOp) else node.test
        return node.orelse if is_fixed(asked) else node


class Statements:
    """Flattens a function's body into (kind, words, text); a demo's return is the copies' own."""

    def __init__(self, demo):
        self.list, self.demo = [], demo

    def add(self, kind, node, text=None):
        self.list.append((kind, words_of(node), text or ast.unparse(node).split("\n")[0]))

    def body(self, nodes):
        for node in nodes:
            self.statement(node)

    def statement(self, node):
        if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass, ast.ClassDef, ast.FunctionDef)):
            return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, (ast.If, ast.For, ast.While, ast.With)):
            self.compound(node)
        elif isinstance(node, ast.Return) and self.demo:
            return
        elif isinstance(node, ast.Return):
            first = node.value.elts[0] if isinstance(node.value, ast.Tuple) else node.value or ast.Name("none")
            self.add("return", first, ast.unparse(node))
        elif isinstance(node, ast.Assign):
            self.assign(node)
        elif isinstance(node, ast.Expr):
            called = ast.unparse(node.value.func) if isinstance(node.value, ast.Call) else ""
            prints = re.match(r"print(_\w+)?$", called)
            kind = "print" if prints else "module" if called.endswith("__init__") else "call"
            self.add(kind, node)
        else:
            kinds = {"Assert": "assert", "Break": "break", "AugAssign": "augmented"}
            self.add(kinds.get(type(node).__name__, "call"), node)

    def compound(self, node):
        if isinstance(node, ast.If):
            self.add("if", node.test, f"if {ast.unparse(node.test)}:")
        elif isinstance(node, ast.While):
            self.add("for", node.test, f"while {ast.unparse(node.test)}:")
        elif isinstance(node, ast.For):
            self.add(
                "for",
                ast.Tuple([node.target, node.iter]),
                f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}:",
            )
        else:
            self.add("with", node.items[0].context_expr, f"with {ast.unparse(node.items[0])}:")
        self.body(node.body)
        self.body(node.orelse if hasattr(node, "orelse") else [])

    def assign(self, node):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple):
            names = [t for t in target.elts if ast.unparse(t) != "_"]
            if isinstance(value, ast.Tuple):
                for name, part in zip(target.elts, value.elts):
                    self.add("assign", ast.Tuple([name, part]), f"{ast.unparse(name)} = {ast.unparse(part)}")
                return
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "map":
                for name in names:
                    self.add("assign", ast.Tuple([name, *value.args]), f"{ast.unparse(name)}, = {ast.unparse(value)}")
                return
            if ast.unparse(value).endswith((".shape", ".size()")):
                for name in names:
                    self.add("assign", ast.Tuple([name, value]), f"{ast.unparse(name)}, = {ast.unparse(value)}")
                return
        loops = [part for part in ast.walk(value) if isinstance(part, (ast.ListComp, ast.GeneratorExp))]
        summed = isinstance(value, ast.Call) and ast.unparse(value.func) == "sum"  # sum(p.numel() ...) is one call in C
        if not loops or summed or isinstance(value, ast.Call) and "print" in ast.unparse(value.func):
            self.add("assign", node)
            return
        loop = loops[0].generators[0]
        self.add("assign", target, f"{ast.unparse(target)} = [...]")
        self.add(
            "for", ast.Tuple([loop.target, loop.iter]), f"for {ast.unparse(loop.target)} in {ast.unparse(loop.iter)}:"
        )
        self.add("call", ast.Tuple([target, loops[0].elt]), f"append({ast.unparse(loops[0].elt)})")


def functions_of(path):
    """(label, names that its port may have, statements) of every function of a tutorial, in order."""
    found = []

    def take(label, names, body):
        statements = Statements(label.startswith(("cell_", "demo")))
        statements.body(body)
        found.append((label, names, statements.list))

    for node in Unfixed().visit(ast.parse(open(path, encoding="utf-8").read())).body:
        if isinstance(node, ast.FunctionDef) and node.name not in HARNESS:
            take(node.name, [node.name], node.body)
        if not isinstance(node, ast.ClassDef):
            continue
        name, bare = snake(node.name), snake(node.name.removeprefix("Custom"))  # 000's copy has a CustomLayerNorm
        for method in node.body:
            if not isinstance(method, ast.FunctionDef):
                continue
            stem = method.name.strip("_")
            own = {"init": [name, bare, name + "_new"], "forward": [name + "_call", bare + "_call", name]}
            names = own.get(stem, [f"{name}_{stem}", f"{bare}_{stem}", stem])
            take(f"{node.name}.{method.name}", names, method.body)
    return found


# ---- pairs ----


def likeness(a, b):
    if a[0] == "augmented":  # x -= y: of a number the same in C, of a tensor t_sub_(x, y)
        a = (b[0] if b[0] in ("assign", "call") else "", *a[1:])
    if b[2].startswith("t_requires_grad_("):  # x.requires_grad = True, or x.requires_grad_(True)
        b = (a[0] if a[0] in ("assign", "call") else "", *b[1:])
    if a[0] != b[0] and not (a[0] == "assign" and b[0] == "call" and "&" in b[2]):
        return 0
    if a[0] in ("break", "module", "assert"):
        return 1
    if a[0] == "print" and (not a[1] or not b[1]):
        return 0.3  # nothing but a label, each in its own words
    common = len(a[1] & b[1])
    return 2 * common / max(len(a[1]) + len(b[1]), 1) if a[1] or b[1] else 1


def align(python, c):
    """The pairs (i, j) in order of the greatest sum of likenesses."""
    rows, columns = len(python), len(c)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    like = [[likeness(a, b) for b in c] for a in python]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            pair = like[i][j] + best[i + 1][j + 1] if like[i][j] >= ENOUGH else 0
            best[i][j] = max(pair, best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < rows and j < columns:
        if like[i][j] >= ENOUGH and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def compare(label, python, c, show):
    pairs = align(python, c)
    if show:
        print(f"  {label}")
        for i, j in pairs:
            print(f"    {python[i][2][:95]:95}  |  {c[j][2][:110]}")
    for i in sorted(set(range(len(python))) - {i for i, _ in pairs}):
        print(f"    -- {label}: only in Python: {python[i][2][:140]}")
    for j in sorted(set(range(len(c))) - {j for _, j in pairs}):
        print(f"    ++ {label}: only in C: {c[j][2][:140]}")
    return len(pairs), len(python), len(c)


def main():
    folder, show = sys.argv[1], "-q" not in sys.argv
    grand = [0, 0, 0]
    for number, port in PORTS:
        print(f"tutorial {number}: examples/{port}")
        c = c_statements.read_folder(os.path.join(ROOT, port))
        total, last = [0, 0, 0], {}
        for label, names, python in functions_of(os.path.join(folder, f"tutorial_{number}.py")):
            name = next((n for n in names if n in c), None)
            if name is None and python:
                print(f"    -- {label}: no function {' or '.join(names)}")
            file, place, statements = c.get(name, ("", 0, []))
            if place < last.get(file, 0):
                print(f"    !! {label} is earlier in {file}")
            last[file] = max(place, last.get(file, 0))
            total = [a + b for a, b in zip(total, compare(label, python, statements, show))]
        grand = [a + b for a, b in zip(grand, total)]
        print(
            f"  {total[0]} pairs; {total[1]} statements in Python ({total[0] / total[1]:.1%}), {total[2]} in C "
            f"({total[0] / max(total[2], 1):.1%})"
        )
    print(
        f"all: {grand[0]} pairs; {grand[1]} statements in Python ({grand[0] / grand[1]:.1%}), {grand[2]} in C "
        f"({grand[0] / grand[2]:.1%})"
    )


if __name__ == "__main__":
    main()
