/* examples/char_gpt/text.c: the book that the model reads: a page that was written by hand, then the diary of an
 * island, which a small grammar writes. Days follow one another, verbs agree with who acts, verses rhyme, and who asks
 * gets an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "char_gpt.h"

static const char first_page[] =
    "THE BOOK OF THE ISLAND\n\n"
    "There is an island with one hill, one road and one lamp. The road begins at the harbour, where the boats are, and "
    "ends at the lamp, where the keeper is. Whoever walks up the road in the evening meets whoever walks down, and so "
    "everybody knows everything by night.\n\n"
    "The keeper writes the book. She began it in a winter without ships, when there was nothing to count but the "
    "waves. \"A day that is not written down is a day that the sea takes,\" said the keeper, and she wrote down the "
    "wind, and who came, and what they said. When the page was full she turned it over, and when the book was full she "
    "sewed in more pages.\n\n"
    "The baker cannot read, but he likes to hear what he did. The miller can read, and does not believe a word. The "
    "children have found out that the book can be made to say anything, if one does it in front of the keeper. That is "
    "why there was a goat in the church in the spring, and why the bell rang at noon in the rain.\n\n"
    "The sea was a field and the wind was a plough,\n"
    "and nobody sows it and nobody knows how;\n"
    "the lamp is a star that has come down to stay,\n"
    "and counts all the boats at the end of the day.\n\n"
    "Read slowly. Nothing in the book is long, and nothing in it is lost.\n\n";

/* ---- the grammar ----
 * One of the ways between the bars is taken; <name> stands for what a rule of that name writes, <^name> begins with a
 * capital. */

typedef struct Rule {
    const char *name, *ways;
} Rule;

static const Rule rules[] = {
    {"day", "<^weather>. <news> <news> <talk>|<^weather>. <news> <talk> <news>|<^weather>. <news> <news> <news>|"
            "<^weather>. <news> <talk>\n\n<verse>|<^weather>. <talk> <saying>"},
    {"weather", "the wind is in the <quarter> and the sea is <sea>|there is <sky> over the hill, and the sea is <sea>|"
                "the wind came from the <quarter> and brought <sky>|no wind, and <sky> over the harbour"},
    {"quarter", "north|south|east|west|north-east|south-west"},
    {"sea", "calm|grey|rough|green|as flat as a plate|white|high"},
    {"sky", "rain|snow|fog|a little sun|one long cloud|thunder"},
    {"news", "<^one> <does>.|<^one> <does>.|<^many> <do>.|<^one> <does>, and <many> <do>.|In the <hour> <one> <does>.|"
             "<^one> and <one> <do>.|When <one> <does>, <many> <do>."},
    {"hour", "morning|evening|afternoon|night"},
    {"one", "the <person>|the <person>|the old <person>|the young <person>|the <animal>|the <colour> <animal>"},
    {"many", "the children|the fishermen|two <animal>s|three <colour> <animal>s|the <person>s|all the <animal>s"},
    {"person", "keeper|baker|miller|sailor|teacher|carpenter|doctor|painter"},
    {"animal", "goat|cat|gull|donkey|seal|dog|hen"},
    {"colour", "white|black|brown|red|grey"},
    {"does", "walks <to>|carries <what> <to>|looks for <what>|sleeps <at>|sings about <what>|mends <thing>|waits <at>|"
             "sells <what> to <one>|has lost <thing>"},
    {"do", "walk <to>|carry <what> <to>|look for <what>|sleep <at>|sing about <what>|mend <thing>|wait <at>|"
           "sell <what> to <one>|have lost <thing>"},
    {"to", "to the <place>|up the hill|down the road|over the bridge"},
    {"at", "behind the <place>|near the <place>|under the lamp|in the boat|on the hill"},
    {"place", "mill|church|school|harbour|well"},
    {"what", "<thing>|some <goods>"},
    {"thing", "a basket of <goods>|the blue boat|a letter|the bell|a <colour> hat|a long rope|the key of the <place>|"
              "a net full of fish"},
    {"goods", "bread|fish|wool|<pieces>"},
    {"pieces", "apples|eggs|nails|candles|onions"},
    {"talk", "\"Where is <thing>?\" asked <one>. \"It is <there>,\" said <one>.|"
             "\"Will there be <sky>?\" asked <one>. \"<^answer>,\" said <one>.|"
             "\"Who has taken <thing>?\" asked <one>. \"<^many>,\" said <one>.|"
             "\"How many <pieces> are in the basket?\" asked <one>. \"<^number>,\" said <one>."},
    {"there", "<at>|where it was yesterday|not here"},
    {"answer",
     "before the night|not today|ask the sea|as soon as the wind is in the <quarter>|yes, and more of it than we need"},
    {"number", "none|two|seven|a hundred|more than yesterday|enough for the <person>"},
    {"saying", "Who sells <goods> must not sing about <goods>.|A calm sea teaches nobody to row.|"
               "Where one <animal> goes, there go two.|The road up is the road down.|Rain in the night is no rain."},
    {"verse",
     "The <animal> went down to the sea\nto ask how the water could be free;\nthe <animal> came up from the shore\nand "
     "shut, without a word, the door.|The lamp on the hill has a light\nthat counts every boat in the night;\nthe "
     "<person> comes home with the day\nand sings what the lamp cannot say.|Oh <person>, oh <person>, what have you "
     "there?\nA hat for my head and a comb for my hair,\na song for the road and some bread for the way,\nand nothing "
     "to do at the end of the day."},
};

