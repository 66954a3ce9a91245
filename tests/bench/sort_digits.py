"""examples/sort_digits in PyTorch: the same model, initial values, strings, schedule and loss, so the same printed
losses at first, for comparing the CPU time of the training.

    python tests/bench/sort_digits.py [--steps 1000] [--seed 42] [--fused]

--fused computes attention by F.scaled_dot_product_attention. One thread; the time is the process's, without the import.
"""

import argparse
import os
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden"))
import reference_models
from reference_models import EncoderDecoder

PAD, BOS, EOS, ZERO = range(4)
SHORTEST, LONGEST, BATCH, ROUND, TESTED = 3, 10, 64, 100, 1000


def draw_sample(held_out):
    while True:
        length = torch.randint(SHORTEST, LONGEST + 1, (1,)).item()
        digits = torch.randint(0, 10, (length,)).tolist()
        if (int("".join(map(str, digits))) % 11 == 0) == held_out:
            return [ZERO + d for d in digits], [BOS] + sorted(ZERO + d for d in digits) + [EOS]


def padded(rows):
    width = max(map(len, rows))
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def batch(samples):
    return padded([source for source, _ in samples]), padded([target for _, target in samples])


def keep_padding(ids):
    return (ids != PAD)[:, None, None, :]


def keep_causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


def fused_attention(self, query, key, value, mask=None):
    q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
    heads = F.scaled_dot_product_attention(q, k, v, mask)
    return self.W_o(heads.transpose(1, 2).flatten(2)), None


def exact_match(model, samples):
    src, tgt = batch(samples)
    model.eval()
    with torch.no_grad():
        memory, *_ = model.encoder(src, keep_padding(src))
        out = torch.full((len(samples), 1), BOS)
        for _ in range(LONGEST + 1):
            h, *_ = model.decoder(out, memory, keep_padding(src), keep_causal(out.size(1)))
            out = torch.cat([out, model.generator(h[:, -1]).argmax(-1, keepdim=True)], dim=1)
    model.train()
    return sum(row[: len(target)] == target for row, (_, target) in zip(out.tolist(), samples)) / len(samples)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--fused", action="store_true")
    options = parser.parse_args()
    if options.fused:
        reference_models.MultiHeadAttention.forward = fused_attention
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    started = time.process_time()
    model = EncoderDecoder(2, 32, 4, 128, ZERO + 10, ZERO + 10, LONGEST + 2, LONGEST + 2, dropout=0.0, norm_first=True)
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    tested = [draw_sample(True) for _ in range(TESTED)]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    warmup = options.steps / 5
    scheduler = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, (options.steps - step) / (options.steps - warmup))
    )
    total = 0.0
    for step in range(1, options.steps + 1):
        src, tgt = batch([draw_sample(False) for _ in range(BATCH)])
        given, wanted = tgt[:, :-1], tgt[:, 1:]
        logits, *_ = model(src, given, keep_padding(src), keep_padding(given) & keep_causal(given.size(1)))
        loss = F.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD, label_smoothing=0.1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        total += loss.item()
        if step % ROUND == 0:
            print(
                f"step {step:4d}  loss {total / ROUND:.4f}  exact match {exact_match(model, tested[:100]):.2f}",
                flush=True,
            )
            total = 0.0
    print(f"exact match on {TESTED} held-out strings, greedy: {exact_match(model, tested):.4f}")
    print(f"CPU time: {time.process_time() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
