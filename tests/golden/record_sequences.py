"""Writes the losses of PyTorch's two classic sequence tutorials, in small, into sequences.txt for
tests/nn/test_sequences.c.

    python record_sequences.py     needs torch >= 2.7; make check never runs it

names: a recurrent network written by hand, which tells the language of a name from its letters, for 10 steps. tagger:
an embedding, an nn.LSTM and a linear layer, which tag the words of two sentences, for 10 epochs of SGD."""

import os

import torch
import torch.nn.functional as F
from torch import nn, optim

from record_models import HERE, write_all

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,;'"
NAMES = [("Abel", 0), ("Satoshi", 1), ("O'Neal", 2), ("Yamada", 1), ("Jones", 2)]
SENTENCES = [
    ("The dog ate the apple".split(), ["DET", "NN", "V", "DET", "NN"]),
    ("Everybody read that book".split(), ["NN", "V", "DET", "NN"]),
]
TAGS = {"DET": 0, "NN": 1, "V": 2}


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)

    def forward(self, letter, hidden):
        combined = torch.cat((letter, hidden), 1)
        return F.log_softmax(self.i2o(combined), dim=1), self.i2h(combined)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(LETTERS))
    for i, letter in enumerate(line):
        tensor[i][0][LETTERS.index(letter)] = 1
    return tensor


def names(file):
    torch.manual_seed(0)
    rnn, losses = RNN(len(LETTERS), 128, 3), []
    for step in range(10):
        line, category = NAMES[step % len(NAMES)]
        hidden = torch.zeros(1, rnn.hidden_size)
        rnn.zero_grad()
        for letter in line_to_tensor(line):
            output, hidden = rnn(letter, hidden)
        loss = F.nll_loss(output, torch.tensor([category]))
        loss.backward()
        with torch.no_grad():
            for p in rnn.parameters():
                p.add_(p.grad, alpha=-0.005)
        losses.append(loss.detach())
    write_all(file, "losses", torch.stack(losses))


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim)
        self.hidden2tag = nn.Linear(hidden_dim, tagset_size)

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))
        return F.log_softmax(self.hidden2tag(lstm_out.view(len(sentence), -1)), dim=1)


def tagger(file):
    word_to_ix = {}
    for sentence, _ in SENTENCES:
        for word in sentence:
            word_to_ix.setdefault(word, len(word_to_ix))
    torch.manual_seed(1)
    model, losses = LSTMTagger(6, 6, len(word_to_ix), len(TAGS)), []
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(10):
        for sentence, tags in SENTENCES:
            model.zero_grad()
            scores = model(torch.tensor([word_to_ix[word] for word in sentence]))
            loss = F.nll_loss(scores, torch.tensor([TAGS[tag] for tag in tags]))
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
    write_all(file, "losses", torch.stack(losses))
    with torch.no_grad():
        write_all(file, "scores", model(torch.tensor([word_to_ix[word] for word in SENTENCES[0][0]])))


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "sequences.txt"), "w") as file:
        for key, run in (("names", names), ("tagger", tagger)):
            file.write(f"= {key}\n")
            run(file)


if __name__ == "__main__":
    main()
