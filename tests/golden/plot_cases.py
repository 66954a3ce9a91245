"""What plot_cases_lines.py and plot_cases_images.py share: the list of figures, and the data in them."""

import numpy as np

CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def wave(n, a=37, b=11):
    """n numbers in [0, 1), the same in tests/plot/plot_cases_lines.c."""
    return np.array([(i * a + b) % 97 / 97 for i in range(n)])


def grid(rows, columns):
    return wave(rows * columns).reshape(rows, columns)
