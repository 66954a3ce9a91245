"""Ours and PyTorch in turn, on the lines of the benchmark: python tests/bench/compare_torch.py [NAME...] [--quick] [--compile]

For every line the bench program (make bench builds it) and a process with the same model or operation in PyTorch take turns for
a few rounds, with the same number of threads; the ratio is PyTorch's median over ours, so above 1 ours is faster. PyTorch runs a
model in several ways, of which the fastest counts: `eager` as the tutorials write it, `sdpa` with
F.scaled_dot_product_attention, and with --compile `compile`, which is sdpa under torch.compile (it needs a C++ compiler). Its
Adam is the fused one. Memory is the growth of the peak resident size since before the model was built, on both sides.

    --threads 1,2    which numbers of threads (1 and the processors)     --rounds 3    turns of each side
    --seconds 1      of each turn                                        --quick       models only, 2 short rounds
    --bench PATH     the program (build/tests/bench)                     --json FILE   the figures, a line each, appended
    --preload LIB    an allocator for PyTorch (LD_PRELOAD)
"""
import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import time

MODELS = {  # as in models.c
    "A": dict(vocab=50, D=128, heads=4, F=256, layers=2, B=32, S=20, p=0.1, act="relu", pre=True, head="classify",
              drop="embedding weights activation", scale=True),
    "B000": dict(vocab=10000, D=512, heads=8, F=2048, layers=6, B=32, S=10, p=0.1, act="relu", mask="ones",
                 drop="embedding activation"),
    "B003": dict(vocab=10000, D=512, heads=8, F=2048, layers=6, B=32, S=50, p=0.1, act="gelu"),
    "C": dict(vocab=10000, D=512, heads=8, F=2048, layers=6, B=16, S=32, p=0.1, act="relu", head="decode", drop="embedding"),
    "D12": dict(vocab=65, D=384, heads=6, F=1536, layers=6, B=12, S=256, p=0.2, act="gelu", pre=True, head="predict",
                mask="causal", drop="embedding weights"),
}
MODELS["D64"] = dict(MODELS["D12"], B=64)


# ---- PyTorch's side: a process for each line ----

