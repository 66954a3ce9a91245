"""Writes what PyTorch gives for a GPT of examples/char_gpt, into gpt.txt next to this file, for
tests/tutorials/char_gpt.c.

    python record_gpt.py       needs torch >= 2.7; make check never runs it

Where transformers is installed, the model and the filters are compared with its GPT2LMHeadModel and its logits warpers
first. gpt, block, attention, mlp: outputs and gradients, as record_ports.py writes them. training: AdamW with two
groups, a cosine with warm-up, clipped gradients. filters, sampled: what is left of logits, and tokens drawn. conv1d:
logits of a model whose weights came under GPT-2's names and in its shapes."""

import contextlib
import math
import os
import types

import torch
import torch.nn.functional as F
from torch import nn, optim

import rule
from record_models import HERE, INIT_SEED, load_hashed, write_some, write_all
from record_ports import record_case

# ---- the model ----


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.n_head, self.attn_pdrop = n_head, dropout
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.n_head, -1)).transpose(1, 2) for t in self.c_attn(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.attn_pdrop if self.training else 0)
        return self.resid_dropout(self.c_proj(y.transpose(1, 2).flatten(2)))


class MLP(nn.Module):
    def __init__(self, n_embd, dropout):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.act = nn.GELU(approximate="tanh")
        self.c_proj = nn.Linear(4 * n_embd, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.act(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention(n_embd, n_head, dropout)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = MLP(n_embd, dropout)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, vocab_size, n_positions, n_embd, n_layer, n_head, dropout=0.0):
        super().__init__()
        self.n_positions = n_positions
        self.wte = nn.Embedding(vocab_size, n_embd)
        self.wpe = nn.Embedding(n_positions, n_embd)
        self.drop = nn.Dropout(dropout)
        self.h = nn.ModuleList(Block(n_embd, n_head, dropout) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(n_embd)
        for name, p in self.named_parameters():
            if p.dim() == 2:
                nn.init.normal_(p, 0, 0.02 / math.sqrt(2.0 * n_layer) if name.endswith("c_proj.weight") else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(p)

    def forward(self, ids):
        x = self.drop(self.wte(ids) + self.wpe(torch.arange(ids.size(1))))
        for block in self.h:
            x = block(x)
        return F.linear(self.ln_f(x), self.wte.weight)


SIZES = (11, 8, 8, 2, 2)
CASES = [
    ("attention", lambda: CausalSelfAttention(8, 2, 0.25), "r(2,5,8)"),
    ("mlp", lambda: MLP(8, 0.25), "r(2,3,8)"),
    ("block", lambda: Block(8, 2, 0.25), "r(2,5,8)"),
    ("gpt", lambda: GPT(*SIZES, 0.25), "k11(2,7)"),
    ("gpt", lambda: GPT(*SIZES, 0.25), "k11(3,8)"),
]
MODES = types.SimpleNamespace(FIXED=False)


@contextlib.contextmanager
def watch_nothing(module):
    yield {}


# ---- training ----


def schedule(step, warmup=3, steps=10, least=0.1):
    if step < warmup:
        return (step + 1) / warmup
    if step >= steps:
        return least
    return least + (1 - least) * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup)))


def record_training(file):
    for bits, real in (("32", torch.float32), ("64", torch.float64)):
        model, losses, rates = GPT(*SIZES).to(real), [], []
        load_hashed(model, "training")
        parameters = list(model.parameters())
        optimizer = optim.AdamW(
            [
                {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
                {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
            ],
            lr=0.02,
            betas=(0.9, 0.99),
        )
        scheduler = optim.lr_scheduler.LambdaLR(optimizer, schedule)
        for step in range(12):
            ids = rule.hashed_tensor("k11", (3, 9), rule.seed_of("training"), step, real)
            loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 0.5)
            rates.append(scheduler.get_last_lr()[0])
            optimizer.step()
            scheduler.step()
            losses.append(loss.detach())
        write_all(file, f"{bits}.losses", torch.stack(losses))
        if bits == "64":
            write_all(file, "64.rates", torch.tensor(rates, dtype=torch.float64))
            for name, p in model.named_parameters():
                write_some(file, f"64.p:{name}", p, 32, 32)


# ---- sampling ----


def filtered(logits, temperature, top_k, top_p):
    """Temperature, top-k, top-p in this order; what goes becomes -inf."""
    logits = logits / temperature
    if top_k:
        kth = logits.topk(min(top_k, logits.size(-1))).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -math.inf)
    if top_p < 1:
        rising, order = logits.sort()
        goes = rising.softmax(-1).cumsum(-1) <= 1 - top_p
        goes[..., -1:] = False
        logits = logits.masked_fill(goes.scatter(-1, order, goes), -math.inf)
    return logits


FILTERS = [
    (1.0, 0, 1.0),
    (0.7, 0, 1.0),
    (1.0, 5, 1.0),
    (1.0, 500, 1.0),
    (1.0, 0, 0.9),
    (1.0, 0, 0.0),
    (1.0, 0, 1e-6),
    (0.5, 9, 0.8),
    (1.5, 3, 0.5),
    (2.0, 1, 0.3),
]


