"""The Python side of examples/pytorch/makemore/batch_norm.c: makemore's third lecture."""

import math
import random

import torch
import torch.nn.functional as F

from makemore.names import build_dataset, itos, vocab_size, words

block_size = 3


# ---- the losses of bad initial weights ----


def expected_loss():
    for scale in (0.0, 1.0, 10.0):
        g = torch.Generator().manual_seed(42)
        logits = torch.randn(4, generator=g) * scale
        probs = torch.softmax(logits, dim=0)
        loss = -probs[2].log()
        print(probs, f"{loss.item():.4f}")
    print(f"{-math.log(1 / 27.0):.4f}")


def first_forward(X, Y, w1_scale, w2_scale):
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((vocab_size, 10), generator=g)
    W1 = torch.randn((10 * block_size, 200), generator=g) * w1_scale
    b1 = torch.randn(200, generator=g) * 0.01
    W2 = torch.randn((200, vocab_size), generator=g) * w2_scale
    b2 = torch.randn(vocab_size, generator=g) * 0
    ix = torch.randint(0, X.shape[0], (32,), generator=g)
    emb = C[X[ix]]
    hpreact = emb.view(emb.shape[0], -1) @ W1 + b1
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Y[ix])
    saturated = (h.abs() > 0.99).float().mean()
    print(f"hpreact {hpreact.std().item():.4f} loss {loss.item():.4f} saturated {100 * saturated.item():.2f}%")
    print(torch.histc(h, bins=10, min=-1, max=1))


def gaussians():
    g = torch.Generator().manual_seed(2147483647)
    x = torch.randn(1000, 10, generator=g)
    w = torch.randn(10, 200, generator=g) / 10**0.5
    y = x @ w
    print(f"{x.mean().item():.3f} {x.std().item():.3f}")
    print(f"{y.mean().item():.3f} {y.std().item():.3f}")


# ---- batch normalization by hand ----


def train_by_hand(Xtr, Ytr, Xdev, Ydev):
    n_embd = 10
    n_hidden = 200
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((vocab_size, n_embd), generator=g)
    W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5 / 3) / ((n_embd * block_size) ** 0.5)
    W2 = torch.randn((n_hidden, vocab_size), generator=g) * 0.01
    b2 = torch.randn(vocab_size, generator=g) * 0

    bngain = torch.ones((1, n_hidden))
    bnbias = torch.zeros((1, n_hidden))
    bnmean_running = torch.zeros((1, n_hidden))
    bnstd_running = torch.ones((1, n_hidden))

    parameters = [C, W1, W2, b2, bngain, bnbias]
    print(sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True

    max_steps = 1000
    batch_size = 32
    for i in range(max_steps):
        ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
        Xb, Yb = Xtr[ix], Ytr[ix]

        emb = C[Xb]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ W1
        bnmeani = hpreact.mean(0, keepdim=True)
        bnstdi = hpreact.std(0, keepdim=True)
        hpreact = bngain * (hpreact - bnmeani) / bnstdi + bnbias
        with torch.no_grad():
            bnmean_running = 0.999 * bnmean_running + 0.001 * bnmeani
            bnstd_running = 0.999 * bnstd_running + 0.001 * bnstdi
        h = torch.tanh(hpreact)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Yb)

        for p in parameters:
            p.grad = None
        loss.backward()

        lr = 0.1 if i < 800 else 0.01
        for p in parameters:
            p.data += -lr * p.grad

        if i % 100 == 0:
            print(f"{i:7d}/{max_steps:7d}: {loss.item():.4f}")

    with torch.no_grad():
        emb = C[Xtr]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ W1
        bnmean = hpreact.mean(0, keepdim=True)
        bnstd = hpreact.std(0, keepdim=True)
        print(f"{(bnmean - bnmean_running).abs().mean().item():.4f}")
        print(f"{(bnstd - bnstd_running).abs().mean().item():.4f}")

        emb = C[Xdev]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ W1
        hpreact = bngain * (hpreact - bnmean) / bnstd + bnbias
        h = torch.tanh(hpreact)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Ydev)
        print("dev", f"{loss.item():.4f}")


# ---- the same in layers, deeper ----


class Linear:
    def __init__(self, fan_in, fan_out, g, bias=True):
        self.weight = torch.randn((fan_in, fan_out), generator=g) / fan_in**0.5
        self.bias = torch.zeros(fan_out) if bias else None

    def __call__(self, x):
        self.out = x @ self.weight
        if self.bias is not None:
            self.out += self.bias
        return self.out

    def parameters(self):
        return [self.weight] + ([] if self.bias is None else [self.bias])


class BatchNorm1d:
    def __init__(self, dim, eps=1e-5, momentum=0.1):
        self.eps = eps
        self.momentum = momentum
        self.training = True
        self.gamma = torch.ones(dim)
        self.beta = torch.zeros(dim)
        self.running_mean = torch.zeros(dim)
        self.running_var = torch.ones(dim)

    def __call__(self, x):
        if self.training:
            xmean = x.mean(0, keepdim=True)
            xvar = x.var(0, keepdim=True)
        else:
            xmean = self.running_mean
            xvar = self.running_var
        xhat = (x - xmean) / torch.sqrt(xvar + self.eps)
        self.out = self.gamma * xhat + self.beta
        if self.training:
            with torch.no_grad():
                self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * xmean
                self.running_var = (1 - self.momentum) * self.running_var + self.momentum * xvar
        return self.out

    def parameters(self):
        return [self.gamma, self.beta]


