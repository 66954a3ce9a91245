"""PNG files by a rule, written with Python's zlib alone: every colour type, bit depth and interlace of the standard
(RFC 2083, PNG third edition), with all filters, palettes, transparency and chunks. For record_png.py."""

import random
import struct
import zlib

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_ALPHA: (8, 16), RGBA: (8, 16)}
NAMES = {GRAY: "gray", RGB: "rgb", PALETTE: "palette", GRAY_ALPHA: "gray_alpha", RGBA: "rgba"}
# x0, y0, dx, dy of Adam7's passes
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pixels(rng, width, height, color, depth):
    """Rows of pixels, which are lists of samples: a gradient with some noise."""
    top = (1 << depth) - 1
    entries = min(1 << depth, 200)
    rows = []
    for y in range(height):
        row = []
        for x in range(width):
            if color == PALETTE:
                row.append([(x + y * 3 + rng.randrange(3)) % entries])
                continue
            row.append([
                max(0, min(top, int(top * (x * (c + 1) + y) / (width * (c + 1) + height)) + rng.randrange(-2, 3)))
                for c in range(CHANNELS[color])
            ])
        rows.append(row)
    return rows


def packed(row, depth):
    samples = [s for pixel in row for s in pixel]
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    if depth == 8:
        return bytes(samples)
    value = 0
    for s in samples:
        value = value << depth | s
    bits = depth * len(samples)
    return (value << (-bits % 8)).to_bytes((bits + 7) // 8, "big")


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def filtered(rows, step, filters, rng):
    """Each row's bytes with a filter: a fixed one, or any."""
    out, above = b"", None
    for row in rows:
        kind = filters if filters is not None else rng.randrange(5)
        up = above or bytes(len(row))
        line = bytearray()
        for i, x in enumerate(row):
            a, b = row[i - step] if i >= step else 0, up[i]
            c = up[i - step] if i >= step else 0
            predicted = [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]
            line.append((x - predicted) & 255)
        out += bytes([kind]) + bytes(line)
        above = row
    return out


def png(rng, width, height, color, depth, interlace=False, filters=None, level=9, idats=1, before=b"", after=b"",
        palette=None, transparency=None):
    """The file's bytes."""
    image = pixels(rng, width, height, color, depth)
    step = max(1, CHANNELS[color] * depth // 8)
    data = b""
    for x0, y0, dx, dy in PASSES if interlace else [(0, 0, 1, 1)]:
        part = [row[x0::dx] for row in image[y0::dy]]
        if part and part[0]:
            data += filtered([packed(row, depth) for row in part], step, filters, rng)
    data = zlib.compress(data, level)
    out = SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlace)))
    out += before
    if color == PALETTE and palette is None:
        palette = bytes(rng.randrange(256) for _ in range(3 * min(1 << depth, 200)))
    if palette is not None:
        out += chunk(b"PLTE", palette)
    if transparency is not None:
        out += chunk(b"tRNS", transparency)
    for i in range(idats):
        out += chunk(b"IDAT", data[len(data) * i // idats : len(data) * (i + 1) // idats])
    return out + after + chunk(b"IEND")


def suite(rng):
    """Names and files."""
    for color, depths in DEPTHS.items():
        for depth in depths:
            for interlace in (False, True):
                name = f"{NAMES[color]}_{depth}{'_interlaced' if interlace else ''}"
                yield name, png(rng, 19, 11, color, depth, interlace)
    for filters in range(5):
        for color, depth in ((GRAY, 8), (GRAY_ALPHA, 8), (RGB, 8), (RGBA, 8), (GRAY, 16), (RGB, 16), (RGBA, 16)):
            yield f"filter_{filters}_{NAMES[color]}_{depth}", png(rng, 8 + filters, 5, color, depth, filters=filters)
    for size in range(1, 10):
        yield f"size_{size}", png(rng, size, size, RGB, 8)
        yield f"size_{size}_interlaced", png(rng, size, size, GRAY, 8, True)
        yield f"size_{size}_bits_interlaced", png(rng, size, 10 - size, GRAY, 1, True)
    yield "size_wide", png(rng, 100, 1, RGB, 8)
    yield "size_high", png(rng, 1, 40, PALETTE, 2)
    for depth in (1, 2, 4, 8):
        yield f"palette_{depth}_transparent", png(rng, 16, 9, PALETTE, depth, transparency=bytes([0, 100]))
        yield f"palette_{depth}_all_transparent", png(rng, 9, 9, PALETTE, depth, depth == 8,
                                                      transparency=bytes(range(min(1 << depth, 200))))
    yield "palette_short", png(rng, 9, 9, PALETTE, 4, palette=bytes(range(30)))
    yield "gray_8_transparent", png(rng, 9, 9, GRAY, 8, transparency=b"\0\x20")
    yield "gray_2_transparent", png(rng, 9, 9, GRAY, 2, transparency=b"\0\x01")
    yield "rgb_8_transparent", png(rng, 9, 9, RGB, 8, transparency=b"\0\x20\0\x30\0\x40")
    yield "rgb_16_transparent", png(rng, 9, 9, RGB, 16, transparency=b"\1\x20\1\x30\1\x40")
    yield "rgb_8_palette", png(rng, 9, 9, RGB, 8, palette=bytes(range(96)))
    for idats in (2, 5, 50):
        yield f"idats_{idats}", png(rng, 9, 9, RGB, 8, idats=idats)
    text = chunk(b"tEXt", b"Title\0A picture") + chunk(b"tIME", struct.pack(">HBBBBB", 2020, 1, 2, 3, 4, 5))
    yield "chunks", png(rng, 9, 9, RGB, 8, before=text + chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"prIV", b""),
                        after=text)
    yield "gamma", png(rng, 9, 9, RGB, 8, before=chunk(b"gAMA", struct.pack(">I", 100000)))
    yield "stored", png(rng, 9, 9, RGB, 8, level=0)
    exif = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0"
    for orientation in range(1, 9):
        yield f"exif_{orientation}", png(rng, 5, 3, RGB, 8, before=chunk(b"eXIf", exif[:19] + bytes([orientation]) +
                                                                         exif[20:]))
