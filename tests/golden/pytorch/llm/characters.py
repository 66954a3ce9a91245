"""examples/pytorch/llm/characters.h in Python."""

import random

SPEAKERS = ["KEEPER", "BAKER", "SAILOR", "MILLER", "DOCTOR", "CHILD"]
OPENINGS = ["I say,", "Good friend,", "Tonight", "No doubt", "My lord,", "Once more", "Be still:", "They tell me"]
SUBJECTS = ["the wind", "the old boat", "a silver bell", "the harbour", "your brother", "the moon", "an honest man"]
VERBS = ["sleeps", "is singing", "waits", "comes home", "must be mended", "is lost", "dances"]
PLACES = ["upon the hill", "behind the mill", "in the rain", "before the dawn", "without a word", "near the sea"]
MARKS = [".", "!", "?", ";", " -- alas!"]


def verse():
    opening = random.choice(OPENINGS)
    subject = random.choice(SUBJECTS)
    verb = random.choice(VERBS)
    place = random.choice(PLACES)
    mark = random.choice(MARKS)
    return f"{opening} {subject} {verb} {place}{mark}\n"


def play(length):
    text = ""
    while len(text) < length:
        text += f"{random.choice(SPEAKERS)}:\n"
        for _ in range(random.randint(1, 3)):
            text += verse()
        text += "\n"
    return text


def known_words(text):
    """The part of the words of a text that are in the lists above."""
    phrases = [f"{speaker}:" for speaker in SPEAKERS] + OPENINGS + SUBJECTS + VERBS + PLACES
    known = set(" ".join(phrases).split())
    words = [word.rstrip(".!?;") for word in text.split()]
    return sum(word in known for word in words) / len(words)


class Characters:
    """One token for each character that a text has, in their order."""

    def __init__(self, text):
        self.chars = "".join(sorted(set(text)))
        self.stoi = {ch: i for i, ch in enumerate(self.chars)}

    def encode(self, s):
        return [self.stoi[c] for c in s]

    def decode(self, ids):
        return "".join(self.chars[i] for i in ids)
