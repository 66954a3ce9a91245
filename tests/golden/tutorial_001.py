"""Writes what PyTorch gives for tutorial 001 (encoder and decoder), into tutorial_001.txt next to this file.

    python tutorial_001.py DIR        DIR holds a runnable tutorial_001.py; make check never runs it

A case's key is a label and its inputs (rule.py); parameters and buffers are hashed from their names. Runs: 32 or 64 for
the dtype, e or t for eval or training mode, and F behind them where the repaired module (FIXED) gives something else:
that is asserted to be so exactly where a mask hides every key of a query. The full-size model has its initial values
under seed 42.
"""

import os
import sys

import torch
from torch import nn

import rule
from record_models import DROPOUT_SEED, HERE, INIT_SEED, load_hashed, write_some, write_all

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import tutorial_001 as tutorial  # noqa: E402

SMALL = {"d_model": 4, "n_heads": 2, "d_ff": 6, "p_drop": 0.25, "n_layers": 2, "max_len": 16}
FULL = {"d_model": 512, "n_heads": 8, "d_ff": 2048, "p_drop": 0.1, "n_layers": 6, "max_len": 5000}


def pad(ids, start):
    """The second row from there on, and nothing else, becomes padding."""
    ids.masked_fill_(ids == 0, 1)
    ids[1, start:] = 0


def encoder_padding(module, src):
    pad(src, 3)
    return module(src, tutorial.make_src_mask(src))


def transformer_padding(module, src, tgt):
    pad(src, 3)
    pad(tgt, 2)
    return module(src, tgt, tutorial.make_src_mask(src), tutorial.make_src_mask(tgt))


def transformer_look_ahead(module, src, tgt):
    return module(src, tgt, None, tutorial.make_look_ahead_mask(tgt.size(1)))


def transformer_combined(module, src, tgt, start=3):
    pad(src, start)
    pad(tgt, 2)
    return module(src, tgt, tutorial.make_src_mask(src), tutorial.make_tgt_mask(tgt))


def transformer_hidden(module, src, tgt):
    """A source of nothing but padding."""
    return transformer_combined(module, src, tgt, 0)


def transformer():
    return tutorial.Transformer(11, 13)


def call(module, *inputs):
    return module(*inputs)


CASES = [
    ("attention", tutorial.MultiHeadAttention, call, "r(2,4,4) r(2,4,4) r(2,4,4) -"),
    ("attention", tutorial.MultiHeadAttention, call, "r(2,3,4) r(2,5,4) r(2,5,4) -"),
    ("attention", tutorial.MultiHeadAttention, call, "r(2,3,4) r(2,5,4) r(2,5,4) b(2,1,1,5)"),
    ("attention", tutorial.MultiHeadAttention, call, "r(2,6,4) r(2,2,4) r(2,2,4) b(2,1,6,2)"),  # hides rows
    ("feed_forward", tutorial.FeedForwardNetwork, call, "r(2,3,4)"),
    ("positional_encoding", tutorial.PositionalEncoding, call, "r(2,5,4)"),
    ("encoder_block", tutorial.EncoderBlock, call, "r(2,5,4) -"),
    ("encoder_block", tutorial.EncoderBlock, call, "r(2,5,4) b(2,1,1,5)"),
    ("decoder_block", tutorial.DecoderBlock, call, "r(2,4,4) r(2,5,4) - -"),
    ("decoder_block", tutorial.DecoderBlock, call, "r(2,4,4) r(2,5,4) b(2,1,1,5) b(4,4)"),
    ("encoder_padding", lambda: tutorial.Encoder(11), encoder_padding, "k11(2,5)"),
    ("decoder", lambda: tutorial.Decoder(13), call, "k13(2,4) r(2,5,4) - -"),
    ("transformer", transformer, call, "k11(2,5) k13(2,4)"),
    ("transformer_padding", transformer, transformer_padding, "k11(2,5) k13(2,4)"),
    ("transformer_look_ahead", transformer, transformer_look_ahead, "k11(2,5) k13(2,4)"),
    ("transformer_combined", transformer, transformer_combined, "k11(2,5) k13(2,4)"),
    ("transformer_hidden", transformer, transformer_hidden, "k11(2,5) k13(2,4)"),
]


def few_of(name):
    return {"g:": 16, "w:": 24}.get(name[:2], 48)


def write_few(file, name, x, few):
    """As write_some, but with fewer samples; whole where there is a NaN, which no sum could show."""
    if x.isnan().any():
        write_all(file, name, x)
    elif x.numel() <= few:
        write_all(file, name, x)
    else:
        x = x.detach()
        cells = x.double().flatten()
        write_all(file, name + ".sizes", torch.tensor(x.shape))
        write_all(file, name + ".sums", torch.stack([cells.sum(), cells.abs().sum(), cells.abs().max()]))
        write_all(file, name + ".some", x.flatten()[[rule.mix(k) % x.numel() for k in range(few)]])


