"""Writes modules_repr.txt: how PyTorch prints the modules that tests/nn/modules/test_activation_modules.c and
test_containers.c name.

    python tests/golden/record_modules.py      from the root of the tree; needs torch

Every text "nn.X(...)" of these files is a case. make check never runs this."""

import os
import re

import torch
import torch.nn as nn

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ["modules/test_activation_modules.c", "module/test_containers.c"]
source = "".join(open(os.path.join(HERE, "..", "nn", name)).read() for name in FILES)
texts = dict.fromkeys(re.findall(r'"(nn\.\w+\([^"]*\))"', source))
with open(os.path.join(HERE, "modules_repr.txt"), "w") as file:
    for text in texts:
        file.write(f"= {text}\n{eval(text, {'nn': nn, 'torch': torch})!r}\n")
print(f"modules_repr.txt: {len(texts)} modules")
