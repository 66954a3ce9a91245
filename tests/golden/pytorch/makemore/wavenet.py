"""The Python side of examples/pytorch/makemore/wavenet.c: makemore's fifth lecture."""

import random

import torch
import torch.nn.functional as F
from torch import nn

from makemore.names import build_dataset, itos, vocab_size, words

block_size = 8


class Linear(nn.Module):
    def __init__(self, fan_in, fan_out, bias=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn((fan_in, fan_out)) / fan_in**0.5)
        self.bias = nn.Parameter(torch.zeros(fan_out)) if bias else None

    def forward(self, x):
        out = x @ self.weight
        if self.bias is not None:
            out += self.bias
        return out


class BatchNorm1d(nn.Module):
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.gamma = nn.Parameter(torch.ones(dim))
        self.beta = nn.Parameter(torch.zeros(dim))
        self.running_mean = torch.zeros(dim)
        self.running_var = torch.ones(dim)

    def forward(self, x):
        if self.training:
            dim = 0 if x.ndim == 2 else (0, 1)
            xmean = x.mean(dim, keepdim=True)
            xvar = x.var(dim, keepdim=True)
        else:
            xmean = self.running_mean
            xvar = self.running_var
        xhat = (x - xmean) / torch.sqrt(xvar + self.eps)
        out = self.gamma * xhat + self.beta
        if self.training:
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar
        return out


class Tanh(nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class Embedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn((num_embeddings, embedding_dim)))

    def forward(self, ix):
        return self.weight[ix]


class FlattenConsecutive(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, x):
        B, T, C = x.shape
        x = x.view(B, T // self.n, C * self.n)
        if x.shape[1] == 1:
            x = x.squeeze(1)
        return x


class Sequential(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


# ---- two models: all letters at once, and two by two ----


def flat_model():
    n_embd = 10
    n_hidden = 100
    model = Sequential(
        [
            Embedding(vocab_size, n_embd),
            FlattenConsecutive(block_size),
            Linear(n_embd * block_size, n_hidden, bias=False),
            BatchNorm1d(n_hidden),
            Tanh(),
            Linear(n_hidden, vocab_size),
        ]
    )
    with torch.no_grad():
        model.layers[-1].weight *= 0.1
    return model


def wavenet():
    n_embd = 24
    n_hidden = 64
    model = Sequential(
        [
            Embedding(vocab_size, n_embd),
            FlattenConsecutive(2),
            Linear(n_embd * 2, n_hidden, bias=False),
            BatchNorm1d(n_hidden),
            Tanh(),
            FlattenConsecutive(2),
            Linear(n_hidden * 2, n_hidden, bias=False),
            BatchNorm1d(n_hidden),
            Tanh(),
            FlattenConsecutive(2),
            Linear(n_hidden * 2, n_hidden, bias=False),
            BatchNorm1d(n_hidden),
            Tanh(),
            Linear(n_hidden, vocab_size),
        ]
    )
    with torch.no_grad():
        model.layers[-1].weight *= 0.1
    return model


def shapes(model, Xtr):
    ix = torch.randint(0, Xtr.shape[0], (4,))
    x = Xtr[ix]
    for layer in model.layers:
        x = layer(x)
        print(layer.__class__.__name__, ":", x.shape)


# ---- training ----


def train(model, Xtr, Ytr, max_steps):
    parameters = list(model.parameters())
    print("parameters:", sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True

    batch_size = 32
    lossi = torch.zeros(max_steps)
    for i in range(max_steps):
        ix = torch.randint(0, Xtr.shape[0], (batch_size,))
        Xb, Yb = Xtr[ix], Ytr[ix]

        logits = model(Xb)
        loss = F.cross_entropy(logits, Yb)

        for p in parameters:
            p.grad = None
        loss.backward()

        lr = 0.1 if i < 0.75 * max_steps else 0.01
        for p in parameters:
            p.data += -lr * p.grad

        if i % 100 == 0:
            print(f"{i:7d}/{max_steps:7d}: {loss.item():.4f}")
        lossi[i] = loss.log10().item()
    print(lossi.view(-1, 100).mean(1))


def split_loss(model, X, Y):
    with torch.no_grad():
        logits = model(X)
        loss = F.cross_entropy(logits, Y)
    return loss.item()


def sample(model):
    for _ in range(10):
        out = ""
        context = [0] * block_size
        while True:
            logits = model(torch.tensor([context]))
            probs = F.softmax(logits, dim=1)
            ix = torch.multinomial(probs, num_samples=1).item()
            context = context[1:] + [ix]
            out += itos[ix]
            if ix == 0:
                break
        print(out)


def run(model, max_steps):
    n1 = int(0.8 * len(words))
    n2 = int(0.9 * len(words))
    Xtr, Ytr = build_dataset(words[:n1], block_size)
    Xdev, Ydev = build_dataset(words[n1:n2], block_size)

    shapes(model, Xtr)
    train(model, Xtr, Ytr, max_steps)
    model.eval()
    print("train", f"{split_loss(model, Xtr, Ytr):.4f}")
    print("dev", f"{split_loss(model, Xdev, Ydev):.4f}")
    sample(model)


def main():
    random.seed(42)
    random.shuffle(words)
    torch.manual_seed(42)
    run(flat_model(), 600)
    run(wavenet(), 1000)
