"""core/text against tiktoken and tokenizers: ids of some megabytes of hard strings, files and merges of training.

    make interop PYTHON=python3      needs tiktoken and tokenizers
    python tests/interop/tokenizers_compare.py build/tests/interop_tokenizers [FOLDER]

FOLDER has GPT-2's own vocab.json and merges.txt; without it, a vocabulary that tokenizers trains here is used. For each
text the processor time of both sides is printed, one thread each."""

import base64
import filecmp
import os
import random
import subprocess
import sys
import tempfile
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, "tests/golden")

import numpy as np
import tokenizers
from tokenizers_cases import END, cased_strings, corpus, encodings, hard_strings, ranks_of

program = sys.argv[1]
folder = tempfile.mkdtemp() + "/"
checks = 0


def check(what, holds):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"interop: {what} differs")


def run(*arguments):
    return subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def write(name, text):
    with open(folder + name, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return folder + name


def random_characters(seed, count):
    """Of all of Unicode, alone and in runs, between words."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        c = chr(draw.choice([draw.randrange(0xD800), draw.randrange(0xE000, 0x110000), draw.randrange(0x3000)]))
        out.append(draw.choice(["", " ", "a", "1", "'", "\n"]) + c * draw.choice([1, 1, 2, 3, 60]))
    return "".join(out)


def main():
    hard = write("hard.txt", "".join(hard_strings(4, 10000)).replace(END, ""))
    wild = write("wild.txt", random_characters(5, 20000))
    cased = write("cased.txt", "".join(cased_strings(7, 50000)))
    easy = write("easy.txt", corpus(6, 500000))

    options = [(1000, 2, 0), (3000, 0, 1), (6000, 1, 0), (600, 3, 1), (100, 2, 0)]
    for seed, (size, frequency, prefix) in enumerate(options):
        text = write("train.txt", corpus(seed, 20000) + "".join(hard_strings(seed, 2000)))
        ours, theirs = folder + "ours", folder + "theirs"
        os.makedirs(ours, exist_ok=True)
        os.makedirs(theirs, exist_ok=True)
        tokenizer = tokenizers.ByteLevelBPETokenizer(add_prefix_space=bool(prefix))
        tokenizer.train([text, hard], vocab_size=size, min_frequency=frequency, special_tokens=[END, "e"],
                        show_progress=False)  # fmt: skip
        tokenizer.save_model(theirs)
        run("train", ours, str(size), str(frequency), str(prefix), text, hard)
        for pretty in 0, 1:
            tokenizer.save(f"{theirs}/tokenizer{pretty}.json", pretty=bool(pretty))
        loaded = tokenizers.Tokenizer.from_file(f"{ours}/tokenizer0.json")
        sample = "".join(hard_strings(seed + 50, 200))
        check(f"tokenizer.json of training {seed}, loaded", loaded.encode(sample).ids == tokenizer.encode(sample).ids)
        for name in "vocab.json", "merges.txt", "tokenizer0.json", "tokenizer1.json":
            check(f"{name} of training {seed}", filecmp.cmp(f"{ours}/{name}", f"{theirs}/{name}", False))

    if len(sys.argv) > 2:
        source = sys.argv[2] + "/"
    else:
        source = folder
        tokenizer = tokenizers.ByteLevelBPETokenizer()
        tokenizer.train([easy, hard], vocab_size=8000, show_progress=False)
        tokenizer.save_model(source)
    for name, link in ("merges.txt", "vocab.bpe"), ("merges.txt", "merges.txt"), ("vocab.json", "vocab.json"):
        if not os.path.exists(folder + link):
            os.symlink(os.path.abspath(source + name), folder + link)
    ranks = ranks_of(source)
    for name in "cl100k_base", "o200k_base":
        with open(f"{folder}{name}.tiktoken", "w") as file:
            for token, rank in ranks.items():
                file.write(f"{base64.b64encode(token).decode()} {rank}\n")
    gpt2, cl100k, o200k = encodings(ranks)
    tokenizer = tokenizers.ByteLevelBPETokenizer(source + "vocab.json", source + "merges.txt")
    tokenizer.add_special_tokens([END])
    tokenizer.save(folder + "tokenizer.json")
    references = {"gpt2": gpt2.encode_ordinary, "cl100k_base": cl100k.encode_ordinary,
                  "o200k_base": o200k.encode_ordinary,
                  "hf": lambda text: tokenizer.encode(text).ids,
                  "json": lambda text: tokenizer.encode(text).ids}  # fmt: skip
    for path in hard, wild, cased, easy:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
        for name, encode in references.items():
            seconds = float(run("encode", folder, name, path, folder + "ids.npy"))
            begin = time.process_time()
            want = encode(text)
            took = time.process_time() - begin
            check(f"{os.path.basename(path)} by {name}", np.array_equal(np.load(folder + "ids.npy"), want))
            print(f"{os.path.basename(path)} {name}: {len(want)} ids, {seconds:.3f} s, reference {took:.3f} s")
    print(f"interop: {checks} comparisons with tiktoken and tokenizers")


main()
