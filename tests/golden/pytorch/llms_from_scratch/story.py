"""examples/pytorch/llms_from_scratch/story.h in Python."""

STORY = (
    "The clock in the tower had been silent for nine years when Marta came to mend it -- or so the baker told "
    "her, who told everybody everything.\n\n"
    '"Nobody has missed it," said the baker. "We get up when the cock crows, and we go to bed when the lamps '
    'are out. What would we do with the hours?"\n\n'
    '"You would know how many you have left," said Marta, and she took her box of tools and went up the '
    "stairs.\n\n"
    "There were two hundred and six stairs, and on every one of them lay the dust of nine years. At the top she "
    "found the clock. It was a large, quiet machine of iron and brass, and a bird had built a nest between the "
    "two largest wheels. The nest was empty; the bird had gone with the summer.\n\n"
    "Marta lifted the nest out with both hands and set it on the window. Then she sat down in front of the clock "
    "and looked at it for a long time, as one looks at a friend who does not speak. She did not touch it. She "
    "only looked, and now and then she nodded.\n\n"
    "In the afternoon the boy who swept the church came up the stairs. He had been told to ask whether she "
    "wanted soup.\n\n"
    '"What is wrong with it?" asked the boy.\n\n'
    '"Nothing is wrong with it," said Marta. "It has stopped, that is all. A clock that stops is not a broken '
    'clock. Somebody let it stop."\n\n'
    'The boy thought about this. "The old keeper died," he said. "He went up every evening to wind it. When '
    'he died, nobody went up."\n\n'
    '"And nobody told you to go?"\n\n'
    '"I was four years old," said the boy, "and there are two hundred and six stairs."\n\n'
    "Marta laughed, and it was the first sound that the tower had heard for a long time. She gave the boy a "
    "cloth and a bottle of oil, and she showed him the first wheel, and the second wheel, and how the first "
    "wheel moves the second wheel. She showed him the weight, which hung on a rope as thick as his arm, and the "
    "pendulum, which was longer than he was. They worked until the light was gone. Then they went down to the "
    "soup, which was cold.\n\n"
    "On the second day they cleaned the wheels. On the third day they made a new rope. On the fourth day it "
    "rained, and the boy asked whether a clock could be late.\n\n"
    '"A clock is never late," said Marta. "It is only the people who are late. The clock does what it did '
    "before, again and again, and that is the whole of its art. You will find that it is not easy to do the same "
    'thing again and again, and to do it well."\n\n'
    "On the fifth day she let the boy push the pendulum. It moved to the left, and it moved to the right, and "
    "the first wheel moved the second wheel, and the clock began to speak. It was not a loud sound. But down in "
    "the street the baker came out of his door with flour on his hands, and looked up, and said nothing at all "
    "-- for the first time in nine years.\n\n"
    '"Now it is yours," said Marta to the boy. "Every evening, two hundred and six stairs."\n\n'
    '"And if I forget?"\n\n'
    '"Then it will wait for you," said Marta. "It has learned to wait." And she put the nest back on the '
    "window, for the bird would come again in the spring, and she took her box of tools and went down the "
    "stairs, and she counted them as she went.\n"
)
