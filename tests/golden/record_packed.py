"""Writes what PyTorch gives for nn.RNN, nn.LSTM and nn.GRU over packed sequences into packed.txt next to this file, for
tests/nn/modules/test_packed_sequences.c.

    python record_packed.py     needs torch >= 2.7 and numpy; make check never runs it

A case is the label of a module in record_recurrent.py, the lengths of the sequences as digits, and the inputs x, h_0
and c_0. Recorded are the padded output, the states, what PyTorch packed (data and batch sizes), and the gradients, in
eval mode (e) and, with a dropout, in training mode (t), in both dtypes."""

import os
import warnings

import torch
from torch.nn.utils import rnn

import rule
from record_models import DROPOUT_SEED, HERE, load_hashed, write_some, write_all
from record_recurrent import FEW, MODULES

warnings.filterwarnings("ignore")

CASES = [
    ("rnn", "532", "r(5,3,3)"),
    ("rnn", "325", "r(5,3,3) r(1,3,4)"),
    ("rnn_relu", "143", "r(3,4,3) r(2,3,4)"),
    ("rnn_deep", "4421", "r(4,4,3) r(6,4,4)"),
    ("lstm", "4", "r(4,1,3)"),
    ("lstm", "333", "r(3,3,3)"),
    ("lstm", "532", "r(6,3,3) r(1,3,4) r(1,3,4)"),
    ("lstm_deep", "1433", "r(4,4,3) r(4,4,4) r(4,4,4)"),
    ("lstm_deep", "24", "r(2,4,3)"),
    ("lstm_proj", "1313", "r(3,4,3) r(4,4,2) r(4,4,4)"),
    ("lstm_proj_bias", "21", "r(4,2,3)"),
    ("gru", "532", "r(5,3,3)"),
    ("gru", "2255", "r(5,4,3) r(1,4,4)"),
    ("gru_deep", "43", "r(2,4,3) r(4,2,4)"),
    ("gru_first", "1311", "r(4,3,3)"),
]


def run_case(file, run, label, lengths, text, training):
    real = torch.float32 if run.startswith("32") else torch.float64
    key = f"{label} {lengths} {text}"
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(text, seed, real)
    module = MODULES[label]().to(real).train(training)
    load_hashed(module, key)
    torch.manual_seed(DROPOUT_SEED)
    x, states = inputs[0], tuple(inputs[1:])
    packed = rnn.pack_padded_sequence(x, [int(n) for n in lengths], module.batch_first, enforce_sorted=False)
    out, last = module(packed, *([] if not states else [states[0] if len(states) == 1 else states]))
    y, _ = rnn.pad_packed_sequence(out, module.batch_first, 0.25, len(lengths) + 5)
    outputs = [("y", y)] + (list(zip(("h", "c"), last)) if isinstance(last, tuple) else [("h", last)])
    write_some(file, f"{run}.data", packed.data, FEW, FEW)
    write_all(file, f"{run}.batch_sizes", packed.batch_sizes)
    roots, weights = [], []
    for k, (name, z) in enumerate(outputs):
        write_some(file, f"{run}.{name}", z, FEW, FEW)
        roots.append(z)
        weights.append(rule.hashed_tensor("R", z.shape, seed, 100 + k, real))
    write_all(file, run + ".next", torch.rand(2))
    torch.autograd.backward(roots, weights)
    for name, p in module.named_parameters():
        write_some(file, f"{run}.g:{name}", p.grad, FEW, FEW)
    for k, z in enumerate(inputs):
        write_some(file, f"{run}.x{k}", z.grad, FEW, FEW)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "packed.txt"), "w") as file:
        for label, lengths, text in CASES:
            file.write(f"= {label} {lengths} {text}\n")
            random = MODULES[label]().dropout > 0
            for real in ("32", "64"):
                run_case(file, real + "e", label, lengths, text, False)
                if random:
                    run_case(file, real + "t", label, lengths, text, True)


if __name__ == "__main__":
    main()
