"""Writes what PyTorch gives for nn.MultiheadAttention and the nn.Transformer family, its fused inference path off,
into torch_transformer*.txt next to this file, for tests/nn/transformer/test_torch_transformer.c, which reads the
options out of the cases' names.

    python record_torch_transformer.py     needs torch >= 2.7 and numpy; make check never runs it

Each family's cases cover every pair of its options' values (FAMILIES). A case has the outputs, the attention weights,
the numbers that the generator gives next, and all gradients. "init" has the bits of fresh parameters, "repr" what
PyTorch prints and the keys of the state dict, "errors" what it says."""

import itertools
import os
import random
import warnings

import torch
from torch import nn

import rule
from record_models import DROPOUT_SEED, HERE, INIT_SEED, load_hashed, write_bits, write_some, write_all

FEW = 4  # of arrays beyond twice this size so many elements are written
N, H, L, S, FF = 2, 2, 3, 4, 6
warnings.filterwarnings("ignore")
torch.backends.mha.set_fastpath_enabled(False)

LAYER = {
    "d": "32 64",
    "E": "4 16",
    "nf": "0 1",
    "act": "relu gelu prelu silu",
    "eps": "1e-5 0.1",
    "bias": "0 1",
    "bf": "0 1",
    "batch": "1 0",
    "drop": "no train eval",
    "avg": "0 1",
}
FAMILIES = {
    "mha": {
        "d": "32 64",
        "E": "4 16",
        "bias": "0 1",
        "bf": "0 1",
        "batch": "1 0",
        "drop": "no train eval",
        "kv": "same k v both",
        "bkv": "0 1",
        "zero": "0 1",
        "src": "self cross all",
        "m": "none b2 b3 f2 f3 g2 c cb blind",
        "kp": "none b f g",
        "hint": "0 1",
        "nw": "0 1",
        "avg": "0 1",
        "loss": "y yw",
    },
    "enc": {**LAYER, "norm": "0 1", "m": "none b2 b3 f2 f3 g2 c cb blind", "kp": "none b f", "hint": "none 0 1"},
    "dec": {
        **LAYER,
        "norm": "0 1",
        "m": "none b2 f2 b3 c cb blind",
        "kp": "none b f",
        "hint": "none 0 1",
        "mm": "none b2 f2 f3 c blind",
        "mkp": "none b f",
        "mhint": "0 1",
    },
    "tr": {
        **LAYER,
        "sm": "none b2 c",
        "skp": "none b f",
        "shint": "none 0 1",
        "m": "none f2 cb",
        "kp": "none b f",
        "hint": "none 0 1",
        "mm": "none b2",
        "mkp": "none b f",
        "mhint": "0 1",
    },
}


# ---- every pair ----


def possible(case):
    """A hint needs its mask, other sizes other inputs."""
    for hint, mask in (("hint", "m"), ("mhint", "mm"), ("shint", "sm")):
        if case.get(hint) == "1" and case[mask] == "none":
            return False
    return case.get("kv", "same") == "same" or case["src"] == "all"


def every_pair(factors):
    rng = random.Random(7)
    factors = {name: values.split() for name, values in factors.items()}
    left = {
        frozenset(((a, x), (b, y)))
        for a, b in itertools.combinations(factors, 2)
        for x in factors[a]
        for y in factors[b]
    }

    def complete(fixed):
        for _ in range(400):
            case = {name: rng.choice(values) for name, values in factors.items()} | fixed
            if possible(case):
                return case
        return None

    while left:
        pair = min(left, key=sorted)
        tries = [complete(dict(pair)) for _ in range(80)]
        best = max((t for t in tries if t), key=lambda t: sum(p <= t.items() for p in left), default=None)
        if best is None:
            left.remove(pair)  # a pair that cannot be
            continue
        left = {p for p in left if not p <= best.items()}
        yield best


# ---- inputs ----


def mask_of(kind, seed, which, shape, heads, real):
    """(L, S), or (heads, L, S); every query sees the first key, with padding (an odd which) the first two, but for the
    second of "blind"."""
    shape = ((heads,) if kind.endswith("3") else ()) + shape
    if kind == "none":
        return None
    if kind in ("c", "cb"):
        mask = torch.full(shape, float("-inf"), dtype=real).triu(1)
        return mask < 0 if kind == "cb" else mask
    if kind in ("f", "f2", "f3", "g", "g2"):
        return rule.hashed_tensor("r" if kind[0] == "g" else "R", shape, seed, which, real)
    mask = rule.hashed_tensor("b", shape, seed, which, real)
    mask[..., : 1 + which % 2] = False
    if kind == "blind":
        mask[1] = True
    return mask