/* ---- writing ---- */

typedef struct Writer {
    char *text;
    size_t used, capacity;
    bool capital; /* of the next letter */
    t_Generator *generator;
} Writer;

static void put(Writer *w, char c) {
    if (w->used + 1 == w->capacity) return;
    if (w->capital && c >= 'a' && c <= 'z') c = (char)(c - 'a' + 'A');
    w->capital = false;
    w->text[w->used++] = c;
    w->text[w->used] = 0;
}

static const char *ways_of(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strlen(rules[i].name) == length && memcmp(rules[i].name, name, length) == 0) return rules[i].ways;
    return t_fail("the grammar has no rule <%.*s>", (int)length, name);
}

static void write_rule(Writer *w, const char *ways) {
    int64_t count = 1;
    if (!ways) return;
    for (const char *p = ways; *p; p++) count += *p == '|';
    for (int64_t skip = t_random_int64(w->generator) % count; skip; ways++) skip -= *ways == '|';
    for (; *ways && *ways != '|'; ways++) {
        if (*ways != '<') {
            put(w, *ways);
            continue;
        }
        size_t length = strcspn(++ways, ">");
        if (*ways == '^') w->capital = true;
        const char *name = ways + (*ways == '^');
        write_rule(w, ways_of(name, length - (size_t)(name - ways)));
        ways += length;
    }
}

/* "Monday, 3 March. ": the day after the one before; every month has 28. */
static void write_date(Writer *w, int64_t day) {
    static const char *const weekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                           "Friday", "Saturday", "Sunday"};
    static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                         "July",    "August",   "September", "October", "November", "December"};
    char date[64];
    snprintf(date, sizeof date, "%s, %d %s. ", weekdays[day % 7], (int)(day % 28 + 1), months[day / 28 % 12]);
    for (const char *p = date; *p; p++) put(w, *p);
}

char *write_text(int64_t seed, int64_t length) {
    enum { LONGEST_DAY = 4096 };
    Writer w = {.capacity = sizeof first_page + (size_t)length + LONGEST_DAY};
    w.generator = t_generator_manual_seed(t_generator(), seed);
    w.text = malloc(w.capacity);
    if (!w.text) return t_fail("no memory for a text of %lld characters", (long long)length);
    for (const char *p = first_page; *p; p++) put(&w, *p);
    for (int64_t day = 0; (int64_t)w.used < length; day++) {
        write_date(&w, day);
        write_rule(&w, ways_of("day", strlen("day")));
        put(&w, '\n');
        put(&w, '\n');
    }
    return w.text;
}
