"""The Python side of examples/pytorch/learning/what_is_nn.c: What is torch.nn really?"""

import math

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images

bs = 64
lr = 0.05
epochs = 2
n = 5000


def digits(count):
    images, labels = synthetic_images(count, 1, 28, 0.4)
    return images.view(-1, 784), labels


def log_softmax(x):
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def nll(input, target):
    return -input[torch.arange(target.shape[0]), target].mean()


def accuracy(out, yb):
    preds = torch.argmax(out, dim=1)
    return (preds == yb).float().mean()


def from_scratch(x_train, y_train):
    weights = torch.randn(784, 10) / math.sqrt(784)
    weights.requires_grad_()
    bias = torch.zeros(10, requires_grad=True)

    xb = x_train[0:bs]
    yb = y_train[0:bs]
    preds = log_softmax(xb @ weights + bias)
    print(preds[0], preds.shape)
    print(nll(preds, yb))
    print(accuracy(preds, yb))

    for epoch in range(epochs):
        for i in range((n - 1) // bs + 1):
            start_i = i * bs
            end_i = start_i + bs
            xb = x_train[start_i:end_i]
            yb = y_train[start_i:end_i]
            pred = log_softmax(xb @ weights + bias)
            loss = nll(pred, yb)

            loss.backward()
            with torch.no_grad():
                weights -= weights.grad * lr
                bias -= bias.grad * lr
                weights.grad.zero_()
                bias.grad.zero_()

    xb = x_train[0:bs]
    yb = y_train[0:bs]
    pred = log_softmax(xb @ weights + bias)
    print(nll(pred, yb), accuracy(pred, yb))
    pred = xb @ weights + bias
    print(F.cross_entropy(pred, yb), accuracy(pred, yb))


class MnistLogistic(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.Parameter(torch.randn(784, 10) / math.sqrt(784))
        self.bias = nn.Parameter(torch.zeros(10))

    def forward(self, xb):
        return xb @ self.weights + self.bias


class MnistLinear(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(784, 10)

    def forward(self, xb):
        return self.lin(xb)


def fit_by_hand(model, x_train, y_train):
    for epoch in range(epochs):
        for i in range((n - 1) // bs + 1):
            start_i = i * bs
            end_i = start_i + bs
            xb = x_train[start_i:end_i]
            yb = y_train[start_i:end_i]
            pred = model(xb)
            loss = F.cross_entropy(pred, yb)

            loss.backward()
            with torch.no_grad():
                for p in model.parameters():
                    p -= p.grad * lr
                model.zero_grad()


def refactor_modules(x_train, y_train):
    xb = x_train[0:bs]
    yb = y_train[0:bs]

    logistic = MnistLogistic()
    print(F.cross_entropy(logistic(xb), yb))
    fit_by_hand(logistic, x_train, y_train)
    print(F.cross_entropy(logistic(xb), yb))

    linear = MnistLinear()
    print(F.cross_entropy(linear(xb), yb))
    fit_by_hand(linear, x_train, y_train)
    print(F.cross_entropy(linear(xb), yb))


def get_model():
    model = MnistLinear()
    opt = optim.SGD(model.parameters(), lr=lr)
    return model, opt


def refactor_optim(x_train, y_train):
    model, opt = get_model()
    train_ds = TensorDataset(x_train, y_train)
    train_dl = DataLoader(train_ds, batch_size=bs)
    for epoch in range(epochs):
        for xb, yb in train_dl:
            pred = model(xb)
            loss = F.cross_entropy(pred, yb)

            loss.backward()
            opt.step()
            opt.zero_grad()
    print(F.cross_entropy(model(x_train[0:bs]), y_train[0:bs]))


def loss_batch(model, xb, yb, opt=None):
    loss = F.cross_entropy(model(xb), yb)

    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()

    return loss.item(), len(xb)


def fit(epochs, model, opt, train_dl, valid_dl):
    for epoch in range(epochs):
        model.train()
        for xb, yb in train_dl:
            loss_batch(model, xb, yb, opt)

        model.eval()
        total = 0
        nums = 0
        with torch.no_grad():
            for xb, yb in valid_dl:
                loss, num = loss_batch(model, xb, yb)
                total += loss * num
                nums += num
        val_loss = total / nums
        print(f"{epoch} {val_loss:.4f}")


def get_data(train_ds, valid_ds, bs, collate_fn=None):
    train_dl = DataLoader(train_ds, batch_size=bs, shuffle=True, collate_fn=collate_fn)
    valid_dl = DataLoader(valid_ds, batch_size=bs * 2, collate_fn=collate_fn)
    return train_dl, valid_dl


class MnistCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1)
        self.conv2 = nn.Conv2d(16, 16, kernel_size=3, stride=2, padding=1)
        self.conv3 = nn.Conv2d(16, 10, kernel_size=3, stride=2, padding=1)

    def forward(self, xb):
        xb = xb.view(-1, 1, 28, 28)
        xb = F.relu(self.conv1(xb))
        xb = F.relu(self.conv2(xb))
        xb = F.relu(self.conv3(xb))
        xb = F.avg_pool2d(xb, 4)
        return xb.view(-1, xb.size(1))


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


def preprocess(samples):
    xs, ys = [x for x, y in samples], [y for x, y in samples]
    x = torch.stack(xs).view(-1, 1, 28, 28)
    y = torch.stack(ys)
    return x, y


def flatten(x):
    return x.view(x.size(0), -1)


def refactor_data(x_train, y_train, x_valid, y_valid):
    train_ds = TensorDataset(x_train, y_train)
    valid_ds = TensorDataset(x_valid, y_valid)

    train_dl, valid_dl = get_data(train_ds, valid_ds, bs)
    linear, opt = get_model()
    fit(epochs, linear, opt, train_dl, valid_dl)

    cnn = MnistCNN()
    opt = optim.SGD(cnn.parameters(), lr=2 * lr, momentum=0.9)
    fit(epochs, cnn, opt, train_dl, valid_dl)

    train_dl, valid_dl = get_data(train_ds, valid_ds, bs, preprocess)
    model = nn.Sequential(
        nn.Conv2d(1, 16, kernel_size=3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, kernel_size=3, stride=2, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 10, kernel_size=3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        Lambda(flatten),
    )
    opt = optim.SGD(model.parameters(), lr=2 * lr, momentum=0.9)
    fit(epochs, model, opt, train_dl, valid_dl)


def main():
    torch.manual_seed(0)
    x_train, y_train = digits(n)
    x_valid, y_valid = digits(1000)
    print(x_train.shape, y_train.min(), y_train.max())
    from_scratch(x_train, y_train)
    refactor_modules(x_train, y_train)
    refactor_optim(x_train, y_train)
    refactor_data(x_train, y_train, x_valid, y_valid)