def sequence(case, seed, which, length, size, real):
    shape = (length, size) if case["batch"] == "0" else (N, length, size) if case["bf"] == "1" else (length, N, size)
    return rule.hashed_tensor("r", shape, seed, which, real)


def padding_of(kind, case, seed, which, length, real):
    return mask_of(kind, seed, which, (length,) if case["batch"] == "0" else (N, length), 0, real)


def hint_of(text):
    return {"none": None, "0": False, "1": True}[text]


# ---- modules ----


def activation_of(name):
    return {"prelu": nn.PReLU, "silu": lambda: nn.functional.silu}.get(name, lambda: name)()


def layer_options(case):
    return {
        "dim_feedforward": FF,
        "dropout": 0.0 if case["drop"] == "no" else 0.3,
        "activation": activation_of(case["act"]),
        "layer_norm_eps": float(case["eps"]),
        "batch_first": case["bf"] == "1",
        "norm_first": case["nf"] == "1",
        "bias": case["bias"] == "1",
    }


def make(family, case):
    E = int(case["E"])
    if family == "mha":
        kdim = E + 1 if case["kv"] in ("k", "both") else None
        vdim = E + 2 if case["kv"] in ("v", "both") else None
        return nn.MultiheadAttention(
            E,
            H,
            0.0 if case["drop"] == "no" else 0.3,
            case["bias"] == "1",
            case["bkv"] == "1",
            case["zero"] == "1",
            kdim,
            vdim,
            case["bf"] == "1",
        )
    norm = nn.LayerNorm(E) if case.get("norm") == "1" else None
    if family == "enc":
        return nn.TransformerEncoder(nn.TransformerEncoderLayer(E, H, **layer_options(case)), 2, norm)
    if family == "dec":
        return nn.TransformerDecoder(nn.TransformerDecoderLayer(E, H, **layer_options(case)), 2, norm)
    return nn.Transformer(E, H, 1, 1, **layer_options(case))


# ---- one case ----


def call_of(family, case, seed, real):
    """The inputs, the masks, and a function of the module."""
    E, heads = int(case["E"]), H * (N if case["batch"] == "1" else 1)
    length = L if family == "mha" and case["src"] == "self" else S
    if family == "mha":
        query = sequence(case, seed, 0, L, E, real)
        key = query if case["src"] == "self" else sequence(case, seed, 1, S, E + (case["kv"] in ("k", "both")), real)
        value = key if case["src"] != "all" else sequence(case, seed, 2, S, E + 2 * (case["kv"] in ("v", "both")), real)
        m = mask_of(case["m"], seed, 10, (L, length), heads, real)
        kp = padding_of(case["kp"], case, seed, 11, length, real)
        return (
            [query, key, value],
            [m, kp],
            lambda module: module(query, key, value, kp, case["nw"] == "1", m, case["avg"] == "1", case["hint"] == "1"),
        )
    x, memory = sequence(case, seed, 0, L, E, real), sequence(case, seed, 1, S, E, real)
    m, kp = mask_of(case["m"], seed, 10, (L, L), heads, real), padding_of(case["kp"], case, seed, 11, L, real)
    if family == "enc":
        return [x], [m, kp], lambda module: module(x, m, kp, hint_of(case["hint"]))
    mm, mkp = mask_of(case["mm"], seed, 12, (L, S), heads, real), padding_of(case["mkp"], case, seed, 13, S, real)
    if family == "dec":
        return (
            [x, memory],
            [m, kp, mm, mkp],
            lambda module: module(x, memory, m, mm, kp, mkp, hint_of(case["hint"]), case["mhint"] == "1"),
        )
    sm, skp = mask_of(case["sm"], seed, 14, (S, S), heads, real), padding_of(case["skp"], case, seed, 15, S, real)
    return (
        [x, memory],
        [m, kp, mm, mkp, sm, skp],
        lambda module: module(
            memory, x, sm, m, mm, skp, kp, mkp, hint_of(case["shint"]), hint_of(case["hint"]), case["mhint"] == "1"
        ),
    )


def all_weights(module, call, average):
    """What every nn.MultiheadAttention inside gives as weights, in the order of the calls."""
    found, hooks = [], []
    for m in module.modules():
        if isinstance(m, nn.MultiheadAttention):
            hooks.append(
                m.register_forward_pre_hook(
                    lambda _, a, k: (a, k | {"need_weights": True, "average_attn_weights": average}), with_kwargs=True
                )
            )
            hooks.append(m.register_forward_hook(lambda _, a, y: found.append(y[1])))
    torch.manual_seed(DROPOUT_SEED)
    call(module)
    for hook in hooks:
        hook.remove()
    return found


