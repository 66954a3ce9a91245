"""Writes what PyTorch gives for the modules and for the notebook's training run, into models_*.txt next to this file.

    python record_models.py        needs torch >= 2.7 and numpy; make check never runs it

models_layers.txt, models_transformer.txt: outputs, attention weights and gradients of each module, whose parameters,
buffers and inputs are hashed from names (rule.py); models_init.txt: initial values as hashes of their bits;
models_repr.txt: printed modules; models_notebook.txt: the notebook's data, batches, losses and trained parameters."""

import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader

import rule
from model_cases import INITS, LAYERS, TRANSFORMER, Everything
from reference_models import (
    Encoder,
    EncoderDecoder,
    EncoderLayer,
    FeedForward,
    MultiHeadAttention,
    PositionalEncoding,
    check_against_torch,
    classifier,
)

HERE = os.path.dirname(os.path.abspath(__file__))
ALL_UP_TO, SAMPLES = 128, 128  # arrays up to this size are written whole, of larger ones this many elements
DROPOUT_SEED, INIT_SEED = 1234, 42


# ---- arrays ----


def write_all(file, name, x):
    rule.write_array(file, name, x.detach() if torch.is_tensor(x) else x)


def write_some(file, name, x, all_up_to=ALL_UP_TO, samples=SAMPLES):
    """Whole, or as its sizes, (sum, sum of absolute values, largest absolute value) and elements at hashed indices."""
    if x is None or x.numel() <= all_up_to:
        write_all(file, name, x)
        return
    x = x.detach()
    cells = x.double().flatten()
    write_all(file, name + ".sizes", torch.tensor(x.shape))
    write_all(file, name + ".sums", torch.stack([cells.sum(), cells.abs().sum(), cells.abs().max()]))
    indices = [rule.mix(k) % x.numel() for k in range(samples)]
    write_all(file, name + ".some", x.flatten()[indices])


def fnv(x):
    """FNV-1a over the little-endian bytes, as two 32-bit values."""
    value = 0xCBF29CE484222325
    for byte in x.detach().contiguous().numpy().tobytes():
        value = ((value ^ byte) * 0x100000001B3) & rule.MASK
    return torch.tensor([value >> 32, value & 0xFFFFFFFF])


def write_bits(file, name, x):
    """The hash of all bits, and the first elements for a reader."""
    write_all(file, name + ".fnv", fnv(x))
    write_all(file, name + ".first", x.detach().flatten()[:4])


# ---- modules with hashed values ----


def load_hashed(module, key):
    fill_hashed(key, [*module.named_parameters(), *module.named_buffers()])


