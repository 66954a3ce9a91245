"""The statements of a port's C files, for pair_tutorials.py: enough of C's grammar for the examples."""

import glob
import os
import re

# Words that only one of the two languages needs.
IGNORED = {
    "self",
    "torch",
    "nn",
    "f",
    "plt",
    "sns",
    "optim",
    "np",
    "t",
    "call",
    "new",
    "tensor",
    "int64_t",
    "const",
    "char",
    "double",
    "bool",
    "void",
    "while",
    "null",
    "none",
    "numpy",
    "cpu",
    "detach",
    "at",
    "set",
    "list",
    "n",
    "long",
    "float32",
    "size",
    "shape",
    "to",
    "true",
    "false",
    "forward",
    "static",
    "print",
    "printf",
    "repr",
    "string",
    "commas",
    "item",
    "format",
    "s",
    "f_string",
    "f_tensor",
}
SAME = {
    "save": "show",
    "save_plot": "savefig",
    "set_grad": "grad",
}  # the copies' _save() stands for plt.show(), the ports' save_plot() is plt.savefig
PREFIX = re.compile(r"^(t|nn|F|optim|data|plt|sns|with|for)_(?=\w)")


def plain(word):
    """Without the prefix that C has for a dot; numbers as Python prints them."""
    word = PREFIX.sub("", word)
    if re.fullmatch(r"[\d.]+(e-?\d+)?", word):
        return repr(float(word))
    word = word.lower().strip("_")
    return SAME.get(word, word)


OPERATORS = {
    "==": "eq",
    "!=": "ne",
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "||": "or",
    "&&": "and",
    "!": "not",
}


def words_of(text):
    words = set()
    text = re.sub(r"->|\.(?=[a-z])", " ", text)
    for string in re.findall(r'"((?:[^"\\]|\\.)*)"', text):
        words |= {plain(w) for w in re.findall(r"[A-Za-z_]\w*", string)}
    text = re.sub(r'"((?:[^"\\]|\\.)*)"', " ", text)
    for token in re.findall(r"[A-Za-z_]\w*|\d[\d.]*(?:e-?\d+)?|==|!=|\|\||&&|[-+*/!]", text):
        word = OPERATORS.get(token) or plain(token)
        words.add(word)
        words |= set(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", token).lower().split("__")) if "__" in token else set()
    return words - IGNORED


def strip_comments(text):
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r"^\s*#.*(?:\\\n.*)*$", "", text, flags=re.M)


def matching(text, at):
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    quoted = None
    while at < len(text):
        c = text[at]
        if quoted:
            if c == "\\":
                at += 1
            elif c == quoted:
                quoted = None
        elif c in "\"'":
            quoted = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError("an open bracket")


def split_at(text, mark):
    """Parts between marks that are outside brackets and strings."""
    parts, start, at = [], 0, 0
    while at < len(text):
        if text[at] in "([{":
            at = matching(text, at)
            continue
        if text[at] == '"':
            at = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, at).end()
            continue
        if text[at] == mark:
            parts.append(text[start:at])
            start = at + 1
        at += 1
    return parts + [text[start:]]


HEAD = re.compile(r"(if|for|while|switch|for_\w+|with_\w+)\s*\(")
ASSIGNS = re.compile(
    r"(nn_set|nn_keep|nn_set_item|t_set|t_list_set|t_dict_set|t_set_grad|t_requires_grad_|plt_rcParams)\("
)
TYPE = re.compile(r"^(?:static |const )*(?:[A-Za-z_]\w*)(?: const)?(?=[\s*]+[A-Za-z_])[\s*]+")


