"""examples/pytorch/llms_from_scratch/instructions.h in Python."""

OPPOSITES = [("hot", "cold"), ("big", "small"), ("early", "late"), ("open", "closed"), ("loud", "quiet"),
             ("full", "empty"), ("old", "new"), ("wet", "dry"), ("high", "low"), ("fast", "slow"),
             ("rich", "poor"), ("dark", "bright")]  # fmt: skip
PLURALS = [("clock", "clocks"), ("wheel", "wheels"), ("child", "children"), ("lamp", "lamps"), ("mouse", "mice"),
           ("bird", "birds"), ("tower", "towers"), ("foot", "feet"), ("nest", "nests"), ("boat", "boats"),
           ("stair", "stairs"), ("town", "towns")]  # fmt: skip
PAST = [("goes", "went"), ("sings", "sang"), ("walks", "walked"), ("brings", "brought"), ("opens", "opened"),
        ("sleeps", "slept"), ("writes", "wrote"), ("waits", "waited"), ("finds", "found"), ("rows", "rowed"),
        ("eats", "ate"), ("mends", "mended")]  # fmt: skip
PLACES = [("bread", "bakery"), ("fish", "harbour"), ("books", "library"), ("trains", "station"), ("flowers", "garden"),
          ("stamps", "post office"), ("medicine", "pharmacy"), ("pictures", "museum")]  # fmt: skip


def entry(instruction, input, output):
    return {"instruction": instruction, "input": input, "output": output}


def instructions():
    data = []
    for a, b in OPPOSITES:
        data.append(entry("What is the opposite of this word?", a, f"The opposite of {a} is {b}."))
        data.append(entry("What is the opposite of this word?", b, f"The opposite of {b} is {a}."))
    for a, b in PLURALS:
        data.append(entry("Write the plural of this word.", a, f"The plural of {a} is {b}."))
        data.append(entry("Write the singular of this word.", b, f"The singular of {b} is {a}."))
    for a, b in PAST:
        data.append(entry("Write this in the past tense.", f"She {a} every day.", f"She {b} every day."))
        data.append(entry("Write this in the present tense.", f"He {b} at night.", f"He {a} at night."))
    for a, b in PLACES:
        data.append(entry(f"Where do you find {a}?", "", f"You find {a} at the {b}."))
        data.append(entry(f"What do you find at the {b}?", "", f"At the {b} you find {a}."))
    return data
