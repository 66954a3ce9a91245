"""Writes tests/golden/files/bpe: a small byte-level BPE that the package tokenizers trained on a corpus made by a rule,
and tests/golden/tokenizers.txt: what tokenizers and tiktoken make of hard strings with it.

    python tests/golden/tokenizers_cases.py     from the root of the tree; needs tokenizers and tiktoken

A line of tokenizers.txt is a text in hexadecimal and three lists of ids: tiktoken's with GPT-2's pattern, with that of
cl100k_base, and tokenizers'. tests/interop/tokenizers_compare.py compares many more."""

import base64
import os
import random

import tiktoken
import tokenizers
from tiktoken_ext import openai_public

FOLDER = "tests/golden/files/bpe/"
END = "<|endoftext|>"

WORDS = """the of and to in is you that it he was for on are as with his they at be this have from or one had by word
but not what all were we when your can said there use an each which she do how their if will up other about out many
then them these so some her would make like him into time has look two more write go see number no way could people my
than first water been call who oil its now find long down day did get come made may part don't it's we'll I'm they've
you're he'd 1 2 10 1984 2024 3.14 naïve café über привет мир 你好 世界 日本語 한국어 😀 👍🏽 مرحبا γεια नमस्ते""".split()

POOLS = [
    "abcxyzABCXYZ", "0123456789", "  ", " \t\n\r\x0b\x0c\x85\xa0\u1680\u2003\u2028\u2029\u202f\u3000\x1c\u200b\ufeff",
    "'sSdDmMtTlLvVeErR\u017f", ".,;:!?-_()[]{}<>|/\\\"'`~@#$%^&*+=", "éüßñçåøæœ", "你好世界日本語かなカナ한국어",
    "привет мир", "مرحبا", "नमस्ते", "e\u0301a\u0308\u200d\u20e3", "😀👨‍👩‍👧🇩🇪👍🏽🏳️‍🌈",
    "\x01\x07\x1b\x7f", "²³¹½Ⅳ①٣", "𝒜𝟘𐐀",
]  # fmt: skip


def corpus(seed, length):
    draw = random.Random(seed)
    out, total = [], 0
    while total < length:
        out.append(draw.choice(WORDS) + draw.choice([" "] * 8 + [", ", ". ", "\n", "\n\n", "  "]))
        total += len(out[-1])
    return "".join(out)


def hard_strings(seed, count):
    draw = random.Random(seed)
    yield from ["", " ", "  ", "\n", " \n ", "a", " a", "  a", "a  ", "a \n b", "\r\n\r\nx", "'s", " 's", "''s",
                "'S it'S",
                "don't", "it's we'll I'm", "1234567", " 12 345", "a1b2", "x" * 200, "the" * 60, " " * 130, "\t\t x",
                "\u00a0a", "\u3000\u3000a", "!!!", " !!!\n\n", "é", "e\u0301", "\u017f'\u017f", "\U0010ffff\ue000",
                END, "a" + END + " b", "<|endoftext", END + END]  # fmt: skip
    for _ in range(count):
        out = []
        for _ in range(draw.randint(1, 6)):
            kind = draw.random()
            if kind < 0.4:
                out.append(" ".join(draw.choice(WORDS) for _ in range(draw.randint(1, 4))))
            else:
                pool = draw.choice(POOLS)
                out.append("".join(draw.choice(pool) for _ in range(draw.randint(1, 8))))
        yield "".join(out)


def train(path, **options):
    """As in tests/text/test_tokenizers.c."""
    tokenizer = tokenizers.ByteLevelBPETokenizer(**options)
    tokenizer.train(path, vocab_size=500, min_frequency=2, special_tokens=[END], show_progress=False)
    return tokenizer


def ranks_of(folder):
    """Of vocab.json and merges.txt without special tokens, as tiktoken has it."""
    names = {}
    printable = [b for b in range(256) if chr(b).isprintable() and chr(b) != " "]
    others = [b for b in range(256) if b not in printable]
    names.update({chr(b): b for b in printable})
    names.update({chr(256 + i): b for i, b in enumerate(others)})
    ranks = {bytes([b]): i for i, b in enumerate(printable + others)}
    with open(folder + "merges.txt", encoding="utf-8") as file:
        for line in file.read().split("\n")[1:-1]:
            token = bytes(names[c] for c in line.replace(" ", ""))
            ranks[token] = len(ranks)
    return ranks


def encodings(ranks):
    gpt2 = tiktoken.Encoding("gpt2", pat_str=openai_public.r50k_pat_str, mergeable_ranks=ranks,
                             special_tokens={END: len(ranks)})  # fmt: skip
    pattern = ("'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|"
               "\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s")  # fmt: skip
    cl100k = tiktoken.Encoding("cl100k_base", pat_str=pattern, mergeable_ranks=ranks, special_tokens={END: 100257})
    special = {END: 199999, "<|endofprompt|>": 200018}
    o200k = tiktoken.Encoding("o200k_base", pat_str=o200k_pattern(), mergeable_ranks=ranks, special_tokens=special)
    return gpt2, cl100k, o200k


def o200k_pattern():
    """That of tiktoken, without its list of ranks, which would be downloaded."""
    load = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda *args, **options: {}
    try:
        return openai_public.o200k_base()["pat_str"]
    finally:
        openai_public.load_tiktoken_bpe = load


def cased_strings(seed, count):
    """Runs of capitals, small letters, letters without a case, marks and what surrounds words in o200k_base."""
    draw = random.Random(seed)
    parts = ["A", "Bc", "d", "\u01c5", "\u02b0", "\u4e2d", "\u0301", "\u0903", "\u00c9", "\u00df", "'s", "'LL", "'Re",
             "'x", "'\u017f", " ", "  ", "\t", "\n", "\r\n", "/", "!", "-", "1", "2345", "\u0661", "\u3000",
             "\U0001F600", "_"]  # fmt: skip
    return ["".join(draw.choice(parts) for _ in range(draw.randint(1, 14))) for _ in range(count)]


def main():
    os.makedirs(FOLDER, exist_ok=True)
    with open(FOLDER + "corpus.txt", "w", encoding="utf-8", newline="") as file:
        file.write(corpus(1, 6000))
    tokenizer = train(FOLDER + "corpus.txt")
    tokenizer.save_model(FOLDER)
    tokenizer.save(FOLDER + "tokenizer.json", pretty=False)
    ranks = ranks_of(FOLDER)
    with open(FOLDER + "cl100k_base.tiktoken", "w") as file:
        for token, rank in ranks.items():
            file.write(f"{base64.b64encode(token).decode()} {rank}\n")
    gpt2, cl100k, o200k = encodings(ranks)
    with open("tests/golden/tokenizers.txt", "w") as file:
        for text in [*hard_strings(2, 300), *cased_strings(4, 300)]:
            lists = [gpt2.encode(text, allowed_special="all"), cl100k.encode(text, allowed_special="all"),
                     tokenizer.encode(text).ids, o200k.encode(text, allowed_special="all")]  # fmt: skip
            file.write("|".join([text.encode().hex()] + [" ".join(map(str, ids)) for ids in lists]) + "\n")
    draw = random.Random(3)
    with open("tests/golden/utf8_replaced.txt", "w") as file:  # bytes, and bytes.decode(errors="replace")
        for _ in range(200):
            lead = [0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
                    0x8F,
                    0x90, 0x9F, 0xA0]  # fmt: skip
            some = bytes(draw.choice(lead) for _ in range(draw.randint(1, 10)))
            file.write(some.hex() + " " + some.decode(errors="replace").encode().hex() + "\n")


if __name__ == "__main__":
    main()
