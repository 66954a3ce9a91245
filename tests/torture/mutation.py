"""Mutation testing: one-token changes of covered lines of core/, nn/ and optim/, which the suites should notice.

    make mutation MUTANTS=100 SEED=1

A mutant is an operator, a comparison, a constant, a condition, two arguments or a statement that is changed in a line
that a suite of make check reaches. It must compile, to other object code than the original. It is killed if a suite
that reaches the line (suite_lines.py) fails, crashes or hangs: first those named like the file or its folder, then the
others, the short ones first; suites newer than build/gcov/suites.json count as reaching each line. The tree is not
touched: the changed file lies in build/mutation/overlay, which the compiler searches first.

Results are appended to build/mutation/results.jsonl, and a run goes on where the last one with its SEED ended. A
survivor that cannot be noticed is named in tests/torture/equivalent.txt:

    file: the line as it is => the line as changed | reason"""

import argparse
import json
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import time

FOLDER = "build/mutation"
OVERLAY = FOLDER + "/overlay"
RESULTS = FOLDER + "/results.jsonl"
EQUIVALENT = "tests/torture/equivalent.txt"
REACHED = "build/gcov/suites.json"

TOKEN = re.compile(
    r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?(?:\*/|$)|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||'
    r"[-+*/%&|^]=|[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\.?\d*(?:[eE][-+]?\d+)?\w*|\S"
)
SWAPS = {
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/", "+"], "/": ["*"], "%": ["/"], "&&": ["||"], "||": ["&&"], "++": ["--"],
    "--": ["++"], "+=": ["-="], "-=": ["+="], "*=": ["/="], "/=": ["*="], "<<": [">>"], ">>": ["<<"], "&": ["|"],
    "|": ["&"], "&=": ["|="], "|=": ["&="], "true": ["false"], "false": ["true"], "!": [""], "break": ["continue"],
    "continue": ["break"],
}  # fmt: skip
INTEGER = re.compile(r"\d+$")
STATEMENT = re.compile(r"^(\s*)((?:if \([^;{}]*\) )?)([A-Za-z_][\w.>\[\]()-]*(?: [-+*/|&]?= |\().*;)\s*$")
CALL = re.compile(r"(\w+\()([\w.>-]+), ([\w.>-]+)([,)])")


def changes(line):
    """All one-token changes of a line: the changed lines."""
    found = []
    for match in TOKEN.finditer(line):
        token, before, after = match.group(0), line[: match.start()], line[match.end() :]
        for other in SWAPS.get(token, []):
            if token in "*&-+" and not re.search(r"[\w)\]] $", before):  # a pointer, a sign
                continue
            if token in "<>" and "#include" in line:
                continue
            found.append(before + other + after)
        if INTEGER.match(token) and len(token) < 7:
            found += [f"{before}{int(token) + 1}{after}", f"{before}{max(int(token) - 1, 0)}{after}"]
    statement = STATEMENT.match(line)
    if statement and not re.match(r"(return|if|for|while|switch|else|static|const)\b", statement.group(3)):
        found.append(f"{statement.group(1)}{statement.group(2)};")
    for match in re.finditer(r"\bif \((.*)\)( [^()]*;| \{)?$", line):
        found.append(f"{line[:match.start(1)]}!({match.group(1)}){line[match.end(1):]}")
    for match in CALL.finditer(line):
        if match.group(2) != match.group(3):
            swapped = f"{match.group(1)}{match.group(3)}, {match.group(2)}{match.group(4)}"
            found.append(line[: match.start()] + swapped + line[match.end() :])
    return sorted({change for change in found if change != line})


def draw(rng, covered, texts):
    """A random mutant: file, line number, the changed line."""
    while True:
        name, n = rng.choice(covered)
        if name not in texts:
            texts[name] = open(name).read().split("\n") if os.path.exists(name) else []
        if n > len(texts[name]):
            continue
        line = texts[name][n - 1]
        if line.lstrip().startswith(("#", "*", "/*")):
            continue
        found = changes(line)
        if found:
            return name, n, rng.choice(found)


