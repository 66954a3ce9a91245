"""The public functions as C data: python3 generate.py calls.c [macros.txt]

Reads the public headers with tests/golden/sample_inputs/headers.py and writes calls.c: for each function its parameters
by kind (api.h), a function that calls it with an array of values, and, for each form in macros.txt, one that calls its
macro. Run from the root of the tree."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../golden/sample_inputs"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import headers  # noqa: E402
import rules  # noqa: E402

INTEGERS = {
    "int64_t": (8, 0),
    "int": (4, 0),
    "size_t": (8, 1),
    "uint32_t": (4, 1),
    "unsigned": (4, 1),
    "uint64_t": (8, 1),
    "int32_t": (4, 0),
    "long": (8, 0),
    "uint8_t": (1, 1),
    "char": (1, 0),
    "unsigned char": (1, 1),
}
COUNTS = re.compile(r"(^|_)(count|ndim|size|bytes|dims|len|capacity|paddings|strides|argc|length|n)$|s$")
MODULES = {"module", "self", "model", "parent", "child", "modules", "models", "other", "encoder_layer"}


class Api:
    def __init__(self, root="."):
        self.includes = [line for line in os.popen("sh core/package/headers.sh --faces").read().split()]
        self.functions, self.structs, self.types, self.enums, self.defaults = [], {}, {}, {}, {}
        self.macros, self.aliases, opaque, self.texts = set(), {}, [], {}
        for path in headers.public(root):
            text = open(os.path.join(root, path)).read()
            self.structs.update(headers.structs(text))
            self.types.update(headers.function_types(text))
            self.enums.update(headers.enumerations(text))
            for struct, names in headers.defaults(text).items():
                self.defaults.setdefault(struct, []).extend(names)
            opaque += headers.opaque(text)
            macros, aliases = headers.macros(text)
            self.macros |= macros
            self.aliases.update(aliases)
            # typedef X Y; of structs
            for name, other in re.findall(r"^typedef (?:struct )?(\w+) (\w+);", headers.bare(text), re.M):
                if name in self.structs and other not in self.structs:
                    self.structs[other] = self.structs[name]
            quoted = sorted(set(re.findall(r'"([\w./ %:-]{1,24})"', "\n".join(re.findall(r"/\*.*?\*/", text, re.S)))))
            for function in headers.prototypes(text):
                self.functions.append(function + (path, quoted))
        self.functions = [f for f in self.functions if f[1] not in ("main",)]
        # Classes: what begins with a t_Object, and what is opaque.
        self.classes = []
        for name in opaque:
            if name not in self.structs and name not in self.types and name != "t_Context":
                self.classes.append(name)
        changed = True
        while changed:
            changed = False
            for name, fields in self.structs.items():
                first = fields[0][0].replace("struct ", "") if fields else ""
                if name not in self.classes and name != "t_Object" and (first == "t_Object" or first in self.classes):
                    self.classes.append(name)
                    changed = True
        self.base = {
            c: self.structs[c][0][0] if c in self.structs and self.structs[c][0][0] in self.classes else None
            for c in self.classes
        }
        for _, name, *_ in self.functions:  # modules whose structs a macro defines
            if name.startswith("nn_") and name.endswith("_new") and name[:-4] not in self.base:
                self.classes.append(name[:-4])
                self.base[name[:-4]] = "nn_Module"
        self.value_structs = [
            s
            for s in self.structs
            if s not in self.classes and s not in ("t_Object", "t_Class") and not s.startswith("_")
        ]
        self.used_structs, self.callbacks, self.out = [], [], []
        self.callback_index = {}
        self.elements = []

    # ---- parameters ----

    def plain(self, type_):
        return re.sub(r"\b(const|struct)\b", "", type_).replace(" ", "")

    def param(self, type_, name, length, function, field=None):
        """The C initialiser of a Param."""
        plain = self.plain(type_)
        p = dict(
            name=name,
            type=type_,
            kind="k_other",
            sub=0,
            pair=-1,
            length=0,
            element=None,
            is_unsigned=0,
            is_const=int("const" in type_),
            spec=None,
            owner=function,
            bytes="sizeof(void *)",
        )
        if isinstance(length, str):
            length = length  # an enumerator
        stars = plain.count("*") if "(*)" not in type_ else 0
        word = plain.rstrip("*")
        if "(*)" in type_:
            p["kind"], p["sub"] = "k_callback", self.callback(type_, name)
        elif word in self.types:
            p["kind"], p["sub"] = "k_callback", self.callback(word, name)
            if stars > (not self.types[word][2]):
                p["kind"] = "k_other"
        elif stars == 0:
            if word in INTEGERS:
                p["kind"], (p["sub"], p["is_unsigned"]) = "k_int", INTEGERS[word]
                p["bytes"] = f"sizeof({word})"
            elif word in ("double", "float"):
                p["kind"], p["bytes"], p["sub"] = "k_double", f"sizeof({word})", 8 if word == "double" else 4
            elif word == "longdouble":
                p["kind"], p["bytes"] = "k_long_double", "sizeof(long double)"
            elif word in ("bool", "_Bool"):
                p["kind"], p["bytes"] = "k_bool", "1"
            elif word in self.enums:
                p["kind"], p["sub"], p["bytes"] = "k_enum", list(self.enums).index(word), "sizeof(int)"
            elif word in self.value_structs:
                p["kind"], p["sub"], p["bytes"] = "k_struct", self.struct(word), f"sizeof({word})"
                p["is_value"] = 1
        elif length and stars == 1 or length and field and stars == 2:
            inner = type_[: type_.rindex("*")].strip()
            p["kind"], p["length"] = "k_inline" if field else "k_array", length
            p["element"] = self.element(inner, name, function)
            if field:
                p["bytes"] = f"({length}) * {self.elements[p['element']]['bytes']}"
        elif plain == "char*":
            p["kind"] = "k_text" if "const" in type_ else "k_array"
            if p["kind"] == "k_array":
                p["element"] = self.element("char", name, function)
        elif plain == "Tensor*":
            p["kind"] = "k_tensor"
        elif plain == "FILE*":
            p["kind"] = "k_file"
        elif plain == "void*":
            p["kind"], p["sub"] = "k_pointer", self.role(name, function, field)
        elif stars == 1 and word in self.classes:
            p["kind"], p["sub"] = "k_object", self.classes.index(word)
        elif stars == 1 and word in INTEGERS or plain in ("double*", "bool*"):
            p["kind"] = "k_array" if "const" in type_ else "k_out"
            p["element"] = self.element(plain[:-1], name, function)
        elif stars == 1 and word in self.enums:
            p["kind"] = "k_array" if "const" in type_ else "k_out"
            p["element"] = self.element(word, name, function)
        elif stars == 1 and word in self.value_structs:
            p["kind"], p["sub"] = "k_struct", self.struct(word)
        elif plain == "Tensor***":
            p["kind"] = "k_array"
            p["element"] = self.element("Tensor **", name, function)
        elif plain == "t_Context*":
            p["kind"], p["sub"] = "k_pointer", "r_any"
        elif stars == 2 and (word in self.classes or word in ("Tensor", "char", "void")):
            input_ = re.search(r"\*\s*const\s*\*", type_) or word == "char"
            p["kind"] = "k_array" if input_ else "k_out"
            p["element"] = self.element(word + " *" if word != "char" else "const char *", name, function)
        if p["kind"] == "k_array" and p["element"] is None:
            p["kind"] = "k_other"
        return p

    def role(self, name, function, field):
        key = (function, name)
        if key in rules.ROLES:
            return rules.ROLES[key]
        if name in rules.ROLES:
            return rules.ROLES[name]
        if name in MODULES:
            return "r_module"
        return "r_context" if name == "context" or field else "r_any"

    def element(self, type_, name, function):
        p = self.param(type_, name, 0, function)
        self.elements.append(p)
        return len(self.elements) - 1

    def struct(self, name):
        if name not in self.used_structs:
            self.used_structs.append(name)
        return self.used_structs.index(name)

    def callback(self, type_, name):
        key = type_
        if key not in self.callback_index:
            self.callback_index[key] = len(self.callbacks)
            if "(*)" in type_:
                result, parameters = re.fullmatch(r"(.*?)\(\*\)\((.*)\)", type_).groups()
            else:
                result, parameters, _ = self.types[type_]
            self.callbacks.append((key, result.strip(), headers.parameters(parameters)))
        return self.callback_index[key]

    def link(self, params):
        """Arrays and their counts."""
        for i, p in enumerate(params):
            after = params[i + 1] if i + 1 < len(params) else None
            pointer = (
                p["kind"] in ("k_array", "k_out")
                and not p["length"]
                or p["kind"] == "k_pointer"
                and p["sub"] in ("r_buffer",)
            )
            if p["kind"] in ("k_struct",) and not p.get("is_value") and p["is_const"] and after:
                pointer = not p["name"] == "options"
            if pointer and after and after["kind"] == "k_int" and COUNTS.search(after["name"]):
                p["pair"], after["pair"] = i + 1, i
                if p["kind"] == "k_struct":
                    element = dict(
                        p, kind="k_struct", is_value=1, pair=-1, bytes=f"sizeof({self.plain(p['type'])[:-1]})"
                    )
                    self.elements.append(element)
                    p["kind"], p["element"] = "k_array", len(self.elements) - 1
            if p["name"] == "argc" and after:
                p["pair"], after["pair"] = i + 1, i

    # ---- output ----

    def quote(self, text):
        return (
            '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
            if text is not None
            else "NULL"
        )

    def initialiser(self, p, offset="0"):
        element = f"&elements[{p['element']}]" if p["element"] is not None else "NULL"
        sub = p["sub"]
        whole = "{owner}.{name}".format(**p)
        if p["kind"] == "k_tensor":
            most = 2 if re.fullmatch(rules.BOUNDED_TENSORS, whole) else 0
        else:
            most = rules.BOUNDED.get(p["name"], rules.BOUNDED.get(whole, 0))
        trusted = int(bool(re.fullmatch(rules.TRUSTED, whole)))
        return (
            f'{{{self.quote(p["name"])}, {self.quote(p["type"])}, {p["kind"]}, {sub}, {p["pair"]}, {p["length"]}, '
            f'{offset}, {p["bytes"]}, {element}, {self.quote(p["spec"])}, {p["is_unsigned"]}, {p["is_const"]}, {most}, '
            f"{trusted}}}"
        )

    def argument(self, p, i, how="plain"):
        kind = p["kind"]
        if kind == "k_int":
            return f"({p['type']})a[{i}].i"
        if kind in ("k_double",):
            return f"a[{i}].d"
        if kind == "k_long_double":
            return f"wide[{i}]"
        if kind == "k_bool":
            return f"a[{i}].b"
        if kind == "k_enum":
            return f"({p['type']})a[{i}].i"
        if kind == "k_callback":
            if "(*)" in p["type"]:
                return f"({p['type']})a[{i}].f"
            return f"({p['type']})a[{i}].f"
        if p.get("is_value"):
            return f"*({p['type']} *)a[{i}].p"
        if "FILE" in p["type"]:
            return f"(FILE *)a[{i}].p"
        return f"({p['type']})a[{i}].p"

    def result(self, result, call):
        plain = self.plain(result)
        if plain == "void":
            return f"{call};", "k_void", 0
        if plain == "Tensor*":
            return f"r->p = {call};", "k_tensor", "0"
        if plain.endswith("*"):
            if plain[:-1] in self.classes:
                return f"r->p = (void *)(uintptr_t){call};", "k_object", self.classes.index(plain[:-1])
            if plain == "void*":
                return f"r->p = (void *)(uintptr_t){call};", "k_pointer", 0
            return f"r->p = (void *)(uintptr_t){call};", "k_text" if plain == "char*" else "k_other", 0
        if plain in ("double", "float"):
            return f"r->d = {call};", "k_double", 0
        if plain == "bool":
            return f"r->b = {call};", "k_bool", 0
        if plain in INTEGERS:
            return f"r->i = (int64_t){call};", "k_int", 0
        if plain in self.enums:
            return f"r->i = (int64_t){call};", "k_enum", 0
        if plain in self.types:
            return f"r->f = (void (*)(void)){call};", "k_callback", 0
        return f"{{ {plain} s = {call}; r->p = *(void **)&s; }}", "k_struct", 0

    def callback_bodies(self, index):
        key, result, parameters = self.callbacks[index]
        plain = self.plain(result)
        names = [n or f"p{i}" for i, (_, n, _) in enumerate(parameters)]
        signature = ", ".join(f"{t} {n}" for (t, _, _), n in zip(parameters, names)) or "void"
        tensor = next((n for (t, _, _), n in zip(parameters, names) if self.plain(t) == "Tensor*"), None)
        listed = next((n for (t, _, _), n in zip(parameters, names) if self.plain(t) == "t_TensorList*"), None)
        outs = [n for (t, _, _), n in zip(parameters, names) if self.plain(t) == "Tensor**" and "const" not in t]
        use = " ".join(f"(void){n};" for n in names)
        ends = plain != "void" and ("next" in key.lower() or "iter" in key.lower())
        guard = "if (api_calls_of_callbacks++ >= 3) return 0; " if ends else ""
        fresh = "(t_full)((const int64_t[]){2}, 1, 1.5, NULL)"
        filled = " ".join(f"*{n} = {fresh};" for n in outs)
        first = tensor or (f"({listed} && {listed}->len ? {listed}->items[0] : {fresh})" if listed else fresh)
        summed = f"(t_sum)({first}, NULL, 0, false)"
        one = rules.CALLBACKS.get(key)
        if one:
            benign, second = one
        elif plain == "Tensor*":
            benign, second = first, summed
        elif plain == "t_TensorList*":
            benign = listed or f"(t_list_new)((Tensor *[]){{{fresh}}}, 1)"
            second = f"(t_list_new)((Tensor *[]){{{summed}}}, 1)"
        elif plain == "bool":
            benign = second = "true"
        elif plain in INTEGERS:
            benign, second = "4", "0"
        elif plain == "double":
            benign, second = "0.5", "(0.0 / 0.0)"
        elif plain == "void":
            benign = second = ""
        elif plain == "t_TensorDict*":
            given = next((n for (t, _, _), n in zip(parameters, names) if self.plain(t) == "t_TensorDict*"), None)
            benign = given or "(t_dict_new)()"
            second = benign
        else:
            benign = second = "0"
        zero = "" if plain == "void" else "0"
        bodies = [
            f"{guard}{filled} return {benign};",
            f"{guard}{filled} return {second};",
            f"return {zero};",
            f'(t_fail)("the callback fails"); return {zero};',
        ]
        return [
            f"static {result} callback_{index}_{v}({signature}) {{ {use} {body} }}" for v, body in enumerate(bodies)
        ]

    def write(self, path, forms):
        chunks, rows = [], []
        for number, (result, name, text, comment, header, quoted) in enumerate(self.functions):
            params = []
            variadic = False
            for type_, word, length in headers.parameters(text):
                if type_ == "...":
                    variadic = True
                    continue
                params.append(self.param(type_, word, length, name))
            self.link(params)
            for p in params:
                p["spec"] = rules.SPECS.get(name, {}).get(p["name"], rules.SPECS.get("", {}).get(p["name"]))
                if p["name"] == "format" and variadic:
                    p["spec"] = "text"
            unknown = next((p for p in params if p["kind"] == "k_other"), None)
            exception = rules.EXCEPTIONS.get(name)
            if not exception:
                for pattern, reason in rules.EXCEPTION_PATTERNS:
                    if re.fullmatch(pattern, name):
                        exception = reason
            if unknown and not exception:
                exception = f"no values for {unknown['type']} {unknown['name']}"
            arguments = [self.argument(p, i) for i, p in enumerate(params)]
            if variadic:
                arguments[-1:] = ['"%s"', f'a[{len(params) - 1}].text ? a[{len(params) - 1}].text : ""']
            call = f"({name})({', '.join(arguments)})"
            statement, kind, sub = self.result(result, call)
            shown = [f"${i}" for i in range(len(params))]
            if variadic:
                shown[-1:] = ['"%s"', shown[-1]]
            call_text = f"({name})({', '.join(shown)})"
            flags = rules.flags(name, result, params, comment)
            chunks.append(
                f"static void call_{number}(const Value *a, Value *r, long double *wide) {{\n"
                f"    (void)a; (void)r; (void)wide;\n    {statement}\n}}\n"
            )
            macro, macro_text = "NULL", None
            if name in forms:
                expression, macro_text, condition = forms[name]
                statement, _, _ = self.result(result, expression)
                if condition:
                    plain = f"{{\n        api_was_plain = true;\n        call_{number}(a, r, wide);\n    }}"
                    statement = f"if (!({condition})) {plain} else {statement}"
                chunks.append(
                    f"static void macro_{number}(const Value *a, Value *r, long double *wide) {{\n"
                    f"    (void)a; (void)r; (void)wide;\n    {statement}\n}}\n"
                )
                macro = f"macro_{number}"
            if params:
                chunks.append(
                    f"static const Param params_{number}[] = {{\n    "
                    + ",\n    ".join(self.initialiser(p) for p in params)
                    + "};\n"
                )
            rows.append(
                f'    {{{self.quote(name)}, {f"params_{number}" if params else "NULL"}, {len(params)}, {kind}, {sub}, '
                f"{self.quote(result)}, {flags}, {self.quote(exception)}, call_{number}, {self.quote(call_text)}, "
                f"texts_{self.text_table(quoted)}, {macro}, {self.quote(macro_text)}}}"
            )
        # Structs pull in structs.
        struct_chunks, done = {}, 0
        while done < len(self.used_structs):
            name = self.used_structs[done]
            fields = [
                self.param(t, n, length, name, field=True)
                for t, n, length in self.structs[name]
                if not t.startswith(("t_Object", "struct t_too"))
            ]
            self.link(fields)
            for p in fields:
                p["spec"] = rules.SPECS.get(name, {}).get(p["name"])
            struct_chunks[done] = name, fields
            done += 1
        with open(path, "w") as out:
            out.write("/* Written by tests/torture/api/generate.py. */\n#define _DEFAULT_SOURCE\n#include <stdio.h>\n")
            for include in self.includes:
                out.write(f'#include "{include}"\n')
            out.write('#include "tests/torture/api/api.h"\n\nint api_calls_of_callbacks;\nbool api_was_plain;\n')
            out.write('#pragma GCC diagnostic ignored "-Wunused-function"\n')
            out.write("static const Param elements[];\n" if False else "")
            callbacks = []
            i = 0
            while i < len(self.callbacks):
                bodies = self.callback_bodies(i)
                out.write("\n".join(bodies) + "\n")
                callbacks.append(
                    f"    {{{self.quote(self.callbacks[i][0])}, {{"
                    + ", ".join(f"(void (*)(void))callback_{i}_{v}" for v in range(4))
                    + "}, {"
                    + ",\n        ".join(self.quote(b) for b in bodies)
                    + "}}"
                )
                i += 1
            out.write(f"const Callback api_callbacks[] = {{\n" + ",\n".join(callbacks) + "};\n")
            out.write(f"static const Param elements[{len(self.elements) + 1}];\n")
            for texts, number in self.tables.items():
                out.write(
                    f"static const char *const texts_{number}[] = {{"
                    + ", ".join([self.quote(t) for t in texts] + ["NULL"])
                    + "};\n"
                )
            for index, (name, fields) in struct_chunks.items():
                out.write(
                    f"static const Param fields_{index}[] = {{\n    "
                    + ",\n    ".join(self.initialiser(p, f"offsetof({name}, {p['name']})") for p in fields)
                    + "};\n"
                )
            out.write("const Struct api_structs[] = {\n")
            for index, (name, fields) in struct_chunks.items():
                default = self.defaults.get(name, [None])[0]
                out.write(
                    f"    {{{self.quote(name)}, sizeof({name}), fields_{index}, {len(fields)}, "
                    f"{'&' + default if default else 'NULL'}, {self.quote(default)}, "
                    f"{int(bool(fields) and fields[0]['name'] == 'size' and fields[0]['type'] == 'uint32_t')}}},\n"
                )
            out.write("};\n")
            out.write(
                f"static const Param elements[{len(self.elements) + 1}] = {{\n    "
                + "".join(self.initialiser(p) + ",\n    " for p in self.elements)
                + "{0}};\n"
            )
            out.write("\n".join(chunks))
            out.write("const Function api_functions[] = {\n" + ",\n".join(rows) + "};\n")
            out.write(f"const int api_function_count = {len(rows)};\n")
            out.write(
                "const Class api_classes[] = {\n"
                + ",\n".join(
                    f"    {{{self.quote(c)}, {self.classes.index(self.base[c]) if self.base[c] else -1}}}"
                    for c in self.classes
                )
                + "};\n"
            )
            out.write(f"const int api_class_count = {len(self.classes)};\n")
            for word, name in (
                ("tensor", "Tensor"),
                ("module", "nn_Module"),
                ("list", "t_TensorList"),
                ("dict", "t_TensorDict"),
            ):
                out.write(f"const int api_{word}_class = {self.classes.index(name)};\n")
            for i, (name, values) in enumerate(self.enums.items()):
                out.write(f"static const int enum_{i}[] = {{{', '.join(values)}}};\n")
            out.write(
                "const Enum api_enums[] = {\n"
                + ",\n".join(
                    f"    {{{self.quote(n)}, enum_{i}, {len(v)}}}" for i, (n, v) in enumerate(self.enums.items())
                )
                + "};\n"
            )
            out.write(
                "const char api_includes[] = "
                + " ".join(self.quote(f'#include "{i}"\n') for i in self.includes)
                + ";\n"
            )

    tables = {}

    def text_table(self, quoted):
        return self.tables.setdefault(tuple(quoted), len(self.tables))


def forms(path):
    """name: (expression, text, condition) of the lines NAME|EXPRESSION|TEXT|CONDITION."""
    found = {}
    if path and os.path.exists(path):
        for line in open(path):
            name, expression, text, condition = line.rstrip("\n").split("|")
            found[name] = expression, text, condition
    return found


if __name__ == "__main__":
    Api().write(sys.argv[1], forms(sys.argv[2] if len(sys.argv) > 2 else None))
