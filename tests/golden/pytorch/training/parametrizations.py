"""The Python side of examples/pytorch/training/parametrizations.c: Parametrizations tutorial."""

import torch
import torch.nn as nn
import torch.nn.utils.parametrize as parametrize


def symmetric_of(X):
    return X.triu() + X.triu(1).transpose(-1, -2)


class LinearSymmetric(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(n_features, n_features))

    def forward(self, x):
        A = symmetric_of(self.weight)
        return x @ A


class Symmetric(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


class Skew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu(1)


class MatrixExponential(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, X):
        return torch.matrix_exp(X)


class CayleyMap(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("Id", torch.eye(n))

    def forward(self, X):
        return torch.linalg.solve(self.Id - X, self.Id + X)

    def right_inverse(self, A):
        return torch.linalg.solve(A + self.Id, A - self.Id)


class PruningParametrization(nn.Module):
    def __init__(self, X, p_drop):
        super().__init__()
        mask = torch.full_like(X, 1.0 - p_drop)
        self.register_buffer("mask", torch.bernoulli(mask))

    def forward(self, X):
        return X * self.mask

    def right_inverse(self, A):
        return A


def by_hand():
    X = torch.rand(3, 3)
    A = symmetric_of(X)
    print(torch.allclose(A, A.T))
    print(A)

    layer = LinearSymmetric(3)
    out = layer(torch.rand(8, 3))
    print(out.shape)


def with_a_parametrization():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Symmetric())
    A = layer.weight
    print(torch.allclose(A, A.T))
    print(A.detach())

    cnn = nn.Conv2d(in_channels=5, out_channels=8, kernel_size=3)
    parametrize.register_parametrization(cnn, "weight", Skew())
    print(cnn.weight[0, 1].detach())
    print(cnn.weight[2, 2].detach())


def inspecting():
    layer = nn.Linear(3, 3)
    print(f"Unparametrized:\n{layer}")
    parametrize.register_parametrization(layer, "weight", Symmetric())
    print(f"\nParametrized:\n{layer}")
    for name, p in layer.named_parameters():
        print(name, p.shape)
    for name in layer.state_dict():
        print(name)
    print(parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias"))


def orthogonality(X):
    return torch.dist(X.T @ X, torch.eye(3)).item()


def first_class():
    layer_orthogonal = nn.Linear(3, 3)
    parametrize.register_parametrization(layer_orthogonal, "weight", Skew())
    parametrize.register_parametrization(layer_orthogonal, "weight", MatrixExponential())
    X = layer_orthogonal.weight
    print(orthogonality(X) < 1e-5)

    layer_sequential = nn.Linear(3, 3)
    parametrize.register_parametrization(layer_sequential, "weight", nn.Sequential(Skew(), MatrixExponential()))
    X = layer_sequential.weight
    print(orthogonality(X) < 1e-5)

    layer_spd = nn.Linear(3, 3)
    parametrize.register_parametrization(layer_spd, "weight", Symmetric())
    parametrize.register_parametrization(layer_spd, "weight", MatrixExponential())
    X = layer_spd.weight
    print(torch.dist(X, X.T).item() < 1e-5)
    print((torch.linalg.eigvalsh(X) > 0.0).all().item())


def cayley():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Skew())
    parametrize.register_parametrization(layer, "weight", CayleyMap(3))
    X = layer.weight
    print(orthogonality(X) < 1e-5)


def right_inverse():
    layer = nn.Linear(3, 3)
    parametrize.register_parametrization(layer, "weight", Skew())
    X = torch.rand(3, 3)
    X = X - X.T
    layer.weight = X
    print(torch.dist(layer.weight, X).item() < 1e-6)

    layer_orthogonal = nn.Linear(3, 3)
    parametrize.register_parametrization(layer_orthogonal, "weight", Skew())
    parametrize.register_parametrization(layer_orthogonal, "weight", CayleyMap(3))
    X = torch.empty(3, 3)
    nn.init.orthogonal_(X)
    if X.det() < 0.0:
        X[0].neg_()
    layer_orthogonal.weight = X
    print(torch.dist(layer_orthogonal.weight, X).item() < 1e-5)

    layer = nn.Linear(3, 4)
    X = torch.rand_like(layer.weight)
    print(f"Initialization matrix:\n{X}")
    parametrize.register_parametrization(layer, "weight", PruningParametrization(layer.weight, 0.2))
    layer.weight = X
    print(f"\nInitialized weight:\n{layer.weight.detach()}")


def training():
    layer = nn.Linear(3, 3, bias=False)
    parametrize.register_parametrization(layer, "weight", Skew())
    parametrize.register_parametrization(layer, "weight", CayleyMap(3))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    x = torch.randn(64, 3)
    y = x @ torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    for step in range(100):
        loss = (layer(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 24:
            print(f"step {step + 1}: {loss.item():.4f}, orthogonal: {orthogonality(layer.weight) < 1e-5}")


def removing():
    layer = nn.Linear(3, 3)
    print(f"Before:\n{layer}\n{layer.weight.detach()}")
    parametrize.register_parametrization(layer, "weight", Skew())
    print(f"\nParametrized:\n{layer}\n{layer.weight.detach()}")
    parametrize.remove_parametrizations(layer, "weight")
    print(f"\nAfter. Weight has skew-symmetric values but it is unconstrained:\n{layer}\n{layer.weight.detach()}")

    layer = nn.Linear(3, 3)
    print(f"\nBefore:\n{layer.weight.detach()}")
    parametrize.register_parametrization(layer, "weight", Skew())
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    print(f"\nAfter. The original, of which Skew uses the upper triangle:\n{layer.weight.detach()}")


def main():
    torch.manual_seed(0)
    by_hand()
    with_a_parametrization()
    inspecting()
    first_class()
    cayley()
    right_inverse()
    training()
    removing()