def record_filters(file):
    for kind in "RT":
        logits = rule.hashed_tensor(kind, (3, 23), rule.seed_of("filters"), 0, torch.float32) * 2
        for i, how in enumerate(FILTERS):
            write_all(file, f"{kind}{i}", filtered(logits, *how))


SAMPLED = [(0.0, 0, 1.0), (1.0, 0, 1.0), (0.5, 0, 1.0), (1.0, 4, 1.0), (1.0, 0, 0.7), (0.8, 9, 0.9)]


def generate(model, ids, count, temperature, top_k, top_p, slide=1):
    start = max(0, ids.size(1) - model.n_positions)
    for n in range(ids.size(1), ids.size(1) + count):
        if n - start > model.n_positions:
            start = n - model.n_positions + slide - 1
        logits = model(ids[:, start:])[:, -1]
        if temperature == 0:
            token = logits.argmax(-1, keepdim=True)
        else:
            token = torch.multinomial(filtered(logits, temperature, top_k, top_p).softmax(-1), 1)
        ids = torch.cat([ids, token], 1)
    return ids


def record_sampled(file):
    model = GPT(29, 12, 16, 2, 4).eval()
    load_hashed(model, "sampled")
    with torch.no_grad():
        model.wte.weight *= 4
        for i, how in enumerate(SAMPLED):
            for slide in (1, 7):
                for length in (3, 15):
                    ids = rule.hashed_tensor("k29", (2, length), rule.seed_of("sampled"), i, torch.float32)
                    torch.manual_seed(INIT_SEED)
                    write_all(file, f"{i}.{slide}.{length}", generate(model, ids, 30, *how, slide))


# ---- under GPT-2's names ----


def conv1d_tensors():
    """By GPT-2's names, the four matrices of a block [in, out], as its file has them."""
    model = GPT(*SIZES).eval()
    tensors = {}
    for name, p in model.named_parameters():
        matrix = p.dim() == 2 and name.startswith("h.")
        tensors["transformer." + name] = torch.empty(p.shape[::-1] if matrix else p.shape)
    fill = types.SimpleNamespace(named_parameters=lambda: tensors.items(), named_buffers=lambda: ())
    load_hashed(fill, "conv1d")
    with torch.no_grad():
        for name, p in model.named_parameters():
            x = tensors["transformer." + name]
            p.copy_(x.t() if p.dim() == 2 and name.startswith("h.") else x)
    return model, tensors


def record_conv1d(file):
    model, _ = conv1d_tensors()
    with torch.no_grad():
        write_all(file, "logits", model(rule.hashed_tensor("k11", (2, 8), rule.seed_of("conv1d"), 0, torch.float32)))


# ---- compared with transformers ----


def check_against_transformers():
    try:
        from transformers import GPT2Config, GPT2LMHeadModel
        from transformers.generation.logits_process import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper
    except ImportError:
        print("transformers is not installed: nothing to compare the model with")
        return
    V, T, C, L, H = SIZES
    theirs = GPT2LMHeadModel(GPT2Config(vocab_size=V, n_positions=T, n_embd=C, n_layer=L, n_head=H)).eval()
    ours, tensors = conv1d_tensors()
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"]
    theirs.load_state_dict(tensors, strict=True)
    ids = torch.randint(0, V, (3, T))
    with torch.no_grad():
        difference = (ours(ids) - theirs(ids).logits).abs().max().item()
    assert difference < 1e-5, difference
    for kind in "RT":
        logits = rule.hashed_tensor(kind, (3, 23), rule.seed_of("filters"), 0, torch.float32) * 2
        for temperature, top_k, top_p in FILTERS:
            want = TemperatureLogitsWarper(temperature)(None, logits)
            want = TopKLogitsWarper(top_k)(None, want) if top_k else want
            want = TopPLogitsWarper(top_p)(None, want) if top_p < 1 else want
            assert torch.equal(filtered(logits, temperature, top_k, top_p), want), (kind, temperature, top_k, top_p)
    print(f"compared with transformers: logits differ by at most {difference:.1e}, filters not at all")


def main():
    torch.set_num_threads(1)
    check_against_transformers()
    with open(os.path.join(HERE, "gpt.txt"), "w") as file:
        for label, make, text in CASES:
            record_case(file, MODES, label, make, text, (False,), watch_nothing)
        for key, record in (
            ("training", record_training),
            ("filters", record_filters),
            ("sampled", record_sampled),
            ("conv1d", record_conv1d),
        ):
            file.write(f"= {key}\n")
            record(file)
        torch.manual_seed(INIT_SEED)
        file.write("= init\n")
        write_some(file, "wte", GPT(*SIZES).wte.weight)
        write_some(file, "next", torch.rand(2))
        file.write(f"= repr\n{GPT(*SIZES, 0.25)!r}\n")


if __name__ == "__main__":
    main()
