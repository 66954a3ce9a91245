"""The Python side of examples/pytorch/images/siamese_network.c: the Siamese network of PyTorch's examples."""

import random

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images


class SiameseNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(
            nn.Conv2d(1, 8, 3, 2, 1),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, 2, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(784, 32),
        )

        self.fc = nn.Sequential(nn.Linear(64, 64), nn.ReLU(inplace=True), nn.Linear(64, 1))

        self.sigmoid = nn.Sigmoid()

        self.cnn.apply(init_weights)
        self.fc.apply(init_weights)

    def forward_once(self, x):
        output = self.cnn(x)
        output = output.view(output.size(0), -1)
        return output

    def forward(self, input1, input2):
        output1 = self.forward_once(input1)
        output2 = self.forward_once(input2)

        output = torch.cat([output1, output2], 1)

        output = self.fc(output)

        output = self.sigmoid(output)

        return output


def init_weights(m):
    if isinstance(m, nn.Linear):
        torch.nn.init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0.01)


def make_pairs(n):
    images, labels = synthetic_images(1000, 1, 28, 0.3)
    first = torch.zeros(n, dtype=torch.long)
    second = torch.zeros(n, dtype=torch.long)
    targets = torch.zeros(n)
    for i in range(n):
        index_1 = random.randint(0, 999)
        index_2 = random.randint(0, 999)
        same = i % 2 == 0
        while (labels[index_1].item() == labels[index_2].item()) != same:
            index_2 = random.randint(0, 999)
        first[i] = index_1
        second[i] = index_2
        targets[i] = same
    return TensorDataset(images[first], images[second], targets)


def train(model, train_loader, optimizer, epoch):
    model.train()
    criterion = nn.BCELoss()

    for batch_idx, (images_1, images_2, targets) in enumerate(train_loader):
        optimizer.zero_grad()
        outputs = model(images_1, images_2).squeeze()
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        if batch_idx % 10 == 0:
            print(f"train epoch {epoch}: batch {batch_idx}/{len(train_loader)}, loss {loss.item():.4f}")


def test(model, test_loader):
    model.eval()
    test_loss = 0
    correct = 0
    criterion = nn.BCELoss()

    with torch.no_grad():
        for images_1, images_2, targets in test_loader:
            outputs = model(images_1, images_2).squeeze()
            test_loss += criterion(outputs, targets).item()
            pred = torch.where(outputs > 0.5, 1.0, 0.0)
            correct += pred.eq(targets.view_as(pred)).sum().item()

    test_loss /= len(test_loader)
    accuracy = correct / len(test_loader.dataset)
    print(f"test set: average loss {test_loss:.4f}, accuracy {accuracy:.3f}")


def run():
    train_loader = DataLoader(make_pairs(2000), batch_size=64, shuffle=True)
    test_loader = DataLoader(make_pairs(500), batch_size=50)

    model = SiameseNetwork()
    optimizer = optim.Adadelta(model.parameters(), lr=0.5)

    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, 6):
        train(model, train_loader, optimizer, epoch)
        test(model, test_loader)
        scheduler.step()


def main():
    random.seed(1)
    torch.manual_seed(1)
    run()
