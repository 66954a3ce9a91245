"""PyTorch's side of compare_torch.py: the benchmark's models and operations, run in a process for each line.

    python tests/bench/torch_side.py LINE eager|sdpa|compile THREADS [wall|processor]

builds the line's model or operation, says `ready` and PyTorch's version, and answers each number of seconds on its
standard input with the times of its runs and the growth of the peak resident size, as JSON. It runs under PyTorch 1.13
too, which has neither the fused optimizers nor scaled_dot_product_attention.
"""

import json
import math
import resource
import sys
import time

import torch

from torch_networks import NETWORKS

clock = time.perf_counter

MODELS = {  # as in models.c
    "A": dict(
        vocab=50,
        D=128,
        heads=4,
        F=256,
        layers=2,
        B=32,
        S=20,
        p=0.1,
        act="relu",
        pre=True,
        head="classify",
        drop="embedding weights activation",
        scale=True,
    ),
    "B000": dict(
        vocab=10000,
        D=512,
        heads=8,
        F=2048,
        layers=6,
        B=32,
        S=10,
        p=0.1,
        act="relu",
        mask="ones",
        drop="embedding activation",
    ),
    "B003": dict(vocab=10000, D=512, heads=8, F=2048, layers=6, B=32, S=50, p=0.1, act="gelu"),
    "C": dict(
        vocab=10000, D=512, heads=8, F=2048, layers=6, B=16, S=32, p=0.1, act="relu", head="decode", drop="embedding"
    ),
    "D12": dict(
        vocab=65,
        D=384,
        heads=6,
        F=1536,
        layers=6,
        B=12,
        S=256,
        p=0.2,
        act="gelu",
        pre=True,
        head="predict",
        mask="causal",
        drop="embedding weights",
    ),
}
MODELS["D64"] = dict(MODELS["D12"], B=64)


def make_model(w, sdpa):
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
                out = F.scaled_dot_product_attention(
                    q, k, v, None if causal else mask, self.p if self.training else 0.0, causal
                )
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
            x = self.drop(x + self.pe[:, : ids.size(1)])
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


def optimizer_of(kind, params, **options):
    """The fastest form that this PyTorch has: fused, else (1.13) one parameter after the other."""
    params = list(params)
    try:
        return kind(params, fused=True, **options)
    except (TypeError, RuntimeError):
        return kind(params, foreach=False, **options)


def model_runs(name, mode, how):
    w = MODELS[name]
    torch.manual_seed(42)
    model = make_model(w, how != "eager")
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
            begin = clock()
            with torch.no_grad():
                call(ids, target_ids, mask)
            return clock() - begin

        return run
    F = torch.nn.functional
    if w.get("head") == "classify":
        target = torch.randint(0, 2, (w["B"],))
    elif w.get("head"):
        target = torch.randint(0, w["vocab"], (w["B"] * w["S"],))
    else:
        target = torch.randn(w["B"], w["S"], w["D"])
    optimizer = optimizer_of(torch.optim.Adam, model.parameters())

    def run():
        begin = clock()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=mode == "autocast"):
            y = call(ids, target_ids, mask)
            if y.shape == target.shape:
                loss = F.mse_loss(y, target)
            else:
                loss = F.cross_entropy(y.reshape(-1, y.size(-1)), target)
        loss.backward()
        optimizer.step()
        return clock() - begin

    return run


def attention_of(dims, causal, p):
    F = torch.nn.functional
    if hasattr(F, "scaled_dot_product_attention"):
        return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, None, p, causal)
    hidden = ~torch.ones(dims[2], dims[2]).tril().bool()

    def attention(q, k, v):
        scores = q @ k.transpose(2, 3) / math.sqrt(dims[3])
        if causal:
            scores = scores.masked_fill(hidden, float("-inf"))
        return F.dropout(torch.softmax(scores, -1), p) @ v

    return attention


