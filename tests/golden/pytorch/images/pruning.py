"""The Python side of examples/pytorch/images/pruning.c: the pruning tutorial."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.view(-1, int(x.nelement() / x.shape[0]))
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x


def show_named(named):
    for name, x in named:
        print(name)
        print(x)


def inspect_module(module):
    print("named_parameters:")
    show_named(module.named_parameters())
    print("named_buffers:")
    show_named(module.named_buffers())


def prune_a_module(model):
    module = model.conv1
    inspect_module(module)

    prune.random_unstructured(module, name="weight", amount=0.3)
    inspect_module(module)
    print(module.weight)

    prune.l1_unstructured(module, name="bias", amount=3)
    inspect_module(module)
    print(module.bias)


def iterative_pruning(model):
    module = model.conv1
    prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
    print(module.weight)
    print(prune.is_pruned(module))

    for name in model.state_dict():
        print(name)

    prune.remove(module, "weight")
    show_named(module.named_parameters())


def multiple_parameters():
    new_model = LeNet()
    for name, module in new_model.named_modules():
        if isinstance(module, nn.Conv2d):
            prune.l1_unstructured(module, name="weight", amount=0.2)
        elif isinstance(module, nn.Linear):
            prune.l1_unstructured(module, name="weight", amount=0.4)

    for name, buffer in new_model.named_buffers():
        print(f"{name}: {buffer.shape}, {buffer.sum().item():.0f} left")


def global_pruning():
    model = LeNet()

    parameters_to_prune = (
        (model.conv1, "weight"),
        (model.conv2, "weight"),
        (model.fc1, "weight"),
        (model.fc2, "weight"),
        (model.fc3, "weight"),
    )

    prune.global_unstructured(parameters_to_prune, pruning_method=prune.L1Unstructured, amount=0.2)

    zeros = 0
    elements = 0
    for module, name in parameters_to_prune:
        weight = getattr(module, name)
        zeros += torch.sum(weight == 0).item()
        elements += weight.nelement()
        print(f"Sparsity in a weight of {weight.nelement()}: {100.0 * (weight == 0).float().mean().item():.2f}%")
    print(f"Global sparsity: {100.0 * zeros / elements:.2f}%")


class FooBarPruningMethod(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def foobar_unstructured(module, name):
    FooBarPruningMethod.apply(module, name)
    return module


def custom_pruning():
    model = LeNet()
    foobar_unstructured(model.fc3, name="bias")
    print(model.fc3.bias_mask)

    foobar_unstructured(model.fc3, name="bias")
    print(model.fc3.bias_mask)
    print(model.fc3.bias)

    output = model(torch.randn(2, 1, 32, 32))
    print(output)


def run():
    model = LeNet()
    prune_a_module(model)
    iterative_pruning(model)
    multiple_parameters()
    global_pruning()
    custom_pruning()


def main():
    torch.manual_seed(0)
    run()
