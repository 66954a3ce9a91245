"""Writes plots.txt: the positions of what is drawn in the figures of tests/plot/plot_cases_*.c, drawn by matplotlib and
seaborn.

    python tests/golden/plots.py        from the root of the tree; needs matplotlib and seaborn

A line is a word and its fields, with a tab between two. Lengths are points from the figure's lower left corner; they
are taken at 720 dots an inch, where the rounding of texts to whole dots does not show. The last line of a case has the
size in pixels of the image that savefig(dpi=100, bbox_inches="tight") writes. make check never runs this."""

import io
import os
import struct
import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn as sns

import plot_cases_lines  # the two fill CASES, in this order
import plot_cases_images
from plot_cases import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
FINE = 720
warnings.simplefilter("ignore")


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
    """The colours of the lines, of the first bar of each call and of the first of each call's points; of the first and
    the last cell of images and heat maps, as bytes; and what is written into cells, with '+' before dark ink."""
    yield "lines", hexes(line.get_color() for line in axes.lines)
    yield "bars", hexes(c.patches[0].get_facecolor() for c in axes.containers)
    if axes.containers:
        yield "heights", numbers(p.get_height() for c in axes.containers for p in c.patches)
    clouds = [c for c in axes.collections if isinstance(c, matplotlib.collections.PathCollection)]
    yield "points", hexes(
        c.get_facecolors()[0] if c.get_array() is None else c.to_rgba(c.get_array(), bytes=True)[0] / 255
        for c in clouds
    )
    for shown in [*axes.images, *(c for c in axes.collections if isinstance(c, matplotlib.collections.QuadMesh))]:
        values = shown.get_array().ravel()
        yield "cells", numbers(
            v for i in (0, -1) for v in shown.to_rgba(values[i : i + 1 or None], bytes=True).ravel()[:3]
        )
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