class Tanh:
    def __call__(self, x):
        self.out = torch.tanh(x)
        return self.out

    def parameters(self):
        return []


def make_layers(g, n_embd, n_hidden):
    layers = [
        Linear(n_embd * block_size, n_hidden, g, bias=False),
        BatchNorm1d(n_hidden),
        Tanh(),
        Linear(n_hidden, n_hidden, g, bias=False),
        BatchNorm1d(n_hidden),
        Tanh(),
        Linear(n_hidden, n_hidden, g, bias=False),
        BatchNorm1d(n_hidden),
        Tanh(),
        Linear(n_hidden, vocab_size, g, bias=False),
        BatchNorm1d(vocab_size),
    ]
    with torch.no_grad():
        layers[-1].gamma *= 0.1
        for layer in layers[:-1]:
            if isinstance(layer, Linear):
                layer.weight *= 5 / 3
    return layers


def train_layers(g, C, layers, Xtr, Ytr):
    parameters = [C]
    for layer in layers:
        parameters += layer.parameters()
    print(sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True

    max_steps = 600
    batch_size = 32
    ud = torch.zeros(max_steps, len(parameters))
    for i in range(max_steps):
        ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
        Xb, Yb = Xtr[ix], Ytr[ix]

        emb = C[Xb]
        x = emb.view(emb.shape[0], -1)
        for layer in layers:
            x = layer(x)
        loss = F.cross_entropy(x, Yb)

        for layer in layers:
            if isinstance(layer, Tanh):
                layer.out.retain_grad()
        for p in parameters:
            p.grad = None
        loss.backward()

        lr = 0.1 if i < 500 else 0.01
        for p in parameters:
            p.data += -lr * p.grad

        if i % 100 == 0:
            print(f"{i:7d}/{max_steps:7d}: {loss.item():.4f}")
        with torch.no_grad():
            for j, p in enumerate(parameters):
                ud[i, j] = ((lr * p.grad).std() / p.data.std()).log10()
        if i == 0:
            activations(layers)
            gradients(layers)
            weights(parameters)
    updates(ud, parameters)


# ---- diagnostics ----


def activations(layers):
    print("activations")
    for i, layer in enumerate(layers[:-1]):
        if isinstance(layer, Tanh):
            t = layer.out
            saturated = (t.abs() > 0.97).float().mean() * 100
            print(f"layer {i} mean {t.mean().item():+.4f}, std {t.std().item():.4f}, saturated {saturated.item():.2f}%")


def gradients(layers):
    print("gradients")
    for i, layer in enumerate(layers[:-1]):
        if isinstance(layer, Tanh):
            t = layer.out.grad
            print(f"layer {i} mean {t.mean().item():+.5f}, std {t.std().item():.4e}")


def weights(parameters):
    print("weights")
    for p in parameters:
        t = p.grad
        if p.ndim == 2:
            ratio = t.std() / p.std()
            print(f"{p.shape} mean {t.mean().item():+.5f}, std {t.std().item():.4e}, grad:data {ratio.item():.4e}")


def updates(ud, parameters):
    print("updates")
    for j, p in enumerate(parameters):
        if p.ndim == 2:
            print(f"{p.shape} first {ud[0, j].item():.3f}, last {ud[-100:, j].mean().item():.3f}")


# ---- the losses, and names ----


def split_loss(C, layers, X, Y):
    with torch.no_grad():
        emb = C[X]
        x = emb.view(emb.shape[0], -1)
        for layer in layers:
            x = layer(x)
        loss = F.cross_entropy(x, Y)
    return loss.item()


def sample(C, layers):
    g = torch.Generator().manual_seed(2147483647 + 10)
    for _ in range(10):
        out = ""
        context = [0] * block_size
        while True:
            emb = C[torch.tensor([context])]
            x = emb.view(emb.shape[0], -1)
            for layer in layers:
                x = layer(x)
            probs = F.softmax(x, dim=1)
            ix = torch.multinomial(probs, num_samples=1, generator=g).item()
            context = context[1:] + [ix]
            out += itos[ix]
            if ix == 0:
                break
        print(out)


def run():
    random.seed(42)
    random.shuffle(words)
    n1 = int(0.8 * len(words))
    n2 = int(0.9 * len(words))
    Xtr, Ytr = build_dataset(words[:n1], block_size)
    Xdev, Ydev = build_dataset(words[n1:n2], block_size)
    Xte, Yte = build_dataset(words[n2:], block_size)

    first_forward(Xtr, Ytr, 1.0, 1.0)
    first_forward(Xtr, Ytr, 1.0, 0.01)
    first_forward(Xtr, Ytr, 0.2, 0.01)
    gaussians()
    train_by_hand(Xtr, Ytr, Xdev, Ydev)

    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((vocab_size, 10), generator=g)
    layers = make_layers(g, 10, 100)
    train_layers(g, C, layers, Xtr, Ytr)
    for layer in layers:
        layer.training = False
    print("train", f"{split_loss(C, layers, Xtr, Ytr):.4f}")
    print("dev", f"{split_loss(C, layers, Xdev, Ydev):.4f}")
    print("test", f"{split_loss(C, layers, Xte, Yte):.4f}")
    sample(C, layers)


def main():
    expected_loss()
    run()
