"""The Python side of examples/pytorch/llm/bigram.c: the first half of "Let's build GPT"."""

import random

import torch
import torch.nn as nn
from torch.nn import functional as F

from llm.characters import Characters, play

batch_size = 32
block_size = 8
max_iters = 1200
eval_interval = 300
learning_rate = 1e-2
eval_iters = 50

data = {}


def get_batch(split):
    ix = torch.randint(len(data[split]) - block_size, (batch_size,))
    x = torch.stack([data[split][i : i + block_size] for i in ix])
    y = torch.stack([data[split][i + 1 : i + block_size + 1] for i in ix])
    return x, y


@torch.no_grad()
def estimate_loss(model):
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            logits, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


class BigramLanguageModel(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.token_embedding_table = nn.Embedding(vocab_size, vocab_size)

    def forward(self, idx, targets=None):
        logits = self.token_embedding_table(idx)
        if targets is None:
            loss = None
        else:
            B, T, C = logits.shape
            logits = logits.view(B * T, C)
            targets = targets.view(B * T)
            loss = F.cross_entropy(logits, targets)
        return logits, loss

    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            logits, loss = self(idx)
            logits = logits[:, -1, :]
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


def read_text():
    text = play(40000)
    print("length of the text in characters:", len(text))
    print(text[:200])
    chars = Characters(text)
    print(chars.chars)
    print(len(chars.chars))
    print(torch.tensor(chars.encode("the lamp")))
    print(chars.decode(chars.encode("the lamp")))

    ids = torch.tensor(chars.encode(text), dtype=torch.long)
    print(ids.shape, ids.dtype)
    print(ids[:100])
    n = int(0.9 * len(ids))
    data["train"] = ids[:n]
    data["val"] = ids[n:]
    return chars


def show_batch():
    x = data["train"][:block_size]
    y = data["train"][1 : block_size + 1]
    for t in range(block_size):
        context = x[: t + 1]
        target = y[t]
        print(f"when input is {context} the target: {target}")

    xb, yb = get_batch("train")
    print(xb.shape)
    print(xb[:4])
    print(yb.shape)
    print(yb[:4])


def train(chars):
    model = BigramLanguageModel(len(chars.chars))
    xb, yb = get_batch("train")
    logits, loss = model(xb, yb)
    print(logits.shape)
    print(loss)
    context = torch.zeros((1, 1), dtype=torch.long)
    print(chars.decode(model.generate(context, max_new_tokens=100)[0].tolist()))

    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    for iter in range(max_iters):
        if iter % eval_interval == 0:
            losses = estimate_loss(model)
            print(f"step {iter}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")

        xb, yb = get_batch("train")
        logits, loss = model(xb, yb)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    losses = estimate_loss(model)
    print(f"in the end: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
    print(chars.decode(model.generate(context, max_new_tokens=200)[0].tolist()))


def averages():
    torch.manual_seed(42)
    a = torch.tril(torch.ones(3, 3))
    a = a / torch.sum(a, 1, keepdim=True)
    b = torch.randint(0, 10, (3, 2)).float()
    c = a @ b
    print(a)
    print(b)
    print(c)

    torch.manual_seed(1337)
    B, T, C = 4, 8, 2
    x = torch.randn(B, T, C)
    xbow = torch.zeros((B, T, C))
    for b in range(B):
        for t in range(T):
            xprev = x[b, : t + 1]
            xbow[b, t] = torch.mean(xprev, 0)
    print(xbow[0])

    wei = torch.tril(torch.ones(T, T))
    wei = wei / wei.sum(1, keepdim=True)
    xbow2 = wei @ x
    print(torch.allclose(xbow, xbow2, atol=1e-6))

    tril = torch.tril(torch.ones(T, T))
    wei = torch.zeros((T, T))
    wei = wei.masked_fill(tril == 0, float("-inf"))
    wei = F.softmax(wei, dim=-1)
    xbow3 = wei @ x
    print(torch.allclose(xbow, xbow3, atol=1e-6))


def self_attention():
    torch.manual_seed(1337)
    B, T, C = 4, 8, 32
    x = torch.randn(B, T, C)
    head_size = 16
    key = nn.Linear(C, head_size, bias=False)
    query = nn.Linear(C, head_size, bias=False)
    value = nn.Linear(C, head_size, bias=False)
    k = key(x)
    q = query(x)
    wei = q @ k.transpose(-2, -1)

    tril = torch.tril(torch.ones(T, T))
    wei = wei.masked_fill(tril == 0, float("-inf"))
    wei = F.softmax(wei, dim=-1)
    v = value(x)
    out = wei @ v
    print(out.shape)
    print(wei[0])

    k = torch.randn(B, T, head_size)
    q = torch.randn(B, T, head_size)
    wei = q @ k.transpose(-2, -1) * head_size**-0.5
    print(k.var())
    print(q.var())
    print(wei.var())
    print(torch.softmax(torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5]), dim=-1))
    print(torch.softmax(torch.tensor([0.1, -0.2, 0.3, -0.2, 0.5]) * 8, dim=-1))


def main():
    random.seed(1337)
    torch.manual_seed(1337)
    chars = read_text()
    show_batch()
    train(chars)
    averages()
    self_attention()
