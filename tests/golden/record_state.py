"""Writes state.txt: what tests/nn/module/test_state_dict.c compares with: the keys of each module's state_dict (the
strings of tests/support/models/state_modules.h), and what load_state_dict says of dicts that do not fit.

    python tests/golden/record_state.py      from the root of the tree; needs torch

make check never runs this."""

import os
import re

import torch
import torch.nn as nn

HERE = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(HERE, "..", "support", "models", "state_modules.h")).read()
strings = dict.fromkeys(re.findall(r'X\("(nn\.[^"]*)"', source))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(1))
        self.fc = nn.Linear(3, 2)
        self.bn = nn.BatchNorm1d(2)
        self.none = None
        self.emb = nn.Embedding(4, 3)
        self.register_buffer("mask", torch.ones(2), persistent=False)
        self.slope = nn.Parameter(torch.tensor(0.5))
        self.again = self.fc


ones = torch.ones
EDITS = {  # the same as in tests/nn/module/test_state_dict.c: what is taken out of Net's state dict, and what is put in
    "fits": ((), {}),
    "nothing is there": (None, {}),
    "all kinds of mistakes": (
        ("fc.bias", "emb.weight"),
        {"x": ones(1), "y.z": ones(2), "fc.weight": ones(2, 4), "bn.foo": ones(1), "fc.weight.extra": ones(1)},
    ),
    "two shapes": ((), {"fc.weight": ones(3, 2), "bn.running_mean": ones(())}),
    "one for none": ((), {"slope": ones(1), "bn.num_batches_tracked": ones(1)}),
    "no count of batches": (("bn.num_batches_tracked",), {}),
    "not persistent": ((), {"mask": ones(2)}),
    "deep names": (
        (),
        {"none.q": ones(1), "fc.q": ones(1), "z": ones(1), "fc": ones(1), "fcc.weight": ones(1), "fc.": ones(1)},
    ),
    "a text": ((), {"fc.weight": "words"}),
}

with open(os.path.join(HERE, "state.txt"), "w") as file:
    for text in strings:
        file.write(f"= {text}\n")
        for key, x in eval(text).state_dict().items():
            file.write(f"{key} {x.dtype} {tuple(x.shape)}\n".replace(",)", ")"))
    file.write("= Net\n" + "".join(key + "\n" for key in Net().state_dict()))
    file.write("= Net with a prefix\n" + "".join(key + "\n" for key in Net().state_dict(prefix="a.b.")))
    for name, (out, put) in EDITS.items():
        net = Net()
        state = {} if out is None else {key: x for key, x in net.state_dict().items() if key not in out}
        state.update(put)
        for strict in (True, False):
            file.write(f"= {name}, strict={strict}\n")
            try:
                keys = net.load_state_dict(state, strict=strict)
                file.write(f"missing {' '.join(keys.missing_keys)}\nunexpected {' '.join(keys.unexpected_keys)}\n")
            except RuntimeError as error:
                file.write(f"{error}\n")
print(f"state.txt: {len(strings)} modules, {len(EDITS)} dicts")
