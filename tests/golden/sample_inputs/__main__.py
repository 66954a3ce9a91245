"""PyTorch's own sample inputs (torch.testing._internal) through PyTorch and through libtapegrad.so.

    make sample-inputs PYTHON=python3 [SAMPLE_INPUTS="--only add,sum --texts"]

needs torch (tests/golden/VERSION), numpy, scipy, expecttest and hypothesis."""

import argparse
import fnmatch
import os
import pickle
import select
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def in_process(work, seconds):
    """work() in a process of its own, which may crash: its result, or a text."""
    read, write = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(read)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        try:
            result = work()
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
            if os.environ.get("TRACE"):
                import traceback

                result += "\n" + traceback.format_exc()
        with os.fdopen(write, "wb") as file:
            pickle.dump(result, file)
        os._exit(0)
    os.close(write)
    data, end = b"", time.time() + seconds
    while True:
        ready, _, _ = select.select([read], [], [], max(0, end - time.time()))
        if not ready:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(read)
            return f"more than {seconds} s"
        part = os.read(read, 1 << 16)
        if not part:
            break
        data += part
    os.close(read)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"crashed: signal {os.WTERMSIG(status)}"
    return pickle.loads(data)


def listed_differences():
    """differences.txt: patterns of an entry and of what differs, and the reason."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "differences.txt")
    lines = [line.rstrip("\n") for line in open(path) if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split(" | ", 2)) for line in lines]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("capi", metavar="LIBRARY")
    parser.add_argument("--only", help="names of entries, separated by commas")
    parser.add_argument("--database", help="op_db, module_db or optim_db")
    parser.add_argument("--dtypes", help="float32,int64,...")
    parser.add_argument("--samples", type=int, default=40, help="at most so many for each entry and dtype; 0: all")
    parser.add_argument("--seconds", type=int, default=120, help="for one entry")
    parser.add_argument("--minutes", type=float, default=30, help="for all: then no further entry is begun")
    parser.add_argument("--all", action="store_true", help="also list the differences that differences.txt explains")
    parser.add_argument("--texts", action="store_true", help="list error texts that differ")
    parser.add_argument("--layouts", action="store_true", help="list results with other strides")
    parser.add_argument("--unmapped", action="store_true", help="list samples that cannot be written in C")
    parser.add_argument("--show", type=int, default=1, help="so many samples of each difference")
    parser.add_argument("--progress", action="store_true", help="print each entry's name and the time")
    arguments = parser.parse_args()

    import torch

    import library

    torch.set_num_threads(1)
    os.environ["TAPEGRAD_NUM_THREADS"] = "1"
    os.environ["TAPEGRAD_WARNINGS"] = "off"
    lib = library.Library(arguments.capi)
    from torch.testing._internal import common_utils  # noqa: F401

    import modules
    import operations
    import optimizers

    dtypes = [getattr(torch, d) for d in arguments.dtypes.split(",")] if arguments.dtypes else operations.DTYPES_RUN
    databases = {  # the long one last, since --minutes is for all
        "optim_db": (optimizers, lambda entry: optimizers.REASONS.get(entry.word)),
        "module_db": (modules, lambda entry: modules.REASONS.get(entry.word)),
        "op_db": (operations, operations.reason),
    }
    known, unexplained, end = listed_differences(), 0, time.time() + 60 * arguments.minutes
    for name, (database, reason) in databases.items():
        if not arguments.database or arguments.database == name:
            unexplained += run(name, database, reason, lib, dtypes, arguments, known, end)
    sys.exit(unexplained > 0)


def run(name, database, reason, lib, dtypes, arguments, known, end):
    """Prints one database's differences and summary; returns the number of differences without a reason."""
    only = set(arguments.only.split(",")) if arguments.only else None
    reports, missing, failed, start, late, explained, occurred = [], {}, 0, time.time(), 0, 0, set()
    for entry in database.entries(lib):
        if only and not only & {entry.name, entry.name.partition(".")[2], getattr(entry, "op_name", "")}:
            continue
        if not entry.mapped:
            missing.setdefault(reason(entry) or "not built so far", []).append(entry.name)
            continue
        if time.time() > end:
            late += 1
            continue
        if arguments.progress:
            print(f"{time.time() - start:.1f} s: {entry.name}", file=sys.stderr)
        report = in_process(lambda: database.run(entry, dtypes, arguments.samples or 10**9), arguments.seconds)
        if isinstance(report, str):
            print(f"{entry.name}: {report}")
            failed += 1
            continue
        reports.append(report)
        for key, (count, found) in report.differences.items():
            fitting = (d for d in known if fnmatch.fnmatch(report.name, d[0]) and fnmatch.fnmatch(key, d[1]))
            why = next(fitting, None)
            explained += count if why else 0
            occurred.add(why)
            for text in found[: arguments.show] if not why or arguments.all else []:
                print(f"{report.name}: {key} ({count}): {text}")
        if arguments.texts:
            for text in report.texts:
                print(f"{report.name}: text: {text}")
        if arguments.layouts:
            for text in report.layouts[: arguments.show]:
                print(f"{report.name}: layout ({len(report.layouts)}): {text}")
        if arguments.unmapped:
            for why, count in report.unmapped.items():
                print(f"{report.name}: not in C ({count}): {why}")
    for line in known:
        if line not in occurred and any(fnmatch.fnmatch(report.name, line[0]) for report in reports):
            print(f"of differences.txt, does not occur: {line[0]} | {line[1]}")
    for why, names in missing.items():
        print(f"no counterpart, {why} ({len(names)}): {' '.join(names)}")
    differing = sum(c for r in reports for c, _ in r.differences.values())
    print(
        f"{name}: {len(reports) + failed} entries mapped, {sum(map(len, missing.values()))} without a counterpart"
        + (f", {late} not run for lack of time" if late else "")
        + f"\n    {sum(r.samples for r in reports)} samples: {sum(r.equal for r in reports)} equal, "
        f"{differing} differing, {explained} of these with a reason in differences.txt; "
        f"{sum(r.more for r in reports)} that PyTorch has no kernel or derivative for; "
        f"{sum(sum(r.unmapped.values()) for r in reports)} that cannot be written in C"
        f"\n    {sum(r.errors for r in reports)} error inputs: {sum(r.errors_equal for r in reports)} with PyTorch's "
        f"text; {failed} entries failed; {time.time() - start:.0f} s"
    )
    return differing - explained + failed


if __name__ == "__main__":
    main()
