"""The Python side of examples/pytorch/autograd/per_sample_gradients.c: Per-sample gradients."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap

batch_size = 16
n_parameters = 8


class SimpleCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.fc1 = nn.Linear(1600, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = self.conv2(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.fc2(x)
        output = F.log_softmax(x, dim=1)
        return output


def loss_fn(predictions, targets):
    return F.nll_loss(predictions, targets)


def compute_grad(model, sample, target):
    sample = sample.unsqueeze(0)
    target = target.unsqueeze(0)
    prediction = model(sample)
    loss = loss_fn(prediction, target)
    return torch.autograd.grad(loss, list(model.parameters()))


def compute_sample_grads(model, data, targets):
    sample_grads = [None] * batch_size
    for i in range(batch_size):
        sample_grads[i] = compute_grad(model, data[i], targets[i])
    shards = []
    for k in range(n_parameters):
        shard = [sample_grads[i][k] for i in range(batch_size)]
        shards.append(torch.stack(shard))
    return shards


def compute_loss(params, model, sample, target):
    batch = sample.unsqueeze(0)
    targets = target.unsqueeze(0)
    predictions = functional_call(model, params, (batch,))
    loss = loss_fn(predictions, targets)
    return loss


def ft_compute_grad(params, model, sample, target):
    return grad(compute_loss)(params, model, sample, target)


def per_sample_gradients():
    data = torch.randn(batch_size, 1, 28, 28)
    targets = torch.randint(10, (batch_size,))
    model = SimpleCNN()
    predictions = model(data)
    loss = loss_fn(predictions, targets)
    loss.backward()
    print(f"loss of the batch: {loss.item():.4f}")

    per_sample_grads = compute_sample_grads(model, data, targets)
    print(per_sample_grads[0].shape)

    params = {k: v.detach() for k, v in model.named_parameters()}
    ft_per_sample_grads = vmap(ft_compute_grad, in_dims=(None, None, 0, 0))(params, model, data, targets)
    for name, ft_per_sample_grad in ft_per_sample_grads.items():
        norms = ft_per_sample_grad.flatten(1).norm(dim=1)
        print(f"{name}: norms from {norms.min().item():.4f} to {norms.max().item():.4f}")

    ft_grads = list(ft_per_sample_grads.values())
    for k in range(n_parameters):
        print(torch.allclose(per_sample_grads[k], ft_grads[k], atol=1e-5, rtol=1e-5))
    for p, per_sample_grad in zip(model.parameters(), per_sample_grads):
        print(torch.allclose(per_sample_grad.mean(0), p.grad, atol=1e-6))


def main():
    torch.manual_seed(0)
    per_sample_gradients()
