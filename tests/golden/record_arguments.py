"""Writes what PyTorch gives for arguments that few programs use into arguments.txt next to this file, for
tests/nn/test_keyword_arguments.c, which has the same calls under the same labels.

    python record_arguments.py     needs torch and numpy; make check never runs it

A case is a label and its inputs x. Recorded are the results, and the gradients of the inputs for a hashed gradient of
each result, in float32 and float64."""

import os
import warnings

import torch
from torch import nn
from torch.nn import functional as F

import rule
from record_models import DROPOUT_SEED, HERE, write_all

warnings.filterwarnings("ignore")


def embedding(**options):
    return lambda x: (F.embedding(x[0], x[1], **options), x[1].detach())


def in_place(f):
    return lambda x: f(x[0] * 1, 0.4, training=True, inplace=True)


def in_place_transposed(f):
    return lambda x: f((x[0] * 1).t(), 0.4, training=True, inplace=True)


CASES = {
    "embedding_max_norm k5(2,3) r(5,3)": embedding(max_norm=1.25),
    "embedding_norm_type k5(2,3) r(5,3)": embedding(max_norm=1.25, norm_type=1.0, padding_idx=-1),
    "embedding_max_norm_inf k5(4) r(5,3)": embedding(max_norm=0.75, norm_type=float("inf")),
    "embedding_scale_grad k4(3,4) r(5,3)": embedding(scale_grad_by_freq=True),
    "embedding_scale_grad_padding k4(3,4) r(5,3)": embedding(scale_grad_by_freq=True, padding_idx=2),
    "embedding_none k5(0) r(5,3)": embedding(scale_grad_by_freq=True, max_norm=1.0),
    "dropout r(3,5)": in_place(F.dropout),
    "dropout_transposed r(3,5)": in_place_transposed(F.dropout),
    "dropout_p1 r(3,5)": lambda x: F.dropout(x[0] * 1, 1.0, True, True),
    "dropout1d r(2,4,3)": in_place(F.dropout1d),
    "dropout1d_unbatched r(4,3)": in_place(F.dropout1d),
    "dropout2d r(2,3,2,2)": in_place(F.dropout2d),
    "dropout3d r(2,3,2,1,2)": in_place(F.dropout3d),
    "dropout3d_unbatched r(4,2,1,2)": in_place(F.dropout3d),
    "alpha_dropout r(3,5)": in_place(F.alpha_dropout),
    "alpha_dropout_transposed r(3,5)": in_place_transposed(F.alpha_dropout),
    "alpha_dropout_of_transposed r(3,5)": lambda x: F.alpha_dropout(x[0].t(), 0.4, True),
    "feature_alpha_dropout r(3,4,2)": in_place(F.feature_alpha_dropout),
    "adaptive_max_pool1d s(2,3,7)": lambda x: nn.AdaptiveMaxPool1d(3, return_indices=True)(x[0]),
    "adaptive_max_pool2d s(2,2,5,4)": lambda x: nn.AdaptiveMaxPool2d((2, 3), return_indices=True)(x[0]),
    "adaptive_max_pool3d s(1,2,4,3,5)": lambda x: nn.AdaptiveMaxPool3d((2, 1, 3), return_indices=True)(x[0]),
    "max_unpool1d r(1,2,2)": lambda x: nn.MaxUnpool1d(2)(x[0], torch.tensor([[[1, 2], [0, 3]]]), output_size=[5]),
    "max_unpool2d r(1,1,1,2)": lambda x: nn.MaxUnpool2d(2)(x[0], torch.tensor([[[[6, 3]]]]), output_size=[3, 5]),
    "max_unpool3d r(1,1,1,1,2)": lambda x: nn.MaxUnpool3d((1, 2, 2))(
        x[0], torch.tensor([[[[[6, 3]]]]]), output_size=[1, 3, 5]
    ),
}


def grid_sample(**options):
    return lambda x: F.grid_sample(x[0], x[1], **options)


def uint8(**options):
    return lambda x: F.interpolate(x[0].to(torch.uint8), **options)


CASES |= {
    "grid_zeros r(2,3,5,6) r(2,9,5,2)": grid_sample(align_corners=False),
    "grid_border r(1,2,4,7) r(1,9,7,2)": grid_sample(padding_mode="border", align_corners=True),
    "grid_reflection r(2,1,6,4) r(2,5,7,2)": grid_sample(padding_mode="reflection", align_corners=False),
    "grid_of_one_column r(2,2,5,1) r(2,3,7,2)": grid_sample(padding_mode="border", align_corners=False),
    "uint8_bilinear k256(2,3,7,9)": uint8(size=(5, 12), mode="bilinear"),
    "uint8_bilinear_corners k256(1,4,6,5)": uint8(size=(11, 3), mode="bilinear", align_corners=True),
    "uint8_bilinear_antialias k256(1,3,13,11)": uint8(size=(4, 5), mode="bilinear", antialias=True),
    "uint8_bicubic k256(1,3,6,8)": uint8(size=(9, 5), mode="bicubic"),
    "uint8_bicubic_factor k256(1,2,4,5)": uint8(scale_factor=(1.2, 2.5), mode="bicubic"),
    "uint8_bicubic_antialias k256(1,5,12,9)": uint8(size=(5, 4), mode="bicubic", antialias=True),
    "uint8_lanczos k256(1,1,12,9)": uint8(size=(5, 4), mode="lanczos", antialias=True),
    "norm_nuc r(3,4)": lambda x: torch.norm(x[0], p="nuc"),
    "norm_nuc_dims r(3,2,4)": lambda x: torch.norm(x[0], p="nuc", dim=(0, 2), keepdim=True),
    "uint8_same_size k256(1,3,4,5)": uint8(size=(4, 5), mode="bilinear"),
    "uint8_one_row k256(1,3,1,5)": uint8(size=(1, 8), mode="bicubic"),
}


def run(file, key, call, real, name):
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(key.split(" ", 1)[1], seed, real)
    torch.manual_seed(DROPOUT_SEED)
    results = call(inputs)
    results = results if isinstance(results, tuple) else (results,)
    roots, weights = [], []
    for k, y in enumerate(results):
        write_all(file, f"{name}.y{k}", y)
        if y.requires_grad:
            roots.append(y)
            weights.append(rule.hashed_tensor("R", y.shape, seed, 100 + k, real))
    if roots:
        torch.autograd.backward(roots, weights)
    for k, x in enumerate(inputs):
        if isinstance(x, torch.Tensor) and x.grad is not None:
            write_all(file, f"{name}.x{k}", x.grad)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "arguments.txt"), "w") as file:
        for key, call in CASES.items():
            file.write(f"= {key}\n")
            run(file, key, call, torch.float32, "32")
            run(file, key, call, torch.float64, "64")


if __name__ == "__main__":
    main()
