"""The Python side of examples/pytorch/images/transfer_learning.c: the transfer learning tutorial, with a narrow
ResNet-18 that the program pretrains itself, and images that it makes."""

import os
from tempfile import TemporaryDirectory

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

image_size = 32
class_names = ["odd", "even"]


class BasicBlock(nn.Module):
    def __init__(self, in_planes, planes, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(in_planes, planes, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, kernel_size=3, stride=1, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = None
        if stride != 1 or in_planes != planes:
            self.downsample = nn.Sequential(
                nn.Conv2d(in_planes, planes, kernel_size=1, stride=stride, bias=False), nn.BatchNorm2d(planes)
            )

    def forward(self, x):
        identity = x

        out = self.conv1(x)
        out = self.bn1(out)
        out = self.relu(out)

        out = self.conv2(out)
        out = self.bn2(out)

        if self.downsample is not None:
            identity = self.downsample(x)

        out += identity
        out = self.relu(out)

        return out


def make_layer(in_planes, planes, stride):
    return nn.Sequential(BasicBlock(in_planes, planes, stride), BasicBlock(planes, planes, 1))


class ResNet(nn.Module):
    def __init__(self, width, num_classes):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = make_layer(width, width, 1)
        self.layer2 = make_layer(width, 2 * width, 2)
        self.layer3 = make_layer(2 * width, 4 * width, 2)
        self.layer4 = make_layer(4 * width, 8 * width, 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(8 * width, num_classes)

        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.conv1(x)
        x = self.bn1(x)
        x = self.relu(x)
        x = self.maxpool(x)

        x = self.layer1(x)
        x = self.layer2(x)
        x = self.layer3(x)
        x = self.layer4(x)

        x = self.avgpool(x)
        x = torch.flatten(x, 1)
        x = self.fc(x)

        return x


def resnet18(num_classes):
    return ResNet(16, num_classes)


def pretrain():
    model = resnet18(num_classes=10)
    images, labels = synthetic_images(800, 3, image_size, 0.4)
    loader = DataLoader(TensorDataset((images - 0.5) / 0.25, labels), batch_size=32, shuffle=True)
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
    model.train()
    for i, (inputs, labels) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(inputs), labels)
        loss.backward()
        optimizer.step()
        if i % 3 == 0:
            print(f"pretraining {i}: loss {loss.item():.4f}")
    return model.state_dict()


def make_dataset(n):
    images, labels = synthetic_images(n, 3, image_size, 0.4)
    return TensorDataset((images.transpose(2, 3) - 0.5) / 0.25, labels % 2)


def train_model(model, criterion, optimizer, scheduler, image_datasets, num_epochs):
    dataloaders = {x: DataLoader(image_datasets[x], batch_size=16, shuffle=True) for x in ["train", "val"]}
    dataset_sizes = {x: len(image_datasets[x]) for x in ["train", "val"]}

    with TemporaryDirectory() as tempdir:
        best_model_params_path = os.path.join(tempdir, "best_model_params.pt")

        torch.save(model.state_dict(), best_model_params_path)
        best_acc = 0.0

        for epoch in range(num_epochs):
            print(f"Epoch {epoch}/{num_epochs - 1}")
            print("-" * 10)

            for phase in ["train", "val"]:
                if phase == "train":
                    model.train()
                else:
                    model.eval()

                running_loss = 0.0
                running_corrects = 0

                for inputs, labels in dataloaders[phase]:
                    optimizer.zero_grad()

                    with torch.set_grad_enabled(phase == "train"):
                        outputs = model(inputs)
                        _, preds = torch.max(outputs, 1)
                        loss = criterion(outputs, labels)

                        if phase == "train":
                            loss.backward()
                            optimizer.step()

                    running_loss += loss.item() * inputs.size(0)
                    running_corrects += torch.sum(preds == labels).item()
                if phase == "train":
                    scheduler.step()

                epoch_loss = running_loss / dataset_sizes[phase]
                epoch_acc = running_corrects / dataset_sizes[phase]

                print(f"{phase} Loss: {epoch_loss:.4f} Acc: {epoch_acc:.4f}")

                if phase == "val" and epoch_acc > best_acc:
                    best_acc = epoch_acc
                    torch.save(model.state_dict(), best_model_params_path)

        print(f"Best val Acc: {best_acc:.4f}")

        model.load_state_dict(torch.load(best_model_params_path, weights_only=True))
    return model


def show_predictions(model, image_datasets, num_images):
    was_training = model.training
    model.eval()
    images_so_far = 0

    with torch.no_grad():
        for inputs, labels in DataLoader(image_datasets["val"], batch_size=4):
            outputs = model(inputs)
            _, preds = torch.max(outputs, 1)

            for j in range(inputs.size(0)):
                images_so_far += 1
                print(f"predicted: {class_names[preds[j].item()]}")

                if images_so_far == num_images:
                    model.train(mode=was_training)
                    return
        model.train(mode=was_training)


def finetuning(weights, image_datasets):
    model_ft = resnet18(num_classes=10)
    model_ft.load_state_dict(weights)
    num_ftrs = model_ft.fc.in_features
    model_ft.fc = nn.Linear(num_ftrs, 2)

    criterion = nn.CrossEntropyLoss()

    optimizer_ft = optim.SGD(model_ft.parameters(), lr=0.002, momentum=0.9)

    exp_lr_scheduler = lr_scheduler.StepLR(optimizer_ft, step_size=3, gamma=0.1)

    model_ft = train_model(model_ft, criterion, optimizer_ft, exp_lr_scheduler, image_datasets, num_epochs=5)
    show_predictions(model_ft, image_datasets, 6)


def fixed_feature_extractor(weights, image_datasets):
    model_conv = resnet18(num_classes=10)
    model_conv.load_state_dict(weights)
    for param in model_conv.parameters():
        param.requires_grad = False

    num_ftrs = model_conv.fc.in_features
    model_conv.fc = nn.Linear(num_ftrs, 2)
    print(f"{sum(p.numel() for p in model_conv.parameters() if p.requires_grad)} parameters are trained")

    criterion = nn.CrossEntropyLoss()

    optimizer_conv = optim.SGD(model_conv.fc.parameters(), lr=0.01, momentum=0.9)

    exp_lr_scheduler = lr_scheduler.StepLR(optimizer_conv, step_size=3, gamma=0.1)

    train_model(model_conv, criterion, optimizer_conv, exp_lr_scheduler, image_datasets, num_epochs=5)


def run():
    weights = pretrain()
    image_datasets = {"train": make_dataset(240), "val": make_dataset(150)}
    finetuning(weights, image_datasets)
    fixed_feature_extractor(weights, image_datasets)


def main():
    torch.manual_seed(0)
    run()
