"""The Python side of examples/pytorch/training/time_sequence_prediction.c: sine waves, two LSTM cells, LBFGS (of
PyTorch's examples)."""

import torch
import torch.nn as nn
import torch.optim as optim

T = 20
L = 100
N = 20
HIDDEN = 51
STEPS = 4
FUTURE = 100


def generate_sine_wave():
    x = torch.arange(L) + torch.randint(-4 * T, 4 * T, (N,)).reshape(N, 1)
    data = torch.sin(x.double() / T)
    return data


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, HIDDEN)
        self.lstm2 = nn.LSTMCell(HIDDEN, HIDDEN)
        self.linear = nn.Linear(HIDDEN, 1)

    def forward(self, input, future):
        outputs = []
        h_t = torch.zeros(input.size(0), HIDDEN, dtype=torch.double)
        c_t = torch.zeros(input.size(0), HIDDEN, dtype=torch.double)
        h_t2 = torch.zeros(input.size(0), HIDDEN, dtype=torch.double)
        c_t2 = torch.zeros(input.size(0), HIDDEN, dtype=torch.double)

        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs.append(output)

        for i in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs.append(output)
        outputs = torch.cat(outputs, dim=1)
        return outputs


class Problem:
    def __init__(self, data):
        self.input = data[3:, :-1]
        self.target = data[3:, 1:]
        self.seq = Sequence().double()
        self.criterion = nn.MSELoss()
        self.optimizer = optim.LBFGS(self.seq.parameters(), lr=0.8)
        self.calls = 0

    def closure(self):
        self.optimizer.zero_grad()
        out = self.seq(self.input, 0)
        loss = self.criterion(out, self.target)
        if self.calls % 10 == 0:
            print(f"loss: {loss.item():.8f}")
        self.calls += 1
        loss.backward()
        return loss


def train():
    data = generate_sine_wave()
    test_input = data[:3, :-1]
    test_target = data[:3, 1:]
    problem = Problem(data)
    for i in range(STEPS):
        print(f"STEP: {i}")
        problem.optimizer.step(problem.closure)
        with torch.no_grad():
            pred = problem.seq(test_input, FUTURE)
            loss = problem.criterion(pred[:, :-FUTURE], test_target)
            print(f"test loss: {loss.item():.8f}")
            print(f"predicted: {pred[0, -1].item():.6f} {pred[1, -1].item():.6f} {pred[2, -1].item():.6f}")


def main():
    torch.manual_seed(2)
    train()