def may_ask(case):
    """Do PyTorch's layers give the same with and without need_weights?"""
    hints = [("hint", "m"), ("mhint", "mm"), ("shint", "sm")]
    return not any(case.get(hint) == "1" and case[mask] not in ("c", "cb") for hint, mask in hints) and "blind" not in (
        case.get("m"),
        case.get("mm"),
    )


def write_array(file, name, x):
    nan = x is not None and bool(x.isnan().any())
    write_some(file, name, x, 10**6 if nan else 2 * FEW, FEW)


def run_case(file, family, case, key):
    real = torch.float32 if case["d"] == "32" else torch.float64
    seed = rule.seed_of(key)
    module = make(family, case).to(real).train(case["drop"] != "eval")
    load_hashed(module, key)
    inputs, masks, call = call_of(family, case, seed, real)
    if family != "mha" and may_ask(case):
        for k, w in enumerate(all_weights(module, call, case["avg"] == "1")):
            write_array(file, f"w{k}", w)
    torch.manual_seed(DROPOUT_SEED)
    y = call(module)
    y, w = y if isinstance(y, tuple) else (y, None)
    write_array(file, "y", y)
    write_all(file, "next", torch.rand(2))
    loss = (y * rule.hashed_tensor("R", y.shape, seed, 100, real)).sum()
    if family == "mha":
        write_array(file, "w", w)
        if w is not None and case["loss"] == "yw":
            loss = loss + (w * rule.hashed_tensor("R", w.shape, seed, 101, real)).sum()
    loss.backward()
    for name, p in module.named_parameters():
        write_array(file, f"g:{name}", p.grad)
    for k, x in enumerate(inputs):
        if not any(x is other for other in inputs[:k]):
            write_array(file, f"x{k}", x.grad)
    for k, mask in enumerate(masks):
        if mask is not None and mask.requires_grad:
            write_array(file, f"m{k}", mask.grad)


# ---- initial values, text ----

INITS = {
    "mha": lambda: nn.MultiheadAttention(6, 2),
    "mha_kv": lambda: nn.MultiheadAttention(6, 3, bias=False, add_bias_kv=True, kdim=5, vdim=7),
    "mha_double": lambda: nn.MultiheadAttention(6, 2, add_bias_kv=True, dtype=torch.float64),
    "encoder_layer": lambda: nn.TransformerEncoderLayer(6, 2, 10, activation=nn.PReLU()),
    "decoder_layer": lambda: nn.TransformerDecoderLayer(6, 2, 10, bias=False),
    "encoder": lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 10), 3, nn.LayerNorm(6)),
    "decoder": lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 10), 2),
    "transformer": lambda: nn.Transformer(6, 2, 2, 3, 10, activation="gelu", norm_first=True),
    "transformer_double": lambda: nn.Transformer(4, 1, 1, 1, 4, bias=False, dtype=torch.float64),
}


