"""The Python side of examples/pytorch/makemore/backprop.c: makemore's fourth lecture."""

import random

import torch
import torch.nn.functional as F

from makemore.names import build_dataset, itos, vocab_size, words

block_size = 3


def cmp(s, dt, t):
    ex = torch.all(dt == t.grad).item()
    app = torch.allclose(dt, t.grad)
    maxdiff = (dt - t.grad).abs().max().item()
    print(f"{s:15s} | exact: {ex:d} | approximate: {app:d} | maxdiff: {maxdiff:.7f}")


def make_parameters(g, n_embd, n_hidden):
    C = torch.randn((vocab_size, n_embd), generator=g)
    W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5 / 3) / ((n_embd * block_size) ** 0.5)
    b1 = torch.randn(n_hidden, generator=g) * 0.1
    W2 = torch.randn((n_hidden, vocab_size), generator=g) * 0.1
    b2 = torch.randn(vocab_size, generator=g) * 0.1
    bngain = torch.randn((1, n_hidden), generator=g) * 0.1 + 1.0
    bnbias = torch.randn((1, n_hidden), generator=g) * 0.1
    parameters = [C, W1, b1, W2, b2, bngain, bnbias]
    print(sum(p.nelement() for p in parameters))
    for p in parameters:
        p.requires_grad = True
    return parameters


# ---- the backward of every line ----


def every_line(Xtr, Ytr):
    g = torch.Generator().manual_seed(2147483647)
    C, W1, b1, W2, b2, bngain, bnbias = make_parameters(g, 10, 64)

    batch_size = 32
    n = batch_size
    ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]

    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1 + b1
    bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bndiff2 = bndiff**2
    bnvar = 1 / (n - 1) * bndiff2.sum(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = bndiff * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    logit_maxes = logits.max(1, keepdim=True).values
    norm_logits = logits - logit_maxes
    counts = norm_logits.exp()
    counts_sum = counts.sum(1, keepdim=True)
    counts_sum_inv = counts_sum**-1
    probs = counts * counts_sum_inv
    logprobs = probs.log()
    loss = -logprobs[torch.arange(n), Yb].mean()

    steps = [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, logit_maxes, logits, h, hpreact]
    steps += [bnraw, bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani, embcat, emb]
    for t in steps:
        t.retain_grad()
    loss.backward()
    print(loss)

    # exercise 1: back through every line
    dlogprobs = torch.zeros_like(logprobs)
    dlogprobs[torch.arange(n), Yb] = -1.0 / n
    dprobs = (1.0 / probs) * dlogprobs
    dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
    dcounts = counts_sum_inv * dprobs
    dcounts_sum = (-(counts_sum**-2)) * dcounts_sum_inv
    dcounts += torch.ones_like(counts) * dcounts_sum
    dnorm_logits = counts * dcounts
    dlogits = dnorm_logits.clone()
    dlogit_maxes = (-dnorm_logits).sum(1, keepdim=True)
    dlogits += F.one_hot(logits.max(1).indices, num_classes=logits.shape[1]) * dlogit_maxes
    dh = dlogits @ W2.T
    dW2 = h.T @ dlogits
    db2 = dlogits.sum(0)
    dhpreact = (1.0 - h**2) * dh
    dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
    dbnraw = bngain * dhpreact
    dbnbias = dhpreact.sum(0, keepdim=True)
    dbndiff = bnvar_inv * dbnraw
    dbnvar_inv = (bndiff * dbnraw).sum(0, keepdim=True)
    dbnvar = (-0.5 * (bnvar + 1e-5) ** -1.5) * dbnvar_inv
    dbndiff2 = (1.0 / (n - 1)) * torch.ones_like(bndiff2) * dbnvar
    dbndiff += (2 * bndiff) * dbndiff2
    dhprebn = dbndiff.clone()
    dbnmeani = (-dbndiff).sum(0, keepdim=True)
    dhprebn += 1.0 / n * (torch.ones_like(hprebn) * dbnmeani)
    dembcat = dhprebn @ W1.T
    dW1 = embcat.T @ dhprebn
    db1 = dhprebn.sum(0)
    demb = dembcat.view(emb.shape)
    dC = torch.zeros_like(C)
    for k in range(Xb.shape[0]):
        for j in range(Xb.shape[1]):
            ix = Xb[k, j]
            dC[ix] += demb[k, j]

    cmp("logprobs", dlogprobs, logprobs)
    cmp("probs", dprobs, probs)
    cmp("counts_sum_inv", dcounts_sum_inv, counts_sum_inv)
    cmp("counts_sum", dcounts_sum, counts_sum)
    cmp("counts", dcounts, counts)
    cmp("norm_logits", dnorm_logits, norm_logits)
    cmp("logit_maxes", dlogit_maxes, logit_maxes)
    cmp("logits", dlogits, logits)
    cmp("h", dh, h)
    cmp("W2", dW2, W2)
    cmp("b2", db2, b2)
    cmp("hpreact", dhpreact, hpreact)
    cmp("bngain", dbngain, bngain)
    cmp("bnbias", dbnbias, bnbias)
    cmp("bnraw", dbnraw, bnraw)
    cmp("bnvar_inv", dbnvar_inv, bnvar_inv)
    cmp("bnvar", dbnvar, bnvar)
    cmp("bndiff2", dbndiff2, bndiff2)
    cmp("bndiff", dbndiff, bndiff)
    cmp("bnmeani", dbnmeani, bnmeani)
    cmp("hprebn", dhprebn, hprebn)
    cmp("embcat", dembcat, embcat)
    cmp("W1", dW1, W1)
    cmp("b1", db1, b1)
    cmp("emb", demb, emb)
    cmp("C", dC, C)

    # exercise 2: cross entropy in one step
    loss_fast = F.cross_entropy(logits, Yb)
    print(f"{loss_fast.item():.6f} diff: {(loss_fast - loss).item():.6f}")
    dlogits = F.softmax(logits, 1)
    dlogits[torch.arange(n), Yb] -= 1
    dlogits /= n
    cmp("logits", dlogits, logits)
    print(F.softmax(logits, 1)[0])
    print(dlogits[0] * n)
    print(f"{dlogits[0].sum().item():.6f}")

    # exercise 3: batch normalization in one step
    centred = hprebn - hprebn.mean(0, keepdim=True)
    hpreact_fast = bngain * centred / torch.sqrt(hprebn.var(0, keepdim=True) + 1e-5) + bnbias
    print(f"max diff: {(hpreact_fast - hpreact).abs().max().item():.5f}")
    ones = n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0)
    dhprebn = bngain * bnvar_inv / n * ones
    cmp("hprebn", dhprebn, hprebn)


