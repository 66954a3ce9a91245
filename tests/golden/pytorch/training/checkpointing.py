"""The Python side of examples/pytorch/training/checkpointing.c: activation checkpointing, trading time for memory."""

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

BLOCKS = 6
calls = 0


class Block(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.linear1 = nn.Linear(width, 4 * width)
        self.linear2 = nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        global calls
        calls += 1
        h = self.linear1(self.norm(x)).relu()
        h = self.dropout(self.linear2(h))
        return x + h


class Net(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.use_checkpoint = False
        self.blocks = nn.ModuleList()
        for i in range(BLOCKS):
            self.blocks.append(Block(width, dropout))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for block in self.blocks:
            if self.use_checkpoint:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        return self.head(x)


def gradients(model, x):
    global calls
    calls = 0
    torch.manual_seed(1)
    model.zero_grad()
    out = model(x)
    print(f"calls in the forward: {calls}")
    out.square().mean().backward()
    print(f"calls with the backward: {calls}")
    print(f"next random number: {torch.rand(1).item():.4f}")
    return [p.grad.clone() for p in model.parameters()]


def compare(a, b):
    equal = 0
    for i in range(len(a)):
        equal += torch.allclose(a[i], b[i])
    print(f"{equal} of {len(a)} gradients agree")


def blocks():
    model = Net(32, 0.1)
    x = torch.randn(64, 32)
    grads = gradients(model, x)
    model.use_checkpoint = True
    grads_checkpointed = gradients(model, x)
    compare(grads, grads_checkpointed)


def sequential():
    model = nn.Sequential(nn.Linear(100, 50), nn.ReLU(), nn.Linear(50, 20), nn.ReLU(), nn.Linear(20, 5), nn.ReLU())
    input_var = torch.randn(1, 100, requires_grad=True)

    segments = 2
    out = checkpoint_sequential(model, segments, input_var, use_reentrant=False)
    model.zero_grad()
    out.sum().backward()
    print(out.detach())
    grad_checkpointed = [p.grad.clone() for p in model.parameters()]

    out_not_checkpointed = model(input_var)
    model.zero_grad()
    out_not_checkpointed.sum().backward()
    print(torch.allclose(out_not_checkpointed, out))
    grad = [p.grad.clone() for p in model.parameters()]
    compare(grad, grad_checkpointed)


def run_first_half(a, b):
    return torch.cos(torch.exp(a) * b)


def without_the_random_state():
    a = torch.randn(3, requires_grad=True)
    b = torch.randn(3, requires_grad=True)
    y = checkpoint(run_first_half, a, b, use_reentrant=False, preserve_rng_state=False)
    y.sum().backward()
    print(a.grad)
    print(b.grad)


def training():
    model = Net(64, 0.1)
    model.use_checkpoint = True
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(256, 64)
    y = x.sin().sum(1, keepdim=True) / 8
    for step in range(60):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 9:
            print(f"step {step + 1}: {loss.item():.4f}")


def main():
    torch.manual_seed(0)
    blocks()
    sequential()
    without_the_random_state()
    training()
