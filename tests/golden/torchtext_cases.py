"""Writes tests/golden/torchtext.txt: what torchtext's basic_english and its vocabulary make of hard strings.

    python tests/golden/torchtext_cases.py UTILS     from the root of the tree; UTILS: the file torchtext/data/utils.py
                                                     of the wheel torchtext 0.18 (which runs without torchtext)

A line is a text and its tokens, each in hexadecimal, separated by blanks; after "= vocab" the tokens of
build_vocab_from_iterator (sorted by descending frequency, then by characters) of all texts."""

import collections
import importlib.util
import sys

from tokenizers_cases import END, hard_strings

spec = importlib.util.spec_from_file_location("utils", sys.argv[1])
utils = importlib.util.module_from_spec(spec)
spec.loader.exec_module(utils)
tokenizer = utils.get_tokenizer("basic_english")
texts = ["You can now install TorchText using pip!", "It's \"so\"; a<br />b: (c), D.E? ÄÖ İstanbul", END,
         *hard_strings(7, 80)]  # fmt: skip
counter = collections.Counter()
with open("tests/golden/torchtext.txt", "w") as file:
    for text in texts:
        tokens = tokenizer(text)
        counter.update(tokens)
        file.write(" ".join([(text or " ").encode().hex()] + [token.encode().hex() for token in tokens]) + "\n")
    file.write("= vocab\n")
    for token, _ in sorted(counter.items(), key=lambda item: (-item[1], item[0])):
        file.write(token.encode().hex() + "\n")
