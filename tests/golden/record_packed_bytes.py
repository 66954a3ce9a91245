"""Writes streams that Python's zlib packs, whole and broken ones, into packed_bytes.txt, for tests/io/test_zlib.c.

    python record_packed_bytes.py          make check never runs it

A line: frame (i raw, z zlib, g gzip), the stream in hexadecimal, and the length and CRC-32 of what it unpacks to, or
"-" and zlib's reason why it is broken."""

import os
import random
import re
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = {"i": -15, "z": 15, "g": 31}


class Bits:
    """A stream bit by bit, the first one lowest."""

    def __init__(self):
        self.value, self.count = 0, 0

    def put(self, value, count):
        self.value |= value << self.count
        self.count += count
        return self

    def bytes(self):
        return self.value.to_bytes((self.count + 7) // 8, "little")


def dynamic(literal_lengths, distance_lengths, lengths_of=None):
    """The head of a block in its own code; the lengths are written in a flat code of 16 symbols of 4 bits."""
    order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    bits = Bits().put(1, 1).put(2, 2).put(len(literal_lengths) - 257, 5).put(len(distance_lengths) - 1, 5).put(15, 4)
    for symbol in order:
        bits.put((lengths_of or (lambda s: 4 if s < 16 else 0))(symbol), 3)
    for length in literal_lengths + distance_lengths:
        bits.put(int(f"{length:04b}"[::-1], 2), 4)
    return bits


def samples(rng):
    yield b""
    yield b"a"
    yield b"abc" * 100
    yield bytes(300)
    yield bytes(range(256))
    yield rng.randbytes(100)
    yield b" ".join(rng.choice([b"to", b"be", b"or", b"not", b"that", b"is", b"the", b"question"]) for _ in range(200))
    yield bytes(int(min(255, rng.expovariate(0.1))) for _ in range(400))
    far = rng.randbytes(40)
    yield far + bytes(32768 - 40) + far + bytes(70000)
    # Fibonacci's frequencies: codes of all lengths
    a, b, skewed = 1, 1, []
    for symbol in range(20):
        skewed += [symbol] * a
        a, b = b, a + b
    rng.shuffle(skewed)
    yield bytes(skewed[:6000])


def broken():
    yield "i", b""
    yield "i", b"\x07"
    yield "i", b"\x01\x01\x00\xfe\xfe"
    yield "i", b"\x01\x05\x00\xfa\xffab"
    yield "i", Bits().put(1, 1).put(2, 2).put(30, 5).put(0, 5).put(0, 4).put(0, 60).bytes()
    yield "i", Bits().put(1, 1).put(2, 2).put(0, 5).put(30, 5).put(0, 4).put(0, 60).bytes()
    yield "i", dynamic([1] * 257, [1], lambda s: 1).bytes()
    yield "i", dynamic([1] * 257, [1], lambda s: 3 if s < 4 else 0).bytes()
    yield "i", Bits().put(1, 1).put(2, 2).put(0, 5).put(0, 5).put(0, 4).put(1, 3).put(0, 6).put(1, 3).put(0, 60).bytes()
    yield "i", dynamic([8] * 256 + [0], [1]).bytes() + bytes(8)
    yield "i", dynamic([1] * 257, [1]).bytes() + bytes(8)
    yield "i", dynamic([9] * 257, [1]).bytes() + bytes(8)
    yield "i", dynamic([0] * 255 + [1, 1], [1, 1, 1]).bytes() + bytes(8)
    yield "i", dynamic([0] * 255 + [1, 1], [2, 2, 2]).bytes() + bytes(8)
    # an incomplete code of one symbol, used and not
    yield "i", dynamic([0] * 256 + [1], [1]).put(0, 1).bytes()
    yield "i", dynamic([0] * 256 + [1], [1]).put(1, 8).bytes()
    yield "i", dynamic([0] * 256 + [1], [0]).put(0, 1).bytes()
    # a match of 3 bytes: before the beginning, with a distance that there is not, with no distances at all
    yield "i", dynamic([0] * 255 + [2, 2, 1], [1]).put(0, 1).put(0, 8).bytes()
    yield "i", dynamic([0] * 255 + [2, 2, 1], [1]).put(1, 2).put(0, 1).put(1, 1).put(0, 8).bytes()
    yield "i", dynamic([0] * 255 + [2, 2, 1], [0]).put(1, 2).put(0, 1).put(0, 8).bytes()
    yield "i", dynamic([0] * 255 + [2, 2, 1], [1]).put(1, 2).put(0, 1).put(0, 1).put(3, 2).bytes()
    # in the fixed code: length 286, distance 30
    yield "i", Bits().put(1, 1).put(1, 2).put(int("11000110"[::-1], 2), 8).put(0, 20).bytes()
    yield "i", Bits().put(1, 1).put(1, 2).put(int("00110000"[::-1], 2), 8).put(int("0000001"[::-1], 2), 7).put(
        int("11110"[::-1], 2), 5).put(0, 20).bytes()
    whole = zlib.compress(b"whole and sound", 9)
    for at, value in ((0, 0x79), (0, 0x77), (0, 0x88), (1, 0xdb), (len(whole) - 1, 0)):
        changed = bytearray(whole)
        changed[at] = value
        if value in (0x77, 0x88):  # the header's check is right
            changed[1] += (31 - (changed[0] * 256 + changed[1]) % 31) % 31
        yield "z", bytes(changed)
    yield "z", bytes([0x78, 0xbb]) + bytes(8)
    for n in (0, 1, 2, len(whole) - 5, len(whole) - 1):
        yield "z", whole[:n]
    stream = zlib.compressobj(9, zlib.DEFLATED, 31)
    member = stream.compress(b"whole and sound") + stream.flush()
    for at, value in ((2, 7), (3, 0x20), (len(member) - 5, 1), (len(member) - 1, 1)):
        changed = bytearray(member)
        changed[at] = value
        yield "g", bytes(changed)
    for n in (5, 10, len(member) - 9, len(member) - 1):
        yield "g", member[:n]
    for flags, rest in ((4, b"\x03\0abc"), (8, b"name\0"), (16, b"comment\0"), (4 | 8 | 16, b"\0\0n\0c\0"), (2, None)):
        head = member[:3] + bytes([flags]) + member[4:10] + (rest or b"")
        if flags == 2:
            check = zlib.crc32(head) & 0xffff
            yield "g", head + bytes([check & 255, check >> 8 ^ 1]) + member[10:]
            head += bytes([check & 255, check >> 8])
        yield "g", head + member[10:]
        yield "g", head[:-1]


def unpack(frame, data):
    stream = zlib.decompressobj(FRAMES[frame])
    try:
        out = stream.decompress(data)
    except zlib.error as error:
        return None, "need dictionary" if "Error 2" in str(error) else re.sub(r".*data: ", "", str(error))
    return (out, None) if stream.eof else (None, "incomplete or truncated stream")


with open(os.path.join(HERE, "packed_bytes.txt"), "w") as file:
    count = 0

    def write(frame, data):
        global count
        out, reason = unpack(frame, data)
        result = f"{len(out)} {zlib.crc32(out):08x}" if out is not None else f"- {reason}"
        file.write(f"{frame} {data.hex() or '-'} {result}\n")
        count += 1

    for number, sample in enumerate(samples(random.Random(0))):
        for strategy in (0, 2, 3, 4):
            if len(sample) > 5000 and strategy != 0:
                continue
            for level in (0, 1, 9) if len(sample) < 500 and strategy == 0 else (9,):
                frame, memory = "izg"[number % 3], 9 if number % 2 else 1
                stream = zlib.compressobj(level, zlib.DEFLATED, FRAMES[frame], memory, strategy)
                write(frame, stream.compress(sample) + stream.flush())
    for frame, data in broken():
        write(frame, data)
    print(f"packed_bytes.txt: {count} streams")