def fill_hashed(key, tensors):
    """Matrices are scaled down by a power of two near the root of their width; the factors of a norm lie around 1."""
    with torch.no_grad():
        for name, x in tensors:
            values = rule.hashed_tensor("R", x.shape, rule.seed_of(f"{key} {name}"), 0, x.dtype)
            if x.dim() >= 2:
                values *= 2.0 ** -(int(math.log2(x.shape[-1])) // 2 + 1)
            else:
                values = values / 4 + (1 if name.endswith("weight") else 0)
            x.copy_(values)


def run_case(file, run, module, key, text, training):
    real = torch.float32 if run.startswith("32") else torch.float64
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(text, seed, real)
    module = module().to(real).train(training)
    load_hashed(module, key)
    torch.manual_seed(DROPOUT_SEED)
    outputs = module(*inputs)
    y, *weights = outputs if isinstance(outputs, tuple) else (outputs,)
    write_some(file, run + ".y", y)
    for k, w in enumerate(weights):
        write_some(file, f"{run}.w{k}", w)
    write_all(file, run + ".next", torch.rand(2))  # so that the number of draws is right
    large = sum(p.numel() for p in module.parameters()) > 10000
    if not y.requires_grad or (large and run in ("32e", "64t")):
        write_all(file, run + ".values_only", True)
        return
    y.backward(rule.hashed_tensor("R", y.shape, seed, 100, real))
    for name, p in module.named_parameters():
        write_some(file, f"{run}.g:{name}", p.grad)
    for k, x in enumerate(inputs):
        if torch.is_tensor(x) and x.requires_grad:
            write_some(file, f"{run}.x{k}", x.grad)


def record_cases(name, cases):
    with open(os.path.join(HERE, name), "w") as file:
        for label, module, text in cases:
            key = f"{label} {text}"
            file.write(f"= {key}\n")
            random = any(isinstance(m, nn.Dropout) and m.p > 0 for m in module().modules())
            for real in ("32", "64"):
                run_case(file, real + "e", module, key, text, False)
                if random:
                    run_case(file, real + "t", module, key, text, True)


# ---- initial values ----


def record_inits():
    with open(os.path.join(HERE, "models_init.txt"), "w") as file:
        for key, make in INITS:
            file.write(f"= {key}\n")
            torch.manual_seed(INIT_SEED)
            module = make()
            write_all(file, "next", torch.rand(2))
            for name, p in module.named_parameters():
                write_bits(file, name, p)
        for key, sinusoid in (("table", "exp"), ("table_pow", "pow"), ("table_div", "div")):
            file.write(f"= {key}\n")  # of sines and cosines: the first hundred positions
            write_some(file, "pe", PositionalEncoding(16, 100, sinusoid=sinusoid).pe)


# ---- printed modules ----


def record_reprs():
    with open(os.path.join(HERE, "models_repr.txt"), "w") as file:
        for key, module in (
            ("everything", Everything()),
            ("classifier", classifier(2, 128, 4, 256, 50)),
            ("encoder_decoder", EncoderDecoder(3, 8, 2, 16, 11, 7, norm_first=True, tgt_padding_idx=0)),
            ("empty", nn.Sequential()),
        ):
            file.write(f"= {key}\n{module!r}\n")


# ---- the notebook ----


def consume_cells_2_to_7():
    """The random numbers that the demonstrations before the data set take, all in training mode."""
    for _ in range(3):
        torch.randn(2, 4, 8)
    attention, x = MultiHeadAttention(128, 4), torch.randn(2, 10, 128)
    attention(x, x, x)
    FeedForward(128, 512)(torch.randn(2, 10, 128))
    EncoderLayer(128, 4, 512, norm_first=True)(torch.randn(2, 10, 128))
    Encoder(3, 128, 4, 512, 1000, norm_first=True)(torch.randint(0, 1000, (2, 15)))


def sequences(count):
    """1 where two neighbours of the 20 tokens are equal."""
    rows = [torch.randint(1, 50, (20,)) for _ in range(count)]
    return [(row, int((row[1:] == row[:-1]).any())) for row in rows]


def notebook():
    torch.manual_seed(42)
    consume_cells_2_to_7()
    train, val = sequences(1000), sequences(200)
    loader = DataLoader(train, batch_size=32, shuffle=True)
    return train, val, loader, classifier(2, 128, 4, 256, 50)


def train_step(model, optimizer, ids, labels):
    optimizer.zero_grad()
    logits = model(ids)[0]
    loss = nn.functional.cross_entropy(logits, labels)
    loss.backward()
    optimizer.step()
    return loss.detach(), (logits.argmax(1) == labels).float().mean()


def record_ten_steps(file):
    train, val, loader, model = notebook()
    for name, rows in (("train", train), ("val", val)):
        write_all(file, name + ".tokens.fnv", fnv(torch.stack([row for row, _ in rows])))
        write_all(file, name + ".labels.fnv", fnv(torch.tensor([label for _, label in rows])))
        write_all(file, name + ".ones", torch.tensor(sum(label for _, label in rows)))
        write_all(file, name + ".first", rows[0][0])
    for name, p in model.named_parameters():
        write_bits(file, name, p)
    write_all(file, "pe", model.encoder.positional_encoding.pe[0, :20])
    optimizer, losses = torch.optim.Adam(model.parameters(), lr=0.001), []
    for step, (ids, labels) in zip(range(10), loader):
        if step == 0:
            write_all(file, "ids", ids)
            write_all(file, "labels", labels)
        loss, accuracy = train_step(model, optimizer, ids, labels)
        losses.append(loss)
        if step == 0:
            write_all(file, "accuracy", accuracy)
    write_all(file, "losses", torch.stack(losses))


def record_64_steps(file, real):
    """Two epochs without dropout."""
    _, _, loader, model = notebook()
    model = model.to(real)
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.p = 0.0
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    losses = [train_step(model, optimizer, ids, labels)[0] for _ in range(2) for ids, labels in loader]
    write_all(file, "losses", torch.stack(losses))
    if real == torch.float64:
        for name, p in model.named_parameters():
            write_some(file, name, p, all_up_to=16)


def record_notebook():
    with open(os.path.join(HERE, "models_notebook.txt"), "w") as file:
        file.write("= ten steps\n")
        record_ten_steps(file)
        for key, real in (("64 steps, float32", torch.float32), ("64 steps, float64", torch.float64)):
            file.write(f"= {key}\n")
            record_64_steps(file, real)


def main():
    torch.set_num_threads(1)
    check_against_torch()
    record_cases("models_layers.txt", LAYERS)
    record_cases("models_transformer.txt", TRANSFORMER)
    record_inits()
    record_reprs()
    record_notebook()


if __name__ == "__main__":
    main()