def users_of(name):
    """The sources whose objects depend on a file."""
    if name.endswith(".c"):
        return [name]
    found = []
    for root in ("core", "nn", "optim"):
        made = subprocess.run(
            ["grep", "-rlF", "--include=*.d", f" {name}", f"build/obj/{root}"], stdout=subprocess.PIPE, text=True
        )
        found += [os.path.relpath(path, "build/obj")[:-2] + ".c" for path in made.stdout.split()]
    return sorted(found)


def compiled(source, flags, out):
    """The source through the overlay, or None if it does not compile."""
    path = f"{OVERLAY}/{source}" if os.path.exists(f"{OVERLAY}/{source}") else source
    command = flags + [f"-I{OVERLAY}", "-I.", "-w", f"-fmacro-prefix-map={OVERLAY}/=", "-c", "-o", out, path]
    if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        return None
    return open(out, "rb").read()


def in_overlay(name, lines):
    path = f"{OVERLAY}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write("\n".join(lines))
    return path


def run(program, suite, seconds):
    """'' if the suite passes, else how it ends. It has `seconds` of processor time, and may wait ten times as long."""
    environment = dict(os.environ, CK_FORK="no", CK_VERBOSITY="silent", TAPEGRAD_NUM_THREADS="2")
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))  # noqa: E731
    try:
        done = subprocess.run([program, suite], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=10 * seconds, preexec_fn=limit)  # fmt: skip
    except subprocess.TimeoutExpired:
        return "timeout"
    if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
        return "timeout"
    return "" if done.returncode == 0 else f"signal {-done.returncode}" if done.returncode < 0 else "failed"


def in_order(name, suites, seconds):
    """Suites that have the words of the file's name or of its folder first; then the short ones."""
    parts = name.rpartition(".")[0].split("/")
    words = [w for w in parts[-1].split("_") if len(w) > 2] + parts[-2:-1]
    near = [s for s in suites if s == parts[-1] or any(w in s.split("_") or w + "s" in s.split("_") for w in words)]
    return sorted(suites, key=lambda suite: (suite not in near, seconds[suite]))


def all_suites():
    named = subprocess.run(["build/tests/run", "no_such_suite"], stderr=subprocess.PIPE, text=True).stderr
    return named.rpartition(":")[2].split()


def equivalents():
    found = {}
    if os.path.exists(EQUIVALENT):
        for text in open(EQUIVALENT):
            parsed = re.fullmatch(r"(\S+): (.*) => (.*) \| (.+)", text.rstrip("\n"))
            if parsed and not text.startswith("#"):
                found[parsed.group(1), parsed.group(2), parsed.group(3)] = parsed.group(4)
    return found


