"""Writes what PyTorch gives for torch.nn.utils.prune, weight_norm, spectral_norm and parametrizations into prune.txt
next to this file, for tests/nn/utils/test_prune.c, which has the same steps under the same labels.

    python record_prune.py     needs torch >= 2.7 and numpy; make check never runs it

Each case: a layer with hashed parameters, in float64, steps, and then the state dict, the layer's output for x and the
gradients of the parameters."""

import math
import os
import warnings

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune, remove_spectral_norm, remove_weight_norm
from torch.nn.utils import spectral_norm, weight_norm

import rule
from record_models import DROPOUT_SEED, HERE, fill_hashed, write_all

warnings.filterwarnings("ignore")


def twice(first, second):
    return lambda m: (first(m), second(m))


def pair(m):
    model = nn.Sequential(m, nn.Linear(4, 3).double())
    fill_hashed("second", model[1].named_parameters())
    return [(model[0], "weight"), (model[1], "weight")]


class EverySecond(prune.BasePruningMethod):
    def __init__(self, pruning_type, dim=None):
        self.PRUNING_TYPE = pruning_type
        self.dim = dim

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def own(name, *args):
    return lambda m: [EverySecond.apply(m, name, *args) for _ in range(2)]


LINEAR, CONV = (lambda: nn.Linear(5, 4), "r(3,5)"), (lambda: nn.Conv2d(3, 4, 2), "r(2,3,3,3)")
SQUARE, TALL = (lambda: nn.Linear(4, 4), "r(3,4)"), (lambda: nn.Linear(3, 5), "r(2,3)")
TRANSPOSED = (lambda: nn.ConvTranspose2d(3, 4, 2), "r(2,3,3,3)")


def remove(m):
    parametrize.remove_parametrizations(m, "weight")


