/* examples/pytorch/makemore/names.h: what the five lectures on makemore share: 501 first names, and the pairs of a
 * context and its next letter that a network learns from. */
#ifndef EXAMPLES_PYTORCH_MAKEMORE_NAMES_H
#define EXAMPLES_PYTORCH_MAKEMORE_NAMES_H

#include <string.h>

#include "core/core.h"

static const char *words[] = {
    "aaron",     "abel",    "ada",      "adam",      "adela",     "adrian",  "agata",     "agnes",     "aida",
    "akira",     "alan",    "alba",     "albert",    "aldo",      "alec",    "alejandra", "alena",     "alessia",
    "alex",      "alfred",  "alice",    "alina",     "alma",      "alois",   "alva",      "amanda",    "amelie",
    "amir",      "amos",    "ana",      "anders",    "andrea",    "andrei",  "angela",    "anita",     "anja",
    "anna",      "annika",  "anselm",   "anton",     "antonia",   "april",   "arian",     "ariel",     "arlo",
    "arthur",    "astrid",  "aurora",   "axel",      "barbara",   "bart",    "basil",     "beata",     "beatrice",
    "bela",      "bella",   "benedict", "benjamin",  "benno",     "berit",   "bernard",   "bertha",    "bianca",
    "birgit",    "boris",   "brenda",   "brian",     "bridget",   "bruno",   "camilla",   "carl",      "carla",
    "carlo",     "carmen",  "caroline", "casper",    "cecilia",   "celia",   "cesar",     "chiara",    "chloe",
    "christian", "clara",   "claude",   "clemens",   "colin",     "conrad",  "cora",      "corinna",   "cyril",
    "dagmar",    "daniel",  "daniela",  "daria",     "david",     "deborah", "delia",     "denis",     "diana",
    "diego",     "dieter",  "dina",     "dominik",   "dora",      "dorian",  "dorothy",   "dylan",     "edgar",
    "edith",     "edmund",  "edward",   "eileen",    "elena",     "eleni",   "elias",     "elif",      "elin",
    "elisa",     "elise",   "ella",     "ellen",     "elmar",     "elsa",    "elvira",    "emil",      "emilia",
    "emily",     "emma",    "enrico",   "erik",      "erika",     "ernest",  "erwin",     "esther",    "etta",
    "eugene",    "eva",     "evan",     "evelyn",    "fabian",    "fatima",  "felix",     "ferdinand", "fiona",
    "flora",     "florian", "frances",  "frank",     "franziska", "frida",   "frieda",    "gabriel",   "gemma",
    "george",    "gerald",  "gerda",    "gianna",    "gideon",    "gilbert", "giles",     "gina",      "gloria",
    "gordon",    "grace",   "greta",    "gregor",    "gudrun",    "guido",   "gustav",    "hanna",     "hannes",
    "harald",    "harold",  "harriet",  "harry",     "hazel",     "hector",  "heidi",     "helen",     "helena",
    "helga",     "henri",   "henry",    "herbert",   "hilda",     "holly",   "hugo",      "ian",       "ida",
    "ignaz",     "igor",    "ilse",     "imke",      "ina",       "ines",    "inga",      "ingrid",    "irene",
    "iris",      "irma",    "isa",      "isaac",     "isabel",    "ivan",    "ivo",       "jack",      "jacob",
    "jakob",     "jana",    "janet",    "janos",     "jasmin",    "jasper",  "jean",      "jenny",     "jens",
    "jeremy",    "jesper",  "joan",     "joel",      "johan",     "johanna", "john",      "jonas",     "jonathan",
    "jordan",    "josef",   "judith",   "jules",     "julia",     "julian",  "juliet",    "june",      "juri",
    "jutta",     "kai",     "kamil",    "karen",     "karin",     "karl",    "karla",     "kaspar",    "kate",
    "katja",     "kenji",   "kevin",    "kilian",    "kim",       "kira",    "klara",     "klaus",     "konstantin",
    "kurt",      "lara",    "lars",     "laura",     "laurin",    "lea",     "leah",      "leander",   "lena",
    "leo",       "leon",    "leona",    "leonard",   "leopold",   "levi",    "lewis",     "lidia",     "liliana",
    "lina",      "linda",   "linus",    "lisa",      "livia",     "lorena",  "lorenz",    "lotte",     "louis",
    "louisa",    "luca",    "lucas",    "lucia",     "luis",      "luisa",   "lukas",     "lydia",     "madeline",
    "magda",     "magnus",  "maja",     "malte",     "manuel",    "mara",    "marc",      "marcel",    "marco",
    "margaret",  "maria",   "marian",   "marie",     "marina",    "mario",   "marius",    "marlene",   "marta",
    "martin",    "mary",    "mathilda", "matteo",    "matthew",   "maurice", "max",       "maya",      "melissa",
    "mercy",     "merle",   "michael",  "michelle",  "mika",      "mila",    "milan",     "miles",     "milo",
    "mina",      "mira",    "miriam",   "mona",      "monica",    "moritz",  "muriel",    "nadia",     "nadine",
    "naomi",     "natalie", "nathan",   "nela",      "nelson",    "nia",     "nicholas",  "nico",      "nicole",
    "nils",      "nina",    "noah",     "noel",      "nora",      "norbert", "norman",    "odette",    "olaf",
    "olga",      "oliver",  "olivia",   "omar",      "ophelia",   "oscar",   "oskar",     "otis",      "otto",
    "pablo",     "pamela",  "patricia", "patrick",   "paul",      "paula",   "pauline",   "pedro",     "penelope",
    "percy",     "peter",   "petra",    "philip",    "phoebe",    "pia",     "pierre",    "quentin",   "quinn",
    "rachel",    "rafael",  "ralf",     "ramona",    "raoul",     "raymond", "rebecca",   "regina",    "reinhard",
    "remo",      "renata",  "renee",    "ricarda",   "richard",   "rita",    "robert",    "robin",     "rocco",
    "roland",    "roman",   "ronja",    "rosa",      "rosalind",  "rose",    "rosina",    "rowan",     "ruben",
    "rudolf",    "rufus",   "rupert",   "ruth",      "sabine",    "sally",   "samira",    "samuel",    "sandra",
    "sarah",     "sasha",   "saskia",   "sebastian", "selma",     "serena",  "sergio",    "sibyl",     "sidney",
    "sigrid",    "silas",   "silvia",   "simon",     "simone",    "sofia",   "sonja",     "sophie",    "stefan",
    "stella",    "sten",    "susan",    "sven",      "svenja",    "sylvie",  "tamara",    "tanja",     "tara",
    "teresa",    "tessa",   "thea",     "theo",      "theodor",   "theresa", "thomas",    "tilda",     "till",
    "tilman",    "timo",    "tobias",   "tom",       "tomas",     "toni",    "tristan",   "ulla",      "ulrich",
    "ulrike",    "una",     "ursula",   "uta",       "valentin",  "valeria", "vanessa",   "vera",      "verena",
    "vernon",    "vico",    "victor",   "victoria",  "vincent",   "viola",   "violet",    "vivian",    "volker",
    "walter",    "wanda",   "wenzel",   "wilhelm",   "willa",     "william", "willow",    "winona",    "wolfgang",
    "xaver",     "xenia",   "yann",     "yara",      "yasmin",    "yolanda", "yuki",      "yusuf",     "yvonne",
    "zara",      "zelda",   "zeno",     "zita",      "zoe",       "zora",
};
enum { N_WORDS = sizeof words / sizeof *words, MAX_EXAMPLES = 12 * N_WORDS };

