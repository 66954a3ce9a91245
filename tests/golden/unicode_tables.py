"""Writes core/text/unicode_tables.inc from Python's unicodedata.

    python tests/golden/unicode_tables.py     from the root of the tree; needs unicodedata2==16.0.0

Unicode 16.0 is what tiktoken 0.14 and tokenizers 0.23 have in their regular expressions; with --check these two are
asked about every code point."""

import sys

import unicodedata2 as unicodedata

LAST = 0x110000
SPACES = {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, *range(9, 14), *range(0x2000, 0x200B)}
OTHER, LETTER, NUMBER, SPACE = range(4)


def class_of(c):
    """White_Space (PropList.txt), or the general category."""
    if c in SPACES:
        return SPACE
    return {"L": LETTER, "N": NUMBER}.get(unicodedata.category(chr(c))[0], OTHER)


def case_of(c):
    """Of o200k_base's pattern: 1 for Lu and Lt, 2 for Ll, both for Lm, Lo and marks."""
    category = unicodedata.category(chr(c))
    return {"Lu": 1, "Lt": 1, "Ll": 2, "Lm": 3, "Lo": 3}.get(category, 3 if category[0] == "M" else 0)


def wrapped(items):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 120:
            lines.append(line)
            line = "   "
        line += " " + item + ","
    return "\n".join(lines + [line])


def main():
    classes = [class_of(c) for c in range(LAST)]
    runs = [c for c in range(LAST) if c == 0 or classes[c] != classes[c - 1]]
    cases = [case_of(c) for c in range(LAST)]
    case_runs = [c for c in range(LAST) if c == 0 or cases[c] != cases[c - 1]]
    # Runs of capitals whose small letters are at the same distance, every code point or every second one.
    lowers = []
    for c in range(0x80, LAST):
        small = chr(c).lower() if unicodedata.category(chr(c)) != "Cs" else chr(c)
        if len(small) != 1 or ord(small) == c:
            continue
        delta = ord(small) - c
        if lowers and lowers[-1][3] == delta:
            first, last, step, _ = lowers[-1]
            if c - last in (1, 2) and (first == last or c - last == step):
                lowers[-1] = (first, c, c - last, delta)
                continue
        lowers.append((c, c, 1, delta))
    with open("core/text/unicode_tables.inc", "w") as out:
        version = unicodedata.unidata_version
        out.write(f"""/* core/text/unicode_tables.inc: from Unicode {version}, by tests/golden/unicode_tables.py. */

/* The first code point of each run of one class, times 4, plus the class. */
static const uint32_t class_runs[] = {{
{wrapped([f"{c << 2 | classes[c]:#x}" for c in runs])}
}};

/* The same with the case: 1 for capitals, 2 for small letters, 3 for letters without a case and marks, 0 for others. */
static const uint32_t case_runs[] = {{
{wrapped([f"{c << 2 | cases[c]:#x}" for c in case_runs])}
}};

/* Capitals from `first` to `last`, each `step`-th, and how far their small letters are. */
static const struct {{
    uint32_t first, last;
    int32_t step, delta;
}} lower_runs[] = {{
{wrapped([f"{{{a:#x}, {b:#x}, {s}, {d}}}" for a, b, s, d in lowers])}
}};
""")
    print(len(runs), "runs,", len(lowers), "runs of capitals")
    if "--check" in sys.argv:
        check(classes)


def check(classes):
    import tiktoken
    from tokenizers import pre_tokenizers

    points = [c for c in range(LAST) if not 0xD800 <= c < 0xE000]
    ranks = {bytes([i]): i for i in range(256)}
    level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for kind, pattern, before in (LETTER, r"\p{L}", "a"), (NUMBER, r"\p{N}", "1"), (SPACE, r"\s", None):
        encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        found = bytes(encoding.encode_ordinary("".join(map(chr, points)))).decode()
        ours = {c for c in points if classes[c] == kind}
        assert {ord(c) for c in found} == ours, pattern
        if before:
            assert {c for c in points if len(level.pre_tokenize_str(before + chr(c))) == 1} == ours, pattern
    print("as in tiktoken and tokenizers")


main()
