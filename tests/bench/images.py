"""Reads a folder of images as RGB with the library, with torchvision and with Pillow in turn, one thread each:

    python3 tests/bench/images.py PROGRAM FOLDER [ROUNDS]       PROGRAM: build/tests/read_images

Prints the medians in seconds and their ratios to the library's."""
import os
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np
import torch
from PIL import Image
from torchvision.io import ImageReadMode, read_image

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
program, folder = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def ours():
    return float(subprocess.run([program, folder], check=True, capture_output=True, text=True).stdout.split()[0])


def timed(read):
    begin = time.perf_counter()
    for path in paths:
        read(path)
    return time.perf_counter() - begin


def pillow(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


times = {"tapegrad": [], "torchvision": [], "Pillow": []}
for _ in range(rounds):
    times["tapegrad"].append(ours())
    times["torchvision"].append(timed(lambda path: read_image(path, ImageReadMode.RGB)))
    times["Pillow"].append(timed(pillow))
base = statistics.median(times["tapegrad"])
for name, values in times.items():
    median = statistics.median(values)
    print(f"{len(paths)} images of {folder}: {name} {median:.3f} s, {median / base:.2f} times tapegrad's")
