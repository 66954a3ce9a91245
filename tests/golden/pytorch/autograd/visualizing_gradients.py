"""The Python side of examples/pytorch/autograd/visualizing_gradients.c: Visualizing gradients."""

import torch
import torch.nn as nn
import torch.nn.functional as F

LAYERS = 10


class Grads:
    def __init__(self):
        self.names = []
        self.means = []


def fc_layer(in_size, out_size, norm):
    if norm:
        return nn.Sequential(nn.Linear(in_size, out_size), nn.BatchNorm1d(out_size), nn.Sigmoid())
    return nn.Sequential(nn.Linear(in_size, out_size), nn.Sigmoid())


class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(LAYERS):
            self.layers.append(fc_layer(10, 10, norm))
        self.fc_out = nn.Linear(10, 1)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.fc_out(x)


def hook_backward(grad, name, grads):
    grads.names.append(name)
    grads.means.append(grad.abs().mean().item())


def hook_forward(module, args, output, name, grads):
    output.register_hook(lambda grad: hook_backward(grad, name, grads))


def get_all_layers(model, grads):
    for name, layer in model.named_modules():
        if len(list(layer.children())) == 0:
            layer.register_forward_hook(
                lambda module, args, output, name=name: hook_forward(module, args, output, name, grads)
            )


def show(title, grads):
    print(title)
    for i in range(len(grads.means)):
        print(f"  {grads.names[i]:12} {grads.means[i]:.3e}")


def with_hooks():
    x = torch.randn(10, 10)
    y = torch.randn(10, 1)
    model_bn = Net(True)
    model_nobn = Net(False)
    grads_bn = Grads()
    grads_nobn = Grads()
    get_all_layers(model_bn, grads_bn)
    get_all_layers(model_nobn, grads_nobn)

    y_pred_bn = model_bn(x)
    loss_bn = F.mse_loss(y_pred_bn, y)
    loss_bn.backward()
    y_pred_nobn = model_nobn(x)
    loss_nobn = F.mse_loss(y_pred_nobn, y)
    loss_nobn.backward()
    show("With batch norm:", grads_bn)
    show("Without:", grads_nobn)


def leaves():
    x = torch.ones(1, 3)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    y = torch.ones(1, 2)
    z = (x @ W) + b
    y_pred = F.relu(z)
    loss = F.mse_loss(y_pred, y)
    print(x.is_leaf, W.is_leaf, b.is_leaf, z.is_leaf, y_pred.is_leaf, loss.is_leaf)
    print(x.requires_grad, W.requires_grad, z.requires_grad, loss.requires_grad)

    z.retain_grad()
    y_pred.retain_grad()
    loss.retain_grad()
    print(W.retains_grad, z.retains_grad)
    loss.backward()
    print(W.grad)
    print(b.grad)
    print(z.grad)
    print(y_pred.grad)
    print(loss.grad)


def frozen_leaf():
    x = torch.ones(1, 3)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.ones(1, 2, requires_grad=True)
    W.requires_grad_(False)
    z = (x @ W) + b
    print(W.is_leaf, W.requires_grad, z.requires_grad)
    z.sum().backward()
    print(W.grad is None)
    print(b.grad)


def main():
    torch.manual_seed(0)
    leaves()
    frozen_leaf()
    with_hooks()
