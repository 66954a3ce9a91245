"""Writes modules_repr.txt: how PyTorch prints the modules that tests/nn/test_activation_modules.c names.

    python tests/golden/record_modules.py      from the root of the tree; needs torch

Every text "nn.X(...)" of that file is a case. make check never runs this."""

import os
import re

import torch
import torch.nn as nn

HERE = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(HERE, "..", "nn", "test_activation_modules.c")).read()
texts = dict.fromkeys(re.findall(r'"(nn\.\w+\([^"]*\))"', source))
with open(os.path.join(HERE, "modules_repr.txt"), "w") as file:
    for text in texts:
        file.write(f"= {text}\n{eval(text, {'nn': nn, 'torch': torch})!r}\n")
print(f"modules_repr.txt: {len(texts)} modules")
