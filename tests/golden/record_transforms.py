"""Writes vision_transforms.txt: what torchvision 0.29's transforms and functions make of PIL images and of tensors.

    python tests/golden/record_transforms.py      from the root of the tree; needs torch, torchvision, Pillow

Every text X("...", ...) or F("...", ...) of tests/vision/test_transforms.c is a case. make check never runs this."""

import os
import random
import re
import warnings

import numpy as np
import torch
from PIL import Image
from torchvision import transforms
from torchvision.transforms import InterpolationMode  # the cases name it

warnings.filterwarnings("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
source = open(os.path.join(HERE, "..", "vision", "test_transforms.c")).read()
cases = list(dict.fromkeys(re.findall(r'^    X\("([^"]*)"', source, re.M)))
functions = ["TF." + text for text in dict.fromkeys(re.findall(r'^    F\("([^"]*)"', source, re.M))]


def pixels(channels):
    c, y, x = np.meshgrid(np.arange(channels), np.arange(5), np.arange(7), indexing="ij")
    return ((37 * x + 59 * y + 91 * c + 17 * x * y + x * x * y * (c + 1) % 61) % 256).astype(np.uint8)


def image(kind):
    if kind == "gray":
        return Image.fromarray(pixels(1)[0])
    x = torch.from_numpy(pixels(3))
    return {"pil": lambda: Image.fromarray(pixels(3).transpose(1, 2, 0)), "bytes": lambda: x,
            "floats": lambda: x / 255}[kind]()


def describe(y):
    if isinstance(y, Image.Image):
        y = transforms.PILToTensor()(y)
    if y.dtype == torch.uint8:
        values = "".join(f"{v:02x}" for v in y.flatten().tolist())
    elif y.dtype == torch.int16:
        values = "".join(f"{v + 32768:04x}" for v in y.flatten().tolist())
    else:
        values = "".join(f"{int(np.rint(v * 4096)) + 32768 & 65535:04x}" for v in y.flatten().tolist())
    return f"{y.size()} {str(y.dtype)[6:]} {values}"


def case_seed(text):
    total = 0
    for c in text:
        total = total * 31 % 1000 + ord(c)
    return total


with open(os.path.join(HERE, "vision_transforms.txt"), "w") as file:
    for case in cases + functions:
        is_function = case in functions
        names = {**vars(transforms), "torch": torch, "TF": transforms.functional}
        transform = (lambda img: eval(case, {**names, "img": img})) if is_function else eval(case, names)
        file.write(f"= {case}\n")
        for kind in "pil", "bytes", "floats", "gray":
            torch.manual_seed(case_seed(case))
            random.seed(case_seed(case))
            try:
                text = describe(transform(image(kind)))
            except (TypeError, ValueError, RuntimeError) as error:
                continue
            file.write(f"{kind}: {text} {torch.rand(1).item():.4f}\n")
        if is_function:
            continue
        text = re.sub(r"\[([^][]*)\]\)$", r"[\1])", repr(transform))
        file.write(f"repr: {text}\n")
    file.write("= \n")
print(f"vision_transforms.txt: {len(cases)} transforms, {len(functions)} functions")
