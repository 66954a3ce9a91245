"""Writes plot_facts.txt: colours, colormaps, ticks, labels, number formats and text widths as matplotlib, seaborn and
Python give them, for tests/plot/test_plot_facts.c.

    python tests/golden/plot_facts.py        from the root of the tree; needs matplotlib and seaborn

A line is a kind and its fields, with a tab between two. make check never runs this."""

import os
import random

import matplotlib
import matplotlib.colors
import matplotlib.font_manager
import matplotlib.ft2font
import matplotlib.ticker
import matplotlib.transforms
import seaborn.utils

HERE = os.path.dirname(os.path.abspath(__file__))
MAPS = (
    "viridis plasma inferno magma cividis rocket mako Blues Reds Greens Greys Oranges Purples YlGnBu YlOrRd RdBu "
    "coolwarm gray hot"
).split()
OTHER_COLORS = (
    "b g r c m y k w none None RED Tab:Blue #abc #ABCD #123456 #12345678 0.75 1 0 .25 1e-1 C0 C9 C12 "
    "R #12 #12345 #xyz foo 1.5 -0.1 nan C Cx inf 0.5x # 0x1 xkcd"
).split()
random.seed(3)


class Axis(matplotlib.ticker._DummyAxis):
    def __init__(self, low, high, bins):
        super().__init__()
        self.view, self.bins = (low, high), bins

    def get_view_interval(self):
        return self.view

    def get_tick_space(self):
        return self.bins


def color_rows():
    for name in [*matplotlib.colors.CSS4_COLORS, *matplotlib.colors.TABLEAU_COLORS, "tab:grey", *OTHER_COLORS]:
        try:
            yield "color", name, " ".join(map(repr, map(float, matplotlib.colors.to_rgba(name))))
        except ValueError as error:
            yield "color", name, f"! {error}"


def map_rows():
    """Every 17th entry, and which entries of all 256 are light."""
    for name in MAPS:
        for full in (name, name + "_r"):
            cmap = matplotlib.colormaps[full]
            light = [seaborn.utils.relative_luminance(cmap(i)) > 0.408 for i in range(256)]
            edges = [i for i in range(1, 256) if light[i] != light[i - 1]]
            yield "map", full, " ".join("%02x%02x%02x" % cmap(i, bytes=True)[:3] for i in range(0, 256, 17)), " ".join(
                map(str, edges)
            )


def tick_row(kind, low, high, bins, given=None):
    axis = Axis(low, high, bins)
    locator, formatter = matplotlib.ticker.AutoLocator(), matplotlib.ticker.ScalarFormatter()
    locator.set_axis(axis)
    formatter.set_axis(axis)
    ticks = given or list(map(float, locator()))
    labels = formatter.format_ticks(ticks)
    shown = [
        i
        for i, t in enumerate(ticks)
        if given or matplotlib.transforms._interval_contains_close(sorted((low, high)), t)
    ]
    return (
        kind,
        repr(low),
        repr(high),
        str(bins),
        " ".join(repr(ticks[i]) for i in shown),
        " ".join(labels[i] for i in shown),
        formatter.get_offset(),
    )


def tick_rows():
    ranges = [
        (0, 1, 9),
        (-0.5, 9.5, 9),
        (9.5, -0.5, 9),
        (-0.5, 127.5, 6),
        (0.1617, 0.2977, 9),
        (-1, 1, 9),
        (0.017, 0.568, 8),
        (1e6, 1.00001e6, 9),
        (1e-7, 9e-7, 9),
        (99990, 100010, 5),
        (0, 1e300, 4),
        (-2.45, 51.45, 9),
        (123456.0, 123456.9, 9),
        (-1e-5, 2e-5, 9),
        (0, 99999, 9),
        (0, 1e6, 9),
        (0.99999, 1.00001, 9),
    ]
    for i in range(60):
        low = round(random.uniform(-1, 1) * 10 ** random.uniform(-8, 8), random.randrange(9))
        ranges.append((low, low + random.random() * 10 ** random.uniform(-4, 8), random.randrange(12)))
    for low, high, bins in ranges:
        yield tick_row("ticks", float(low), float(high), bins)
    for i in range(40):
        base = random.choice([0, 0, 1000, 123456, 1e7])
        ticks = sorted(
            base + random.choice([random.uniform(-1, 1), random.randrange(100), round(random.random(), 2)])
            for _ in range(random.randrange(1, 7))
        )
        yield tick_row("fixed", min(ticks) - 0.25, max(ticks) + 0.25, 9, list(map(float, ticks)))


def spec_rows():
    specs = (
        ".2g .2f .3f .1% .3e , ,.2f 8.3f <8.2f| ^9.1f| *^9.1f| 010.2f 08,.1f +.2f z.1f .0f #.0f g e n G .3 .0 _ =8.1f "
        "q "
        ".2ff . ,n ,_ 5. .2d 99999999999999999999"
    ).split() + ["", " .2f", "d", "5d", "05d", ",d", "d%"]
    for spec in specs:
        spec = spec.rstrip("|")
        for value in (0.0, -0.04, 3.14159, -1234567.891, 1e22, float("nan"), 42, -1234567):
            kind = "int" if isinstance(value, int) else "float"
            try:
                text = format(value, spec)
            except ValueError as error:
                text = f"! {error}"
            if len(text) < 100:
                yield "spec", kind, repr(value), spec, text


def text_rows():
    font = matplotlib.ft2font.FT2Font(matplotlib.font_manager.findfont("DejaVu Sans"))
    font.set_size(2048, 72)
    texts = [
        "lp",
        "Attention Weights (Head 1, Sample 1)",
        "Query Position",
        "Positional Encoding Curves",
        "Dimension",
        "AVAToWA. Ty",
        "−0.75",
        "1e−5",
        "→ ≤ ±",
        "αβγ Σ",
        "Été à l'Ouest",
        "Ångstrom",
        "fi ffi",
        "Жук",
        " a ",
        "~`@#$%^&*(){}[]|\\",
    ]
    texts += ["".join(chr(random.randrange(33, 127)) for _ in range(20)) for _ in range(30)]
    for text in texts:
        font.set_text(text, 0, flags=matplotlib.ft2font.LoadFlags.NO_HINTING)
        width, height = font.get_width_height()
        yield "text", text, str(width // 64), str(max((height - font.get_descent()) // 64, 1556))


with open(os.path.join(HERE, "plot_facts.txt"), "w") as file:
    for rows in (color_rows, map_rows, tick_rows, spec_rows, text_rows):
        for row in rows():
            assert not any("\t" in field or "\n" in field for field in row)
            file.write("\t".join(row) + "\n")
