"""The Python side of examples/pytorch/text/sequence_models.c: sequence models and LSTM networks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from vocabulary import prepare_sequence, vocabulary_add

EMBEDDING_DIM = 6
HIDDEN_DIM = 6

training_data = [
    ("the cat chased a mouse".split(), "DET NN V DET NN".split()),
    ("everybody saw that film".split(), "NN V DET NN".split()),
    ("a mouse saw the cat".split(), "DET NN V DET NN".split()),
]
N_SENTENCES = len(training_data)


def lstm_steps():
    lstm = nn.LSTM(3, 3)
    inputs = []
    for _ in range(5):
        inputs.append(torch.randn(1, 3))

    h = torch.randn(1, 1, 3)
    c = torch.randn(1, 1, 3)
    for i in inputs:
        out, (h, c) = lstm(i.view(1, 1, -1), (h, c))

    inputs = torch.cat(inputs).view(len(inputs), 1, -1)
    h = torch.randn(1, 1, 3)
    c = torch.randn(1, 1, 3)
    out, (h, c) = lstm(inputs, (h, c))
    print(out)
    print(h, c)


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim, vocab_size, tagset_size):
        super().__init__()
        self.hidden_dim = hidden_dim

        self.word_embeddings = nn.Embedding(vocab_size, embedding_dim)

        self.lstm = nn.LSTM(embedding_dim, hidden_dim)

        self.hidden2tag = nn.Linear(hidden_dim, tagset_size)

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))
        tag_space = self.hidden2tag(lstm_out.view(len(sentence), -1))
        tag_scores = F.log_softmax(tag_space, dim=1)
        return tag_scores


def train_tagger():
    word_to_ix = {}
    tag_to_ix = {}
    for i in range(N_SENTENCES):
        sentence, tags = training_data[i]
        for word in sentence:
            vocabulary_add(word_to_ix, word)
        for tag in tags:
            vocabulary_add(tag_to_ix, tag)
    print("words:", len(word_to_ix), "tags:", len(tag_to_ix))

    model = LSTMTagger(EMBEDDING_DIM, HIDDEN_DIM, len(word_to_ix), len(tag_to_ix))
    loss_function = nn.NLLLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.1)

    with torch.no_grad():
        inputs = prepare_sequence(training_data[0][0], word_to_ix)
        tag_scores = model(inputs)
        print(tag_scores)

    for epoch in range(300):
        total_loss = 0
        for i in range(N_SENTENCES):
            sentence, tags = training_data[i]
            model.zero_grad()

            sentence_in = prepare_sequence(sentence, word_to_ix)
            targets = prepare_sequence(tags, tag_to_ix)

            tag_scores = model(sentence_in)

            loss = loss_function(tag_scores, targets)
            loss.backward()
            optimizer.step()
            total_loss += loss.item()
        if epoch % 50 == 49:
            print(f"epoch {epoch + 1}: {total_loss:.4f}")

    with torch.no_grad():
        inputs = prepare_sequence(training_data[0][0], word_to_ix)
        tag_scores = model(inputs)
        print(tag_scores)
        print(tag_scores.argmax(1))


def main():
    torch.manual_seed(1)
    lstm_steps()
    train_tagger()
