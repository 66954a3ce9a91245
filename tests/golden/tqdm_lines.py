"""What tqdm prints: python tests/golden/tqdm_lines.py writes tests/golden/tqdm.txt: the arguments of format_meter and
its line, and what bars write for the calls in tests/data/test_tqdm.c, with the clock of a list (a return is written as
␍, a newline as ␊, an escape as ␛).
"""

import io
import os
import random
import sys

import tqdm.std
from tqdm import tqdm as Bar

out = []
random.seed(1)
choose = random.choice


def text(x):
    x = "-" if x is None else str(x)
    return x.replace("\r", "␍").replace("\n", "␊").replace("\x1b", "␛")


for i in range(700):
    total = choose([None, 0, 1, 7, 100, 782, 1000, 12345678, 3 * 10**9])
    n = choose([0, 1, (total or 50) // 3, (total or 50) // 2, total or 50, (total or 50) + 1])
    arguments = dict(
        n=n,
        total=total,
        elapsed=choose([0, 0.25, 1, 59.9, 61, 3599, 3600, 90061.5, 1e6]),
        rate=choose([None, None, None, 0, 0.0123, 0.5, 1, 12.345, 999.4, 1e5, 1e10]),
        ncols=choose([None, None, None, 0, 5, 20, 40, 60, 79, 120, 300]),
        prefix=choose(["", "", "epoch 1", "epoch 1: ", "学習", "🙂 é", "a long description of the work"]),
        ascii=choose([None, None, True, " .oO0", "░▒█"]),
        unit=choose(["it", "it", "B", "img", "件"]),
        unit_scale=choose([0, 0, 1, 2, 0.5]),
        postfix=choose([None, None, "loss=0.432", "loss=0.432, acc=0.91", "損失=1"]),
        unit_divisor=choose([1000, 1000, 1024]),
        initial=choose([0, 0, 0, 5]),
        colour=choose([None, None, None, None, "green", "#00ff80"]),
    )
    given = dict(arguments)
    given["ascii"] = given["ascii"] or False
    given["unit_scale"] = bool(given["unit_scale"]) if given["unit_scale"] == 1 else given["unit_scale"]
    line = Bar.format_meter(**given)
    out.append("\t".join(["meter"] + [text(v) for v in arguments.values()] + [text(line)]))
# ---- bar_format ----

formats = """{l_bar}{bar}{r_bar}|{l_bar}{bar:20}{r_bar}|{l_bar}{bar:-5b}{r_bar}|{bar:10a}|{bar:8u}>{n}
{desc}: {percentage:3.0f}%|{n_fmt}/{total_fmt} {rate_fmt}{postfix}|{n:>8}/{total:<8} {elapsed}<{remaining}
{n:05d}|{n:,} of {total}|{n:_.2f}
{elapsed_s:.3f} {elapsed_s}|{rate_noinv_fmt} {rate_inv_fmt}|{rate}|{rate_noinv} {rate_inv}|{desc:*^20.9}|{unit!r}
{{literal}} {bar:3}|{unit:>6}{unit_divisor} {ncols} {colour}|{remaining_s:+.1e} {remaining_s}
{percentage}|{percentage:g}|{percentage:%}|{percentage:08.3f}|{percentage:+}|{percentage:<+9.2f}#|{n:#^12.3g}|{l_bar}
{r_bar}|no field|{missing}|{n|}
{n:d}{bar}|{total:d}|{rate:.2f}|{desc:d}|{n:q}|{n:.}|{bar:x}|{n:=+9}|{desc:=9}|{n:e} {n:G}|{percentage:,.1f}|{n:011,}"""
formats = formats.replace("\n", "|").split("|")
for i in range(400):
    total = choose([None, 0, 7, 100, 1000, 12345678])
    arguments = dict(
        n=choose([0, (total or 50) // 3, total or 50, 2.5]),
        total=total,
        elapsed=choose([0, 0.25, 61.0, 90061.5]),
        rate=choose([None, None, 0.0, 0.0123, 0.5, 12.345, 1e5]),
        ncols=choose([None, None, 0, 20, 60, 79]),
        prefix=choose(["", "", "epoch 1", "epoch 1: ", "学習"]),
        ascii=choose([None, None, True, " .oO0"]),
        unit=choose(["it", "件"]),
        unit_scale=choose([0, 0, 1, 2]),
        postfix=choose([None, "loss=0.432"]),
        colour=choose([None, None, "green"]),
        bar_format=formats[i % len(formats)],
    )
    given = dict(arguments)
    given["ascii"] = given["ascii"] or False
    given["unit_scale"] = bool(given["unit_scale"]) if given["unit_scale"] == 1 else given["unit_scale"]
    if "!" in given["bar_format"]:
        continue  # conversions are not here
    try:
        line = Bar.format_meter(**given)
    except (KeyError, ValueError, TypeError) as error:
        line = "error: " + (f"KeyError: {error}" if isinstance(error, KeyError) else str(error))
    out.append("\t".join(["format"] + [text(v) for v in arguments.values()] + [text(line)]))
for x in [0, 0.1, 1, 9.994, 9.995, 12, 99.94, 99.95, 999.4, 999.5, 1234, 1e6, 2.5e9, 1e24, 1e27, -1500]:
    out.append(f"sizeof\t{x!r}\t{Bar.format_sizeof(x, 'B', 1024)}\t{Bar.format_sizeof(x)}")
for x in [0, 0.9, 59, 60, 3599.9, 3600, 86400, 1e7, -5, -4000]:
    out.append(f"interval\t{x!r}\t{Bar.format_interval(x)}")
whole = [0, 1, 12, 123, 1234, 12345, 123456, 1234567, 10**15]
for x in whole + [0.5, 0.123456, 1e-5, 1.5e-7, 1e-10, 123.456, 99999.5, 1e100, -2.5]:
    out.append(f"num\t{x!r}\t{Bar.format_num(x)}")

# ---- bars, with a clock ----

clock = [0.0]
tqdm.std.time = lambda: clock[0]
Bar.monitor_interval = 0


class Screen(io.StringIO):
    encoding = "utf-8"


def record(name, run):
    clock[0] = 1000.0
    screen = Screen()
    run(screen)
    out.append(f"bar\t{name}\t{text(screen.getvalue())}")


def loop(screen):
    for i in Bar(range(20), desc="loop", file=screen):
        clock[0] += 0.03 if i < 10 else 0.3


def manual(screen):
    bar = Bar(total=1000, unit="B", unit_scale=True, file=screen, ncols=60, unit_divisor=1024)
    for i in range(12):
        clock[0] += 0.07 * i
        bar.update(100 - 3 * i)
    bar.set_postfix(loss=0.123456789)
    bar.update(-50)
    clock[0] += 1
    bar.update(1)
    bar.set_description("near the end")
    bar.set_description()
    bar.set_postfix_str("")
    bar.close()
    bar.close()


def nested(screen):
    for i in Bar(range(2), desc="outer", file=screen, ncols=50):
        for j in Bar(range(3), desc="inner", file=screen, ncols=50, leave=False):
            clock[0] += 0.2
        if i == 0:
            Bar.write("between", file=screen)


def positions(screen):
    bars = [Bar(total=4, desc=f"bar {i}", file=screen, ncols=40, position=i, nrows=3) for i in range(4)]
    for bar in bars:
        clock[0] += 0.5
        bar.update(2)
    for bar in bars:
        bar.close()


def moved(screen):
    bars = [Bar(total=4, desc=f"bar {i}", file=screen, ncols=40, nrows=3) for i in range(4)]
    bars[0].update(4)
    for bar in bars:
        bar.close()


def unknown(screen):
    bar = Bar(desc="stream", file=screen, leave=None, initial=3, postfix="x")
    for i in range(8):
        clock[0] += 0.04
        bar.update(0.5)
    bar.reset(total=5)
    clock[0] += 1
    bar.update(2)
    bar.refresh()
    bar.clear()
    bar.close()


def settings(screen):
    slow = Bar(total=100, file=screen, mininterval=0, miniters=30, smoothing=0, ascii=True, delay=1)
    for i in range(10):
        clock[0] += 0.5
        slow.update(10)
    slow.close()
    lag = Bar(total=100, file=screen, smoothing=1, colour="red", ncols=45)
    for i in range(10):
        clock[0] += 12 if i == 3 else 0.11
        lag.update(10)
    lag.close()
    off = Bar(total=3, file=screen, disable=True)
    off.update(1)
    off.close()
    short = Bar(total=3, file=screen, delay=5)
    short.update(3)
    short.close()


for run in loop, manual, nested, positions, moved, unknown, settings:
    record(run.__name__, run)

# ---- texts of more than a thousand characters ----

for total, ncols, prefix, unit, postfix, colour, form in [
    (100, None, "学習" * 700, "it", "loss=0.4", None, None),
    (100, 3000, "work", "it", "損失=1, " * 200, "green", None),
    (100, 1500, "work " * 320, "step" * 20, None, "red", None),
    (None, None, "a" * 1500, "件" * 300, "b" * 1500, None, None),
    (100, 1400, "work", "it", "x" * 1300, "#00ff80", "é" * 1100 + "{l_bar}{bar}{r_bar}"),
    (100, None, "d" * 2100, "it", "x" * 1300, None, "{desc}{n:>2000}{bar:1200}{postfix}"),
    (100, None, "", "it", None, None, "{desc}: " * 200 + "{missing" + "g" * 80 + "}"),
]:
    given = dict(n=30, total=total, elapsed=1.0, rate=None, ncols=ncols, prefix=prefix, ascii=None, unit=unit)
    if form is None:
        arguments = dict(given, unit_scale=0, postfix=postfix, unit_divisor=1000, initial=0, colour=colour)
    else:
        arguments = dict(given, unit_scale=0, postfix=postfix, colour=colour, bar_format=form)
    try:
        line = Bar.format_meter(**dict(arguments, ascii=False, unit_scale=False))
    except KeyError as e:
        line = "error: KeyError: " + str(e)
    word = "meter" if form is None else "format"
    out.append("\t".join([word] + [text(v) for v in arguments.values()] + [text(line)]))
with open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "tqdm.txt"), "w") as file:
    file.write("\n".join(out) + "\n")