class Body:
    """Flattens a function's body into (kind, words, text), without what follows if (fixed). The out-parameters of a
    function that ends with `return true` are part of the return, or with keep_out statements of their own."""

    def __init__(self, text, demo, keep_out=False):
        self.list, self.demo, self.keep_out = [], demo, keep_out
        self.block(re.sub(r"\bfixed \? [^:]*? : ", "", text))

    def add(self, kind, text):
        if kind == "return" and self.keep_out and text.strip() == "true":
            text = ", ".join(s[2].split(" = ")[0] for s in self.list if s[2].startswith("*")) or text
        text = " ".join(text.split())
        if (
            kind == "print"
            and self.list
            and self.list[-1][0] == "print"
            and self.list[-1][2].startswith("printf(")
            and '\\n"' not in self.list[-1][2]
            and "print(" not in self.list[-1][2]
        ):
            text = self.list.pop()[2] + " " + text  # a label and the tensor behind it are one print()
        while kind == "return" and not self.keep_out and self.list and self.list[-1][2].startswith("*"):
            self.list.pop()
        self.list.append((kind, words_of(text), text))

    def block(self, text):
        at = 0
        while at < len(text):
            rest = text[at:]
            blank = re.match(r"[\s;]+", rest)
            if blank:
                at += blank.end()
                continue
            head = HEAD.match(rest)
            if rest.startswith("{"):
                end = matching(text, at)
                self.block(text[at + 1 : end - 1])
                at = end
            elif re.match(r"else\b", rest):
                at += 4
            elif head:
                end = matching(text, at + head.end() - 1)
                at = self.head(head.group(1), text, at, end)
            else:
                statement = split_at(rest, ";")[0]
                self.statement(statement.strip())
                at += len(statement) + 1

    def head(self, word, text, at, end):
        """An if or loop; `if (bad) return t_fail(...)` is an assert. Gives the index after it."""
        if word == "if" and re.match(r"if \((example\.)?fixed\b", text[at:end]):
            return self.behind(text, end)
        failure = re.compile(r"\s*return t_fail\(").match(text, end)
        if word == "if" and failure:
            stop = matching(text, failure.end() - 1)
            self.add("assert", text[at:stop])
            return stop + 1
        kind = "if" if word == "if" else "with" if word.startswith("with_") else "for"
        self.add(kind, text[at:end])
        return end

    def behind(self, text, at):
        """The index after the statement or block at `at`, and after an else."""
        at = re.compile(r"\s*").match(text, at).end()
        head = HEAD.match(text[at:])
        if head:
            return self.behind(text, matching(text, at + head.end() - 1))
        at = matching(text, at) if text[at] == "{" else at + len(split_at(text[at:], ";")[0]) + 1
        return at + len(re.match(r"\s*(else\b)?", text[at:]).group(0))

    def statement(self, text):
        if (
            not text
            or text.startswith("(void)")
            or text == "return self"
            or re.match(r"\w+ \*self = context$", text)
            or re.match(r"return\b", text)
            and self.demo
        ):
            return
        if re.match(r"return\b", text):
            self.add("return", text[6:] or "none")
        elif text in ("break", "continue"):
            self.add(text, text)
        elif re.match(r"(printf|t_print|nn_print|puts|putchar|print_\w+)\(", text):
            self.add("print", text)
        elif re.match(r"\w+ \*self = nn_", text):
            self.add("module", text)
        else:
            self.assignment(text)

    def assignment(self, text):
        declared = TYPE.match(text)
        parts = split_at(text, ",") if declared else [text]
        for k, part in enumerate(parts):
            if declared and k == 0:
                part = part[declared.end() :]
            if re.match(r"^(dx|grad_input)\[\d\] = ", part.strip()):
                self.add("return", part)  # of a gradient rule
            elif re.match(r"^\*?[\w\->.\[\]]+\s*[-+*/]?=[^=]", part.strip()):
                self.add("assign", part)
            elif ASSIGNS.match(part.strip()):
                self.add("assign", part)
            elif not declared:
                self.add("call", part)


FUNCTION = re.compile(r"^(?:static )?(?:inline )?[A-Za-z_][\w ]*[\s*]+(\w+)\(([^;{]*)\)\s*\{", re.M)


def read_file(path, place=0, keep_out=False):
    """name -> (file, place, statements) of the functions of a file, numbered from `place` on."""
    functions = {}
    text = strip_comments(open(path, encoding="utf-8").read())
    for match in FUNCTION.finditer(text):
        end = matching(text, match.end() - 1)
        name = match.group(1)
        functions[name] = (
            os.path.basename(path),
            place,
            Body(text[match.end() : end - 1], name.startswith(("cell_", "demo")), keep_out).list,
        )
        place += 1
    return functions


def read_folder(folder):
    """The functions of all files of a folder."""
    functions = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.c"))):
        functions |= read_file(path, len(functions))
    return functions
