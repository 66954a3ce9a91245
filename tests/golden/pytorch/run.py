"""Runs the Python sides of examples/pytorch with the real PyTorch.

    python run.py record NAME...      writes what they print to examples/pytorch/NAME.txt (NAME: basics/tensors)
    python run.py compare NAME...     runs Python and C in turn, three times each, with one thread; prints both times
    python run.py print NAME          prints to the terminal

Without names: all of them. The times are of the processor, so that other programs on the machine do not count, that of
Python without imports, that of C of the whole process; the smallest of three is taken. make check never runs this."""

import contextlib
import glob
import importlib
import io
import os
import resource
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "..", "examples", "pytorch")
BUILD = os.path.join(HERE, "..", "..", "..", "build", "examples", "pytorch")


def names():
    """basics/tensors and the others: the files in the folders, without those that other ports import."""
    found = (os.path.splitext(os.path.relpath(path, HERE))[0] for path in glob.glob(os.path.join(HERE, "*", "*.py")))
    return sorted(name for name in found if os.path.exists(os.path.join(EXAMPLES, name + ".c")))


def printed(name):
    """What the port's Python side prints, and the seconds it took."""
    import torch

    torch.set_num_threads(1)
    module = importlib.import_module(name.replace("/", "."))
    text = io.StringIO()
    begun = time.process_time()
    with contextlib.redirect_stdout(text):
        module.main()
    return text.getvalue(), time.process_time() - begun


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds_of(command, **options):
    begun = child_seconds()
    run = subprocess.run(command, check=True, capture_output=True, text=True, **options)
    return child_seconds() - begun, run


def compare(name):
    python, c = [], []
    for _ in range(3):
        _, run = seconds_of([sys.executable, __file__, "time", name])
        python.append(float(run.stdout))
        c.append(seconds_of([os.path.join(BUILD, name)], env={**os.environ, "TAPEGRAD_NUM_THREADS": "1"})[0])
    print(f"{name:35} Python {min(python):6.2f} s   C {min(c):6.2f} s   {min(python) / min(c):5.1f} times as fast")


def main():
    sys.path[:0] = [HERE, os.path.join(HERE, "text"), os.path.join(HERE, "reinforcement")]
    what, chosen = sys.argv[1], sys.argv[2:] or names()
    for name in chosen:
        if what == "record":
            with open(os.path.join(EXAMPLES, name + ".txt"), "w", encoding="utf-8") as file:
                file.write(printed(name)[0])
        elif what == "compare":
            compare(name)
        elif what == "time":
            print(printed(name)[1])
        else:
            print(printed(name)[0], end="")


main()
