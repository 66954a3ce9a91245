"""Writes what PyTorch gives for nn.EmbeddingBag, nn.AdaptiveLogSoftmaxWithLoss and nn.LinearCrossEntropyLoss into
large_vocabulary.txt next to this file, for tests/nn/modules/test_large_vocabulary.c, which has the same modules under
the same labels.

    python record_large_vocabulary.py     needs torch >= 2.7 and numpy; make check never runs it

Each module: the bits of its initial values, its text, and with hashed parameters in both dtypes outputs and
gradients."""

import os

import torch
from torch import nn

import rule
from record_models import HERE, INIT_SEED, fill_hashed, write_all, write_bits

BAGS = [
    ("bag_mean", lambda: nn.EmbeddingBag(5, 3), "k5(2,4)", None),
    ("bag_sum", lambda: nn.EmbeddingBag(5, 3, mode="sum", padding_idx=-4), "k5(7)", [0, 2, 2]),
    ("bag_max", lambda: nn.EmbeddingBag(5, 3, mode="max", include_last_offset=True), "k5(7)", [0, 3, 7]),
    ("bag_scaled", lambda: nn.EmbeddingBag(4, 2, scale_grad_by_freq=True, padding_idx=2), "k4(9)", [0, 4]),
    ("bag_norm", lambda: nn.EmbeddingBag(4, 3, max_norm=1.0, mode="sum"), "k3(5)", [0, 2]),
    ("bag_norm1", lambda: nn.EmbeddingBag(4, 3, 0.5, 1.0, True, "sum"), "k3(5)", [0, 2]),
]
ADAPTIVE = [
    ("adaptive", lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 7], div_value=2.0), "r(6,8) k12(6)"),
    ("adaptive_bias", lambda: nn.AdaptiveLogSoftmaxWithLoss(9, 6, [2], head_bias=True), "r(4,9) k6(4)"),
    ("adaptive_one", lambda: nn.AdaptiveLogSoftmaxWithLoss(64, 30, [5, 10, 20]), "r(64) k30()"),
]
LINEAR = [
    ("linear_loss", lambda: nn.LinearCrossEntropyLoss(8, 12), "r(6,8) k12(6)"),
    ("linear_loss_bias", lambda: nn.LinearCrossEntropyLoss(5, 10, bias=True, label_smoothing=0.1, ignore_index=3,
                                                           weight=torch.arange(10.0)), "r(7,5) k10(7)"),
    ("linear_loss_out", lambda: nn.LinearCrossEntropyLoss(5, 4, out_features=(4, 3), bias=True, reduction="sum"),
     "r(2,5) k4(2,4,3)"),
    ("linear_loss_one", lambda: nn.LinearCrossEntropyLoss(5, 4, out_features=(), reduction="none"), "r(5) k4()"),
    ("linear_loss_probs", lambda: nn.LinearCrossEntropyLoss(5, 4, out_features=(3,)), "r(2,5) p(2,4,3)"),
]


def begin(file, label, make, text):
    key = f"{label} {text}"
    file.write(f"= {key}\n")
    torch.manual_seed(INIT_SEED)
    module = make()
    write_all(file, "init.next", torch.rand(2))
    for name, p in module.named_parameters():
        write_bits(file, "init:" + name, p)
    return key


def hashed(key, make, text, real):
    module = make().to(real)
    fill_hashed(key, module.named_parameters())
    return module, rule.make_inputs(text, rule.seed_of(key), real)


def write_gradients(file, run, module):
    for name, p in module.named_parameters():
        write_all(file, f"{run}.g:{name}", torch.zeros_like(p) if p.grad is None else p.grad)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "large_vocabulary.txt"), "w") as file:
        for label, make, text, offsets in BAGS:
            key = begin(file, label, make, text)
            for run, real in (("32", torch.float32), ("64", torch.float64)):
                module, (ids,) = hashed(key, make, text, real)
                y = module(ids) if offsets is None else module(ids, torch.tensor(offsets))
                y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of(key), 100, real))
                write_all(file, run + ".y", y)
                write_all(file, run + ".weight", module.weight)
                write_gradients(file, run, module)
        for label, make, text in ADAPTIVE:
            key = begin(file, label, make, text)
            for run, real in (("32", torch.float32), ("64", torch.float64)):
                module, (x, target) = hashed(key, make, text, real)
                output, loss = module(x, target)
                (loss + (output * rule.hashed_tensor("R", output.shape, rule.seed_of(key), 100, real)).sum()).backward()
                write_all(file, run + ".y", output)
                write_all(file, run + ".loss", loss)
                write_all(file, run + ".x", x.grad)
                write_gradients(file, run, module)
                if x.dim() == 2:
                    write_all(file, run + ".log_prob", module.log_prob(x))
                    write_all(file, run + ".predict", module.predict(x))
        for label, make, text in LINEAR:
            key = begin(file, label, make, text)
            for run, real in (("32", torch.float32), ("64", torch.float64)):
                module, (x, target) = hashed(key, make, text, real)
                y = module(x, target)
                y.sum().backward()
                write_all(file, run + ".y", y)
                write_all(file, run + ".x", x.grad)
                write_gradients(file, run, module)
    with open(os.path.join(HERE, "large_vocabulary_repr.txt"), "w") as file:
        for label, make, *_ in BAGS + ADAPTIVE + LINEAR:
            file.write(f"= {label}\n{make()!r}\n{' '.join(name for name, _ in make().named_parameters())}\n")


if __name__ == "__main__":
    main()
