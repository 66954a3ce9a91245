"""Figures, line by line those of tests/plot/plot_cases_lines.c: lines, ticks and labels, points and bars."""

import matplotlib.pyplot as plt
import numpy as np

from plot_cases import case, grid, wave

# ---- lines ----


@case
def empty():
    plt.subplot(1, 1, 1)


@case
def line():
    plt.plot(wave(20))
    plt.title("A line")
    plt.xlabel("step")
    plt.ylabel("value")


@case
def curves():
    x = np.arange(30) * 0.5
    plt.plot(x, 2 - wave(30, 3), label="training loss")
    plt.plot(x, 2.5 - wave(30, 5), "r--", label="validation loss")
    plt.plot(x, wave(30, 2), "o", label="accuracy")
    plt.legend()
    plt.grid(True)


@case
def constant():
    plt.plot(np.full(5, 3.0))


@case
def zero():
    plt.plot(np.zeros(3))


@case
def one_point():
    plt.plot([2.0], [5.0], "o")


@case
def only_nan():
    plt.plot(np.full(4, np.nan))


@case
def gaps():
    y = wave(12)
    y[3] = np.nan
    y[7] = np.inf
    plt.plot(y)


@case
def no_points():
    plt.plot([])


@case
def columns():
    plt.plot(grid(10, 3))


@case
def large_numbers():
    plt.plot(wave(10) * 4e6)
    plt.title("A title that is so long that the power of ten at the left is in its way")


@case
def large_numbers_short_title():
    plt.plot(wave(10) * 4e6)
    plt.title("Short")


@case
def small_numbers():
    plt.plot(wave(10) * 1e-5, wave(10, 5) * 1e-7)
    plt.xlabel("x")


@case
def far_from_zero():
    plt.plot(wave(10) * 1e-3 + 12345, wave(10, 5) + 1e5)
    plt.xlabel("x")


@case
def negative_numbers():
    plt.plot(-100 * wave(15), 40 * wave(15, 5) - 20)
    plt.xlabel("below")
    plt.ylabel("around")


@case
def ascii_minus():
    plt.rcParams["axes.unicode_minus"] = False
    plt.plot(wave(15) - 0.5)


@case
def limits():
    plt.plot(wave(20))
    plt.xlim(5, 15)
    plt.ylim(1, 0)
    plt.plot(wave(40))


@case
def limits_first():
    plt.ylim(-3, 3)
    plt.plot(wave(20))


@case
def equal_limits():
    plt.xlim(2, 2)


# ---- ticks and labels ----


@case
def ticks():
    plt.plot(wave(20))
    plt.xticks([0, 5, 30])
    plt.yticks([0.25, 0.5])


@case
def named_ticks():
    plt.plot(wave(4))
    plt.xticks([0, 1, 2, 3], ["first", "second", "third", "a fourth, long one"], rotation=45)
    plt.yticks([0, 0.5, 1], ["low", "middle", "high"])
    plt.xlabel("names")
    plt.ylabel("heights")
    plt.tight_layout()


@case
def upright_ticks():
    plt.plot(wave(4))
    plt.xticks([0, 1, 2, 3], ["first", "second", "third", "fourth"], rotation=90)
    plt.yticks([0, 0.5, 1], ["low", "middle", "high"], rotation=90)
    plt.xlabel("names")
    plt.ylabel("heights")


@case
def rotated_tick_labels():
    plt.plot(wave(20) * 1000)
    plt.xticks(rotation=30, fontsize=8)
    plt.xlabel("turned")


@case
def no_ticks():
    plt.plot(wave(20))
    plt.xticks([])
    plt.yticks([])
    plt.xlabel("x")
    plt.ylabel("y")


@case
def two_lines():
    plt.plot(wave(20))
    plt.title("Two lines\nof a title", fontsize=16)
    plt.xlabel("and of\na label")
    plt.ylabel("three\nlines\nhere")
    plt.tight_layout()


@case
def accents():
    plt.plot(wave(20))
    plt.title("Élan à Ōsaka")
    plt.ylabel("Größe", fontsize=14)


@case
def font_size():
    plt.rcParams["font.size"] = 14
    plt.plot(wave(20), label="large")
    plt.title("Large")
    plt.xlabel("x")
    plt.legend()


@case
def long_labels():
    plt.figure(figsize=(4, 3))
    plt.plot(wave(20))
    plt.title("A title that is far too long for a figure of this width")
    plt.xlabel("a label that is far too long for a figure of this width as well")
    plt.ylabel("and this one is longer than the figure is high")
    plt.tight_layout()


@case
def too_small():
    plt.figure(figsize=(0.5, 0.5))
    plt.plot(wave(20))
    plt.tight_layout()


# ---- points and bars ----


@case
def points():
    plt.scatter(wave(40), wave(40, 5))


@case
def shaded_points():
    plt.scatter(wave(40), wave(40, 5), c=10 * wave(40, 7), cmap="plasma", s=80)
    plt.colorbar(label="weight")


@case
def bars():
    plt.bar(np.arange(5), wave(5), label="five")
    plt.legend()


@case
def named_bars():
    plt.bar(np.arange(3), np.array([3.0, -1.0, 2.0]), width=0.5, bottom=1, tick_label=["a", "b", "c"])


@case
def falling_bars():
    plt.bar(np.arange(4), -wave(4))


@case
def histogram():
    plt.hist(wave(200, 41) ** 2)


@case
def dense_histogram():
    plt.hist(wave(200, 41), bins=7, range=(0.2, 0.7), density=True)


@case
def histogram_at_its_edges():
    plt.hist(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.7, 0.1 + 0.2, 0.8 - 0.3, 1.1]), bins=6, range=(0.1, 0.7))
    plt.hist(np.arange(30) * 0.1, bins=29)


@case
def histogram_of_one():
    plt.hist(np.full(9, 4.0))
