"""The files that paths in texts may name: python3 files.py FOLDER

One of each reader's corpus, files that are right of the formats that t_load and the decoders read, and a folder with
the files of the datasets and tokenizers."""

import json
import os
import struct
import sys
import zipfile
import zlib


def put(path, contents):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(contents if isinstance(contents, bytes) else contents.encode())


def npy():
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<3f", 1, 2, 3)


def png():
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress(b"".join(b"\0" + bytes(range(12)) for _ in range(3)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 3, 8, 2, 0, 0, 0)), chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    )


def idx(magic, dims, data):
    return struct.pack(f">I{len(dims)}I", magic, *dims) + data


def mnist(folder):
    images, labels = idx(0x803, (2, 28, 28), bytes(2 * 784)), idx(0x801, (2,), b"\1\2")
    for name in ("MNIST", "FashionMNIST", "KMNIST"):
        for part in ("train", "t10k"):
            put(f"{folder}/{name}/raw/{part}-images-idx3-ubyte", images)
            put(f"{folder}/{name}/raw/{part}-labels-idx1-ubyte", labels)
    for part in ("train", "test"):
        put(f"{folder}/QMNIST/raw/qmnist-{part}-images-idx3-ubyte", images)
        put(f"{folder}/QMNIST/raw/qmnist-{part}-labels-idx2-int", idx(0xC02, (2, 8), bytes(64)))
        for split in ("digits", "letters", "byclass", "bymerge", "balanced", "mnist"):
            put(f"{folder}/EMNIST/raw/emnist-{split}-{part}-images-idx3-ubyte", images)
            put(f"{folder}/EMNIST/raw/emnist-{split}-{part}-labels-idx1-ubyte", labels)


def cifar(folder):
    batches = [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]
    for name in batches:
        put(f"{folder}/cifar-10-batches-bin/{name}.bin", bytes(2 * 3073))
    put(f"{folder}/cifar-10-batches-bin/batches.meta.txt", "".join(f"class{i}\n" for i in range(10)))
    for name in ("train", "test"):
        put(f"{folder}/cifar-100-binary/{name}.bin", bytes(2 * 3074))
    put(f"{folder}/cifar-100-binary/fine_label_names.txt", "".join(f"class{i}\n" for i in range(100)))


def byte_tokens():
    """GPT-2's characters for the 256 bytes, in its order."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in shown] + [chr(256 + i) for i in range(256 - len(shown))]


def texts(folder):
    for name in ("wikitext-2", "wikitext-103"):
        for part in ("train", "valid", "test"):
            put(f"{folder}/{name}/wiki.{part}.tokens", " = Title = \n a text of words \n")
    merges = "#version: 0.2\na b\nt h\n"
    put(f"{folder}/merges.txt", merges)
    put(f"{folder}/vocab.bpe", merges)
    vocabulary = byte_tokens() + ["ab", "th", "<|endoftext|>"]
    put(f"{folder}/vocab.json", json.dumps({token: i for i, token in enumerate(vocabulary)}))


def main(folder):
    corpora = "tests/fuzz/corpus"
    for name in sorted(os.listdir(corpora)):
        inputs = sorted(os.listdir(f"{corpora}/{name}"))
        if inputs:
            put(f"{folder}/sample.{name}", open(f"{corpora}/{name}/{inputs[0]}", "rb").read())
    put(f"{folder}/folder/class_a/image.png", png())
    put(f"{folder}/folder/class_a/text.txt", "text\n")
    put(f"{folder}/right.npy", npy())
    with zipfile.ZipFile(f"{folder}/right.npz", "w") as archive:
        archive.writestr("a.npy", npy())
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})
    put(f"{folder}/right.safetensors", struct.pack("<Q", len(header)) + header.encode() + struct.pack("<2f", 1, 2))
    put(f"{folder}/right.png", png())
    put(f"{folder}/right.csv", "a,b\n1,2\n3,4\n")
    put(f"{folder}/right.txt", "1 2\n3 4\n")
    put(f"{folder}/right.onnx", open("tests/golden/onnx_graph.onnx.bin", "rb").read())
    data = f"{folder}/data"
    put(f"{data}/image.jpeg", open(f"{corpora}/jpeg/optimized", "rb").read())
    put(f"{data}/class_a/image.png", png())
    mnist(data)
    cifar(data)
    texts(data)


if __name__ == "__main__":
    main(sys.argv[1])