def watch_attention(module):
    """The weights of each attention's last call by the module's name, which the blocks drop; whether a mask hid a
    row."""
    seen = {"hidden": False}

    def hook(name):
        def keep(_, inputs, output):
            seen[name] = output[1]
            seen["hidden"] |= inputs[3] is not None and bool(inputs[3].all(-1).any())

        return keep

    for name, child in module.named_modules():
        if isinstance(child, tutorial.ScaledDotProductAttention):
            child.register_forward_hook(hook(name))
    return seen


def run_case(run, key, make, use, text, random):
    """name -> array"""
    real = torch.float32 if run.startswith("32") else torch.float64
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(text, seed, real)
    module = make().to(real).train(run[2] == "t")
    load_hashed(module, key)
    seen = watch_attention(module)
    torch.manual_seed(DROPOUT_SEED)
    y = use(module, *inputs)
    y = y[0] if isinstance(y, tuple) else y
    hidden = seen.pop("hidden")
    arrays = {"next": torch.rand(2), "y": y, **{"w:" + name: w for name, w in seen.items()}}
    if run in ("32t", "64e") or not random:
        y.backward(rule.hashed_tensor("R", y.shape, seed, 100, real))
        arrays |= {"g:" + name: p.grad for name, p in module.named_parameters()}
        arrays |= {f"x{k}": x.grad for k, x in enumerate(inputs) if torch.is_tensor(x) and x.requires_grad}
    else:
        arrays["values_only"] = torch.tensor(True)
    return arrays, hidden


def record_case(file, label, make, use, text):
    key = f"{label} {text}"
    file.write(f"= {key}\n")
    random = any(isinstance(m, nn.Dropout) for m in make().modules())
    for run in ("32e", "32t", "64e", "64t") if random else ("32e", "64e"):
        tutorial.FIXED = False
        arrays, hidden = run_case(run, key, make, use, text, random)
        tutorial.FIXED = True
        fixed, _ = run_case(run, key, make, use, text, random)
        assert hidden == ("hidden" in label or "(2,1,6,2)" in text), key
        assert hidden != all(torch.equal(arrays[name], fixed[name]) for name in arrays), key
        assert not any(x.isnan().any() for x in fixed.values()), key
        for name, x in arrays.items():
            write_few(file, f"{run}.{name}", x, few_of(name))
        for name, x in fixed.items() if hidden else ():
            write_few(file, f"{run}F.{name}", x, few_of(name))


def record_small(file):
    tutorial.configure(**SMALL)
    for label, make, use, text in CASES:
        record_case(file, label, make, use, text)
    tutorial.FIXED = False
    file.write("= greedy\n")
    model = transformer().eval()
    load_hashed(model, "greedy")
    src = rule.hashed_tensor("k11", (3, 5), rule.seed_of("greedy"), 0, torch.float32)
    pad(src, 3)
    write_all(file, "out", model.greedy_decode(src, 1, 12, tutorial.make_src_mask(src)))
    file.write(f"= repr\n{model!r}\n")


def demo_batch():
    src, tgt = torch.randint(1, 1000, (2, 12)), torch.randint(1, 1200, (2, 9))
    src[1, 8:] = 0
    tgt[1, 7:] = 0
    return src, tgt, tutorial.make_src_mask(src), tutorial.make_tgt_mask(tgt)


def write_weights(file, run, seen):
    for name, w in seen.items():
        if name != "hidden":
            write_few(file, f"{run}.w:{name}", w, 12)


def record_full(file):
    file.write("= full\n")
    tutorial.configure(**FULL)
    torch.manual_seed(INIT_SEED)
    model = tutorial.Transformer(1000, 1200)
    src, tgt, src_mask, tgt_mask = demo_batch()
    write_all(file, "src", src)
    write_all(file, "tgt", tgt)
    write_some(file, "pe", model.encoder.pe.pe[0, :100])
    seen = watch_attention(model)
    model.eval()
    with torch.no_grad():
        write_some(file, "32e.y", model(src, tgt, src_mask, tgt_mask))
        write_weights(file, "32e", seen)
        write_some(file, "32e.plain.y", model(src, tgt))
        write_weights(file, "32e.plain", seen)
    write_all(file, "greedy", model.greedy_decode(src, 1, 8, src_mask))
    model.train()
    torch.manual_seed(DROPOUT_SEED)
    y = model(src, tgt, src_mask, tgt_mask)
    write_all(file, "32t.next", torch.rand(2))
    write_some(file, "32t.y", y)
    write_weights(file, "32t", seen)
    y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of("full"), 100, torch.float32) / 64)
    for name, p in model.named_parameters():
        write_few(file, f"32t.g:{name}", p.grad, 6)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "tutorial_001.txt"), "w") as file:
        record_small(file)
        record_full(file)


if __name__ == "__main__":
    main()
