"""Writes index expressions with what PyTorch makes of them, for tests/ops/test_index_cases.c to replay.

    python tests/golden/record_index.py [COUNT [SEED [FILE]]]      from the root of the tree; needs torch

Each line has the sizes of x (whose elements are 1, 2, 3, ...), the index as t_at takes it, and what its {} stand for (i
and b are tensors of int64 and bool, a bare number is one), then either PyTorch's error or the sizes of y = x[index] and
five checksums, of y, of x's gradient, of x after x[index] = value, and of x's and the value's gradients. A checksum is
the sum of the k-th element times k + 1, and so are the weights. make check never runs this."""

import os
import random
import sys

import torch


def pick_size(dice):
    return dice.choice([0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5])


def literal(x):
    """t_tensor's text with a letter for the dtype."""
    return ("b" if x.dtype == torch.bool else "i") + str(x.tolist())


class Expression:
    """An index for x: its text, the values of {}, and what Python takes."""

    def __init__(self, dice):
        self.dice = dice
        rank = dice.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5])
        self.sizes = [pick_size(dice) if dice.random() < 0.3 else dice.randint(1, 4) for _ in range(rank)]
        self.words, self.values, self.items = [], [], []
        self.shape = [dice.randint(1, 3) for _ in range(dice.choice([1, 1, 1, 2]))]  # that index tensors broadcast to
        self.fill()

    def add(self, word, item, *values):
        self.words.append(word)
        self.items.append(item)
        self.values += values

    def fill(self):
        dice, at, ellipsis = self.dice, 0, False
        basic = dice.random() < 0.25
        while len(self.words) < 7:
            roll = dice.random()
            if roll < 0.1:
                self.add("None", None)
            elif roll < 0.18 and not ellipsis:
                ellipsis = True
                self.add("...", ...)
                at += dice.randint(0, len(self.sizes) - at) if at <= len(self.sizes) else 0
            elif roll < 0.21 and not basic:
                self.add_truth()
            elif at >= len(self.sizes) and (dice.random() < 0.97 or not self.sizes):
                break
            else:
                at += self.add_item(at, basic)
            if self.words and dice.random() < 0.15:
                break
        if not self.words:
            self.add("...", ...)

    def add_truth(self):
        truth = self.dice.random() < 0.7
        if self.dice.random() < 0.5:
            self.add(str(truth), truth)
        else:
            self.add("{}", torch.tensor(truth), "b" + str(truth))

    def add_item(self, at, basic):
        """Returns how many dims the item uses up."""
        dice = self.dice
        size = self.sizes[at] if at < len(self.sizes) else 2
        roll = dice.random() * (0.45 if basic else 1)
        if roll < 0.15:
            self.add_integer(size)
        elif roll < 0.45:
            self.add_slice(size)
        elif roll < 0.75:
            self.add_index(size)
        else:
            return self.add_mask(at)
        return 1

    def number(self, size):
        """Inside [-size, size), now and then just outside."""
        if self.dice.random() < 0.01 or size == 0:
            return self.dice.choice([-size - 1, size])
        return self.dice.randint(-size, size - 1)

    def add_integer(self, size):
        number = self.number(size)
        form = self.dice.randint(0, 2)
        if form == 0:
            self.add(str(number), number)
        elif form == 1:
            self.add("{}", number, str(number))
        else:
            self.add("{}", torch.tensor(number), f"i{number}")

    def add_slice(self, size):
        dice = self.dice
        start = dice.randint(-size - 1, size + 1) if dice.random() < 0.5 else None
        stop = dice.randint(-size - 1, size + 1) if dice.random() < 0.5 else None
        step = dice.randint(1, 3) if dice.random() < 0.4 else None
        words, values = [], []
        for part in (start, stop) + ((step,) if step else ()):
            if part is not None and dice.random() < 0.3:
                words.append("{}")
                values.append(dice.choice(["", "i"]) + str(part))
            else:
                words.append("" if part is None else str(part))
        self.add(":".join(words), slice(start, stop, step), *values)

    def add_index(self, size):
        dice = self.dice
        shape = [n if dice.random() < 0.8 else 1 for n in self.shape[dice.randint(0, len(self.shape) - 1) :]]
        if dice.random() < 0.02:
            shape[-1] += 1
        if dice.random() < 0.04:
            shape = [0]
        count = torch.Size(shape).numel()
        index = torch.tensor([self.number(size) for _ in range(count)], dtype=torch.int64).reshape(shape)
        if len(shape) == 1 and count and dice.random() < 0.4:
            self.add(str(index.tolist()), index.tolist())
        else:
            self.add("{}", index, literal(index))

    def add_mask(self, at):
        dice = self.dice
        dims = min(dice.choice([1, 1, 2, 3]), max(len(self.sizes) - at, 1))
        shape = (self.sizes + [2])[at : at + dims]
        if 0 in shape:  # the text of an empty list tells one size
            dims, shape = 1, shape[:1]
        if dice.random() < 0.02:
            shape[dice.randint(0, dims - 1)] += 1
        count = torch.Size(shape).numel()
        trues = min(dice.choice([1, self.shape[-1], self.shape[-1], dice.randint(0, count)]), count)
        mask = torch.tensor(dice.sample([True] * trues + [False] * (count - trues), count), dtype=torch.bool).reshape(
            shape
        )
        if dims == 1 and count and dice.random() < 0.3:
            self.add(str(mask.tolist()), mask.tolist())
        else:
            self.add("{}", mask, literal(mask))
        return dims

    def text(self):
        return ", ".join(self.words)

    def index(self):
        return tuple(self.items) if len(self.items) > 1 else self.items[0]


