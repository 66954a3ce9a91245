"""Figures, line by line those of tests/plot/plot_cases_images.c: images, heat maps, subplots, legends."""

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns

from plot_cases import CASES, case, grid, wave

# ---- images ----


@case
def image():
    plt.imshow(grid(4, 5))


@case
def wide_image():
    plt.imshow(grid(3, 40))
    plt.colorbar()
    plt.title("Wide")


@case
def tall_image():
    plt.imshow(grid(40, 3), cmap="Blues")
    plt.colorbar(shrink=0.5)


@case
def filling_image():
    plt.imshow(grid(50, 128), cmap="RdBu", aspect="auto", vmin=-1, vmax=1)
    plt.colorbar()


@case
def image_from_below():
    plt.imshow(grid(6, 5), origin="lower")


@case
def image_under_line():
    plt.imshow(grid(5, 5))
    plt.plot(np.array([0.0, 6.0]), np.array([1.0, 2.0]))


@case
def image_with_nan():
    x = grid(4, 4)
    x[1, 1] = np.nan
    plt.imshow(x)
    plt.colorbar()


@case
def flat_image():
    plt.imshow(np.full((3, 3), 2.0))
    plt.colorbar()


@case
def two_colorbars():
    plt.imshow(grid(5, 5))
    plt.colorbar()
    plt.colorbar(label="again")


@case
def large_values():
    plt.imshow(grid(5, 5) * 1e6)
    plt.colorbar()


# ---- heat maps ----


@case
def heat_map():
    sns.heatmap(grid(5, 5), cmap="viridis", annot=True)
    plt.title("Attention weights")
    plt.xlabel("key")
    plt.ylabel("query")


@case
def square_heat_map():
    plt.figure(figsize=(8, 6))
    sns.heatmap(grid(10, 10), cmap="Blues", cbar=True, square=True)


@case
def bare_heat_map():
    sns.heatmap(grid(4, 6), cbar=False, linewidths=2, linecolor="black", vmin=-1, vmax=2)


@case
def thinned_heat_map():
    sns.heatmap(grid(40, 90))


@case
def named_heat_map():
    names = ["a long name", "another one", "and a third one", "four", "five"]
    sns.heatmap(grid(5, 5), xticklabels=names, yticklabels=names)


@case
def rotated_heat_map_labels():
    plt.figure(figsize=(10, 8))
    names = ["The", "cat", "sat", "on", "the", "mat"]
    sns.heatmap(grid(6, 6), cmap="Blues", annot=True, fmt=".2f")
    plt.xticks(range(6), names, rotation=45)
    plt.yticks(range(6), names, rotation=0)
    plt.xlabel("Key")
    plt.ylabel("Query")
    plt.title("Self-attention")
    plt.tight_layout()


@case
def small_heat_map():
    plt.figure(figsize=(2, 2))
    sns.heatmap(grid(8, 8), annot=True)


@case
def heat_map_of_counts():
    sns.heatmap(np.arange(12).reshape(3, 4), annot=True, fmt="d", cmap="Greens")


# ---- subplots ----


@case
def subplots():
    for i in range(4):
        plt.subplot(2, 2, i + 1)
        plt.plot(wave(10) * 10**i)
        plt.title("Panel %d" % i)
        plt.xlabel("x")
    plt.tight_layout()


@case
def overlapping_subplots():
    plt.subplot(2, 2, 1)
    plt.plot(wave(10))
    plt.subplot(2, 2, 4)
    plt.plot(wave(10))


@case
def panels():
    plt.figure(figsize=(12, 6))
    plt.subplot(1, 2, 1)
    plt.imshow(grid(50, 128), cmap="RdBu", aspect="auto")
    plt.colorbar()
    plt.xlabel("Dimension")
    plt.ylabel("Position")
    plt.title("Matrix")
    plt.subplot(1, 2, 2)
    for i in range(6):
        plt.plot(2 * wave(50, 7 + i) - 1, label="dim %d" % i)
    plt.xlabel("Position")
    plt.ylabel("Value")
    plt.title("Curves")
    plt.legend()
    plt.tight_layout()


@case
def images_in_rows():
    plt.figure(figsize=(9, 5))
    for i in range(6):
        plt.subplot(2, 3, i + 1)
        plt.imshow(grid(6, 6 + i))
        plt.title("head %d" % i)
        plt.colorbar()
    plt.tight_layout()


@case
def two_grids():
    plt.subplot(1, 2, 1)
    plt.plot(wave(10))
    plt.subplot(2, 2, 2)
    plt.plot(wave(10))
    plt.subplot(2, 2, 4)
    plt.plot(wave(10))
    plt.tight_layout()


# ---- legends ----


@case
def legend_of_all():
    plt.hist(wave(50), label="hist")
    plt.plot(wave(10), "s-", label="line")
    plt.bar(np.arange(3), wave(3), label="bar")
    plt.scatter(wave(5), wave(5, 7), label="points")
    plt.plot(wave(5), label="_hidden")
    plt.legend(loc="upper left")
    plt.plot(wave(7), label="late")


@case
def legend_best():
    plt.plot(np.arange(10.0), np.arange(10.0), label="up")
    plt.plot(np.arange(10.0), np.arange(10.0) + 3, label="up too")
    plt.legend()


@case
def legend_best_among_points():
    plt.scatter(wave(300), wave(300, 5), label="all over")
    plt.plot(wave(30), wave(30, 7), label="zigzag")
    plt.legend(fontsize=14)


@case
def legend_best_among_bars():
    plt.bar(np.arange(8), wave(8, 5), label="bars")
    plt.bar(np.arange(8), 0.5 * wave(8, 3), label="more bars")
    plt.legend(frameon=False)


@case
def legend_best_where_lines_run():
    for y in [1, 9]:
        plt.plot(np.array([0.0, 10.0]), np.array([y, y]), label="through")
    plt.xlim(1, 9)
    plt.legend()


@case
def legend_best_of_equals():
    for y in range(21):
        plt.plot(np.array([0.0, 10.0]), np.array([y, y]), "k", label="lines" if y == 0 else None)
    plt.xlim(1, 9)
    plt.legend()


LOCATIONS = [
    "upper right",
    "upper left",
    "lower left",
    "lower right",
    "right",
    "center left",
    "center right",
    "lower center",
    "upper center",
    "center",
]
for i, loc in enumerate(LOCATIONS):

    def one(loc=loc):
        plt.plot(wave(10), label="a line\nof two lines")
        plt.plot(wave(10, 5), ".", label="gy", markersize=10)
        plt.legend(loc=loc)

    CASES["legend_at_%d" % (i + 1)] = one
