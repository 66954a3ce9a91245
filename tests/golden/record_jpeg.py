"""Writes jpeg_images.txt: JPEG files, and torchvision's pixels of each; and jpeg_broken.txt: what torchvision makes of
them with a few bytes replaced.

    python tests/golden/record_jpeg.py      from the root of the tree; needs torch, torchvision, numpy, Pillow

A line is a name, the file in hexadecimal, and shape and CRC-32 of the pixels in the modes UNCHANGED, GRAY and RGB, and
with apply_exif_orientation; in jpeg_broken.txt the name, POSITION=BYTE of each replaced byte, and the same of the
pixels, or "refused". Most files are Pillow's; what it does not write (other sampling factors, scans of single
components, components named R, G and B, 16-bit quantization tables) is written here, from random coefficients.
make check never runs this."""

import io
import os
import struct
import zlib

import numpy as np
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_jpeg

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(0)


def picture(height, width, channels):
    y, x = np.mgrid[0:height, 0:width]
    waves = [(np.sin(x / (3 + k)) + np.cos(y / (5 - k))) * 60 + 128 for k in range(channels)]
    noise = random.integers(-20, 20, (height, width, channels))
    return np.clip(np.stack(waves, -1) + noise, 0, 255).astype(np.uint8)


def pillow(height, width, mode="RGB", **options):
    channels = {"RGB": 3, "L": 1, "CMYK": 4}[mode]
    pixels = picture(height, width, channels)
    file = io.BytesIO()
    Image.fromarray(pixels[..., 0] if mode == "L" else pixels, mode).save(file, "jpeg", **options)
    return file.getvalue()


def segments(data):
    """The marker segments up to the scan: {marker: [contents]}."""
    found, at = {}, 2
    while data[at + 1] != 0xDA:
        length = struct.unpack(">H", data[at + 2 : at + 4])[0]
        found.setdefault(data[at + 1], []).append(data[at + 4 : at + 2 + length])
        at += 2 + length
    return found


class Bits:
    def __init__(self):
        self.text = []

    def put(self, value, count):
        if count:
            self.text.append(format(value, f"0{count}b"))

    def bytes(self):
        text = "".join(self.text)
        text += "1" * (-len(text) % 8)
        return bytes(int(text[i : i + 8], 2) for i in range(0, len(text), 8)).replace(b"\xff", b"\xff\0")


def codes(table):
    """{value: (code, length)} of a table as DHT has it, without its class."""
    found, code, at = {}, 0, 16
    for length in range(1, 17):
        for value in table[at : at + table[length - 1]]:
            found[value] = (code, length)
            code += 1
        at += table[length - 1]
        code <<= 1
    return found


def put_block(bits, block, previous, dc, ac):
    def number(x):
        size = abs(int(x)).bit_length()
        return size, int(x) if x > 0 else int(x) + (1 << size) - 1

    size, value = number(block[0] - previous)
    bits.put(*dc[size])
    bits.put(value, size)
    run = 0
    for x in block[1:]:
        if x == 0:
            run += 1
            continue
        while run > 15:
            bits.put(*ac[0xF0])
            run -= 16
        size, value = number(x)
        bits.put(*ac[run << 4 | size])
        bits.put(value, size)
        run = 0
    if run:
        bits.put(*ac[0])


