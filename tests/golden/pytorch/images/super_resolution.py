"""The Python side of examples/pytorch/images/super_resolution.c: super-resolution by sub-pixel convolution, of
PyTorch's examples."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.init as init
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images


class Net(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()

        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 32, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(32, 32, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(32, 16, (3, 3), (1, 1), (1, 1))
        self.conv4 = nn.Conv2d(16, upscale_factor**2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)

        self.initialize_weights()

    def forward(self, x):
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        x = self.relu(self.conv3(x))
        x = self.pixel_shuffle(self.conv4(x))
        return x

    def initialize_weights(self):
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv4.weight)


def get_set(n):
    target, _ = synthetic_images(n, 1, 32, 0.0)
    input = F.avg_pool2d(target, 2)
    return TensorDataset(input, target)


def train(model, optimizer, criterion, training_data_loader, epoch):
    epoch_loss = 0
    for input, target in training_data_loader:
        optimizer.zero_grad()
        loss = criterion(model(input), target)
        epoch_loss += loss.item()
        loss.backward()
        optimizer.step()

    print(f"===> epoch {epoch}: average loss {epoch_loss / len(training_data_loader):.4f}")


def test(model, criterion, testing_data_loader):
    avg_psnr = 0
    with torch.no_grad():
        for input, target in testing_data_loader:
            prediction = model(input)
            mse = criterion(prediction, target)
            psnr = 10 * math.log10(1 / mse.item())
            avg_psnr += psnr
    print(f"===> average PSNR {avg_psnr / len(testing_data_loader):.3f} dB")


def run():
    training_data_loader = DataLoader(get_set(600), batch_size=8, shuffle=True)
    testing_data_loader = DataLoader(get_set(100), batch_size=10, shuffle=False)

    model = Net(upscale_factor=2)
    criterion = nn.MSELoss()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)

    for epoch in range(1, 5):
        train(model, optimizer, criterion, training_data_loader, epoch)
        test(model, criterion, testing_data_loader)


def main():
    torch.manual_seed(123)
    run()
