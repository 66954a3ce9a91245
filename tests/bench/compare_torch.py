"""Ours and PyTorch in turn, on the lines of the benchmark.

    python tests/bench/compare_torch.py [NAME...] [--quick] [--compile]

For every line the bench program (make bench builds it) and a process with the same model or operation in PyTorch take
turns for a few rounds, with the same number of threads; the ratio is PyTorch's median over ours, so above 1 ours is
faster. PyTorch runs a model in several ways, of which the fastest counts: `eager` as the tutorials write it, `sdpa`
with F.scaled_dot_product_attention, and with --compile `compile`, which is sdpa under torch.compile (it needs a C++
compiler). Its Adam is the fused one. Memory is the growth of the peak resident size since before the model was built,
on both sides.

    --threads 1,2    which numbers of threads (1 and the processors)
    --rounds 3       turns of each side
    --seconds 1      of each turn
    --quick          models only, 2 short rounds
    --processor-time of both processes, for 1 thread on a machine that others use
    --bench PATH     the program (build/tests/bench)
    --json FILE      the figures, a line each, appended
    --python PATH    another Python with another PyTorch
    --preload LIBS   for PyTorch: an allocator, say (LD_PRELOAD)
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys

MODELS = ("A", "B000", "B003", "C", "D12", "D64")
SIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_side.py")


class Rival:
    def __init__(self, name, how, threads, python, preload, processor_time):
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
        if preload:
            env["LD_PRELOAD"] = preload
        self.how, self.times, self.memory = how, [], math.nan
        self.process = subprocess.Popen(
            [python, SIDE, name, how, str(threads), "processor" if processor_time else "wall"],
            env=env,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        word = self.process.stdout.readline().split()
        self.alive, self.version = bool(word), word[1] if word else None

    def turn(self, seconds):
        print(seconds, file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        self.times += answer["times"]
        self.memory = answer["memory"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def median(self):
        return 1e3 * statistics.median(self.times)


def compare(name, threads, options):
    ways = ["eager"]
    if name.split(".")[0] in MODELS:
        ways += ["sdpa"] + ["compile"] * options.compile
    clock = options.processor_time
    rivals = [r for r in (Rival(name, how, threads, options.python, options.preload, clock) for how in ways) if r.alive]
    ours = []
    for _ in range(options.rounds):
        command = [options.bench, name, "--threads", str(threads), "--seconds", str(options.seconds)]
        command += ["--processor-time"] * clock
        ours.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        for rival in rivals:
            rival.turn(options.seconds)
    for rival in rivals:
        rival.stop()
    best = min(rivals, key=Rival.median)
    figures = {
        "name": name,
        "threads": threads,
        "ours_ms": statistics.median(o["median_ms"] for o in ours),
        "peak_percent": statistics.median(o["peak_percent"] for o in ours),
        "ours_mib": max(o["memory_mib"] for o in ours),
        "torch": best.version,
        "torch_ms": best.median(),
        "torch_mib": best.memory,
        "way": best.how,
        "ways": {r.how: [round(r.median(), 5), round(r.memory, 1)] for r in rivals},
    }
    figures["ratio"] = figures["torch_ms"] / figures["ours_ms"]
    figures["memory_ratio"] = figures["ours_mib"] / figures["torch_mib"] if figures["torch_mib"] > 0 else math.nan
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}" if os.cpu_count() > 1 else "1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--bench", default="build/tests/bench")
    parser.add_argument("--json")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--preload")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--processor-time", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 2, 0.3
    names = options.names or (list(MODELS) if options.quick else [])
    lines = subprocess.run([options.bench, "--list", *names], check=True, capture_output=True, text=True).stdout.split()
    print(
        f"{'line':34} thr {'ours ms':>9} {'peak %':>6} {'torch ms':>9} {'way':8} "
        f"{'ratio':>6} {'MiB':>7} {'torch':>7} {'share':>5}"
    )
    for name in lines:
        for threads in (int(n) for n in options.threads.split(",")):
            f = compare(name, threads, options)
            print(
                f"{name:34} {threads:3} {f['ours_ms']:9.4g} {f['peak_percent']:6.1f} {f['torch_ms']:9.4g} {f['way']:8} "
                f"{f['ratio']:6.2f} {f['ours_mib']:7.1f} {f['torch_mib']:7.1f} {f['memory_ratio']:5.2f}",
                flush=True,
            )
            if options.json:
                with open(options.json, "a") as out:
                    print(json.dumps(f), file=out)


if __name__ == "__main__":
    main()