def synthetic(height, width, sampling, ids=(1, 2, 3, 4), interleaved=True, restart=0, wide=False, before=b"", step=8):
    """A baseline file of random coefficients; sampling: (h, v) of each component."""
    tables = {t[0]: t[1:] for t in segments(pillow(8, 8)).get(0xC4)}
    dc, ac = codes(tables[0]), codes(tables[16])
    h_max, v_max = max(h for h, _ in sampling), max(v for _, v in sampling)
    columns, rows = -(-width // (8 * h_max)), -(-height // (8 * v_max))

    def block():
        x = np.zeros(64, int)
        x[0] = random.integers(-60, 60)
        x[random.integers(1, 20, 4)] = random.integers(-9, 9, 4)
        return x

    def segment(marker, contents):
        return bytes([0xFF, marker]) + struct.pack(">H", len(contents) + 2) + contents

    steps = [min(step + k // 4, 255) for k in range(64)]
    quantization = b"\x10" + struct.pack(">64H", *steps) if wide else b"\0" + bytes(steps)
    frame = struct.pack(">BHHB", 8, height, width, len(sampling))
    frame += b"".join(bytes([i, h << 4 | v, 0]) for i, (h, v) in zip(ids, sampling))
    out = b"\xff\xd8" + before + segment(0xDB, quantization) + segment(0xC1 if wide else 0xC0, frame)
    out += segment(0xC4, b"\0" + tables[0]) + segment(0xC4, b"\x10" + tables[16])
    if restart:
        out += segment(0xDD, struct.pack(">H", restart))
    everything = list(range(len(sampling)))
    for scan in [everything] if interleaved else [[i] for i in everything]:
        out += segment(0xDA, bytes([len(scan)]) + b"".join(bytes([ids[i], 0]) for i in scan) + b"\0\x3f\0")
        if len(scan) > 1 or interleaved and len(sampling) > 1:
            units = [[(i, n) for i in scan for n in range(sampling[i][0] * sampling[i][1])]] * (columns * rows)
        else:
            h, v = sampling[scan[0]]
            across, down = -(-width * h // h_max), -(-height * v // v_max)
            units = [[(scan[0], 0)]] * (-(-across // 8) * -(-down // 8))
        bits, previous = Bits(), dict.fromkeys(scan, 0)
        for n, unit in enumerate(units):
            if restart and n and n % restart == 0:
                out += bits.bytes() + bytes([0xFF, 0xD0 + (n // restart - 1) % 8])
                bits, previous = Bits(), dict.fromkeys(scan, 0)
            for i, _ in unit:
                x = block()
                put_block(bits, x, previous[i], dc, ac)
                previous[i] = x[0]
        out += bits.bytes()
    return out + b"\xff\xd9"


exif = Image.Exif()
exif[0x0112] = 6
ADOBE = b"\xff\xee\0\x0eAdobe\0\x64\0\0\0\0"
files = {
    "one_pixel": pillow(1, 1),
    "444": pillow(11, 19, subsampling=0, quality=90),
    "422": pillow(19, 13, subsampling=1, quality=80),
    "420": pillow(21, 35, subsampling=2, quality=70),
    "420_narrow": pillow(9, 3, subsampling=2),
    "quality_100": pillow(9, 9, quality=100, subsampling=0),
    "quality_1": pillow(40, 40, quality=1),
    "progressive_444": pillow(17, 23, subsampling=0, progressive=True),
    "progressive_420": pillow(33, 18, subsampling=2, progressive=True, quality=95),
    "progressive_gray": pillow(20, 20, "L", progressive=True, quality=95),
    "gray": pillow(10, 25, "L"),
    "optimized": pillow(16, 16, optimize=True),
    "restart": pillow(24, 40, restart_marker_blocks=2),
    "progressive_restart": pillow(24, 40, restart_marker_rows=1, progressive=True),
    "cmyk": pillow(13, 14, "CMYK"),
    "cmyk_progressive": pillow(13, 14, "CMYK", progressive=True),
    "rgb": pillow(15, 12, keep_rgb=True),
    "exif": pillow(9, 14, exif=exif.tobytes()),
    "440": synthetic(37, 21, [(1, 2), (1, 1), (1, 1)]),
    "411": synthetic(12, 70, [(4, 1), (1, 1), (1, 1)]),
    "410": synthetic(33, 40, [(4, 2), (1, 1), (1, 1)]),
    "luma_is_smaller": synthetic(20, 20, [(1, 1), (2, 2), (2, 1)]),
    "scans": synthetic(20, 30, [(2, 2), (1, 1), (1, 1)], interleaved=False),
    "scans_restart": synthetic(20, 30, [(2, 1), (1, 1), (1, 1)], interleaved=False, restart=3),
    "gray_2x2": synthetic(20, 30, [(2, 2)]),
    "named_rgb": synthetic(10, 10, [(1, 1)] * 3, ids=(82, 71, 66)),
    "adobe_rgb": synthetic(10, 10, [(1, 1)] * 3, before=ADOBE + b"\0"),
    "adobe_ycc": synthetic(10, 10, [(1, 1)] * 3, ids=(82, 71, 66), before=ADOBE + b"\1"),
    "plain_cmyk": synthetic(10, 17, [(1, 1)] * 4),
    "adobe_ycck": synthetic(10, 17, [(2, 2), (1, 1), (1, 1), (2, 2)], before=ADOBE + b"\2"),
    "wide_table": synthetic(17, 17, [(2, 2), (1, 1), (1, 1)], wide=True, restart=1),
    "sums_wrap_around": synthetic(24, 40, [(2, 1), (1, 1), (1, 1)], step=255),
}


def described(data, mode=ImageReadMode.UNCHANGED, **options):
    image = decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode, **options)
    return "x".join(map(str, image.shape)) + f":{zlib.crc32(image.contiguous().numpy().tobytes()):08x}"


with open(os.path.join(HERE, "jpeg_images.txt"), "w") as out:
    for name, data in files.items():
        modes = [ImageReadMode.UNCHANGED, ImageReadMode.GRAY, ImageReadMode.RGB]
        results = [described(data, mode) for mode in modes] + [described(data, apply_exif_orientation=True)]
        out.write(f"{name} {data.hex()} {' '.join(results)}\n")
print(f"jpeg_images.txt: {len(files)} files, {sum(map(len, files.values()))} bytes")


# Bytes of the header or of the data, at random, or so that there is a marker.
broken = ["420", "444", "gray", "scans", "restart", "scans_restart", "progressive_420", "progressive_gray",
          "progressive_restart", "cmyk_progressive"]
# Of 65,485 pixels a row, which so small a file cannot have: that is refused here.
LEFT_OUT = {"78=255,79=205,322=255,323=210"}
random = np.random.default_rng(1)
with open(os.path.join(HERE, "jpeg_broken.txt"), "w") as out:

    def record(name, edits):
        data = bytearray(files[name])
        for at, byte in edits.items():
            data[at] = byte
        try:
            result = described(data)
        except RuntimeError:
            result = "refused"
        text = ",".join(f"{at}={byte}" for at, byte in edits.items())
        if text not in LEFT_OUT:
            out.write(f"{name} {text} {result}\n")

    for n in range(400):
        name = broken[n % len(broken)]
        size, scan = len(files[name]), files[name].index(b"\xff\xda")
        edits = {}
        for _ in range(random.integers(1, 4)):
            at = int(random.integers(2, scan) if random.random() < 0.25 else random.integers(scan, size - 3))
            edits[at] = int(random.integers(0, 256))
            if random.random() < 0.4:
                edits[at], edits[at + 1] = 255, int(random.integers(0xC0, 0xE0) if n % 3 else 0xD0 + random.integers(8))
        record(name, edits)
    # a transform that Adobe does not have
    record("cmyk_progressive", {files["cmyk_progressive"].index(b"Adobe") + 11: 7})
    record("adobe_rgb", {files["adobe_rgb"].index(b"Adobe") + 11: 7})
    # without Huffman tables, as Motion JPEG: those of annex K.3
    for name in "444", "gray", "progressive_gray":
        data = files[name]
        record(name, {at + 1: 0xFE for at in range(len(data)) if data[at : at + 2] == b"\xff\xc4"})