def make_model(torch, w, sdpa):
    nn, F = torch.nn, torch.nn.functional
    D, H, p, drops = w["D"], w["heads"], w["p"], w.get("drop", "").split()

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(D, D) for _ in range(4))
            self.p = p if "weights" in drops else 0.0

        def forward(self, x, y, mask, causal):
            B, d = x.size(0), D // H
            q, k, v = (f(z).view(B, -1, H, d).transpose(1, 2) for f, z in ((self.W_q, x), (self.W_k, y), (self.W_v, y)))
            if sdpa:
                out = F.scaled_dot_product_attention(q, k, v, None if causal else mask, self.p if self.training else 0.0, causal)
            else:
                scores = q @ k.transpose(2, 3) / math.sqrt(d)
                if mask is not None:
                    scores = scores.masked_fill(~mask, float("-inf"))
                weights = F.dropout(torch.softmax(scores, -1), self.p, self.training)
                out = weights @ v
            return self.W_o(out.transpose(1, 2).reshape(B, -1, D))

    class Layer(nn.Module):
        def __init__(self, crosses):
            super().__init__()
            self.attention, self.cross = Attention(), Attention() if crosses else None
            self.fc1, self.fc2 = nn.Linear(D, w["F"]), nn.Linear(w["F"], D)
            self.norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(3 if crosses else 2))
            self.drop, self.inner = nn.Dropout(p), nn.Dropout(p if "activation" in drops else 0.0)
            self.act = nn.GELU() if w["act"] == "gelu" else nn.ReLU()

        def forward(self, x, mask, causal, memory=None):
            steps = [lambda z: self.attention(z, z, mask, causal)]
            if self.cross is not None:
                steps.append(lambda z: self.cross(z, memory, None, False))
            steps.append(lambda z: self.fc2(self.inner(self.act(self.fc1(z)))))
            for norm, step in zip(self.norms, steps):
                x = x + self.drop(step(norm(x))) if w.get("pre") else norm(x + self.drop(step(x)))
            return x

    class Stack(nn.Module):
        def __init__(self, crosses):
            super().__init__()
            self.embedding = nn.Embedding(w["vocab"], D)
            angle = torch.arange(5000.0)[:, None] * torch.exp(torch.arange(0, D, 2) * (-math.log(10000.0) / D))
            self.register_buffer("pe", torch.stack((angle.sin(), angle.cos()), -1).view(1, 5000, D))
            self.drop = nn.Dropout(p if "embedding" in drops else 0.0)
            self.layers = nn.ModuleList(Layer(crosses) for _ in range(w["layers"]))
            self.norm = nn.LayerNorm(D) if w.get("pre") else nn.Identity()

        def forward(self, ids, mask, causal, memory=None):
            x = self.embedding(ids) * (math.sqrt(D) if w.get("scale") else 1.0)
            x = self.drop(x + self.pe[:, :ids.size(1)])
            for layer in self.layers:
                x = layer(x, mask, causal, memory)
            return self.norm(x)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, head = Stack(False), w.get("head")
            if head == "classify":
                self.head = nn.Sequential(nn.Linear(D, D // 2), nn.ReLU(), nn.Dropout(p), nn.Linear(D // 2, 2))
            elif head:
                self.head = nn.Linear(D, w["vocab"])
            self.decoder = Stack(True) if head == "decode" else None

        def forward(self, ids, target_ids, mask):
            head = w.get("head")
            if head == "decode":
                return self.head(self.decoder(target_ids, mask, True, self.encoder(ids, None, False)))
            y = self.encoder(ids, mask, w.get("mask") == "causal")
            return self.head(y.mean(1) if head == "classify" else y) if head else y

    return Model()


def model_runs(torch, name, mode, how):
    w = MODELS[name]
    torch.manual_seed(42)
    model = make_model(torch, w, how != "eager")
    ids, target_ids = (torch.randint(0, w["vocab"], (w["B"], w["S"])) for _ in range(2))
    mask = None
    if w.get("mask") == "ones":
        mask = torch.ones(w["B"], 1, 1, w["S"]).bool()
    elif w.get("mask") == "causal" or w.get("head") == "decode":
        mask = torch.ones(w["S"], w["S"]).tril().bool()
    call = torch.compile(model) if how == "compile" else model
    if mode == "eval":
        model.eval()

        def run():
            begin = time.perf_counter()
            with torch.no_grad():
                call(ids, target_ids, mask)
            return time.perf_counter() - begin
        return run
    F = torch.nn.functional
    if w.get("head") == "classify":
        target = torch.randint(0, 2, (w["B"],))
    elif w.get("head"):
        target = torch.randint(0, w["vocab"], (w["B"] * w["S"],))
    else:
        target = torch.randn(w["B"], w["S"], w["D"])
    optimizer = torch.optim.Adam(model.parameters(), fused=True)

    def run():
        begin = time.perf_counter()
        optimizer.zero_grad()
        y = call(ids, target_ids, mask)
        loss = F.mse_loss(y, target) if y.shape == target.shape else F.cross_entropy(y.reshape(-1, y.size(-1)), target)
        loss.backward()
        optimizer.step()
        return time.perf_counter() - begin
    return run


def op_runs(torch, name, mode):
    F = torch.nn.functional
    kind, *rest = name.split("-")
    dims = [int(n) for n in rest[-1].split("x")] if rest and rest[-1][0].isdigit() and rest[-1] != "25M" else []

    def float_(*shape):
        return torch.randn(shape, requires_grad=True)

    if rest and rest[-1] == "25M":
        params = [float_(1000, 1000) for _ in range(25)]
        for x in params:
            x.grad = torch.randn_like(x)
        optim = torch.optim
        optimizer = {"adam": lambda: optim.Adam(params, fused=True), "adamw": lambda: optim.AdamW(params, fused=True),
                     "sgd": lambda: optim.SGD(params, fused=True),
                     "sgd_momentum": lambda: optim.SGD(params, momentum=0.9, fused=True)}[kind]()

        def run():
            begin = time.perf_counter()
            optimizer.step()
            return time.perf_counter() - begin
        return run
    if kind == "tiny_add":
        leaf = torch.ones(4, requires_grad=True)

        def run():
            begin = time.perf_counter()
            y = leaf
            for _ in range(1000):
                y = y + leaf
            if mode == "bwd":
                y = y.sum()
                begin = time.perf_counter()
                y.backward()
                leaf.grad = None
            return (time.perf_counter() - begin) / 1000
        return run

    if kind == "linear":
        M, N, K = dims
        x, f = [float_(M, K), float_(N, K), float_(N)], F.linear
    elif kind == "matmul":
        M, N, K = dims
        ta, tb = rest[0]
        x = [float_(*((M, K) if ta == "N" else (K, M))), float_(*((K, N) if tb == "N" else (N, K)))]
        f = lambda a, b: torch.matmul(a if ta == "N" else a.t(), b if tb == "N" else b.t())
    elif kind == "bmm_qk":
        B, S, _, d = dims
        x, f = [float_(B, S, d), float_(B, S, d)], lambda q, k: torch.bmm(q, k.transpose(1, 2))
    elif kind == "bmm_pv":
        B, S, _, d = dims
        x, f = [float_(B, S, S), float_(B, S, d)], torch.bmm
    elif kind.startswith("attention"):
        causal, p = "causal" in kind, 0.2 if "dropout" in kind else 0.0
        x = [float_(*dims) for _ in range(3)]
        f = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, None, p, causal)
    elif kind in ("cross_entropy", "embedding"):
        x = [float_(*dims), torch.randint(0, dims[1] if kind == "cross_entropy" else dims[0], (1600,))]
        f = F.cross_entropy if kind == "cross_entropy" else lambda table, ids: F.embedding(ids, table)
    elif kind == "layer_norm":
        x, f = [float_(*dims), float_(512), float_(512)], lambda a, g, b: F.layer_norm(a, (512,), g, b)
    else:
        two = kind in ("add", "mul")
        x = [float_(*dims) for _ in range(1 + two)]
        f = {"softmax": lambda a: torch.softmax(a, -1), "dropout": lambda a: F.dropout(a, 0.1), "gelu": F.gelu, "relu": F.relu,
             "add": torch.add, "mul": torch.mul, "transposed_copy": lambda a: a.t().contiguous(), "sum": torch.sum}[kind]
    with torch.no_grad():
        dy = torch.randn_like(f(*x))

    def run():
        begin = time.perf_counter()
        y = f(*x)
        if mode == "bwd":
            begin = time.perf_counter()
            y.backward(dy)
            end = time.perf_counter()
            for leaf in x:
                leaf.grad = None
            return end - begin
        del y
        return time.perf_counter() - begin
    return run


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def worker(name, how, threads):
    """Builds, says so, and for each number of seconds that comes in answers with the runs' times and the memory so far."""
    import torch
    torch.set_num_threads(threads)
    base, mode = name.rsplit(".", 1)
    torch.ones(300, 300) @ torch.ones(300, 300)  # the libraries' own buffers
    before = peak_mib()
    run = model_runs(torch, base, mode, how) if base in MODELS else op_runs(torch, base, mode)
    run()
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        seconds, times, begin = float(line), [], time.perf_counter()
        run()
        while len(times) < 4000:
            passed = time.perf_counter() - begin
            if passed >= seconds and len(times) >= (2 if passed > 2 * (len(times) + 1) else 3):
                break
            times.append(run())
        print(json.dumps({"times": times, "memory": peak_mib() - before}), flush=True)


# ---- taking turns ----

class Rival:
    def __init__(self, name, how, threads, preload):
        env = dict(os.environ, OMP_NUM_THREADS=str(threads), MKL_NUM_THREADS=str(threads))
        if preload:
            env["LD_PRELOAD"] = preload
        self.how, self.times, self.memory = how, [], math.nan
        self.process = subprocess.Popen([sys.executable, __file__, "--worker", name, how, str(threads)], env=env, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
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
    rivals = [r for r in (Rival(name, how, threads, options.preload) for how in ways) if r.alive]
    ours = []
    for _ in range(options.rounds):
        command = [options.bench, name, "--threads", str(threads), "--seconds", str(options.seconds)]
        ours.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        for rival in rivals:
            rival.turn(options.seconds)
    for rival in rivals:
        rival.stop()
    best = min(rivals, key=Rival.median)
    figures = {"name": name, "threads": threads, "ours_ms": statistics.median(o["median_ms"] for o in ours),
               "peak_percent": statistics.median(o["peak_percent"] for o in ours),
               "ours_mib": max(o["memory_mib"] for o in ours), "torch": best.version, "torch_ms": best.median(),
               "torch_mib": best.memory, "way": best.how,
               "ways": {r.how: [round(r.median(), 5), round(r.memory, 1)] for r in rivals}}
    figures["ratio"] = figures["torch_ms"] / figures["ours_ms"]
    figures["memory_ratio"] = figures["ours_mib"] / figures["torch_mib"] if figures["torch_mib"] > 0 else math.nan
    return figures


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", default=f"1,{os.cpu_count()}" if os.cpu_count() > 1 else "1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--bench", default="build/tests/bench")
    parser.add_argument("--json")
    parser.add_argument("--preload")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 2, 0.3
    names = options.names or (list(MODELS) if options.quick else [])
    lines = subprocess.run([options.bench, "--list", *names], check=True, capture_output=True, text=True).stdout.split()
    print(f"{'line':34} thr {'ours ms':>9} {'peak %':>6} {'torch ms':>9} {'way':8} {'ratio':>6} {'MiB':>7} {'torch':>7} {'share':>5}")
    for name in lines:
        for threads in (int(n) for n in options.threads.split(",")):
            f = compare(name, threads, options)
            print(f"{name:34} {threads:3} {f['ours_ms']:9.4g} {f['peak_percent']:6.1f} {f['torch_ms']:9.4g} {f['way']:8} "
                  f"{f['ratio']:6.2f} {f['ours_mib']:7.1f} {f['torch_mib']:7.1f} {f['memory_ratio']:5.2f}", flush=True)
            if options.json:
                with open(options.json, "a") as out:
                    print(json.dumps(f), file=out)


if __name__ == "__main__":
    main()
