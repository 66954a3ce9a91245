"""The Python side of examples/pytorch/text/word_embeddings.c: word embeddings."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from vocabulary import prepare_sequence, vocabulary_add

CONTEXT_SIZE = 2
EMBEDDING_DIM = 10

text = """the river runs past the old mill and the mill turns slowly when the river runs low .
in winter the river freezes and the old mill stands still under the snow .
in spring the snow melts , the river rises , and the mill turns fast again .
the miller listens to the river and the river listens to no one .""".split()


def two_words():
    word_to_ix = {}
    vocabulary_add(word_to_ix, "hello")
    vocabulary_add(word_to_ix, "world")
    embeds = nn.Embedding(2, 5)
    lookup_tensor = torch.tensor([word_to_ix["hello"]], dtype=torch.long)
    hello_embed = embeds(lookup_tensor)
    print(hello_embed)


class NGramLanguageModeler(nn.Module):
    def __init__(self, vocab_size, embedding_dim, context_size):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.linear1 = nn.Linear(context_size * embedding_dim, 128)
        self.linear2 = nn.Linear(128, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).view(1, -1)
        out = F.relu(self.linear1(embeds))
        out = self.linear2(out)
        log_probs = F.log_softmax(out, dim=1)
        return log_probs


def train_ngrams(word_to_ix):
    loss_function = nn.NLLLoss()
    model = NGramLanguageModeler(len(word_to_ix), EMBEDDING_DIM, CONTEXT_SIZE)
    optimizer = optim.SGD(model.parameters(), lr=0.01)

    for epoch in range(30):
        total_loss = 0
        for i in range(CONTEXT_SIZE, len(text)):
            context_idxs = prepare_sequence(text[i - CONTEXT_SIZE : i], word_to_ix)
            target = prepare_sequence(text[i : i + 1], word_to_ix)

            model.zero_grad()

            log_probs = model(context_idxs)

            loss = loss_function(log_probs, target)

            loss.backward()
            optimizer.step()

            total_loss += loss.item()
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1}: {total_loss:.3f}")

    print(model.embeddings.weight[word_to_ix["river"]])


class CBOW(nn.Module):
    def __init__(self, vocab_size, embedding_dim):
        super().__init__()
        self.embeddings = nn.Embedding(vocab_size, embedding_dim)
        self.linear = nn.Linear(embedding_dim, vocab_size)

    def forward(self, inputs):
        embeds = self.embeddings(inputs).sum(0, keepdim=True)
        out = self.linear(embeds)
        log_probs = F.log_softmax(out, dim=1)
        return log_probs


def make_context_vector(i, word_to_ix):
    context = torch.zeros(4, dtype=torch.long)
    for j in range(2):
        context[j] = word_to_ix[text[i - 2 + j]]
        context[2 + j] = word_to_ix[text[i + 1 + j]]
    return context


def train_cbow(word_to_ix):
    loss_function = nn.NLLLoss()
    model = CBOW(len(word_to_ix), EMBEDDING_DIM)
    optimizer = optim.SGD(model.parameters(), lr=0.01)

    for epoch in range(60):
        total_loss = 0
        for i in range(2, len(text) - 2):
            context_vector = make_context_vector(i, word_to_ix)
            target = prepare_sequence(text[i : i + 1], word_to_ix)
            optimizer.zero_grad()
            log_probs = model(context_vector)
            loss = loss_function(log_probs, target)
            loss.backward()
            optimizer.step()
            total_loss += loss.item()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: {total_loss:.3f}")

    words = list(word_to_ix.keys())
    with torch.no_grad():
        for i in range(2, 10):
            log_probs = model(make_context_vector(i, word_to_ix))
            guess = log_probs.argmax(1).item()
            print(f"{text[i - 2]} {text[i - 1]} [{words[guess]}] {text[i + 1]} {text[i + 2]}")


def main():
    torch.manual_seed(1)
    two_words()
    word_to_ix = {}
    for word in text:
        vocabulary_add(word_to_ix, word)
    print("words:", len(text), "different ones:", len(word_to_ix))
    train_ngrams(word_to_ix)
    train_cbow(word_to_ix)
