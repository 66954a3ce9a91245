"""Writes plots.txt: what stands where in the figures of tests/plot_cases_*.c, drawn by matplotlib and seaborn.

    python tests/golden/plots.py        from the root of the tree; needs matplotlib and seaborn

A line is a word and its fields, with a tab between two. Lengths are points from the figure's lower left corner; they are
taken at 720 dots an inch, where the rounding of texts to whole dots does not show. The last line of a case has the size in
pixels of the image that savefig(dpi=100, bbox_inches="tight") writes. make check never runs this."""
import io
import os
import struct
import warnings

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn as sns

HERE = os.path.dirname(os.path.abspath(__file__))
FINE = 720
warnings.simplefilter("ignore")
CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def wave(n, a=37, b=11):
    """n numbers in [0, 1), the same in plot_cases_lines.c."""
    return np.array([(i * a + b) % 97 / 97 for i in range(n)])


def grid(rows, columns):
    return wave(rows * columns).reshape(rows, columns)


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
def turned_numbers():
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
def histogram_of_one():
    plt.hist(np.full(9, 4.0))

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
def turned_heat_map():
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
        plt.plot(wave(10) * 10 ** i)
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

LOCATIONS = ["upper right", "upper left", "lower left", "lower right", "right", "center left", "center right",
             "lower center", "upper center", "center"]
for i, loc in enumerate(LOCATIONS):
    def one(loc=loc):
        plt.plot(wave(10), label="a line\nof two lines")
        plt.plot(wave(10, 5), ".", label="gy", markersize=10)
        plt.legend(loc=loc)
    CASES["legend_at_%d" % (i + 1)] = one


# ---- recording ----

def numbers(values):
    return " ".join("%.10g" % v for v in values)


def box(b):
    return numbers(v * 72 / FINE for v in b.extents)


def around(boxes):
    return box(matplotlib.transforms.Bbox.union(boxes))


def axis_lines(which, axis, r):
    ticks = axis._update_ticks()
    yield "view", which, numbers(axis.get_view_interval())
    yield "ticks", which, numbers(t.get_loc() for t in ticks)
    texts = [t.label1 if t.label1.get_visible() else t.label2 for t in ticks]
    yield "labels", which, "|".join(t.get_text() for t in texts)
    if any(t.get_text() for t in texts):
        yield "around", which, around([t.get_window_extent(r) for t in texts if t.get_text()])
    if axis.offsetText.get_text():
        yield "end", which, axis.offsetText.get_text()
        yield "end box", which, box(axis.offsetText.get_window_extent(r))
    if axis.label.get_text():
        yield "name box", which, box(axis.label.get_window_extent(r))


def hexes(colors):
    return "|".join(matplotlib.colors.to_hex(c, keep_alpha=True) for c in colors)


def artist_lines(axes):
    """The colours of the lines, of the first bar of each call and of the first of each call's points; of the first and the
    last cell of images and heat maps, as bytes; and what is written into cells, with '+' before dark ink."""
    yield "lines", hexes(line.get_color() for line in axes.lines)
    yield "bars", hexes(c.patches[0].get_facecolor() for c in axes.containers)
    clouds = [c for c in axes.collections if isinstance(c, matplotlib.collections.PathCollection)]
    yield "points", hexes(c.get_facecolors()[0] if c.get_array() is None else c.to_rgba(c.get_array(), bytes=True)[0] / 255
                          for c in clouds)
    for shown in [*axes.images, *(c for c in axes.collections if isinstance(c, matplotlib.collections.QuadMesh))]:
        values = shown.get_array().ravel()
        yield "cells", numbers(v for i in (0, -1) for v in shown.to_rgba(values[i:i + 1 or None], bytes=True).ravel()[:3])
    if axes.texts:
        yield "written", "|".join(("" if t.get_color() == "w" else "+") + t.get_text() for t in axes.texts)


def axes_lines(axes, r):
    bar = axes.get_label() == "<colorbar>"
    yield "axes", "bar" if bar else "plot", box(axes.get_window_extent(r))
    for which, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if not (bar and which == "x"):
            yield from axis_lines(which, axis, r)
    if not bar:
        yield from artist_lines(axes)
    if axes.get_title():
        yield "title box", box(axes.title.get_window_extent(r))
    if axes.get_legend():
        yield "legend box", box(axes.get_legend().get_frame().get_bbox())
        yield "legend", "|".join(t.get_text().replace("\n", "/") for t in axes.get_legend().get_texts())
    yield "tight", box(axes.get_tightbbox(r))


def lines(make):
    plt.rcdefaults()
    plt.rcParams["figure.dpi"] = FINE
    make()
    figure = plt.gcf()
    figure.draw_without_rendering()
    r = figure._get_renderer()
    p = figure.subplotpars
    yield "grid", numbers([p.left, p.right, p.bottom, p.top, p.wspace, p.hspace])
    for axes in figure.axes:
        yield from axes_lines(axes, r)
    image = io.BytesIO()
    plt.savefig(image, dpi=100, bbox_inches="tight")
    yield "pixels", numbers(struct.unpack(">II", image.getvalue()[16:24]))
    plt.close("all")


with open(os.path.join(HERE, "plots.txt"), "w", encoding="utf-8") as f:
    for name, make in CASES.items():
        f.write("case\t%s\n" % name)
        for line_of in lines(make):
            f.write("\t".join(line_of) + "\n")
    print(len(CASES), "figures with matplotlib", matplotlib.__version__, "and seaborn", sns.__version__)
