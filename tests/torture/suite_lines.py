"""Which suites reach each line of core/, nn/ and optim/, so that mutation.py runs only those.

    python tests/torture/suite_lines.py build/gcov

Each suite runs alone in the build of make coverage; its lines are those that gcov then counts. Writes suites.json in
that folder: {"seconds": {suite: seconds}, "lines": {file: {line: [suite, ...]}}}."""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import time

from coverage import merged


def names(program):
    """The suites that a program of suites has; it lists them if asked for one that there is not."""
    listed = subprocess.run([program, "no_such_suite"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return re.findall(r"\b[a-z]\w+", listed.stdout.partition(":")[2]) or sys.exit(listed.stdout)


def main():
    folder = sys.argv[1]
    program = f"{folder}/tests/run"
    environment = dict(os.environ, CK_FORK="no", CK_VERBOSITY="silent", TAPEGRAD_NUM_THREADS="2")
    seconds, lines = {}, collections.defaultdict(lambda: collections.defaultdict(list))
    for suite in names(program):
        for path in glob.glob(f"{folder}/obj/**/*.gcda", recursive=True):
            os.remove(path)
        start = time.time()
        if subprocess.run([program, suite], env=environment, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"the suite {suite} fails")
        seconds[suite], reached = round(time.time() - start, 2), 0
        for name, counts in merged(folder)[0].items():
            for n, count in counts.items():
                if count:
                    lines[name][n].append(suite)
                    reached += 1
        print(f"{suite}: {seconds[suite]} s, {reached} lines", flush=True)
    with open(f"{folder}/suites.json", "w") as out:
        json.dump({"seconds": seconds, "lines": lines}, out)


if __name__ == "__main__":
    main()
