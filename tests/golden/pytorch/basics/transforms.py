"""The Python side of examples/pytorch/basics/transforms.c: Learn the basics, transforms."""

import torch
from torch.utils.data import DataLoader, Dataset


def to_tensor(image):
    return image.permute(2, 0, 1).float() / 255


def one_hot(y):
    return torch.zeros(10, dtype=torch.float).scatter_(0, y, 1)


class Pictures(Dataset):
    def __init__(self, n, transform, target_transform):
        self.pictures = torch.randint(0, 256, (n, 28, 28, 1))
        self.targets = torch.randint(0, 10, (n, 1))
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self):
        return self.targets.size(0)

    def __getitem__(self, index):
        image = self.transform(self.pictures[index])
        label = self.target_transform(self.targets[index])
        return image, label


def show_transforms():
    ds = Pictures(6, transform=to_tensor, target_transform=one_hot)
    image, label = ds[0]
    print(image.shape, image.dtype)
    print(f"from {image.min():.4f} to {image.max():.4f}")
    print(ds.targets[0], label)
    for images, labels in DataLoader(ds, batch_size=3):
        print(images.shape, f"{images.mean():.4f}")
        print(labels)


def main():
    torch.manual_seed(0)
    show_transforms()
