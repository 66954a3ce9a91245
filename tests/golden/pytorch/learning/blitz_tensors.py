"""The Python side of examples/pytorch/learning/blitz_tensors.c: 60-minute blitz, tensors."""

import torch


def initialization():
    data = [[1, 2], [3, 4]]
    x_data = torch.tensor(data)
    x_ones = torch.ones_like(x_data)
    print("ones like it:", x_ones)
    x_rand = torch.rand_like(x_data, dtype=torch.float)
    print("random like it:", x_rand)

    rand_tensor = torch.rand(2, 3)
    ones_tensor = torch.ones(2, 3)
    zeros_tensor = torch.zeros(2, 3)
    print(rand_tensor, ones_tensor, zeros_tensor)

    x = torch.empty(5, 3)
    print(x.size())
    x = x.new_ones(5, 3, dtype=torch.double)
    print(x)
    x = torch.randn_like(x, dtype=torch.float)
    print(x)


def operations():
    tensor = torch.ones(4, 4)
    tensor[:, 1] = 0
    print(tensor)

    t1 = torch.cat([tensor, tensor, tensor], dim=1)
    print(t1.size())

    print("product of elements:", tensor.mul(tensor))
    print("product of matrices:", tensor.matmul(tensor.t()))

    x = torch.rand(5, 3)
    y = torch.rand(5, 3)
    print(x + y)
    print(torch.add(x, y))
    result = torch.empty(5, 3)
    torch.add(x, y, out=result)
    y.add_(x)
    print(torch.equal(y, result))
    print(x[:, 1])

    x = torch.randn(4, 4)
    y = x.view(16)
    z = x.view(-1, 8)
    print(x.size(), y.size(), z.size())

    x = torch.randn(1)
    print(x)
    print(f"{x.item():.4f}")


def main():
    torch.manual_seed(1)
    initialization()
    operations()