def op_runs(name, mode):
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
        optimizer = {
            "adam": lambda: optimizer_of(optim.Adam, params),
            "adamw": lambda: optimizer_of(optim.AdamW, params),
            "sgd": lambda: optimizer_of(optim.SGD, params, lr=1e-3),
            "sgd_momentum": lambda: optimizer_of(optim.SGD, params, lr=1e-3, momentum=0.9),
        }[kind]()

        def run():
            begin = clock()
            optimizer.step()
            return clock() - begin

        return run
    if kind == "tiny_add":
        leaf = torch.ones(4, requires_grad=True)

        def run():
            begin = clock()
            y = leaf
            for _ in range(1000):
                y = y + leaf
            if mode == "bwd":
                y = y.sum()
                begin = clock()
                y.backward()
                leaf.grad = None
            return (clock() - begin) / 1000

        return run

    if kind in ("linear", "vector_matrix"):
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
        f = attention_of(dims, causal, p)
    elif kind in ("cross_entropy", "embedding"):
        x = [float_(*dims), torch.randint(0, dims[1] if kind == "cross_entropy" else dims[0], (1600,))]
        f = F.cross_entropy if kind == "cross_entropy" else lambda table, ids: F.embedding(ids, table)
    elif kind == "layer_norm":
        x, f = [float_(*dims), float_(512), float_(512)], lambda a, g, b: F.layer_norm(a, (512,), g, b)
    elif kind == "group_norm":
        x, f = [float_(*dims), float_(512), float_(512)], lambda a, g, b: F.group_norm(a, 8, g, b)
    elif kind == "add_transposed":
        x, f = [float_(*dims[::-1]), float_(*dims)], lambda a, b: a.t() + b
    elif kind == "masked_fill":
        x, f = [float_(*dims), torch.randint(0, 2, dims[-2:])], lambda a, mask: a.masked_fill(mask == 0, -1e9)
    elif kind == "gather":
        x, f = [float_(*dims), torch.randint(0, dims[1], dims[:1])], lambda a, ids: a.gather(1, ids[:, None])
    elif kind == "depthwise":
        x, f = [float_(*dims), float_(dims[1], 1, 3, 3)], lambda a, w: F.conv2d(a, w, None, 2, 1, 1, dims[1])
    else:
        two = kind in ("add", "mul", "dot")
        x = [float_(*dims) for _ in range(1 + two)]
        f = {
            "softmax": lambda a: torch.softmax(a, -1),
            "dropout": lambda a: F.dropout(a, 0.1),
            "gelu": F.gelu,
            "relu": F.relu,
            "add": torch.add,
            "mul": torch.mul,
            "transposed_copy": lambda a: a.t().contiguous(),
            "sum": torch.sum,
            "dot": torch.dot,
            "topk": lambda a: a.topk(50)[0],
        }[kind]
    with torch.no_grad():
        dy = torch.randn_like(f(*x))

    def run():
        begin = clock()
        y = f(*x)
        if mode == "bwd":
            begin = clock()
            y.backward(dy)
            end = clock()
            for leaf in x:
                leaf.grad = None
            return end - begin
        del y
        return clock() - begin

    return run


def network_runs(name):
    torch.manual_seed(42)
    work = NETWORKS[name](optimizer_of)

    def run():
        begin = clock()
        work()
        return clock() - begin

    return run


def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def worker(name, how, threads):
    """Builds, says so, and for each number of seconds that comes in answers with the runs' times and the memory so
    far."""
    torch.set_num_threads(threads)
    base, mode = name.rsplit(".", 1)
    torch.ones(300, 300) @ torch.ones(300, 300)  # the libraries' own buffers
    before = peak_mib()
    if base in NETWORKS:
        run = network_runs(base)
    else:
        run = model_runs(base, mode, how) if base in MODELS else op_runs(base, mode)
    run()
    print("ready", torch.__version__, flush=True)
    for line in sys.stdin:
        seconds, times, begin = float(line), [], clock()
        run()
        while len(times) < 4000:
            passed = clock() - begin
            if passed >= seconds and len(times) >= (2 if passed > 2 * (len(times) + 1) else 3):
                break
            times.append(run())
        print(json.dumps({"times": times, "memory": peak_mib() - before}), flush=True)


if __name__ == "__main__":
    if sys.argv[4:] == ["processor"]:
        clock = time.process_time
    worker(sys.argv[1], sys.argv[2], int(sys.argv[3]))
