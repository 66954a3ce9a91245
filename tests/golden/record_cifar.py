"""Writes files/cifar_2.pkl to cifar_5.pkl: a CIFAR-10 batch of one image, pickled by Python 3 in those protocols.

    python tests/golden/record_cifar.py      from the root of the tree; needs numpy

make check never runs this."""

import os
import pickle

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
data = np.where(np.arange(3072) % 2, 200, 7).astype(np.uint8).reshape(1, 3072)
batch = {"batch_label": "training batch 1 of 1", "labels": [6], "data": data, "filenames": ["a.png"]}
for protocol in range(2, 6):
    with open(os.path.join(HERE, "files", f"cifar_{protocol}.pkl"), "wb") as file:
        pickle.dump(batch, file, protocol)
