"""Pairs the statements of the Python sides of examples/pytorch with those of the C files, as pair_tutorials.py does.

    python pair.py [-v] [NAME...]     a line for each port, and each statement without a partner; -v prints every pair

Fails where less than 95 % of the Python statements have a partner. Needs no PyTorch."""

import glob
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import c_statements  # noqa: E402
import pair_tutorials  # noqa: E402

EXAMPLES = os.path.join(HERE, "..", "..", "..", "examples", "pytorch")
# What several ports import: data, and what Python does in other ways
DATA = {
    "llm/characters",
    "llms_from_scratch/instructions",
    "llms_from_scratch/messages",
    "llms_from_scratch/story",
    "llms_from_scratch/tokenizer",
    "makemore/names",
    "reinforcement/cart_pole",
    "text/names",
    "text/vocabulary",
}
LEAST = 0.95


def pair(name, show):
    """(pairs, Python statements, C statements) of a port, after a line about each statement without a partner."""
    path = os.path.join(EXAMPLES, name)
    c = c_statements.read_file(path + (".c" if os.path.exists(path + ".c") else ".h"), keep_out=True)
    total, last = [0, 0, 0], {}
    for label, names, python in pair_tutorials.functions_of(os.path.join(HERE, name + ".py")):
        found = next((n for n in names if n in c), None)
        if found is None and python:
            print(f"    -- {label}: no function {' or '.join(names)}")
        file, place, statements = c.get(found, ("", 0, []))
        last[file] = max(place, last.get(file, 0))
        counts = pair_tutorials.compare(label, python, statements, show)
        total = [a + b for a, b in zip(total, counts)]
    return total


def main():
    show = "-v" in sys.argv
    found = (os.path.splitext(os.path.relpath(path, HERE))[0] for path in glob.glob(os.path.join(HERE, "*", "*.py")))
    names = [argument for argument in sys.argv[1:] if argument != "-v"] or sorted(set(found) - DATA)
    grand, failed = [0, 0, 0], False
    for name in names:
        total = pair(name, show)
        part = total[0] / max(total[1], 1)
        print(
            f"  {name:35} {total[0]:4} pairs of {total[1]:4} statements in Python ({part:.1%}) "
            f"and {total[2]:4} in C ({total[0] / max(total[2], 1):.1%})"
        )
        failed = failed or part < LEAST
        grand = [a + b for a, b in zip(grand, total)]
    print(f"{grand[0]} pairs, {grand[1]} statements in Python ({grand[0] / grand[1]:.1%}), {grand[2]} in C")
    if failed:
        sys.exit(f"pair: a port has a partner for less than {LEAST:.0%} of its statements")


main()
