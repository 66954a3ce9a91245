"""The Python side of examples/pytorch/learning/blitz_cifar10.c: 60-minute blitz, training a classifier."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

classes = ("plane", "car", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
batch_size = 4


def normalize(images):
    return (images - 0.5) / 0.5


def load(n):
    images, labels = synthetic_images(n, 3, 32, 0.7)
    return TensorDataset(normalize(images), labels)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.fc3(x)
        return x


def train(net, trainloader):
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.001, momentum=0.9)

    for epoch in range(2):
        running_loss = 0.0
        for i, (inputs, labels) in enumerate(trainloader):
            optimizer.zero_grad()

            outputs = net(inputs)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()

            running_loss += loss.item()
            if i % 250 == 249:
                print(f"[{epoch + 1}, {i + 1:5d}] loss: {running_loss / 250:.3f}")
                running_loss = 0.0
    print("finished training")


def look(net, testloader):
    images, labels = next(iter(testloader))
    for j in range(4):
        print(f"truth: {classes[labels[j]]}")
    outputs = net(images)
    _, predicted = torch.max(outputs, 1)
    for j in range(4):
        print(f"predicted: {classes[predicted[j]]}")


def test(net, testloader):
    correct = 0
    total = 0
    with torch.no_grad():
        for images, labels in testloader:
            outputs = net(images)
            _, predicted = torch.max(outputs.data, 1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    print(f"accuracy on the {total} test images: {100 * correct / total:.1f} %")


def test_classes(net, testloader):
    correct_pred = torch.zeros(10)
    total_pred = torch.zeros(10)
    with torch.no_grad():
        for images, labels in testloader:
            outputs = net(images)
            _, predictions = torch.max(outputs, 1)
            for j in range(labels.size(0)):
                label = labels[j].item()
                if label == predictions[j].item():
                    correct_pred[label] += 1
                total_pred[label] += 1
    for k in range(10):
        accuracy = 100 * correct_pred[k].item() / total_pred[k].item()
        print(f"accuracy for class {classes[k]:5s} is {accuracy:.1f} %")


def run(path):
    trainset = load(4000)
    trainloader = DataLoader(trainset, batch_size=batch_size, shuffle=True)
    testset = load(1000)
    testloader = DataLoader(testset, batch_size=batch_size, shuffle=False)

    net = Net()
    train(net, trainloader)
    torch.save(net.state_dict(), path)

    net = Net()
    net.load_state_dict(torch.load(path))
    look(net, testloader)
    test(net, testloader)
    test_classes(net, testloader)


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        run(os.path.join(folder, "cifar_net.pth"))