CASES = [
    ("identity", *LINEAR, lambda m: prune.identity(m, "weight")),
    ("l1", *LINEAR, lambda m: prune.l1_unstructured(m, "weight", 0.3)),
    ("l1_count", *LINEAR, lambda m: prune.l1_unstructured(m, "bias", 2)),
    ("random", *LINEAR, lambda m: prune.random_unstructured(m, "weight", 0.4)),
    ("random_channels", *CONV, lambda m: prune.random_structured(m, "weight", 2, 0)),
    ("ln", *CONV, lambda m: prune.ln_structured(m, "weight", 0.5, 2, 1)),
    ("ln_inf", *LINEAR, lambda m: prune.ln_structured(m, "weight", 1, math.inf, -1)),
    ("custom", *LINEAR, lambda m: prune.custom_from_mask(m, "bias", torch.tensor([1, 0, 0, 1]))),
    (
        "l1_twice",
        *LINEAR,
        twice(lambda m: prune.l1_unstructured(m, "weight", 0.3), lambda m: prune.l1_unstructured(m, "weight", 0.5)),
    ),
    (
        "random_then_channels",
        *CONV,
        twice(lambda m: prune.random_unstructured(m, "weight", 9), lambda m: prune.ln_structured(m, "weight", 1, 1, 0)),
    ),
    (
        "channels_twice",
        *CONV,
        lambda m: [prune.random_structured(m, "weight", 1, 0) for _ in range(2)],
    ),
    (
        "removed",
        *LINEAR,
        twice(lambda m: prune.l1_unstructured(m, "weight", 0.5), lambda m: prune.remove(m, "weight")),
    ),
    ("global", *LINEAR, lambda m: prune.global_unstructured(pair(m), prune.L1Unstructured, amount=0.4)),
    ("global_random", *LINEAR, lambda m: prune.global_unstructured(pair(m), prune.RandomUnstructured, amount=9)),
    ("own_unstructured", *LINEAR, own("weight", "unstructured")),
    ("own_structured", *CONV, own("weight", "structured", -3)),
    (
        "own_global",
        *CONV,
        twice(lambda m: prune.random_unstructured(m, "weight", 9), lambda m: EverySecond.apply(m, "weight", "global")),
    ),
    ("weight_norm", *LINEAR, lambda m: weight_norm(m)),
    ("weight_norm_dim", *CONV, lambda m: weight_norm(m, "weight", 1)),
    ("weight_norm_all", *LINEAR, lambda m: weight_norm(m, dim=None)),
    ("weight_norm_removed", *LINEAR, twice(lambda m: weight_norm(m), lambda m: remove_weight_norm(m))),
    ("spectral_norm", *LINEAR, lambda m: spectral_norm(m)),
    ("spectral_norm_transposed", *TRANSPOSED, lambda m: spectral_norm(m, n_power_iterations=3, eps=1e-3)),
    ("spectral_norm_dim", *CONV, lambda m: spectral_norm(m, dim=2)),
    ("spectral_norm_bias", *LINEAR, lambda m: spectral_norm(m, "bias")),
    ("spectral_norm_removed", *LINEAR, twice(lambda m: spectral_norm(m), lambda m: remove_spectral_norm(m))),
    ("p_weight_norm", *LINEAR, lambda m: parametrizations.weight_norm(m)),
    ("p_weight_norm_dim", *CONV, lambda m: parametrizations.weight_norm(m, "weight", 1)),
    ("p_weight_norm_all", *LINEAR, lambda m: parametrizations.weight_norm(m, dim=None)),
    ("p_weight_norm_removed", *LINEAR, twice(parametrizations.weight_norm, remove)),
    ("p_spectral_norm", *LINEAR, lambda m: parametrizations.spectral_norm(m)),
    ("p_spectral_norm_transposed", *TRANSPOSED, lambda m: parametrizations.spectral_norm(m, n_power_iterations=2)),
    ("p_spectral_norm_bias", *LINEAR, lambda m: parametrizations.spectral_norm(m, "bias")),
    ("p_spectral_norm_removed", *LINEAR, twice(parametrizations.spectral_norm, remove)),
    ("p_orthogonal_wide", *LINEAR, lambda m: parametrizations.orthogonal(m)),
    ("p_orthogonal_square", *SQUARE, lambda m: parametrizations.orthogonal(m)),
    ("p_orthogonal_cayley", *LINEAR, lambda m: parametrizations.orthogonal(m, orthogonal_map="cayley")),
    ("p_orthogonal_exp", *TALL, lambda m: parametrizations.orthogonal(m, orthogonal_map="matrix_exp")),
    ("p_orthogonal_batch", *CONV, lambda m: parametrizations.orthogonal(m, orthogonal_map="householder")),
    ("p_orthogonal_plain", *TALL, lambda m: parametrizations.orthogonal(m, use_trivialization=False)),
    (
        "p_orthogonal_plain_cayley",
        *SQUARE,
        lambda m: parametrizations.orthogonal(m, orthogonal_map="cayley", use_trivialization=False),
    ),
    ("p_orthogonal_twice", *SQUARE, twice(parametrizations.orthogonal, parametrizations.spectral_norm)),
    ("p_orthogonal_removed", *TALL, twice(parametrizations.orthogonal, remove)),
]


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "prune.txt"), "w") as file:
        for label, make, text, steps in CASES:
            key = f"{label} {text}"
            file.write(f"= {key}\n")
            module = make().double()
            fill_hashed(key, module.named_parameters())
            torch.manual_seed(DROPOUT_SEED)
            steps(module)
            write_all(file, "next", torch.rand(2))
            (x,) = rule.make_inputs(text, rule.seed_of(key), torch.float64)
            y = module(x)
            y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of(key), 100, torch.float64))
            write_all(file, "y", y)
            write_all(file, "x", x.grad)
            for name, p in module.named_parameters():
                write_all(file, "g:" + name, p.grad)
            for i, (name, value) in enumerate(module.state_dict().items()):
                write_all(file, f"state{i}:{name}", value)


if __name__ == "__main__":
    main()
