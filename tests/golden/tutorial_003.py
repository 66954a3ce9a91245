"""Writes what PyTorch gives for tutorial 003 (one projection for q, k and v), into tutorial_003.txt next to this file.

    python tutorial_003.py DIR        DIR holds a runnable tutorial_003.py; make check never runs it

A case's key is a label and its inputs (rule.py); parameters and buffers are hashed from their names. Runs: 32 or 64 for
the dtype, e or t for eval or training mode, and F behind them for the repaired tutorial (FIXED). torch_layer is
PyTorch's own nn.TransformerEncoderLayer with GELU, given the weights of the tutorial's. The full-size model has its
initial values under seed 42."""

import contextlib
import os
import sys

import torch
from torch import nn

import rule
from record_models import HERE, INIT_SEED, load_hashed, write_some, write_all
from record_ports import record_case, run_module

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import tutorial_003 as tutorial  # noqa: E402

BOTH, AS_IT_STANDS, FIXED = (False, True), (False,), (True,)


def attention():
    return tutorial.MultiHeadAttention(4, 2)


def layer():
    return tutorial.TransformerEncoderLayer(4, 2, 0.25)


def encoder():
    return tutorial.TransformerEncoder(11, 4, 2, 2, 0.25)


CASES = [  # label, module, inputs, modes
    ("attention", attention, "r(2,3,4) -", BOTH),
    ("attention", attention, "r(2,3,4) b(2,3,2,2)", AS_IT_STANDS),  # of the shape of its scores
    ("attention", attention, "r(2,5,4) b(1,5,1,2)", AS_IT_STANDS),
    ("attention", attention, "r(2,3,4) b(2,2,3,3)", FIXED),
    ("attention", attention, "r(2,3,4) b(2,1,1,3)", FIXED),
    ("attention", attention, "r(3,5,4) T(5,5)", FIXED),  # 0 hides, -1 and 1 show
    ("feed_forward", lambda: tutorial.FeedForward(4, 3), "r(2,3,4)", AS_IT_STANDS),
    ("positional_encoding", lambda: tutorial.PositionalEncoding(4, 7), "r(2,5,4)", AS_IT_STANDS),
    ("layer", layer, "r(2,3,4) -", BOTH),
    ("layer", layer, "r(2,3,4) b(2,1,1,3)", FIXED),
    ("encoder", encoder, "k11(2,5) -", BOTH),
    ("encoder", encoder, "k11(2,5) b(2,1,1,5)", FIXED),
]


@contextlib.contextmanager
def watch_attention(module):
    """The attention weights by the name of the module, which the tutorial drops: what torch.softmax gives, in order."""
    names = iter([name for name, child in module.named_modules() if isinstance(child, tutorial.MultiHeadAttention)])
    seen, softmax = {}, torch.softmax

    def keep(x, dim):
        y = softmax(x, dim=dim)
        seen[next(names)] = y
        return y

    torch.softmax = keep
    try:
        yield seen
    finally:
        torch.softmax = softmax
    assert next(names, None) is None


# ---- PyTorch's own layer ----

NAMES = {
    "attn.to_qkv.weight": "self_attn.in_proj_weight",
    "attn.to_qkv.bias": "self_attn.in_proj_bias",
    "attn.to_out": "self_attn.out_proj",
    "ffn.net.0": "linear1",
    "ffn.net.2": "linear2",
}


def torch_name(name):
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


def record_torch_layer(file):
    for text in ("r(2,5,8) -", "r(2,5,8) b(2,1,1,5)"):
        key = f"torch_layer {text}"
        file.write(f"= {key}\n")
        ours = tutorial.TransformerEncoderLayer(8, 2, 0.25).double().eval()
        load_hashed(ours, key)
        layer = nn.TransformerEncoderLayer(8, 2, 32, 0.25, "gelu", batch_first=True).double().eval()
        layer.load_state_dict({torch_name(name): x for name, x in ours.state_dict().items()})
        x, mask = rule.make_inputs(text, rule.seed_of(key), torch.float64)
        y = layer(x, src_key_padding_mask=None if mask is None else mask[:, 0, 0] == 0)
        tutorial.FIXED = True
        assert (ours(x, mask) - y).abs().max() < 1e-14
        y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of(key), 100, torch.float64))
        write_some(file, "64eF.y", y)
        parameters = dict(layer.named_parameters())
        for name, _ in ours.named_parameters():
            write_some(file, f"64eF.g:{name}", parameters[torch_name(name)].grad)
        write_some(file, "64eF.x0", x.grad)


# ---- the demonstration, with fewer sentences, and the test of which tokens see each other ----


def record_full(file):
    file.write("= full\n")
    torch.manual_seed(INIT_SEED)
    model = tutorial.TransformerEncoder(10000, 512, 6, 8)
    x = torch.randint(0, 10000, (2, 32))
    mask = torch.ones(2, 1, 1, 32)
    mask[1, :, :, 20:] = 0
    write_all(file, "ids", x[:, :8])
    write_some(file, "pe", model.pos_encoding.pe[0, :100])
    tutorial.FIXED = False
    run_module(file, "32t", model, [x], watch_attention, "full", 64, samples=6)
    model.zero_grad()
    tutorial.FIXED = True
    run_module(file, "32tF", model, [x, mask], watch_attention, "full", 64, samples=6)


def record_demo(file):
    """The demonstration itself, 32 sequences of 50 tokens in training mode."""
    file.write("= demo\n")
    for tutorial.FIXED in BOTH:
        torch.manual_seed(INIT_SEED)
        model = tutorial.TransformerEncoder(10000, 512, 6, 8)
        x = torch.randint(0, 10000, (32, 50))
        with torch.no_grad():
            write_some(file, "y" + "F" * tutorial.FIXED, model(x))
    write_all(file, "next", torch.rand(2))


def record_mixing(file):
    file.write("= mixing\n")
    for tutorial.FIXED in BOTH:
        torch.manual_seed(INIT_SEED)
        model = tutorial.TransformerEncoder(100, 32, 2, 4).eval()
        x = torch.randint(0, 100, (1, 6))
        y = x.clone()
        y[0, 2] = (y[0, 2] + 1) % 100
        write_all(file, "changes" + "F" * tutorial.FIXED, (model(x) - model(y)).abs().amax(-1)[0])


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "tutorial_003.txt"), "w") as file:
        for case in CASES:
            record_case(file, tutorial, *case, watch_attention)
        record_torch_layer(file)
        record_full(file)
        record_demo(file)
        record_mixing(file)
        tutorial.FIXED = False
        file.write(f"= repr\n{encoder()!r}\n")


if __name__ == "__main__":
    main()
