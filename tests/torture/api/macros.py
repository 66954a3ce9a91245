"""Forms of the macros: python3 macros.py macros.txt [compiler]

For each function that has a macro, calls of the macro with the values of the function's parameters: by position, by
keyword, sizes as a tuple, as one number and as several, the fields of options as keywords. The first form that the
compiler takes is written to macros.txt: NAME|EXPRESSION|TEXT, for generate.py. Run from the root of the tree."""

import re
import subprocess
import sys

import generate


def forms(api, name, macro, params):
    """(expression, text, condition) of each way to call it."""
    found = []
    for sizes in ("tuple", "number", "spread"):
        for style in ("positional", "keywords", "short"):
            for fields in (True, False):
                arguments, texts, conditions, usable = [], [], [], True
                tensors = 0
                for i, p in enumerate(params):
                    kind, shown = p["kind"], f"${i}"
                    if p["pair"] >= 0 and kind == "k_int":
                        continue
                    tensors += kind in ("k_tensor", "k_object", "k_pointer", "k_text", "k_callback")
                    if kind == "k_struct" and not p.get("is_value"):
                        struct = api.plain(p["type"])[:-1]
                        conditions.append(f"a[{i}].p")
                        if not fields:
                            continue
                        for type_, field, length in api.structs.get(struct, []):
                            plain = api.plain(type_)
                            if field in ("size", "first_") or length or "(" in type_:
                                continue
                            if plain in ("int64_t", "double", "bool", "t_DType", "Tensor*", "int", "Tensor**") or (
                                plain == "char*"
                            ):
                                arguments.append(f".{field} = ((const {struct} *)a[{i}].p)->{field}")
                                texts.append(f".{field} = ({shown})->{field}")
                        continue
                    if kind == "k_array":
                        inner = api.elements[p["element"]]
                        if inner["kind"] != "k_int":
                            usable = False
                            continue
                        conditions.append(f"a[{i}].p" + (f" && a[{p['pair']}].i >= 2" if p["pair"] >= 0 else ""))
                        items = [f"((const int64_t *)a[{i}].p)[{k}]" for k in (0, 1)]
                        shown_items = [f"{shown}[{k}]" for k in (0, 1)]
                        for source, target in ((items, arguments), (shown_items, texts)):
                            keyword = f".{p['name']} = " if style == "keywords" and tensors else ""
                            if sizes == "number":
                                target.append(keyword + source[0])
                            elif sizes == "spread":
                                target.append(", ".join(source))
                            elif keyword:
                                target.append(f"{keyword}t_tuple({source[0]}, {source[1]})")
                            else:
                                target.append(f"({source[0]}, {source[1]})")
                        continue
                    value = api.argument(p, i)
                    if kind in ("k_object", "k_tensor"):
                        value = value.replace("(const ", "(")
                    if kind in ("k_out",):
                        value = f"({p['type']})a[{i}].p"
                    keyword = ""
                    if (
                        style == "keywords"
                        and kind not in ("k_tensor", "k_object")
                        or (style != "positional" and kind == "k_out")
                    ):
                        keyword = f".{p['name']} = " if i else ""
                    if style == "short" and i >= 1 and kind in ("k_int", "k_double", "k_bool", "k_text", "k_out"):
                        continue
                    arguments.append(keyword + value)
                    texts.append(keyword + shown)
                if usable:
                    form = f"{macro}({', '.join(arguments)})", f"{macro}({', '.join(texts)})", conditions
                    if form not in found:
                        found.append(form)
    return found


def main(path, compiler):
    api = generate.Api()
    candidates, body = [], []
    for result, name, text, comment, header, quoted in api.functions:
        macro = name[:-4] if name.endswith("_new") and name[:-4] in api.macros else name
        if macro not in api.macros or "..." in text:
            continue
        params = [api.param(t, w, n, name) for t, w, n in generate.headers.parameters(text)]
        api.link(params)
        if any(p["kind"] == "k_other" for p in params):
            continue
        for expression, shown, conditions in forms(api, name, macro, params):
            number = len(candidates)
            candidates.append((name, expression, shown, conditions))
            statement, _, _ = api.result(result, expression)
            body.append(
                f"static void m_{number}(const Value *a, Value *r, long double *wide) {{ (void)a; (void)r; (void)wide; "
                f"{statement} }}"
            )
    source = (
        "#define _DEFAULT_SOURCE\n#include <stdio.h>\n"
        + "".join(f'#include "{i}"\n' for i in api.includes)
        + '#include "tests/torture/api/api.h"\n'
        + "\n".join(body)
        + "\n"
    )
    temporary = path + ".c"
    open(temporary, "w").write(source)
    run = subprocess.run(
        compiler.split()
        + ["-std=c11", "-I.", "-Wno-discarded-qualifiers", "-fsyntax-only", "-Wno-unused-function", temporary],
        capture_output=True,
        text=True,
        env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    bad, inside = set(), None
    for line in run.stderr.splitlines():
        found = re.search(r"In function ['‘]m_(\d+)['’]", line)
        if found:
            inside = int(found.group(1))
        elif re.search("error:|warning: (initialization of|excess elements|passing)", line) and inside is not None:
            bad.add(inside)
    taken = {}
    for number, (name, expression, shown, conditions) in enumerate(candidates):
        if number not in bad and name not in taken:
            taken[name] = f"{name}|{expression}|{shown}|{' && '.join(conditions)}"
    with open(path, "w") as out:
        out.write("".join(line + "\n" for line in taken.values()))
    missing = sorted({c[0] for c in candidates} - set(taken))
    print(f"macros: {len(taken)} of {len(taken) + len(missing)} have a form; without: {' '.join(missing)}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "gcc")