/* itos[i]: '.' begins and ends a name. stoi(ch) is the inverse. */
static const char itos[] = ".abcdefghijklmnopqrstuvwxyz";
enum { vocab_size = sizeof itos - 1 };

static inline int64_t stoi(char ch) {
    return strchr(itos, ch) - itos;
}

/* sum(p.nelement() for p in parameters) */
static inline int64_t count_elements(t_TensorList *parameters) {
    int64_t nelement = 0;
    for_list (p, parameters) nelement += t_numel(p);
    return nelement;
}

/* context = context[1:] + [ix] */
static inline void push(int64_t *context, int64_t block_size, int64_t ix) {
    memmove(context, context + 1, (size_t)(block_size - 1) * sizeof *context);
    context[block_size - 1] = ix;
}

/* The Tensor X (examples, block_size) of contexts and Y (examples) of the letters that follow them, for words[begin] to
 * words[end - 1]. A context begins as dots; each letter pushes its oldest one out. */
static inline Tensor *build_dataset(int64_t begin, int64_t end, int64_t block_size, Tensor **Y) {
    static int64_t xs[MAX_EXAMPLES * 8], ys[MAX_EXAMPLES];
    int64_t context[8] = {0}, n = 0;
    for (int64_t w = begin; w < end; w++) {
        memset(context, 0, sizeof context);
        for (size_t i = 0; i <= strlen(words[w]); i++) {
            int64_t ix = i < strlen(words[w]) ? stoi(words[w][i]) : 0;
            memcpy(xs + n * block_size, context, (size_t)block_size * sizeof *context);
            ys[n++] = ix;
            push(context, block_size, ix);
        }
    }
    *Y = t_tensor(ys, n);
    return t_tensor(xs, n, block_size);
}

#endif