# ---- exercise 4: training by this backward ----


def train(Xtr, Ytr):
    g = torch.Generator().manual_seed(2147483647)
    parameters = make_parameters(g, 10, 100)
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    max_steps = 1500
    batch_size = 32
    n = batch_size

    with torch.no_grad():
        for i in range(max_steps):
            ix = torch.randint(0, Xtr.shape[0], (batch_size,), generator=g)
            Xb, Yb = Xtr[ix], Ytr[ix]

            emb = C[Xb]
            embcat = emb.view(emb.shape[0], -1)
            hprebn = embcat @ W1 + b1
            bnmean = hprebn.mean(0, keepdim=True)
            bnvar = hprebn.var(0, keepdim=True, unbiased=True)
            bnvar_inv = (bnvar + 1e-5) ** -0.5
            bnraw = (hprebn - bnmean) * bnvar_inv
            hpreact = bngain * bnraw + bnbias
            h = torch.tanh(hpreact)
            logits = h @ W2 + b2
            loss = F.cross_entropy(logits, Yb)

            dlogits = F.softmax(logits, 1)
            dlogits[torch.arange(n), Yb] -= 1
            dlogits /= n
            dh = dlogits @ W2.T
            dW2 = h.T @ dlogits
            db2 = dlogits.sum(0)
            dhpreact = (1.0 - h**2) * dh
            dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
            dbnbias = dhpreact.sum(0, keepdim=True)
            ones = n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0)
            dhprebn = bngain * bnvar_inv / n * ones
            dembcat = dhprebn @ W1.T
            dW1 = embcat.T @ dhprebn
            db1 = dhprebn.sum(0)
            demb = dembcat.view(emb.shape)
            dC = torch.zeros_like(C)
            dC.index_add_(0, Xb.view(-1), demb.view(-1, demb.shape[2]))
            grads = [dC, dW1, db1, dW2, db2, dbngain, dbnbias]

            lr = 0.1 if i < 1000 else 0.01
            for p, grad in zip(parameters, grads):
                p.data += -lr * grad

            if i % 100 == 0:
                print(f"{i:7d}/{max_steps:7d}: {loss.item():.4f}")
    return parameters


def calibrate(parameters, Xtr):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    with torch.no_grad():
        emb = C[Xtr]
        embcat = emb.view(emb.shape[0], -1)
        hpreact = embcat @ W1 + b1
        bnmean = hpreact.mean(0, keepdim=True)
        bnvar = hpreact.var(0, keepdim=True, unbiased=True)
    return bnmean, bnvar


def logits_of(parameters, bnmean, bnvar, X):
    C, W1, b1, W2, b2, bngain, bnbias = parameters
    emb = C[X]
    embcat = emb.view(emb.shape[0], -1)
    hpreact = embcat @ W1 + b1
    hpreact = bngain * (hpreact - bnmean) * (bnvar + 1e-5) ** -0.5 + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    return logits


def split_loss(parameters, bnmean, bnvar, X, Y):
    with torch.no_grad():
        logits = logits_of(parameters, bnmean, bnvar, X)
        loss = F.cross_entropy(logits, Y)
    return loss.item()


def sample(parameters, bnmean, bnvar):
    g = torch.Generator().manual_seed(2147483647 + 10)
    for _ in range(10):
        out = ""
        context = [0] * block_size
        while True:
            logits = logits_of(parameters, bnmean, bnvar, torch.tensor([context]))
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
    Xtr, Ytr = build_dataset(words[:n1], block_size)
    Xdev, Ydev = build_dataset(words[n1:n2], block_size)

    every_line(Xtr, Ytr)
    parameters = train(Xtr, Ytr)
    bnmean, bnvar = calibrate(parameters, Xtr)
    print("train", f"{split_loss(parameters, bnmean, bnvar, Xtr, Ytr):.4f}")
    print("dev", f"{split_loss(parameters, bnmean, bnvar, Xdev, Ydev):.4f}")
    sample(parameters, bnmean, bnvar)


def main():
    run()
