"""Writes what PyTorch gives for the classes of tutorial 000, as it has them and repaired, into tutorial_000.txt next to
this file.

    python tutorial_000.py DIR        DIR holds the runnable copy tutorial_000.py; make check never runs it

The full encoder gives its outputs for the tutorial's 32 sequences of 10, its gradients for 4 sequences: of 32 x 10 x
2048 x 6 inputs of ReLU some are so near 0 that rounding decides their sign, and with it a thousandth of a gradient.

A case is a class, a mode (faithful, fixed) and its inputs; its runs are those of record_models.py: 32e 32t 64e 64t for
float32 and float64, eval and training mode. A mask (B,1,1,S) of a layer or encoder is expanded to (B,H,S,S), as the
tutorial does.
"""

import os
import sys

sys.path.insert(0, sys.argv[1])
import torch
from torch import nn

import tutorial_000 as tutorial

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rule
import record_models
from record_models import DROPOUT_SEED, INIT_SEED, load_hashed, write_bits, write_some, write_all

RUNS = ("32e", "32t", "64e", "64t")


class Heads(nn.Module):
    def forward(self, x):
        return tutorial.transform_heads(x, 4, 4)


def encoder(*sizes):
    return lambda: tutorial.Encoder(*sizes, "cpu")


MAKERS = {
    "sdpa": tutorial.ScaledDotProductAttention,
    "heads": Heads,
    "mha": lambda: tutorial.MultiHeadAttention(4, 2),
    "ffn": lambda: tutorial.PositionWiseFeedForward(4, 6, 0.3),
    "norm": lambda: tutorial.LayerNorm(5),
    "layer": lambda: tutorial.EncoderLayer(4, 2, 6, 0.1),
    "embedding": lambda: tutorial.TransformEmbedding(11, 4, 9, 0.1, "cpu"),
    "encoder": encoder(11, 9, 4, 6, 2, 2, 0.1),
    "encoder_full": encoder(10000, 1000, 512, 2048, 8, 6, 0.1),
}
ATTEND = "r(2,2,3,2) r(2,2,5,2) r(2,2,5,2) "
CROSS = "r(2,3,4) r(2,5,4) r(2,5,4) "
BOTH = ("faithful", "fixed")
MASKS = ("-", "T(2,1,1,5)", "T(2,1,5,5)")
CASES = [
    *[("sdpa", "faithful", ATTEND + mask, RUNS) for mask in ("-", "T(2,1,1,5)", "T(2,2,3,5)", "T(3,5)", "b(2,1,3,5)")],
    ("sdpa", "faithful", ATTEND + "T(2,1,3,1)", RUNS),  # where it is 0, all keys of a query are hidden
    ("heads", "faithful", "r(2,5,16)", RUNS),
    *[("mha", mode, CROSS + mask, RUNS) for mode in BOTH for mask in ("-", "T(2,1,1,5)", "T(2,1,3,5)")],
    ("ffn", "faithful", "r(2,3,4)", RUNS),
    *[("norm", mode, "r(2,3,5)", RUNS) for mode in BOTH],
    *[("layer", "faithful", "r(2,5,4) " + mask, RUNS if "1,1" in mask else ("32t", "64e")) for mask in MASKS],
    *[("layer", "fixed", "r(2,5,4) " + mask, ("32e", "64t")) for mask in MASKS],
    ("embedding", "faithful", "k11(2,5)", RUNS),
    *[("encoder", "faithful", "k11(2,5) " + mask, RUNS if "1,1" in mask else ("32t", "64e")) for mask in MASKS],
    *[("encoder", "fixed", "k11(2,5) " + mask, ("32e", "64t")) for mask in MASKS[:2]],
    ("encoder_full", "faithful", "k10000(32,10) T(32,1,1,10)", ("32t",)),
    ("encoder_full", "faithful", "k10000(4,10) -", ("32e",)),
    ("encoder_full", "fixed", "k10000(4,10) T(4,1,1,10)", ("32t",)),
]


def set_mode(mode):
    tutorial.FIXED = mode == "fixed"
    tutorial.LayerNorm = nn.LayerNorm if tutorial.FIXED else tutorial.CustomLayerNorm


def expanded(label, inputs):
    mask = inputs[-1]
    if label.startswith(("layer", "encoder")) and mask is not None and mask.shape[2] == 1:
        heads = 8 if label == "encoder_full" else 2
        inputs[-1] = mask.expand(len(mask), heads, mask.shape[3], mask.shape[3])
    return inputs


def run_case(file, run, label, key, text, few):
    real = torch.float32 if run.startswith("32") else torch.float64
    seed, weights = rule.seed_of(key), []
    inputs = expanded(label, rule.make_inputs(text, seed, real))
    module = MAKERS[label]().to(real).train(run.endswith("t"))
    load_hashed(module, key)
    for part in module.modules():
        if isinstance(part, tutorial.ScaledDotProductAttention):
            part.register_forward_hook(lambda part, given, results: weights.append(results[1]))
    torch.manual_seed(DROPOUT_SEED)
    y = module(*inputs)
    y = y[0] if isinstance(y, tuple) else y
    write_all(file, run + ".next", torch.rand(2))
    write_some(file, run + ".y", y, samples=few)
    for k, w in enumerate(weights):
        write_some(file, f"{run}.w{k}", w, samples=few)
    if "(32," in text:
        write_all(file, run + ".values_only", True)
        return
    dy = rule.hashed_tensor("R", y.shape, seed, 100, real)
    loss = (y * dy).sum()
    write_all(file, run + ".loss", loss)
    loss.backward()
    for name, p in module.named_parameters():
        write_some(file, f"{run}.g:{name}", p.grad, samples=few)
    for k, x in enumerate(inputs):
        if torch.is_tensor(x) and x.requires_grad:
            write_some(file, f"{run}.x{k}", x.grad, samples=few)


def record_cases(file):
    for label, mode, text, runs in CASES:
        set_mode(mode)
        key = f"{label} {mode} {text}"
        file.write(f"= {key}\n")
        random = any(isinstance(part, nn.Dropout) for part in MAKERS[label]().modules())
        few = 64 if key.startswith("encoder_full fixed") else record_models.SAMPLES  # the file stays under 600 kB
        for run in runs:
            if run.endswith("e") or random:
                run_case(file, run, label, key, text, few)


def record_inits(file):
    """The bits of the first values, and the table of sines and cosines."""
    for mode in BOTH:
        set_mode(mode)
        file.write(f"= init {mode}\n")
        torch.manual_seed(INIT_SEED)
        module = MAKERS["encoder"]()
        write_all(file, "next", torch.rand(2))
        write_all(file, "table", module.emb.pos_emb.encoding)
        for name, p in module.named_parameters():
            write_bits(file, name, p)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tutorial_000.txt"), "w") as file:
        record_inits(file)
        record_cases(file)


if __name__ == "__main__":
    main()
