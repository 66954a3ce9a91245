"""The Python side of examples/pytorch/makemore/bigrams.c: makemore's first lecture."""

import torch
import torch.nn.functional as F

from makemore.names import itos, stoi, words


def look():
    for w in words[:10]:
        print(w)
    print("names:", len(words))
    print("shortest:", min(len(w) for w in words))
    print("longest:", max(len(w) for w in words))


# ---- counts ----


def count_dict():
    b = {}
    for w in words:
        chs = "." + w + "."
        for ch1, ch2 in zip(chs, chs[1:]):
            bigram = (ch1, ch2)
            b[bigram] = b.get(bigram, 0) + 1
    order = sorted(b.items(), key=lambda kv: -kv[1])
    for (ch1, ch2), count in order[:10]:
        print(f"{ch1}{ch2} {count}")


def count_tensor():
    N = torch.zeros((27, 27), dtype=torch.int32)
    for w in words:
        chs = "." + w + "."
        for ch1, ch2 in zip(chs, chs[1:]):
            ix1 = stoi[ch1]
            ix2 = stoi[ch2]
            N[ix1, ix2] += 1
    return N


def first_letter(N):
    print(N[0])
    p = N[0].float()
    p = p / p.sum()
    print(p)
    g = torch.Generator().manual_seed(2147483647)
    ix = torch.multinomial(p, num_samples=1, replacement=True, generator=g).item()
    print(itos[ix])


def three_letters():
    g = torch.Generator().manual_seed(2147483647)
    p = torch.rand(3, generator=g)
    p = p / p.sum()
    print(p)
    print(torch.multinomial(p, num_samples=100, replacement=True, generator=g))


def probabilities(N):
    P = (N + 1).float()
    P /= P.sum(1, keepdim=True)
    print(P.shape)
    print(P.sum(1, keepdim=True).shape)
    print(P[0].sum())
    return P


def sample(P):
    g = torch.Generator().manual_seed(2147483647)
    for i in range(10):
        out = ""
        ix = 0
        while True:
            p = P[ix]
            ix = torch.multinomial(p, num_samples=1, replacement=True, generator=g).item()
            out += itos[ix]
            if ix == 0:
                break
        print(out)


def word_likelihood(P, w):
    log_likelihood = 0.0
    n = 0
    chs = "." + w + "."
    for ch1, ch2 in zip(chs, chs[1:]):
        ix1 = stoi[ch1]
        ix2 = stoi[ch2]
        prob = P[ix1, ix2]
        logprob = torch.log(prob)
        log_likelihood += logprob
        n += 1
        print(f"{ch1}{ch2}: {prob:.4f} {logprob:.4f}")
    nll = -log_likelihood
    print(f"{nll / n:.4f}")


def likelihood(P):
    log_likelihood = 0.0
    n = 0
    for w in words:
        chs = "." + w + "."
        for ch1, ch2 in zip(chs, chs[1:]):
            ix1 = stoi[ch1]
            ix2 = stoi[ch2]
            prob = P[ix1, ix2]
            logprob = torch.log(prob)
            log_likelihood += logprob
            n += 1
    print(f"log_likelihood={log_likelihood:.3f}")
    nll = -log_likelihood
    print(f"nll={nll:.3f}")
    print(f"{nll / n:.5f}")


# ---- a neural network ----


def bigrams_of(words):
    xs, ys = [], []
    for w in words:
        chs = "." + w + "."
        for ch1, ch2 in zip(chs, chs[1:]):
            ix1 = stoi[ch1]
            ix2 = stoi[ch2]
            xs.append(ix1)
            ys.append(ix2)
    xs = torch.tensor(xs)
    ys = torch.tensor(ys)
    return xs, ys


def one_word():
    xs, ys = bigrams_of(words[:1])
    print(xs)
    print(ys)
    xenc = F.one_hot(xs, num_classes=27).float()
    print(xenc.shape, xenc.dtype)

    g = torch.Generator().manual_seed(2147483647)
    W = torch.randn((27, 27), generator=g, requires_grad=True)
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdim=True)
    print(probs.shape)

    n = xs.nelement()
    nlls = torch.zeros(n)
    for i in range(n):
        x = xs[i].item()
        y = ys[i].item()
        print("--------")
        print(f"bigram example {i + 1}: {itos[x]}{itos[y]} (indexes {x},{y})")
        p = probs[i, y]
        print("probability assigned by the net to the correct character:", f"{p.item():.7f}")
        logp = torch.log(p)
        print("log likelihood:", f"{logp.item():.5f}")
        nll = -logp
        print("negative log likelihood:", f"{nll.item():.5f}")
        nlls[i] = nll
    print("=========")
    print("average negative log likelihood, i.e. loss =", f"{nlls.mean().item():.5f}")

    loss = -probs[torch.arange(n), ys].log().mean()
    print(loss)
    W.grad = None
    loss.backward()
    print(W.grad.shape)
    W.data += -0.1 * W.grad
    print(loss_of(W, xs, ys))


def loss_of(W, xs, ys):
    xenc = F.one_hot(xs, num_classes=27).float()
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdim=True)
    loss = -probs[torch.arange(ys.nelement()), ys].log().mean()
    return loss


def train():
    xs, ys = bigrams_of(words)
    num = xs.nelement()
    print("number of examples:", num)
    g = torch.Generator().manual_seed(2147483647)
    W = torch.randn((27, 27), generator=g, requires_grad=True)

    for k in range(100):
        xenc = F.one_hot(xs, num_classes=27).float()
        logits = xenc @ W
        counts = logits.exp()
        probs = counts / counts.sum(1, keepdim=True)
        loss = -probs[torch.arange(num), ys].log().mean() + 0.01 * (W**2).mean()
        if k % 10 == 0 or k == 99:
            print(k, f"{loss.item():.5f}")

        W.grad = None
        loss.backward()

        W.data += -50 * W.grad
    return W


def sample_net(W):
    g = torch.Generator().manual_seed(2147483647)
    for i in range(10):
        out = ""
        ix = 0
        while True:
            xenc = F.one_hot(torch.tensor([ix]), num_classes=27).float()
            logits = xenc @ W
            counts = logits.exp()
            p = counts / counts.sum(1, keepdim=True)
            ix = torch.multinomial(p, num_samples=1, replacement=True, generator=g).item()
            out += itos[ix]
            if ix == 0:
                break
        print(out)


def main():
    look()
    count_dict()
    N = count_tensor()
    first_letter(N)
    three_letters()
    P = probabilities(N)
    sample(P)
    word_likelihood(P, "emma")
    likelihood(P)
    one_word()
    W = train()
    sample_net(W)
