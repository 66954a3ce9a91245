"""examples/pytorch/llms_from_scratch/messages.h in Python."""

import random
from collections import namedtuple

Message = namedtuple("Message", "label text")

PLACES = ["station", "harbour", "school", "library", "market", "old bridge", "bakery", "park"]
TIMES = ["at five", "at noon", "after work", "tomorrow", "tonight", "on Sunday", "in an hour", "before lunch"]
THINGS = ["the bread", "your umbrella", "the tickets", "my notes", "some milk", "the keys", "a book", "the lamp"]
REASONS = ["the bus is late", "it rains", "I am tired", "the meeting is long", "my phone was off", "I forgot the time"]
PRIZES = ["holiday", "phone", "car", "voucher", "camera", "cruise"]
WORDS = ["WIN", "GO", "CASH", "LUCKY", "CLAIM", "NOW"]


def ham():
    place = random.choice(PLACES)
    time = random.choice(TIMES)
    thing = random.choice(THINGS)
    reason = random.choice(REASONS)
    kind = random.randint(0, 4)
    if kind == 0:
        return f"See you at the {place} {time}."
    if kind == 1:
        return f"Can you bring {thing} to the {place} {time}?"
    if kind == 2:
        return f"Sorry, {reason}. I will be at the {place} {time}."
    if kind == 3:
        return f"I found {thing} at the {place}, call me {time}."
    return f"Do you want a free lunch {time}? I have won the bet, {reason} again."


def spam():
    prize = random.choice(PRIZES)
    word = random.choice(WORDS)
    number = random.randint(1000, 9999)
    time = random.choice(TIMES)
    kind = random.randint(0, 3)
    if kind == 0:
        return f"You have won a {prize}! Call {number} {time}."
    if kind == 1:
        return f"Free {prize} for you: text {word} to {number}."
    if kind == 2:
        return f"Last call! Your {prize} waits, claim it {time} with {word} to {number}."
    return f"Your account is locked. Call {number} {time} or lose the {prize}."


def messages(n):
    """The label 1 is spam, about a quarter of them."""
    rows = []
    for _ in range(n):
        label = 1 if random.random() < 0.25 else 0
        rows.append(Message(label, spam() if label == 1 else ham()))
    return rows


def messages_text(rows, separator):
    return separator.join(row.text for row in rows)
