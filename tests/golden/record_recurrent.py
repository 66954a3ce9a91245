"""Writes what PyTorch gives for nn.RNN, nn.LSTM, nn.GRU and their cells into recurrent.txt next to this file, for
tests/nn/modules/test_recurrent.c, which has the same modules under the same labels.

    python record_recurrent.py     needs torch >= 2.7 and numpy; make check never runs it

The inputs of a case are x, h_0 and c_0; its outputs and their gradients, in eval mode (e) and, with a dropout, in
training mode (t), in both dtypes. "init" cases have the bits of fresh parameters; "names" and "repr" what PyTorch
prints."""

import os
import warnings

import torch
from torch import nn

import rule
from record_models import DROPOUT_SEED, HERE, INIT_SEED, load_hashed, write_bits, write_some, write_all

FEW = 24  # of arrays beyond this size so many elements are written
warnings.filterwarnings("ignore")

MODULES = {
    "rnn": lambda: nn.RNN(3, 4),
    "rnn_relu": lambda: nn.RNN(3, 4, 2, "relu", batch_first=True),
    "rnn_deep": lambda: nn.RNN(3, 4, num_layers=3, bias=False, dropout=0.25, bidirectional=True),
    "lstm": lambda: nn.LSTM(3, 4),
    "lstm_deep": lambda: nn.LSTM(3, 4, 2, batch_first=True, dropout=0.5, bidirectional=True),
    "lstm_proj": lambda: nn.LSTM(3, 4, 2, False, bidirectional=True, proj_size=2),
    "lstm_proj_bias": lambda: nn.LSTM(3, 4, proj_size=3),
    "gru": lambda: nn.GRU(3, 4),
    "gru_deep": lambda: nn.GRU(3, 4, 2, bias=False, batch_first=True, dropout=0.3, bidirectional=True),
    "gru_first": lambda: nn.GRU(3, 4, 2, True, True, 0.3),
    "rnn_cell": lambda: nn.RNNCell(3, 4),
    "rnn_cell_relu": lambda: nn.RNNCell(3, 4, False, "relu"),
    "lstm_cell": lambda: nn.LSTMCell(3, 4),
    "lstm_cell_no_bias": lambda: nn.LSTMCell(3, 4, bias=False),
    "gru_cell": lambda: nn.GRUCell(3, 4),
}
CASES = [
    ("rnn", "r(5,2,3)"),
    ("rnn", "r(5,2,3) r(1,2,4)"),
    ("rnn", "r(5,3) r(1,4)"),
    ("rnn_relu", "r(2,4,3) r(2,2,4)"),
    ("rnn_relu", "r(4,3)"),
    ("rnn_deep", "r(4,2,3) r(6,2,4)"),
    ("lstm", "r(5,2,3)"),
    ("lstm", "r(5,2,3) r(1,2,4) r(1,2,4)"),
    ("lstm", "r(5,3) r(1,4) r(1,4)"),
    ("lstm", "r(1,1,3)"),
    ("lstm_deep", "r(2,4,3) r(4,2,4) r(4,2,4)"),
    ("lstm_deep", "r(4,3)"),
    ("lstm_proj", "r(4,2,3) r(4,2,2) r(4,2,4)"),
    ("lstm_proj_bias", "r(4,2,3)"),
    ("gru", "r(5,2,3)"),
    ("gru", "r(5,2,3) r(1,2,4)"),
    ("gru", "r(5,3) r(1,4)"),
    ("gru_deep", "r(2,4,3) r(4,2,4)"),
    ("gru_first", "r(2,4,3)"),
    ("gru", "r(3,0,3)"),
    ("rnn_cell", "r(2,3)"),
    ("rnn_cell", "r(2,3) r(2,4)"),
    ("rnn_cell", "r(3) r(4)"),
    ("rnn_cell_relu", "r(2,3) r(2,4)"),
    ("lstm_cell", "r(2,3)"),
    ("lstm_cell", "r(2,3) r(2,4) r(2,4)"),
    ("lstm_cell", "r(3) r(4) r(4)"),
    ("lstm_cell_no_bias", "r(2,3) r(2,4) r(2,4)"),
    ("gru_cell", "r(2,3)"),
    ("gru_cell", "r(2,3) r(2,4)"),
    ("gru_cell", "r(3) r(4)"),
]
INITS = {
    "rnn": lambda: nn.RNN(5, 7, 2, bidirectional=True),
    "lstm": lambda: nn.LSTM(5, 7, 2, bidirectional=True, proj_size=3),
    "lstm_double": lambda: nn.LSTM(6, 6, dtype=torch.float64),
    "gru": lambda: nn.GRU(33, 65, bias=False),
    "rnn_cell": lambda: nn.RNNCell(5, 7),
    "lstm_cell": lambda: nn.LSTMCell(5, 7),
    "gru_cell": lambda: nn.GRUCell(5, 7, bias=False),
}


def outputs_of(module, x, *states):
    """(y, h_n, c_n), with None where there is none."""
    if not states:
        got = module(x)
    else:
        got = module(x, states[0] if len(states) == 1 else tuple(states))
    if torch.is_tensor(got):
        return got, None, None
    y, states = got
    if torch.is_tensor(y) and torch.is_tensor(states):
        return (y, None, states) if isinstance(module, nn.LSTMCell) else (y, states, None)
    return y, states[0], states[1]


def run_case(file, run, label, text, training):
    real = torch.float32 if run.startswith("32") else torch.float64
    key = f"{label} {text}"
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(text, seed, real)
    module = MODULES[label]().to(real).train(training)
    load_hashed(module, key)
    torch.manual_seed(DROPOUT_SEED)
    outputs = outputs_of(module, *inputs)
    roots, weights = [], []
    for k, (name, y) in enumerate(zip(("y", "h", "c"), outputs)):
        if y is None:
            continue
        write_some(file, f"{run}.{name}", y, FEW, FEW)
        roots.append(y)
        weights.append(rule.hashed_tensor("R", y.shape, seed, 100 + k, real))
    write_all(file, run + ".next", torch.rand(2))  # so that the number of draws is right
    torch.autograd.backward(roots, weights)
    for name, p in module.named_parameters():
        write_some(file, f"{run}.g:{name}", p.grad, FEW, FEW)
    for k, x in enumerate(inputs):
        write_some(file, f"{run}.x{k}", x.grad, FEW, FEW)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "recurrent.txt"), "w") as file:
        for label, text in CASES:
            file.write(f"= {label} {text}\n")
            random = getattr(MODULES[label](), "dropout", 0) > 0
            for real in ("32", "64"):
                run_case(file, real + "e", label, text, False)
                if random:
                    run_case(file, real + "t", label, text, True)
    with open(os.path.join(HERE, "recurrent_init.txt"), "w") as file:
        for key, make in INITS.items():
            file.write(f"= {key}\n")
            torch.manual_seed(INIT_SEED)
            module = make()
            write_all(file, "next", torch.rand(2))
            for name, p in module.named_parameters():
                write_bits(file, name, p)
    with open(os.path.join(HERE, "recurrent_repr.txt"), "w") as file:
        for label, make in MODULES.items():
            file.write(f"= {label}\n{make()!r}\n{' '.join(name for name, _ in make().named_parameters())}\n")


if __name__ == "__main__":
    main()
