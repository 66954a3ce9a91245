"""Packing and unpacking against Python's zlib and gzip: python3 tests/interop/pack.py build/tests/interop_pack [COUNT]

Random bytes of several kinds are packed by each side, at each level, and unpacked by the other; broken streams are
errors on both sides. Prints the sizes of both sides by level, and times with --time."""
import gzip
import random
import struct
import subprocess
import sys
import time
import zlib

program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 2000
child = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(operation, data, level=0):
    child.stdin.write(struct.pack("<cBI", operation.encode(), 48 + level, len(data)) + data)
    child.stdin.flush()
    ok, size = struct.unpack("<BI", child.stdout.read(5))
    return ok == 1, child.stdout.read(size)


def sample(rng):
    kind, size = rng.randrange(7), int(2 ** rng.uniform(0, 17)) - 1
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:  # few values, with a skewed distribution
        values = bytes(int(min(255, rng.expovariate(0.3))) for _ in range(64))
        return bytes(rng.choice(values) for _ in range(size))
    if kind == 2:  # runs
        out = b""
        while len(out) < size:
            out += bytes([rng.randrange(256)]) * rng.randrange(1, 600)
        return out[:size]
    if kind == 3:  # words
        words = [bytes(rng.choice(b"etaoinshrdlu") for _ in range(rng.randrange(2, 9))) for _ in range(200)]
        out = b" ".join(rng.choice(words) for _ in range(size // 6 + 1))
        return out[:size]
    if kind == 4:  # repetitions at all distances
        out = bytearray(rng.randbytes(rng.randrange(1, 400)))
        while len(out) < size:
            at, n = rng.randrange(len(out)), rng.randrange(1, 400)
            out += out[at:at + n]
            if rng.random() < 0.2:
                out += rng.randbytes(rng.randrange(1, 40))
        return bytes(out[:size])
    if kind == 5:  # numbers
        return struct.pack("<%df" % (size // 4), *(rng.gauss(0, 1) for _ in range(size // 4)))
    return b"%d,%d\n" * (size // 6)


def reference(operation, data):
    """None on an error."""
    try:
        out, more = b"", True
        while more:
            stream = zlib.decompressobj({"i": -15, "z": 15, "g": 31}[operation])
            out += stream.decompress(data)
            if not stream.eof:
                return None
            data = stream.unused_data.lstrip(b"\0")
            more = operation == "g" and data
        return out
    except zlib.error:
        return None


rng = random.Random(1)
sizes = {level: [0, 0] for level in range(10)}
broken = refused = 0
for i in range(count):
    data = sample(rng)
    level = i % 10
    ok, ours = ask("d", data, level)
    assert ok and zlib.decompress(ours, -15) == data, (i, level, len(data))
    assert ask("i", ours) == (True, data), (i, level, ask("i", ours))
    theirs = zlib.compressobj(level, zlib.DEFLATED, -15, 8, rng.choice([0, 0, 1, 2, 3, 4]))
    theirs = theirs.compress(data) + theirs.flush()
    assert ask("i", theirs) == (True, data), (i, level, ask("i", theirs)[1][:100])
    sizes[level][0] += len(ours)
    sizes[level][1] += len(zlib.compress(data, level)) - 6
    if i % 5 == 0:
        ok, ours = ask("Z", data, level)
        assert ok and zlib.decompress(ours) == data and ours[:2] == zlib.compress(data, level)[:2]
        ok, ours = ask("G", data, level)
        assert ok and gzip.decompress(ours) == data
        two = gzip.compress(data, level) + ours + b"\0" * rng.randrange(3)
        assert ask("g", two) == (True, data + data)
    # a changed, a shorter stream: the same result, or an error on both sides
    for operation, stream in (("i", theirs), ("z", zlib.compress(data, level)), ("g", gzip.compress(data, level))):
        stream = bytearray(stream)
        if not stream:
            continue
        if rng.random() < 0.7:
            for _ in range(rng.randrange(1, 4)):
                stream[rng.randrange(min(len(stream), rng.choice([8, 80, 10 ** 6])))] ^= 1 << rng.randrange(8)
        else:
            del stream[rng.randrange(len(stream)):]
        expected = reference(operation, bytes(stream))
        ok, got = ask(operation, bytes(stream))
        broken += 1
        refused += not ok
        if (got if ok else None) != expected:
            open("/tmp/pack_difference", "wb").write(stream)
            raise SystemExit(f"sample {i}, {operation}: {got[:100] if not ok else len(got)}, "
                             f"Python: {None if expected is None else len(expected)}")
print(f"pack: {count} samples by both sides; {broken} changed streams, of which {refused} are errors on both sides")
for level, (ours, theirs) in sizes.items():
    print(f"pack: level {level}: {ours} bytes, zlib {theirs}: {100 * ours / max(theirs, 1) - 100:+.2f} %")
if "--time" in sys.argv:
    text = b"".join(b"%d,%.6f,%s\n" % (k, rng.gauss(0, 1), rng.choice([b"red", b"green"])) for k in range(400000))
    pixels = bytes(
        min(255, max(0, int(128 + 60 * ((k // 3 % 640) / 640) + rng.gauss(0, 3)))) for k in range(3 * 640 * 480)
    )
    for name, data in (("csv", text), ("pixels", pixels)):
        for level in (1, 6, 9):
            packed = zlib.compress(data, level)
            for operation, argument, do in (("Z", data, lambda: zlib.compress(data, level)),
                                            ("z", packed, lambda: zlib.decompress(packed))):
                times = [[], []]
                for _ in range(5):
                    t = time.perf_counter(); result = ask(operation, argument, level)[1]
                    times[0].append(time.perf_counter() - t)
                    t = time.perf_counter(); theirs = do()
                    times[1].append(time.perf_counter() - t)
                print(f"pack: {name} level {level} {operation}: {sorted(times[0])[2] * 1e3:.1f} ms, zlib "
                      f"{sorted(times[1])[2] * 1e3:.1f} ms; {len(result)} and {len(theirs)} bytes")
child.stdin.close()
