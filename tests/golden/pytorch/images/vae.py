"""The Python side of examples/pytorch/images/vae.c: the variational autoencoder of PyTorch's examples."""

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images


class VAE(nn.Module):
    def __init__(self):
        super().__init__()

        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)
        self.fc22 = nn.Linear(400, 20)
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z):
        h3 = F.relu(self.fc3(z))
        return torch.sigmoid(self.fc4(h3))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        z = self.reparameterize(mu, logvar)
        return self.decode(z), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    BCE = F.binary_cross_entropy(recon_x, x.view(-1, 784), reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD


def train(model, optimizer, train_loader, epoch):
    model.train()
    train_loss = 0
    for batch_idx, (data, _) in enumerate(train_loader):
        optimizer.zero_grad()
        recon_batch, mu, logvar = model(data)
        loss = loss_function(recon_batch, data, mu, logvar)
        loss.backward()
        train_loss += loss.item()
        optimizer.step()
        if batch_idx % 10 == 0:
            print(f"train epoch {epoch}: batch {batch_idx}, loss {loss.item() / len(data):.2f}")
    print(f"====> epoch {epoch}, average loss {train_loss / len(train_loader.dataset):.2f}")


def test(model, test_loader):
    model.eval()
    test_loss = 0
    with torch.no_grad():
        for data, _ in test_loader:
            recon_batch, mu, logvar = model(data)
            test_loss += loss_function(recon_batch, data, mu, logvar).item()
    test_loss /= len(test_loader.dataset)
    print(f"====> test set loss {test_loss:.2f}")


def run():
    train_loader = DataLoader(TensorDataset(*synthetic_images(3000, 1, 28, 0.2)), batch_size=100, shuffle=True)
    test_loader = DataLoader(TensorDataset(*synthetic_images(500, 1, 28, 0.2)), batch_size=100)
    model = VAE()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, 6):
        train(model, optimizer, train_loader, epoch)
        test(model, test_loader)
    with torch.no_grad():
        sample = torch.randn(64, 20)
        sample = model.decode(sample)
        print(f"samples from {sample.min():.4f} to {sample.max():.4f}, mean {sample.mean():.4f}")


def main():
    torch.manual_seed(1)
    run()