def errors():
    x, y, f = torch.ones(2, 3, 4), torch.ones(2, 5, 4), nn.functional.multi_head_attention_forward
    mha, kv = nn.MultiheadAttention(4, 2, batch_first=True), nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
    more = nn.MultiheadAttention(4, 2, 0.0, True, True, True, batch_first=True)
    layer, decoder_layer = nn.TransformerEncoderLayer(4, 2, 8), nn.TransformerDecoderLayer(4, 2, 8)
    encoder, decoder = nn.TransformerEncoder(layer, 2), nn.TransformerDecoder(decoder_layer, 2)
    transformer = nn.Transformer(4, 2, 1, 1, 8)
    integers, hidden = torch.ones(3, 3, dtype=torch.int64), torch.zeros(3, 3, dtype=torch.bool)
    square = torch.zeros(3, 3)
    w, b = torch.ones(12, 4), torch.ones(4)
    own = (4, 2, w, None, None, None, False, 0.0, torch.ones(4, 4), b)
    return {
        "heads": lambda: nn.MultiheadAttention(4, 3),
        "size 0": lambda: nn.MultiheadAttention(0, 3),
        "heads 0": lambda: nn.TransformerEncoderLayer(4, 0),
        "p": lambda: nn.MultiheadAttention(4, 2, 1.5)(x, x, x),
        "layer p": lambda: nn.TransformerEncoderLayer(4, 2, 8, 1.5),
        "activation": lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="tanh"),
        "1-D": lambda: mha(x[0, 0], x, x),
        "4-D": lambda: mha(x[None], x, x),
        "2-D key": lambda: mha(x, x[0], x),
        "3-D key": lambda: mha(x[0], x, x[0]),
        "1-D padding": lambda: mha(x, x, x, hidden[0]),
        "2-D padding": lambda: mha(x[0], x[0], x[0], hidden),
        "1-D mask": lambda: mha(x, x, x, attn_mask=hidden[0]),
        "1-D mask unbatched": lambda: mha(x[0], x[0], x[0], attn_mask=hidden[0]),
        "3-D mask unbatched": lambda: mha(x[0], x[0], x[0], attn_mask=torch.zeros(3, 3, 3)),
        "integer mask": lambda: mha(x, x, x, attn_mask=integers),
        "integer padding": lambda: mha(x, x, x, integers[:2]),
        "2-D mask size": lambda: mha(x, y, y, attn_mask=hidden),
        "3-D mask size": lambda: mha(x, x, x, attn_mask=torch.zeros(2, 3, 3)),
        "padding batch": lambda: mha(x, x, x, hidden[:1]),
        "padding length": lambda: mha(x, y, y, hidden[:2]),
        "padding more": lambda: more(x, y, y, hidden[:2]),
        "hint": lambda: mha(x, x, x, is_causal=True),
        "embed_dim": lambda: mha(torch.ones(2, 3, 5), x, x),
        "value": lambda: mha(x, x, y),
        "value size": lambda: mha(x, x, torch.ones(2, 3, 5)),
        "batch": lambda: mha(x, x[:1], x[:1]),
        "kdim": lambda: kv(x, x, x),
        "vdim": lambda: kv(x, x[:, :, :3], x),
        "kv": lambda: kv(x, x[:, :, :3], torch.ones(1, 3, 5)),
        "double mask": lambda: mha(x, x, x, attn_mask=square.double()),
        "double mask, no weights": lambda: mha(x, x, x, attn_mask=square.double(), need_weights=False),
        "float mask": lambda: mha.double()(x.double(), x.double(), x.double(), attn_mask=square),
        "layer mask": lambda: layer(x, integers),
        "layer padding": lambda: layer(x, None, integers),
        "encoder mask": lambda: encoder(x, integers),
        "encoder padding": lambda: encoder(x, None, integers),
        "encoder hint": lambda: encoder(x, is_causal=True),
        "decoder padding": lambda: decoder(x, x, tgt_key_padding_mask=integers),
        "decoder mask": lambda: decoder_layer(x, x, memory_mask=integers),
        "empty": lambda: nn.TransformerEncoder(layer, 0)(x),
        "empty decoder": lambda: nn.TransformerDecoder(decoder_layer, 0)(x, x),
        "batches": lambda: transformer(x, x[:, :2]),
        "features": lambda: transformer(x, x[:, :, :3]),
        "dims": lambda: transformer(x, x[:, 0]),
        "negative": lambda: transformer.generate_square_subsequent_mask(-1),
        "no in_proj": lambda: f(x, x, x, 4, 2, None, *own[3:]),
        "no q_proj": lambda: f(x, x, x, *own, use_separate_proj_weight=True),
        "bias_k": lambda: f(x, x, x, 4, 2, w, None, b[None, None], *own[5:]),
        "bias_v": lambda: f(x, x, x, 4, 2, w, None, None, b[None, None], *own[6:]),
        "static_k": lambda: f(
            x, x, x, 4, 2, w, None, b[None, None], b[None, None], *own[6:], static_k=torch.ones(6, 3, 2)
        ),
        "not divisible": lambda: f(x, x, x, 4, 3, *own[2:]),
    }


def said(call):
    try:
        call()
    except Exception as error:  # of any class
        return str(error)
    raise SystemExit("this is no error")


def open_text(name):
    return open(os.path.join(HERE, name), "w")


def main():
    torch.set_num_threads(1)
    with open_text("torch_transformer.txt") as file:
        for family, factors in FAMILIES.items():
            for case in every_pair(factors):
                key = " ".join([family, *(f"{name}={value}" for name, value in case.items())])
                file.write(f"= {key}\n")
                run_case(file, family, case, key)
    with open_text("torch_transformer_init.txt") as file:
        for key, make_one in INITS.items():
            file.write(f"= {key}\n")
            torch.manual_seed(INIT_SEED)
            module = make_one()
            write_all(file, "next", torch.rand(2))
            for name, p in module.named_parameters():
                write_bits(file, name, p)
    with open_text("torch_transformer_repr.txt") as file:
        for key, make_one in INITS.items():
            module = make_one()
            file.write(f"= {key}\n{module!r}\n{' '.join(module.state_dict())}\n")
        for key, call in errors().items():
            file.write(f"= error: {key}\n{said(call)}\n")


if __name__ == "__main__":
    main()
