"""The Python side of examples/pytorch/autograd/saved_tensors_hooks.c: Hooks for autograd saved tensors."""

import os
import tempfile

import torch
import torch.nn as nn

SAVE_ON_DISK_THRESHOLD = 1000


def pack_hook(x):
    print("Packing", x)
    return x


def unpack_hook(x):
    print("Unpacking", x)
    return x


def what_is_saved():
    a = torch.ones(5, requires_grad=True)
    b = torch.ones(5, requires_grad=True) * 2
    with torch.autograd.graph.saved_tensors_hooks(pack_hook, unpack_hook):
        y = a * b
    y.sum().backward()
    print(a.grad)


class Storage:
    def __init__(self):
        self.storage = []

    def pack(self, x):
        self.storage.append(x)
        return len(self.storage) - 1

    def unpack(self, x):
        return self.storage[x]


def returning_an_int():
    storage = Storage()
    x = torch.randn(5, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(storage.pack, storage.unpack):
        y = x**2
    y.sum().backward()
    print(len(storage.storage), x.grad.equal(2 * x))


def pack_two(x):
    delta = torch.randn(x.size())
    return torch.stack([x - delta, delta])


def unpack_two(packed):
    x = packed[0]
    delta = packed[1]
    return x + delta


def returning_two_tensors():
    x = torch.randn(5, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack_two, unpack_two):
        y = x**2
    y.sum().backward()
    print(torch.allclose(x.grad, 2 * x))


def saving_on_cpu():
    x = torch.randn(5, requires_grad=True)
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        y = x**2
    y.sum().backward()
    print(x.grad.equal(2 * x))


class Disk:
    def __init__(self):
        self.folder = tempfile.mkdtemp()
        self.files = 0

    def path(self, number):
        return f"{self.folder}/{number}.pt"

    def pack(self, x):
        if x.numel() < SAVE_ON_DISK_THRESHOLD:
            return x.detach()
        torch.save(x, self.path(self.files))
        self.files += 1
        return torch.tensor(self.files - 1)

    def unpack(self, packed):
        if packed.dim() > 0:
            return packed
        path = self.path(packed.item())
        x = torch.load(path)
        os.remove(path)
        return x


class SaveToDisk(nn.Module):
    def __init__(self, module, disk):
        super().__init__()
        self.module = module
        self.disk = disk

    def forward(self, x):
        with torch.autograd.graph.saved_tensors_hooks(self.disk.pack, self.disk.unpack):
            y = self.module(x)
        return y


def saving_to_disk():
    model = nn.Sequential(nn.Linear(50, 40), nn.Sigmoid(), nn.Linear(40, 5), nn.Tanh())
    x = torch.randn(32, 50)
    loss = model(x).square().sum()
    grads = torch.autograd.grad(loss, list(model.parameters()))

    disk = Disk()
    net = SaveToDisk(model, disk)
    loss_on_disk = net(x).square().sum()
    print(disk.files, len(os.listdir(disk.folder)))
    loss_on_disk.backward()
    print(len(os.listdir(disk.folder)), loss_on_disk.equal(loss))
    for i, p in enumerate(model.parameters()):
        print(grads[i].equal(p.grad))
    os.rmdir(disk.folder)


def main():
    torch.manual_seed(0)
    what_is_saved()
    returning_an_int()
    returning_two_tensors()
    saving_on_cpu()
    saving_to_disk()
