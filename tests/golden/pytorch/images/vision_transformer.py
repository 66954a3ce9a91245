"""The Python side of examples/pytorch/images/vision_transformer.c: a Vision Transformer from scratch, trained on small
images that the program makes."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

image_size = 24
patch_size = 4
dim = 48
depth = 3
heads = 4
mlp_dim = 96
num_classes = 10
num_epochs = 4


class PatchEmbedding(nn.Module):
    def __init__(self, in_channels):
        super().__init__()
        self.num_patches = (image_size // patch_size) ** 2
        self.proj = nn.Conv2d(in_channels, dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x):
        x = self.proj(x)
        x = x.flatten(2)
        return x.transpose(1, 2)


class Block(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, dropout=dropout, batch_first=True)
        self.norm2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, mlp_dim), nn.GELU(), nn.Dropout(dropout), nn.Linear(mlp_dim, dim), nn.Dropout(dropout)
        )

    def forward(self, x):
        y = self.norm1(x)
        y, _ = self.attn(y, y, y, need_weights=False)
        x = x + y
        x = x + self.mlp(self.norm2(x))
        return x


class VisionTransformer(nn.Module):
    def __init__(self, in_channels, dropout):
        super().__init__()
        self.patch_embed = PatchEmbedding(in_channels)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, self.patch_embed.num_patches + 1, dim))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([Block(dropout) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)
        nn.init.trunc_normal_(self.cls_token, std=0.02)
        nn.init.trunc_normal_(self.pos_embed, std=0.02)

    def forward(self, x):
        x = self.patch_embed(x)
        cls_tokens = self.cls_token.expand(x.shape[0], -1, -1)
        x = torch.cat((cls_tokens, x), dim=1)
        x = self.dropout(x + self.pos_embed)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.head(x[:, 0])


def compare_with_unfold(model, images):
    patches = F.unfold(images, kernel_size=patch_size, stride=patch_size).transpose(1, 2)
    print("patches", patches.shape)
    proj = model.patch_embed.proj
    tokens = F.linear(patches, proj.weight.flatten(1), proj.bias)
    print("tokens", tokens.shape)
    print(torch.allclose(tokens, model.patch_embed(images), atol=1e-5))


def train(model, loader, optimizer, criterion, epoch):
    model.train()
    total_loss = 0.0
    for i, (images, labels) in enumerate(loader):
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        total_loss += loss.item()
        if epoch == 0 and i % 4 == 0:
            print(f"step {i}: loss {loss.item():.4f}")
    return total_loss / len(loader)


def evaluate(model, loader):
    model.eval()
    correct = 0
    total = 0
    with torch.no_grad():
        for images, labels in loader:
            predicted = model(images).argmax(dim=1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    return correct / total


def run():
    train_loader = DataLoader(TensorDataset(*synthetic_images(1500, 3, image_size, 0.4)), batch_size=50, shuffle=True)
    test_loader = DataLoader(TensorDataset(*synthetic_images(500, 3, image_size, 0.4)), batch_size=100)

    model = VisionTransformer(3, 0.1)
    print(model)
    print("parameters:", sum(p.numel() for p in model.parameters()))
    compare_with_unfold(model, next(iter(test_loader))[0])

    criterion = nn.CrossEntropyLoss()
    optimizer = optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=num_epochs)

    for epoch in range(num_epochs):
        loss = train(model, train_loader, optimizer, criterion, epoch)
        accuracy = evaluate(model, test_loader)
        print(
            f"epoch {epoch + 1}: loss {loss:.4f}, accuracy {accuracy:.3f}, lr {scheduler.get_last_lr()[0]:.6f}"
        )
        scheduler.step()


def main():
    torch.manual_seed(42)
    run()
