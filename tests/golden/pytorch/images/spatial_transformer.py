"""The Python side of examples/pytorch/images/spatial_transformer.c: the spatial transformer networks tutorial, on
digits that the program makes."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_digits import synthetic_digits


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

        self.localization = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=7),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
            nn.Conv2d(8, 10, kernel_size=5),
            nn.MaxPool2d(2, stride=2),
            nn.ReLU(True),
        )

        self.fc_loc = nn.Sequential(nn.Linear(10 * 3 * 3, 32), nn.ReLU(True), nn.Linear(32, 3 * 2))

        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))

    def stn(self, x):
        xs = self.localization(x)
        xs = xs.view(-1, 10 * 3 * 3)
        theta = self.fc_loc(xs)
        theta = theta.view(-1, 2, 3)

        grid = F.affine_grid(theta, x.size(), align_corners=False)
        x = F.grid_sample(x, grid, align_corners=False)

        return x

    def forward(self, x):
        x = self.stn(x)

        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))
        x = x.view(-1, 320)
        x = F.relu(self.fc1(x))
        x = F.dropout(x, training=self.training)
        x = self.fc2(x)
        return F.log_softmax(x, dim=1)


def train(model, train_loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(train_loader):
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
        if batch_idx % 20 == 0:
            print(
                f"Train Epoch: {epoch} [{batch_idx * len(data)}/{len(train_loader.dataset)} "
                f"({100.0 * batch_idx / len(train_loader):.0f}%)] Loss: {loss.item():.4f}"
            )


def test(model, test_loader):
    with torch.no_grad():
        model.eval()
        test_loss = 0
        correct = 0
        for data, target in test_loader:
            output = model(data)

            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.max(1, keepdim=True)[1]
            correct += pred.eq(target.view_as(pred)).sum().item()

        test_loss /= len(test_loader.dataset)
        print(f"Test set: Average loss: {test_loss:.4f}, Accuracy: {correct / len(test_loader.dataset):.3f}")


def describe_stn(model, test_loader):
    with torch.no_grad():
        data = next(iter(test_loader))[0]

        transformed_input = model.stn(data)

        print(f"mean square of the input {data.square().mean():.4f}")
        print(f"mean square of what the network sees {transformed_input.square().mean():.4f}")
        theta = model.fc_loc(model.localization(data).view(-1, 10 * 3 * 3))
        print(f"mean square of the transforms {theta.square().mean():.4f}")


def run():
    train_loader = DataLoader(TensorDataset(*synthetic_digits(3000, 0.1)), batch_size=32, shuffle=True)
    test_loader = DataLoader(TensorDataset(*synthetic_digits(500, 0.1)), batch_size=64)
    model = Net()
    print(model)

    optimizer = optim.SGD(model.parameters(), lr=0.03)

    for epoch in range(1, 4):
        train(model, train_loader, optimizer, epoch)
        test(model, test_loader)

    describe_stn(model, test_loader)


def main():
    torch.manual_seed(0)
    run()
