"""The Python side of examples/pytorch/basics/tensors.c: Learn the basics, tensors."""

import torch


def initializing():
    data = [[1, 2], [3, 4]]
    x_data = torch.tensor(data)
    print(x_data)

    x_ones = torch.ones_like(x_data)
    print(f"ones:\n{x_ones}")

    x_rand = torch.rand_like(x_data, dtype=torch.float)
    print(f"random:\n{x_rand}")

    rand_tensor = torch.rand(2, 3)
    ones_tensor = torch.ones(2, 3)
    zeros_tensor = torch.zeros(2, 3)

    print(f"random:\n{rand_tensor}")
    print(f"ones:\n{ones_tensor}")
    print(f"zeros:\n{zeros_tensor}")


def attributes():
    tensor = torch.rand(3, 4)

    print(f"shape: {tensor.shape}")
    print(f"dtype: {tensor.dtype}")


def operations():
    tensor = torch.ones(4, 4)
    print("first row:", tensor[0])
    print("first column:", tensor[:, 0])
    print("last column:", tensor[..., -1])
    tensor[:, 1] = 0
    print(tensor)

    t1 = torch.cat([tensor, tensor, tensor], dim=1)
    print(t1)

    y1 = tensor @ tensor.t()
    y2 = tensor.matmul(tensor.t())
    y3 = torch.rand_like(tensor)
    y3.copy_(torch.matmul(tensor, tensor.t()))
    print(y3, torch.equal(y1, y2), torch.equal(y1, y3))

    z1 = tensor * tensor
    z2 = tensor.mul(tensor)
    z3 = torch.rand_like(tensor)
    z3.copy_(torch.mul(tensor, tensor))
    print(z3, torch.equal(z1, z2), torch.equal(z1, z3))

    agg = tensor.sum()
    agg_item = agg.item()
    print(agg_item)

    print(tensor)
    tensor.add_(5)
    print(tensor)


def shared_memory():
    t = torch.ones(5)
    print("t:", t)
    n = t.detach()
    print("n:", n)

    t.add_(1)
    print("t:", t)
    print("n:", n)

    n = torch.ones(5)
    t = n.view(5)

    n.add_(1)
    print("t:", t)
    print("n:", n)


def main():
    torch.manual_seed(0)
    initializing()
    attributes()
    operations()
    shared_memory()