def numbered(shape, start=1):
    return torch.arange(start, start + torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)


def checksum(x):
    return 0 if x is None else int((x.flatten() * numbered([x.numel()])).sum().item())


def run(e):
    x = numbered(e.sizes).requires_grad_()
    y = x[e.index()]
    if y.numel() > 200:
        return None
    y.backward(numbered(y.shape))
    read = [checksum(y.detach()), checksum(x.grad)]
    x.grad = None
    value = numbered(y.shape, 1000).requires_grad_()
    written = x * 1
    written[e.index()] = value
    written.backward(numbered(written.shape))
    return [",".join(map(str, y.shape)), *read, checksum(written.detach()), checksum(x.grad), checksum(value.grad)]


def makes_a_dim(item):
    return (
        item is None
        or (torch.is_tensor(item) and item.dtype == torch.bool and item.dim() == 0)
        or isinstance(item, bool)
    )


def line_of(e):
    if len(e.sizes) + sum(makes_a_dim(item) for item in e.items) > 8:
        return None  # on the way there, too, the rank must not pass 8
    try:
        result = run(e)
    except (IndexError, RuntimeError) as error:
        result = [str(error).split("\n")[0]]
    if result is None or "invalid index of a 0-dim" in str(result[0]):  # the second sentence is this library's own
        return None
    return "\t".join([",".join(map(str, e.sizes)), e.text(), "|".join(e.values), *map(str, result)])


def main():
    count, seed = int((sys.argv + ["420"])[1]), int((sys.argv[1:] + ["0", "1"])[1] if len(sys.argv) > 2 else 1)
    path = sys.argv[3] if len(sys.argv) > 3 else os.path.join("tests", "golden", "index.txt")
    dice, lines, bad = random.Random(seed), [], 0
    while len(lines) < count:
        line = line_of(Expression(dice))
        if line is None or line in lines[-500:]:
            continue
        failed = line.count("\t") == 3
        if failed and bad * 8 > len(lines):
            continue
        bad += failed
        lines.append(line)
    with open(path, "w") as file:
        file.write("".join(line + "\n" for line in lines))
    print(f"{path}: {count} expressions, {bad} of them errors")


if __name__ == "__main__":
    main()
