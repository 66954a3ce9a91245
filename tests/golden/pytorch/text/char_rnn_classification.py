"""The Python side of examples/pytorch/text/char_rnn_classification.c: classifying names with a character-level RNN."""

import random

import torch
import torch.nn as nn

from names import all_categories, category_lines, n_categories

all_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'"
n_letters = len(all_letters)
n_hidden = 128
n_iters = 4000
print_every = 400
learning_rate = 0.005


def letter_to_index(letter):
    return all_letters.find(letter)


def letter_to_tensor(letter):
    tensor = torch.zeros(1, n_letters)
    tensor[0, letter_to_index(letter)] = 1
    return tensor


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li in range(len(line)):
        tensor[li, 0, letter_to_index(line[li])] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size

        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat([input, hidden], 1)
        hidden = self.i2h(combined)
        output = self.i2o(combined)
        output = self.softmax(output)
        return output, hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


def category_from_output(output):
    top_n, top_i = output.topk(1)
    category_i = top_i[0].item()
    return category_i


def random_training_example():
    category_i = random.randint(0, n_categories - 1)
    lines = category_lines[all_categories[category_i]]
    line = lines[random.randint(0, len(lines) - 1)]
    category_tensor = torch.tensor([category_i])
    line_tensor = line_to_tensor(line)
    return category_i, line, category_tensor, line_tensor


def train(rnn, criterion, category_tensor, line_tensor):
    hidden = rnn.init_hidden()

    rnn.zero_grad()

    for i in range(line_tensor.size(0)):
        output, hidden = rnn(line_tensor[i], hidden)

    loss = criterion(output, category_tensor)
    loss.backward()

    for p in rnn.parameters():
        p.data.add_(p.grad, alpha=-learning_rate)

    return output, loss.item()


def train_loop(rnn):
    criterion = nn.NLLLoss()
    current_loss = 0
    for iter in range(1, n_iters + 1):
        category_i, line, category_tensor, line_tensor = random_training_example()
        output, loss = train(rnn, criterion, category_tensor, line_tensor)
        current_loss += loss

        if iter % print_every == 0:
            guess_i = category_from_output(output)
            correct = "right" if guess_i == category_i else f"wrong ({all_categories[category_i]})"
            print(f"{iter} {loss:.4f} {line} / {all_categories[guess_i]} {correct}")
            print(f"average loss {current_loss / print_every:.4f}")
            current_loss = 0


def evaluate(rnn, line_tensor):
    hidden = rnn.init_hidden()

    for i in range(line_tensor.size(0)):
        output, hidden = rnn(line_tensor[i], hidden)

    return output


def confusion_matrix(rnn):
    confusion = torch.zeros(n_categories, n_categories)
    n_confusion = 1000

    with torch.no_grad():
        for i in range(n_confusion):
            category_i, line, category_tensor, line_tensor = random_training_example()
            output = evaluate(rnn, line_tensor)
            guess_i = category_from_output(output)
            confusion[category_i, guess_i] += 1

    for i in range(n_categories):
        confusion[i] = confusion[i] / confusion[i].sum()
    print(confusion)


def predict(rnn, input_line, n_predictions=3):
    print(f"> {input_line}")
    with torch.no_grad():
        output = evaluate(rnn, line_to_tensor(input_line))

        topv, topi = output.topk(n_predictions, 1, True)
        for i in range(n_predictions):
            value = topv[0, i].item()
            category_index = topi[0, i].item()
            print(f"({value:.2f}) {all_categories[category_index]}")


def main():
    random.seed(1)
    torch.manual_seed(1)
    print(letter_to_tensor("J"))
    print(line_to_tensor("Jones").size())
    rnn = RNN(n_letters, n_hidden, n_categories)
    output, next_hidden = rnn(letter_to_tensor("A"), torch.zeros(1, n_hidden))
    print(output)
    print(all_categories[category_from_output(output)])
    train_loop(rnn)
    confusion_matrix(rnn)
    predict(rnn, "Takeshi")
    predict(rnn, "Giuseppe")
    predict(rnn, "Kazimierz")
