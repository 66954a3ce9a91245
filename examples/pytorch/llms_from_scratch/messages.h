/* examples/pytorch/llms_from_scratch/messages.h: short messages, a quarter of them spam, in place of the SMS Spam
 * Collection, which would have to be downloaded. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_MESSAGES_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_MESSAGES_H

#include "core/core.h"
#include "core/python/python.h"

enum { MAX_MESSAGES = 600 };

typedef struct Message {
    int label;        /* 1: spam */
    const char *text; /* owned by the scope that made it */
} Message;

typedef struct Messages {
    int len;
    Message rows[MAX_MESSAGES];
} Messages;

static const char *const PLACES[] = {"station", "harbour",    "school", "library",
                                     "market",  "old bridge", "bakery", "park"};
static const char *const TIMES[] = {"at five", "at noon",   "after work", "tomorrow",
                                    "tonight", "on Sunday", "in an hour", "before lunch"};
static const char *const THINGS[] = {"the bread", "your umbrella", "the tickets", "my notes",
                                     "some milk", "the keys",      "a book",      "the lamp"};
static const char *const REASONS[] = {"the bus is late",     "it rains",         "I am tired",
                                      "the meeting is long", "my phone was off", "I forgot the time"};
static const char *const PRIZES[] = {"holiday", "phone", "car", "voucher", "camera", "cruise"};
static const char *const SPAM_WORDS[] = {"WIN", "GO", "CASH", "LUCKY", "CLAIM", "NOW"};

static inline const char *ham(void) {
    const char *place = random_choice(PLACES, 8);
    const char *time = random_choice(TIMES, 8);
    const char *thing = random_choice(THINGS, 8);
    const char *reason = random_choice(REASONS, 6);
    switch (random_randint(0, 4)) {
    case 0: return t_format("See you at the %s %s.", place, time);
    case 1: return t_format("Can you bring %s to the %s %s?", thing, place, time);
    case 2: return t_format("Sorry, %s. I will be at the %s %s.", reason, place, time);
    case 3: return t_format("I found %s at the %s, call me %s.", thing, place, time);
    default: return t_format("Do you want a free lunch %s? I have won the bet, %s again.", time, reason);
    }
}

static inline const char *spam(void) {
    const char *prize = random_choice(PRIZES, 6);
    const char *word = random_choice(SPAM_WORDS, 6);
    int number = (int)random_randint(1000, 9999);
    const char *time = random_choice(TIMES, 8);
    switch (random_randint(0, 3)) {
    case 0: return t_format("You have won a %s! Call %d %s.", prize, number, time);
    case 1: return t_format("Free %s for you: text %s to %d.", prize, word, number);
    case 2: return t_format("Last call! Your %s waits, claim it %s with %s to %d.", prize, time, word, number);
    default: return t_format("Your account is locked. Call %d %s or lose the %s.", number, time, prize);
    }
}

static inline void messages_append(Messages *self, Message row) {
    if (self->len == MAX_MESSAGES) t_fail("more than %d messages", MAX_MESSAGES);
    else self->rows[self->len++] = row;
}

static inline Messages messages(int n) {
    Messages all = {0};
    for (int i = 0; i < n; i++) {
        int label = random_random() < 0.25 ? 1 : 0;
        messages_append(&all, (Message){label, label == 1 ? spam() : ham()});
    }
    return all;
}

/* separator.join(text for label, text in rows) */
static inline const char *messages_text(const Messages *self, const char *separator) {
    const char *text = "";
    for (int i = 0; i < self->len; i++) text = t_format("%s%s%s", text, i ? separator : "", self->rows[i].text);
    return text;
}

#endif
