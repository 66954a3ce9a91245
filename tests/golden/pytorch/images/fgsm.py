"""The Python side of examples/pytorch/images/fgsm.c: adversarial example generation."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

epsilons = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
MEAN = 0.5
STD = 0.25


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(2304, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = self.conv1(x)
        x = F.relu(x)
        x = self.conv2(x)
        x = F.relu(x)
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = self.fc1(x)
        x = F.relu(x)
        x = self.dropout2(x)
        x = self.fc2(x)
        output = F.log_softmax(x, dim=1)
        return output


def train(model, train_loader):
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for epoch in range(2):
        for batch, (data, target) in enumerate(train_loader):
            optimizer.zero_grad()
            output = model((data - MEAN) / STD)
            loss = F.nll_loss(output, target)
            loss.backward()
            optimizer.step()
            if batch % 10 == 0:
                print(f"epoch {epoch}, batch {batch}, loss {loss.item():.4f}")


def fgsm_attack(image, epsilon, data_grad):
    sign_data_grad = data_grad.sign()
    perturbed_image = image + epsilon * sign_data_grad
    perturbed_image = torch.clamp(perturbed_image, 0, 1)
    return perturbed_image


def denorm(batch):
    return batch * STD + MEAN


def test(model, test_loader, epsilon):
    correct = 0
    fooled = 0

    for data, target in test_loader:
        data = (data - MEAN) / STD
        data.requires_grad = True

        output = model(data)
        init_pred = output.max(1, keepdim=True)[1]

        if init_pred.item() != target.item():
            continue

        loss = F.nll_loss(output, target)

        model.zero_grad()

        loss.backward()

        data_grad = data.grad

        data_denorm = denorm(data)

        perturbed_data = fgsm_attack(data_denorm, epsilon, data_grad)

        perturbed_data_normalized = (perturbed_data - MEAN) / STD

        output = model(perturbed_data_normalized)

        final_pred = output.max(1, keepdim=True)[1]
        if final_pred.item() == target.item():
            correct += 1
        else:
            fooled += 1
            if fooled <= 2:
                print(f"  {init_pred.item()} -> {final_pred.item()}")

    final_acc = correct / len(test_loader)
    print(f"epsilon {epsilon:.2f}: {correct} of {len(test_loader)} right, {final_acc:.3f}")
    return final_acc


def run():
    train_loader = DataLoader(TensorDataset(*synthetic_images(2000, 1, 28, 0.5)), batch_size=64, shuffle=True)
    test_loader = DataLoader(TensorDataset(*synthetic_images(300, 1, 28, 0.5)), batch_size=1, shuffle=True)
    model = Net()
    train(model, train_loader)
    model.eval()
    for epsilon in epsilons:
        test(model, test_loader, epsilon)


def main():
    torch.manual_seed(42)
    run()
