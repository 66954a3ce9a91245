"""examples/pytorch/llms_from_scratch/tokenizer.h in Python."""

import re


class Tokenizer:
    """Any ASCII text: the tokens are the characters, the words of a text with the blank before them, and <|endoftext|>.
    The longest one that fits is taken."""

    def __init__(self, text):
        characters = ["\n"] + [chr(c) for c in range(32, 127)]
        self.words = characters + sorted(set(re.findall(r" [A-Za-z]+", text))) + ["<|endoftext|>"]
        self.n_vocab = len(self.words)
        self.eot_token = self.n_vocab - 1

    def encode(self, text):
        ids = []
        at = 0
        while at < len(text):
            fitting = [i for i, word in enumerate(self.words) if text.startswith(word, at)]
            ids.append(max(fitting, key=lambda i: len(self.words[i])))
            at += len(self.words[ids[-1]])
        return ids

    def decode(self, ids):
        return "".join(self.words[i] for i in ids)
