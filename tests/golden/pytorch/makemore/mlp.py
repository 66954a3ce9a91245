"""The Python side of examples/pytorch/makemore/mlp.c: makemore's second lecture."""

import random

import torch
import torch.nn.functional as F

from makemore.names import build_dataset, itos, stoi, words


def contexts(X, Y):
    for i in range(16):
        print("".join(itos[ix] for ix in X[i].tolist()), "--->", itos[Y[i].item()])


# ---- the five first names, line by line ----


def first_steps():
    X, Y = build_dataset(words[:5], 3)
    contexts(X, Y)
    print(X.shape, X.dtype, Y.shape, Y.dtype)

    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, 2), generator=g)
    print(F.one_hot(torch.tensor(5), num_classes=27).float() @ C)
    print(C[5])
    emb = C[X]
    print(emb.shape)
    print(emb[13, 2], C[X[13, 2]])

    W1 = torch.randn((6, 100), generator=g)
    b1 = torch.randn(100, generator=g)
    print(torch.cat(torch.unbind(emb, 1), 1).shape)
    h = torch.tanh(emb.view(-1, 6) @ W1 + b1)
    print(h.shape)
    W2 = torch.randn((100, 27), generator=g)
    b2 = torch.randn(27, generator=g)
    logits = h @ W2 + b2
    print(logits.shape)
    counts = logits.exp()
    prob = counts / counts.sum(1, keepdim=True)
    loss = -prob[torch.arange(prob.shape[0]), Y].log().mean()
    print(loss)
    print(F.cross_entropy(logits, Y))


def overfit():
    X, Y = build_dataset(words[:5], 3)
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, 2), generator=g)
    W1 = torch.randn((6, 100), generator=g)
    b1 = torch.randn(100, generator=g)
    W2 = torch.randn((100, 27), generator=g)
    b2 = torch.randn(27, generator=g)
    parameters = [C, W1, b1, W2, b2]
    print(sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True

    for i in range(100):
        emb = C[X]
        h = torch.tanh(emb.view(-1, 6) @ W1 + b1)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Y)
        for p in parameters:
            p.grad = None
        loss.backward()
        for p in parameters:
            p.data += -0.1 * p.grad
        if i % 20 == 0 or i == 99:
            print(i, f"{loss.item():.5f}")

    values, indices = logits.max(1)
    print(indices)
    print(Y)


# ---- a learning rate ----


def find_lr(X, Y):
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, 2), generator=g)
    W1 = torch.randn((6, 100), generator=g)
    b1 = torch.randn(100, generator=g)
    W2 = torch.randn((100, 27), generator=g)
    b2 = torch.randn(27, generator=g)
    parameters = [C, W1, b1, W2, b2]
    for p in parameters:
        p.requires_grad = True

    lre = torch.linspace(-3, 0, 1000)
    lrs = 10**lre
    print(lrs[:5])

    lri = []
    lossi = []
    for i in range(1000):
        ix = torch.randint(0, X.shape[0], (32,), generator=g)

        emb = C[X[ix]]
        h = torch.tanh(emb.view(-1, 6) @ W1 + b1)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Y[ix])

        for p in parameters:
            p.grad = None
        loss.backward()

        lr = lrs[i].item()
        for p in parameters:
            p.data += -lr * p.grad

        lri.append(lre[i].item())
        lossi.append(loss.item())

    for i in range(0, 1000, 100):
        print(f"10^{lri[i]:.2f} {torch.tensor(lossi[i : i + 100]).mean().item():.4f}")


# ---- training, and names ----


def split_loss(parameters, X, Y):
    C, W1, b1, W2, b2 = parameters
    emb = C[X]
    h = torch.tanh(emb.view(-1, 30) @ W1 + b1)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Y)
    return loss.item()


def train(Xtr, Ytr, Xdev, Ydev):
    g = torch.Generator().manual_seed(2147483647)
    C = torch.randn((27, 10), generator=g)
    W1 = torch.randn((30, 200), generator=g)
    b1 = torch.randn(200, generator=g)
    W2 = torch.randn((200, 27), generator=g)
    b2 = torch.randn(27, generator=g)
    parameters = [C, W1, b1, W2, b2]
    print("parameters:", sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True

    for i in range(2000):
        ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)

        emb = C[Xtr[ix]]
        h = torch.tanh(emb.view(-1, 30) @ W1 + b1)
        logits = h @ W2 + b2
        loss = F.cross_entropy(logits, Ytr[ix])
        if i % 200 == 0:
            print(i, f"{loss.item():.4f}")

        for p in parameters:
            p.grad = None
        loss.backward()

        lr = 0.05 if i < 1500 else 0.01
        for p in parameters:
            p.data += -lr * p.grad

    print("train", f"{split_loss(parameters, Xtr, Ytr):.4f}")
    print("dev", f"{split_loss(parameters, Xdev, Ydev):.4f}")
    return parameters


def sample(parameters):
    C, W1, b1, W2, b2 = parameters
    g = torch.Generator().manual_seed(2147483647 + 10)
    for _ in range(10):
        out = ""
        context = [0] * 3
        while True:
            emb = C[torch.tensor([context])]
            h = torch.tanh(emb.view(1, -1) @ W1 + b1)
            logits = h @ W2 + b2
            probs = F.softmax(logits, dim=1)
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
    Xtr, Ytr = build_dataset(words[:n1], 3)
    Xdev, Ydev = build_dataset(words[n1:n2], 3)
    Xte, Yte = build_dataset(words[n2:], 3)
    print(Xtr.shape, Xdev.shape, Xte.shape)
    find_lr(Xtr, Ytr)
    parameters = train(Xtr, Ytr, Xdev, Ydev)
    sample(parameters)
    print("test", f"{split_loss(parameters, Xte, Yte):.4f}")


def main():
    first_steps()
    overfit()
    run()
