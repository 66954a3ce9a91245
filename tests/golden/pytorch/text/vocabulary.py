"""examples/pytorch/text/vocabulary.h in Python."""

import torch


def vocabulary_add(word_to_ix, word):
    if word not in word_to_ix:
        word_to_ix[word] = len(word_to_ix)


def prepare_sequence(seq, to_ix):
    idxs = [to_ix[w] for w in seq]
    return torch.tensor(idxs, dtype=torch.long)
