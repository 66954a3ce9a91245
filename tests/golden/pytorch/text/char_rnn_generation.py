"""The Python side of examples/pytorch/text/char_rnn_generation.c: generating names with a character-level RNN."""

import random

import torch
import torch.nn as nn

from names import all_categories, category_lines, n_categories

all_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'-"
n_letters = len(all_letters) + 1
n_iters = 3000
print_every = 300
learning_rate = 0.005
max_length = 20


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size

        self.i2h = nn.Linear(n_categories + input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(n_categories + input_size + hidden_size, output_size)
        self.o2o = nn.Linear(hidden_size + output_size, output_size)
        self.dropout = nn.Dropout(0.1)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, category, input, hidden):
        input_combined = torch.cat([category, input, hidden], 1)
        hidden = self.i2h(input_combined)
        output = self.i2o(input_combined)
        output_combined = torch.cat([hidden, output], 1)
        output = self.o2o(output_combined)
        output = self.dropout(output)
        output = self.softmax(output)
        return output, hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


def random_training_pair():
    category = random.randint(0, n_categories - 1)
    lines = category_lines[all_categories[category]]
    line = lines[random.randint(0, len(lines) - 1)]
    return category, line


def category_tensor_of(category):
    tensor = torch.zeros(1, n_categories)
    tensor[0, category] = 1
    return tensor


def input_tensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li in range(len(line)):
        letter = line[li]
        tensor[li, 0, all_letters.find(letter)] = 1
    return tensor


def target_tensor(line):
    letter_indexes = torch.zeros(len(line), dtype=torch.int64)
    for li in range(1, len(line)):
        letter_indexes[li - 1] = all_letters.find(line[li])
    letter_indexes[-1] = n_letters - 1
    return letter_indexes


def train(rnn, criterion, category, line):
    category_tensor = category_tensor_of(category)
    input_line_tensor = input_tensor(line)
    target_line_tensor = target_tensor(line).unsqueeze(-1)
    hidden = rnn.init_hidden()

    rnn.zero_grad()

    loss = torch.zeros(1)
    for i in range(input_line_tensor.size(0)):
        output, hidden = rnn(category_tensor, input_line_tensor[i], hidden)
        loss = loss + criterion(output, target_line_tensor[i])

    loss.backward()

    for p in rnn.parameters():
        p.data.add_(p.grad, alpha=-learning_rate)

    return loss.item() / input_line_tensor.size(0)


def train_loop(rnn):
    criterion = nn.NLLLoss()
    total_loss = 0
    for iter in range(1, n_iters + 1):
        category, line = random_training_pair()
        loss = train(rnn, criterion, category, line)
        total_loss += loss

        if iter % print_every == 0:
            print(f"{iter} {loss:.4f}")
            print(f"average loss {total_loss / print_every:.4f}")
            total_loss = 0


def sample(rnn, category, start_letter):
    output_name = start_letter
    with torch.no_grad():
        category_tensor = category_tensor_of(category)
        input = input_tensor(start_letter)
        hidden = rnn.init_hidden()

        for i in range(max_length):
            output, hidden = rnn(category_tensor, input[0], hidden)
            topv, topi = output.topk(1)
            topi = topi[0, 0].item()
            if topi == n_letters - 1:
                break
            letter = all_letters[topi]
            output_name += letter
            input = input_tensor(letter)

    return output_name


def samples(rnn, category, start_letters):
    for start_letter in start_letters:
        print(sample(rnn, category, start_letter))


def main():
    random.seed(1)
    torch.manual_seed(1)
    print("categories:", n_categories)
    rnn = RNN(n_letters, 128, n_letters)
    train_loop(rnn)
    samples(rnn, 0, "AKS")
    samples(rnn, 1, "GLP")
    samples(rnn, 2, "HTY")
    samples(rnn, 3, "BSZ")
