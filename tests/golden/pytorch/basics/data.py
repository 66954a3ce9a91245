"""The Python side of examples/pytorch/basics/data.c: Learn the basics, datasets and data loaders."""

import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from synthetic_images import synthetic_images

labels_map = ["T-Shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle Boot"]


class FashionMNIST(Dataset):
    def __init__(self, n):
        self.images, self.labels = synthetic_images(n, 1, 28, 0.2)

    def __len__(self):
        return self.labels.size(0)

    def __getitem__(self, index):
        image = self.images[index]
        label = self.labels[index]
        return image, label


class CustomImageDataset(Dataset):
    def __init__(self, annotations_file, img_dir, transform=None, target_transform=None):
        file = open(annotations_file)
        self.img_labels = [line.split(",") for line in file]
        file.close()
        self.img_dir = img_dir
        self.transform = transform
        self.target_transform = target_transform

    def __len__(self):
        return len(self.img_labels)

    def __getitem__(self, idx):
        img_path = os.path.join(self.img_dir, self.img_labels[idx][0])
        image = torch.from_numpy(np.load(img_path))
        label = torch.tensor(int(self.img_labels[idx][1]))
        if self.transform:
            image = self.transform(image)
        if self.target_transform:
            label = self.target_transform(label)
        return image, label


def write_images(dataset, img_dir, annotations_file):
    file = open(annotations_file, "w")
    for i in range(20):
        img, label = dataset[i]
        np.save(f"{img_dir}/img{i}.npy", img.numpy())
        file.write(f"img{i}.npy,{label.item()}\n")
    file.close()


def invert(image):
    return 1 - image


def is_shoe(label):
    return (label == 5) | (label == 7) | (label == 9)


def show_dataset(training_data):
    for _ in range(1, 10):
        sample_idx = torch.randint(len(training_data), (1,)).item()
        img, label = training_data[sample_idx]
        print(f"{sample_idx:3d} {labels_map[label]:10} {img.mean():.4f}")


def show_custom_dataset(img_dir, annotations_file):
    dataset = CustomImageDataset(annotations_file, img_dir, transform=invert, target_transform=is_shoe)
    print("images:", len(dataset))
    loader = DataLoader(dataset, batch_size=8)
    for images, shoes in loader:
        print(images.size(), f"{images.mean():.4f}", shoes)


def iterate(training_data, test_data):
    train_dataloader = DataLoader(training_data, batch_size=64, shuffle=True)
    test_dataloader = DataLoader(test_data, batch_size=64, shuffle=True)
    print("batches:", len(train_dataloader), len(test_dataloader))

    train_features, train_labels = next(iter(train_dataloader))
    print(f"features of a batch: {train_features.size()}")
    print(f"labels of a batch: {train_labels.size()}")
    img = train_features[0].squeeze()
    label = train_labels[0].item()
    print(img[::9, ::9])
    print(f"label: {label}")


def main():
    torch.manual_seed(0)
    training_data = FashionMNIST(640)
    test_data = FashionMNIST(160)
    show_dataset(training_data)
    with tempfile.TemporaryDirectory() as folder:
        write_images(training_data, folder, folder + "/labels.csv")
        show_custom_dataset(folder, folder + "/labels.csv")
    iterate(training_data, test_data)
