"""The Python side of examples/pytorch/training/tensorboard.c: a linear regression whose losses, weights, pictures,
hyperparameters and graph TensorBoard shows."""

import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter


def train_model(epochs, model, optimizer, x, y, writer):
    criterion = nn.MSELoss()
    last = 0
    for epoch in range(epochs):
        loss = criterion(model(x), y)
        writer.add_scalar("Loss/train", loss, epoch)
        writer.add_histogram("residuals", model(x) - y, epoch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.2f}")
        last = loss.item()
    return last


def main():
    torch.manual_seed(0)
    x = torch.arange(-5, 5, 0.1).view(-1, 1)
    y = -5 * x + 0.1 * torch.randn(x.size())
    for lr in (0.1, 0.03):
        log_dir = f"build/runs/lr{lr}"
        writer = SummaryWriter(log_dir, flush_secs=10)
        model = nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        loss = train_model(10, model, optimizer, x, y, writer)
        writer.add_graph(model, x)
        writer.add_text("model", "a **line** through 100 points")
        writer.add_image("points", y.view(10, 10) / 50 + 0.5, 0, dataformats="HW")
        writer.add_pr_curve("above zero", y > 0, torch.sigmoid(model(x)), 0)
        writer.add_hparams({"lr": lr}, {"hparam/loss": loss}, run_name="hparams")
        writer.flush()
        writer.close()