def report(results):
    """Counts, and the survivors without a reason; their number."""
    known = equivalents()
    survivors = [r for r in results if not r["killed"]]
    named = [r for r in survivors if (r["file"], r["was"].strip(), r["is"].strip()) in known]
    left = [r for r in survivors if r not in named]
    for r in left:
        print(f"\nsurvived: {r['file']}:{r['line']}\n  - {r['was'].strip()}\n  + {r['is'].strip()}")
    killed, counted = len(results) - len(survivors), len(results) - len(named)
    how = {}
    for r in results:
        how[r["killed"].split(":")[0] or "survived"] = how.get(r["killed"].split(":")[0] or "survived", 0) + 1
    print(
        f"\n{len(results)} mutants: {killed} killed, {len(survivors)} survived, {len(named)} of these equivalent: "
        f"{100 * killed / max(counted, 1):.1f} % of the others killed; "
        + ", ".join(f"{key} {count}" for key, count in sorted(how.items()))
    )
    return 100 * killed / max(counted, 1) if counted else 100.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="then no further mutant is begun")
    parser.add_argument("--survivors", action="store_true", help="run the recorded survivors again instead of new ones")
    parser.add_argument("--report", action="store_true", help="only print what is recorded")
    options = parser.parse_args()
    os.makedirs(OVERLAY, exist_ok=True)
    results = [json.loads(text) for text in open(RESULTS)] if os.path.exists(RESULTS) else []
    if options.report:
        return report(results) < 95
    flags, objects = shlex.split(os.environ["FLAGS"]), os.environ["OBJECTS"].split()
    link, libraries = shlex.split(os.environ["LINK"]), shlex.split(os.environ["LIBRARIES"])
    reached = json.load(open(REACHED))
    lines, seconds = reached["lines"], reached["seconds"]
    newer = [suite for suite in all_suites() if suite not in seconds]
    seconds.update((suite, 20) for suite in newer)
    covered = [(name, int(n)) for name in sorted(lines) for n in lines[name]]
    joined = FOLDER + "/tests.o"  # of all suites, so that linking a mutant is quick
    subprocess.run(["ld", "-r", "-o", joined] + objects, check=True)

    def tried(name, n, change, entry):
        """The result of one mutant; None if it does not compile, or to the same code."""
        was = texts[name][n - 1]
        made, users = [], users_of(name)
        if not users or len(users) > 3:
            return None
        different = False
        for i, source in enumerate(users):
            out = f"{FOLDER}/{i}.o"
            overlay = in_overlay(name, texts[name])
            original = compiled(source, flags, out)
            in_overlay(name, texts[name][: n - 1] + [change] + texts[name][n:])
            code = compiled(source, flags, out)
            os.remove(overlay)
            if code is None or original is None:
                return None
            different |= code != original
            made.append(out)
        if not different:
            return None
        program = FOLDER + "/run"
        if subprocess.run(link + ["-o", program, joined] + made + ["build/libtapegrad.a"] + libraries,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:  # fmt: skip
            return None
        start, killed = time.time(), ""
        for suite in in_order(name, lines.get(name, {}).get(str(n), []) + newer, seconds):
            ends = run(program, suite, max(20, int(3 * seconds[suite])))
            if ends:
                killed = f"{ends}: {suite}"
                break
        return dict(entry, file=name, line=n, was=was, killed=killed,
                    seconds=round(time.time() - start, 1), **{"is": change})  # fmt: skip

    texts, start = {}, time.time()
    if options.survivors:
        for i, r in enumerate(results):
            if r["killed"] or time.time() - start > options.seconds:
                continue
            texts.setdefault(r["file"], open(r["file"]).read().split("\n"))
            numbers = [n for n, text in enumerate(texts[r["file"]], 1) if text == r["was"]]
            again = tried(r["file"], numbers[0], r["is"], {k: r[k] for k in ("seed", "draw")}) if numbers else None
            if again and again["killed"]:
                print(f"killed now: {r['file']}: {r['is'].strip()}", flush=True)
                results[i] = again
        with open(RESULTS, "w") as out:
            out.writelines(json.dumps(r) + "\n" for r in results)
        return report(results) < 95
    rng, drawn = random.Random(options.seed), 0
    mine = [r for r in results if r["seed"] == options.seed]
    last, count = max((r["draw"] for r in mine), default=0), len(mine)
    while count < options.count and time.time() - start < options.seconds:
        drawn += 1
        name, n, change = draw(rng, covered, texts)
        if drawn <= last:
            continue
        result = tried(name, n, change, {"seed": options.seed, "draw": drawn})
        if result is None:
            continue
        count += 1
        results.append(result)
        with open(RESULTS, "a") as out:
            out.write(json.dumps(result) + "\n")
        how = result["killed"] or "SURVIVED"
        print(f"{count}: {how}, {result['seconds']} s: {name}:{n}: {change.strip()}", flush=True)
    return report(results) < 95


if __name__ == "__main__":
    sys.exit(main())
