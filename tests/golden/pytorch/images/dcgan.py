"""The Python side of examples/pytorch/images/dcgan.c: the deep convolutional GAN of the DCGAN tutorial, on images
of 16x16."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

nc = 1
nz = 16
ngf = 16
ndf = 16
batch_size = 32
num_epochs = 3
lr = 0.0002
beta1 = 0.5
real_label = 1.0
fake_label = 0.0


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid(),
        )

    def forward(self, input):
        return self.main(input)


def train(netG, netD, dataloader):
    criterion = nn.BCELoss()

    fixed_noise = torch.randn(64, nz, 1, 1)

    optimizerD = optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
    optimizerG = optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))

    for epoch in range(num_epochs):
        for i, (data,) in enumerate(dataloader):
            netD.zero_grad()
            b_size = data.size(0)
            label = torch.full((b_size,), real_label)
            output = netD(data).view(-1)
            errD_real = criterion(output, label)
            errD_real.backward()
            D_x = output.mean().item()

            noise = torch.randn(b_size, nz, 1, 1)
            fake = netG(noise)
            label.fill_(fake_label)
            output = netD(fake.detach()).view(-1)
            errD_fake = criterion(output, label)
            errD_fake.backward()
            D_G_z1 = output.mean().item()
            errD = errD_real + errD_fake
            optimizerD.step()

            netG.zero_grad()
            label.fill_(real_label)
            output = netD(fake).view(-1)
            errG = criterion(output, label)
            errG.backward()
            D_G_z2 = output.mean().item()
            optimizerG.step()

            if i % 20 == 0:
                print(
                    f"[{epoch}/{num_epochs}][{i}/{len(dataloader)}] "
                    f"Loss_D: {errD.item():.4f} Loss_G: {errG.item():.4f}"
                )
                print(f"    D(x): {D_x:.4f} D(G(z)): {D_G_z1:.4f} / {D_G_z2:.4f}")

    with torch.no_grad():
        fake = netG(fixed_noise).detach()
        print(f"images from {fake.min():.4f} to {fake.max():.4f}")


def run():
    images, _ = synthetic_images(2000, nc, 16, 0.1)
    dataset = TensorDataset((images - 0.5) / 0.5)
    dataloader = DataLoader(dataset, batch_size=batch_size, shuffle=True)

    netG = Generator()
    netG.apply(weights_init)
    print(netG)

    netD = Discriminator()
    netD.apply(weights_init)
    print(netD)

    train(netG, netD, dataloader)


def main():
    torch.manual_seed(999)
    run()
