"""The lines and branches of core/, nn/ and optim/ that the programs of make check reach, from gcov's counts.

    python tests/torture/coverage.py build/gcov [--files 98] [--show FILE] [--branches FILE]

The programs have run; the counts are in the .gcda files of the folder. A line counts once, however often its file is
included and for whatever instruction set it is compiled: it is covered if one of its instances ran. Prints a table of
the folders, the files with fewer than --files percent of their lines, and what tests/torture/uncovered.txt gives no
reason for. Each line there is

    file: pattern | reason

with a pattern in the sense of fnmatch for files and a regular expression for the text of the line, and stands for the
lines that did not run and that it matches. The exit code is 1 if a folder of the three has fewer than 98 % of its
lines, or if a reason is stale: nothing that did not run matches it any more."""

import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys

WANTED = 98.0
ROOTS = ("core/", "nn/", "optim/")
REASONS = "tests/torture/uncovered.txt"
# Whose branches are counted: parsers, and what must be right when something goes wrong.
BRANCHES = ["core/io", "core/text", "core/pandas", "core/vision/io", "core/autograd", "core/tensor", "core/memory"]


def counts_of(notes):
    """gcov's counts of the object files: {source: {line: count}} and {source: {(line, branch): count}}."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    made = subprocess.run(["gcov", "-b", "-j", "-t"] + notes, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for text in made.stdout.splitlines():
        for source in json.loads(text)["files"]:
            name = os.path.normpath(source["file"])
            if not name.startswith(ROOTS):
                continue
            here = collections.defaultdict(list)
            for line in source["lines"]:
                n = line["line_number"]
                lines[name][n] = max(lines[name].get(n, 0), line["count"])
                if len(line["branches"]) > len(here[n]):
                    here[n] += [0] * (len(line["branches"]) - len(here[n]))
                for i, branch in enumerate(line["branches"]):
                    here[n][i] = max(here[n][i], branch["count"])
            for n, found in here.items():
                for i, count in enumerate(found):
                    branches[name][n, i] = max(branches[name].get((n, i), 0), count)
    return lines, branches


def merged(folder):
    """The counts of all object files; a file without counts has not run."""
    notes = sorted(glob.glob(f"{folder}/obj/**/*.gcno", recursive=True))
    notes = [path for path in notes if os.path.relpath(path, f"{folder}/obj").startswith(ROOTS)]
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    with concurrent.futures.ProcessPoolExecutor(max_workers=2) as pool:
        for some_lines, some_branches in pool.map(counts_of, [notes[i : i + 20] for i in range(0, len(notes), 20)]):
            for total, some in ((lines, some_lines), (branches, some_branches)):
                for name, counts in some.items():
                    for key, count in counts.items():
                        total[name][key] = max(total[name].get(key, 0), count)
    return lines, branches


def folder_of(name):
    """core/io/npy.c: core/io; nn/functional/loss/loss.h: nn/functional."""
    return "/".join(os.path.dirname(name).split("/")[:2])


def percent(covered, total):
    return 100.0 * covered / total if total else 100.0


def reasons():
    """[file pattern, text pattern, reason, lines matched]"""
    found = []
    if os.path.exists(REASONS):
        for n, text in enumerate(open(REASONS), 1):
            text = text.rstrip("\n")
            if not text or text.startswith("#"):
                continue
            parsed = re.fullmatch(r"(\S+): (.*) \| (.+)", text)
            if not parsed:
                sys.exit(f"{REASONS}:{n}: a line is 'file: pattern | reason': {text}")
            found.append([parsed.group(1), re.compile(parsed.group(2)), parsed.group(3), 0])
    return found


def table(title, groups):
    print(f"\n{title:32} {'lines':>7} {'not run':>8} {'percent':>8}")
    for name, (covered, total) in groups:
        print(f"{name:32} {total:7} {total - covered:8} {percent(covered, total):8.2f}")


def sums(counts, key):
    groups = collections.defaultdict(lambda: [0, 0])
    for name, found in counts.items():
        groups[key(name)][0] += sum(count > 0 for count in found.values())
        groups[key(name)][1] += len(found)
    return groups


def ranges(numbers):
    """3, 4, 5, 9: 3-5, 9"""
    out = []
    for n in numbers:
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", help="the BUILD folder whose programs have run")
    parser.add_argument("--files", type=float, default=WANTED, help="list files below this percentage")
    parser.add_argument("--show", action="append", default=[], help="print the lines of this file that did not run")
    parser.add_argument("--branches", action="append", default=[], help="print the lines of this file that run, but "
                        "never take a branch")  # fmt: skip
    options = parser.parse_args()
    lines, branches = merged(options.folder)

    listed, unexplained = reasons(), {}
    for name, found in sorted(lines.items()):
        text = open(name).read().split("\n")
        missed = sorted(n for n, count in found.items() if not count)
        for n in missed:
            matching = [r for r in listed if fnmatch.fnmatch(name, r[0]) and r[1].search(text[n - 1])]
            for reason in matching:
                reason[3] += 1
            if not matching:
                unexplained.setdefault(name, []).append(n)
        if name in options.show:
            print(f"\n{name}: {len(missed)} of {len(found)} lines did not run")
            for n in missed:
                print(f"{n:5}: {text[n - 1]}{'' if n in unexplained.get(name, []) else '    | has a reason'}")

    for name in options.branches:
        text = open(name).read().split("\n")
        taken = collections.defaultdict(list)
        for (n, _), count in sorted(branches[name].items()):
            taken[n].append(count > 0)
        print(f"\n{name}: lines that run without one of their branches, and which of them ran")
        for n, which in taken.items():
            if lines[name][n] and not all(which):
                print(f"{n:5}: {''.join('+-'[not w] for w in which):8} {text[n - 1]}")

    files = [(name, pair) for name, pair in sums(lines, lambda name: name).items() if percent(*pair) < options.files]
    table(f"files below {options.files:g} %", sorted(files, key=lambda f: f[1][0] - f[1][1]))
    table("folder", sorted(sums(lines, folder_of).items()))
    chosen = {n: found for n, found in branches.items() if any(n.startswith(f + "/") for f in BRANCHES)}
    table("branches of parsers, errors", sorted(sums(chosen, lambda n: folder_of(n)).items()))
    roots = sorted(sums(lines, lambda name: name.split("/")[0]).items())
    table("all", roots)
    print(f"\nlines without a reason in {REASONS}: {sum(map(len, unexplained.values()))}")
    for name, numbers in sorted(unexplained.items(), key=lambda item: -len(item[1])):
        print(f"    {name}: {ranges(numbers)}")
    bad = [name for name, pair in roots if percent(*pair) < WANTED]
    for name in bad:
        print(f"coverage: {name} has fewer than {WANTED:g} % of its lines")
    for files, pattern, reason, count in listed:
        if not count:
            print(f"coverage: stale reason in {REASONS}: {files}: {pattern.pattern} | {reason}")
            bad.append(files)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
