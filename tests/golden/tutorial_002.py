"""Writes what PyTorch gives for the classes and cells of tutorial 002, the notebook, into tutorial_002.txt next to this
file.

    python tutorial_002.py DIR      DIR holds the runnable tutorial_002.py; needs torch >= 2.7; make check never runs it

A run is named 32e, 32t, 64e or 64t: its dtype, and whether it evaluates or trains. What the repaired notebook (FIXED)
gives is written under 32e.fixed and so on where it differs. A case "refused ..." holds PyTorch's message."""

import contextlib
import importlib.util
import io
import os
import sys
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader

import record_models
import rule
from record_models import DROPOUT_SEED, load_hashed, write_some, write_all

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = 12  # elements of each array of a full-size module; smaller ones are written whole


def load_tutorial(folder):
    os.environ["TUTORIAL_MODE"] = "FAITHFUL"
    os.environ["PLOT_DIR"] = tempfile.mkdtemp()
    spec = importlib.util.spec_from_file_location("notebook", os.path.join(folder, "tutorial_002.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tutorial = load_tutorial(sys.argv[1])


# ---- the classes ----


class AttentionFunction(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.dropout = nn.Dropout(p) if p else None

    def forward(self, query, key, value, mask=None):
        return tutorial.scaled_dot_product_attention(query, key, value, mask, self.dropout)


def classifier(layers, d_model, heads, d_ff, vocab, max_len, pooling="mean"):
    encoder = tutorial.TransformerEncoder(layers, d_model, heads, d_ff, vocab, max_len, 0.1)
    model = tutorial.EncoderClassifier(encoder, 2, d_model)
    model.pooling = pooling
    return model


MAKERS = {
    "function": lambda: AttentionFunction(0.1),
    "function_plain": lambda: AttentionFunction(0),
    "attention": lambda: tutorial.MultiHeadAttention(4, 2),
    "attention_full": lambda: tutorial.MultiHeadAttention(128, 4),
    "feed_forward": lambda: tutorial.PositionwiseFeedForward(4, 6),
    "positional_encoding": lambda: tutorial.PositionalEncoding(4, 7),
    "layer": lambda: tutorial.EncoderLayer(4, 2, 6),
    "encoder": lambda: tutorial.TransformerEncoder(2, 4, 2, 6, 11, 9),
    "encoder_full": lambda: tutorial.TransformerEncoder(3, 128, 4, 512, 1000, 15),
    "classifier": lambda: classifier(2, 4, 2, 6, 11, 9),
    "classifier_first": lambda: classifier(1, 4, 2, 6, 11, 9, "first"),
    "classifier_full": lambda: classifier(2, 128, 4, 256, 50, 20),
}
SELF, CROSS = "r(2,3,4) r(2,3,4) r(2,3,4)", "r(2,3,4) r(2,5,4) r(2,5,4)"
CASES = [
    ("function", "r(2,3,4) r(2,5,4) r(2,5,6)"),
    ("function", "r(2,3,4) r(2,5,4) r(2,5,6) b(2,3,5)"),
    ("function", "r(2,3,4) r(2,5,4) r(2,5,6) b(3,5)"),
    ("function_plain", "r(2,3,4) r(2,5,4) r(2,5,6) T(2,3,5)"),
    ("attention", SELF),
    ("attention", SELF + " b(2,3,3)"),
    ("attention", "r(1,3,4) r(1,3,4) r(1,3,4) b(3,3)"),
    ("attention", CROSS),
    ("attention", CROSS + " b(2,3,5)"),
    ("attention", SELF + " b(3,3)"),
    ("attention", SELF + " b(1,3,3)"),
    ("attention_full", "r(2,10,128) r(2,10,128) r(2,10,128) b(2,10,10)"),
    ("feed_forward", "r(2,3,4)"),
    ("positional_encoding", "r(2,5,4)"),
    ("layer", "r(2,3,4)"),
    ("layer", "r(2,3,4) b(2,3,3)"),
    ("encoder", "k11(2,5)"),
    ("encoder", "k11(2,5) b(2,5)"),
    ("encoder_full", "k1000(2,15)"),
    ("encoder_full", "k1000(2,15) b(2,15)"),
    ("classifier", "k11(2,5)"),
    ("classifier", "k11(2,5) b(2,5)"),
    ("classifier_first", "k11(2,5) b(2,5)"),
    ("classifier_full", "k50(3,20) b(3,20)"),
]


# ---- one run of a module ----


def unpack(outputs):
    """y and the list of attention weights."""
    if not isinstance(outputs, tuple):
        return outputs, []
    y, weights = outputs
    return y, list(weights) if isinstance(weights, list) else [weights]


def run_module(label, text, key, real, training, fixed):
    """(y, weights, gradients by name, the random numbers behind it)"""
    tutorial.FIXED = fixed
    seed = rule.seed_of(key)
    inputs = rule.make_inputs(text, seed, real)
    module = MAKERS[label]().to(real).train(training)
    load_hashed(module, key)
    if fixed and label == "attention" and len(inputs) == 4:  # the port's repair also takes one mask for all samples
        inputs[3] = inputs[3].expand(inputs[0].size(0), inputs[0].size(1), inputs[1].size(1))
    torch.manual_seed(DROPOUT_SEED)
    y, weights = unpack(module(*inputs))
    following = torch.rand(2)
    y.backward(rule.hashed_tensor("R", y.shape, seed, 100, real))
    gradients = {f"g:{name}": p.grad for name, p in module.named_parameters()}
    gradients |= {f"x{k}": x.grad for k, x in enumerate(inputs) if x.requires_grad}
    return y, weights, gradients, following


def write_few(file, name, x, full):
    few = FULL if full else record_models.SAMPLES
    write_some(file, name, x, all_up_to=few, samples=few)


def write_outputs(file, name, y, gradients, full):
    write_some(file, f"{name}.y", y)
    for array, grad in gradients.items():
        write_few(file, f"{name}.{array}", grad, full)


def write_weights(file, name, weights, full):
    for k, w in enumerate(weights):
        write_few(file, f"{name}.w{k}", w, full)


def record_run(file, label, text, key, name):
    """Faithful, and what is different in the repaired one. False where the faithful one refuses its input."""
    real, training, full = torch.float32 if name[:2] == "32" else torch.float64, name[2] == "t", label.endswith("full")
    y, weights, gradients, following = run_module(label, text, key, real, training, True)
    try:
        plain_y, plain_weights, plain_gradients, plain_following = run_module(label, text, key, real, training, False)
    except RuntimeError as error:
        write_all(file, f"{name}.fixed.next", following)
        write_outputs(file, f"{name}.fixed", y, gradients, full)
        write_weights(file, f"{name}.fixed", weights, full)
        return str(error)
    assert torch.equal(following, plain_following)
    write_all(file, f"{name}.next", following)
    write_outputs(file, name, plain_y, plain_gradients, full)
    write_weights(file, name, plain_weights, full)
    if not torch.equal(y, plain_y):
        write_outputs(file, f"{name}.fixed", y, gradients, full)
    else:
        assert all(torch.equal(gradients[k], plain_gradients[k]) for k in gradients)
    if not all(torch.equal(a, b) for a, b in zip(weights, plain_weights)):
        write_weights(file, f"{name}.fixed", weights, full)
    return None


def record_classes(file):
    for label, text in CASES:
        key = f"{label} {text}"
        file.write(f"= {key}\n")
        runs = ["32e", "32t"] if label.endswith("full") else ["32e", "32t", "64e", "64t"]
        messages = {record_run(file, label, text, key, name) for name in runs}
        assert len(messages) == 1
        if None not in messages:
            file.write(f"= refused {key}\n{messages.pop()}\n")


# ---- what is refused ----


def record_refusals(file):
    tutorial.FIXED = False
    ids = torch.zeros(1, 4, dtype=torch.int64)
    for key, call in [
        ("7 keys", lambda: tutorial.MultiHeadAttention(128, 4)(*[torch.zeros(2, n, 128) for n in (10, 7, 7)])),
        ("one mask", lambda: tutorial.MultiHeadAttention(128, 4)(*[torch.zeros(2, 10, 128)] * 3, torch.ones(10, 10))),
        ("odd d_model", lambda: tutorial.PositionalEncoding(5, 7)),
        ("too long", lambda: tutorial.TransformerEncoder(1, 4, 2, 6, 11, 3)(ids)),
        ("no such token", lambda: tutorial.TransformerEncoder(1, 4, 2, 6, 11, 9)(ids + 11)),
    ]:
        try:
            call()
            raise AssertionError(key)
        except (RuntimeError, IndexError) as error:
            file.write(f"= refused {key}\n{error}\n")


# ---- the cells ----


def values_of(printed):
    """What follows the labels."""
    return [line.split(": ", 1)[1] for line in printed.splitlines() if ": " in line]


def run_cells(fixed):
    tutorial.FIXED = fixed
    torch.manual_seed(42)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in (
            tutorial.cell_2,
            tutorial.cell_3,
            tutorial.cell_4,
            tutorial.cell_5,
            tutorial.cell_6,
            tutorial.cell_7,
        ):
            cell()
        _, val_dataset, train_loader, _ = tutorial.cell_8()
        model = tutorial.cell_9()
        tutorial.cell_10(model, train_loader)
        attention = tutorial.cell_11(model, val_dataset)
        tutorial.cell_12(model)
    return values_of(printed.getvalue()), model, torch.tensor(attention)


def record_cells(file):
    values, model, attention = run_cells(False)
    assert values == run_cells(True)[0]
    file.write("= printed\n" + "\n".join(values) + "\n= cells\n")
    write_some(file, "attention", attention)
    for name, p in model.named_parameters():
        write_few(file, f"32t.g:{name}", p.grad, True)
    file.write("= table\n")
    write_some(file, "pe", tutorial.PositionalEncoding(128, 100).pe)


# ---- what the port adds, in its order of random numbers ----


def small_classifier():
    model = classifier(1, 32, 4, 64, 50, 20).double()
    load_hashed(model, "small")
    return model


def record_repairs(file):
    tutorial.FIXED = False
    torch.manual_seed(42)
    attention, x, _ = tutorial.MultiHeadAttention(128, 4), torch.randn(2, 10, 128), torch.randn(2, 7, 128)
    sums = attention(x, x, x)[1].sum(-1)
    file.write("= repairs\n")
    write_all(file, "sums", torch.stack([sums.min(), sums.max()]))


def record_padding(file):
    model = small_classifier().eval()
    torch.manual_seed(42)
    sequences = [torch.randint(1, 50, (length,)) for length in (5, 12, 7, 9)]
    ids = nn.utils.rnn.pad_sequence(sequences, batch_first=True)
    mask = ids != 0
    with torch.no_grad():
        alone = torch.cat([model(s.unsqueeze(0))[0] for s in sequences])
        columns = []
        for tutorial.FIXED, shown in ((False, None), (False, mask), (True, mask)):
            columns.append((model(ids, shown)[0] - alone).abs().amax(1))
    file.write("= padding\n")
    write_all(file, "changes", torch.stack(columns, 1))


def score(model, loader, optimizer=None):
    loss_sum = correct = 0
    model.train(optimizer is not None)
    for ids, labels in loader:
        logits = model(ids)[0]
        loss = nn.functional.cross_entropy(logits, labels)
        if optimizer:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        loss_sum += loss.item() * len(labels)
        correct += (logits.argmax(1) == labels).sum().item()
    return [loss_sum / len(loader.dataset), correct / len(loader.dataset)]


def record_validation(file):
    tutorial.FIXED = False
    torch.manual_seed(42)
    train = DataLoader(tutorial.SimpleSequenceDataset(1000, 20, 50), batch_size=32, shuffle=True)
    val = DataLoader(tutorial.SimpleSequenceDataset(200, 20, 50), batch_size=32)
    model = small_classifier()
    torch.manual_seed(DROPOUT_SEED)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    list(val)  # the share of the commoner label
    history = []
    for _ in range(2):
        row = score(model, train, optimizer)
        with torch.no_grad():
            history.append(row + score(model, val))
    file.write("= validation\n")
    write_all(file, "history", torch.tensor(history, dtype=torch.float64))


def record_norms(file):
    model = small_classifier().eval()
    ids = rule.hashed_tensor("k50", (3, 20), rule.seed_of("norms"), 0, torch.float64)
    logits = model(ids)[0]
    logits.backward(rule.hashed_tensor("R", logits.shape, rule.seed_of("norms"), 100, torch.float64))
    file.write("= norms\n")
    write_all(file, "norms", torch.stack([p.grad.norm() for p in model.parameters()]))


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "tutorial_002.txt"), "w") as file:
        record_classes(file)
        record_refusals(file)
        record_cells(file)
        record_repairs(file)
        record_padding(file)
        record_validation(file)
        record_norms(file)


if __name__ == "__main__":
    main()
