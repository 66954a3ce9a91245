/* examples/pytorch/llms_from_scratch/instructions.h: requests and answers, in place of the book's file, which would
 * have to be downloaded. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_INSTRUCTIONS_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_INSTRUCTIONS_H

#include "core/core.h"

enum { MAX_ENTRIES = 128 };

typedef struct Entry {
    const char *instruction, *input, *output; /* owned by the scope that made them; no input: "" */
} Entry;

typedef struct Entries {
    int len;
    Entry items[MAX_ENTRIES];
} Entries;

typedef struct Two {
    const char *a, *b;
} Two;

static const Two OPPOSITES[] = {{"hot", "cold"},   {"big", "small"},  {"early", "late"}, {"open", "closed"},
                                {"loud", "quiet"}, {"full", "empty"}, {"old", "new"},    {"wet", "dry"},
                                {"high", "low"},   {"fast", "slow"},  {"rich", "poor"},  {"dark", "bright"}};
static const Two PLURALS[] = {{"clock", "clocks"}, {"wheel", "wheels"}, {"child", "children"}, {"lamp", "lamps"},
                              {"mouse", "mice"},   {"bird", "birds"},   {"tower", "towers"},   {"foot", "feet"},
                              {"nest", "nests"},   {"boat", "boats"},   {"stair", "stairs"},   {"town", "towns"}};
static const Two PAST[] = {{"goes", "went"},    {"sings", "sang"},   {"walks", "walked"}, {"brings", "brought"},
                           {"opens", "opened"}, {"sleeps", "slept"}, {"writes", "wrote"}, {"waits", "waited"},
                           {"finds", "found"},  {"rows", "rowed"},   {"eats", "ate"},     {"mends", "mended"}};
static const Two PLACES[] = {{"bread", "bakery"},      {"fish", "harbour"},   {"books", "library"},
                             {"trains", "station"},    {"flowers", "garden"}, {"stamps", "post office"},
                             {"medicine", "pharmacy"}, {"pictures", "museum"}};

static inline void entries_append(Entries *self, const char *instruction, const char *input, const char *output) {
    if (self->len == MAX_ENTRIES) t_fail("more than %d entries", MAX_ENTRIES);
    else self->items[self->len++] = (Entry){instruction, input, output};
}

static inline Entries instructions(void) {
    Entries data = {0};
    for (int i = 0; i < 12; i++) {
        const char *a = OPPOSITES[i].a, *b = OPPOSITES[i].b, *request = "What is the opposite of this word?";
        entries_append(&data, request, a, t_format("The opposite of %s is %s.", a, b));
        entries_append(&data, request, b, t_format("The opposite of %s is %s.", b, a));
    }
    for (int i = 0; i < 12; i++) {
        const char *a = PLURALS[i].a, *b = PLURALS[i].b;
        entries_append(&data, "Write the plural of this word.", a, t_format("The plural of %s is %s.", a, b));
        entries_append(&data, "Write the singular of this word.", b, t_format("The singular of %s is %s.", b, a));
    }
    for (int i = 0; i < 12; i++) {
        const char *a = PAST[i].a, *b = PAST[i].b;
        entries_append(&data, "Write this in the past tense.", t_format("She %s every day.", a),
                       t_format("She %s every day.", b));
        entries_append(&data, "Write this in the present tense.", t_format("He %s at night.", b),
                       t_format("He %s at night.", a));
    }
    for (int i = 0; i < 8; i++) {
        const char *a = PLACES[i].a, *b = PLACES[i].b;
        entries_append(&data, t_format("Where do you find %s?", a), "", t_format("You find %s at the %s.", a, b));
        entries_append(&data, t_format("What do you find at the %s?", b), "", t_format("At the %s you find %s.", b, a));
    }
    return data;
}

/* data[first:end] */
static inline Entries entries_slice(const Entries *data, int first, int end) {
    Entries part = {0};
    for (int i = first; i < end; i++) part.items[part.len++] = data->items[i];
    return part;
}

#endif
