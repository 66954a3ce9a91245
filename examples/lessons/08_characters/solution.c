/* Lesson 08: a model of characters, which learns how names of rivers are spelt and writes new ones.
 *
 * First by counting pairs of letters, then by a network of one layer that finds the same numbers, then by an MLP that
 * looks at three letters. Holes say "your code"; lesson.md explains each step. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const char *const rivers[] = {
    "amazon", "nile", "yangtze", "mississippi", "yenisei", "ob", "irtysh", "parana", "congo", "amur", "lena",
    "mekong", "mackenzie", "niger", "brahmaputra", "murray", "tocantins", "volga", "shatt", "madeira", "purus",
    "yukon", "indus", "syr", "salween", "danube", "darling", "tarim", "nelson", "paraguay", "tigris", "euphrates",
    "kama", "ganges", "orinoco", "magdalena", "zambezi", "ural", "dnieper", "dniester", "don", "pechora", "limpopo",
    "senegal", "gambia", "volta", "benue", "ubangi", "kasai", "okavango", "orange", "vaal", "tugela", "ruvuma",
    "rufiji", "pangani", "tana", "jubba", "shebelle", "omo", "atbara", "sobat", "rhine", "rhone", "seine", "loire",
    "garonne", "dordogne", "marne", "meuse", "moselle", "scheldt", "elbe", "weser", "oder", "warta", "vistula",
    "neisse", "saale", "main", "neckar", "isar", "inn", "lech", "ems", "havel", "spree", "drava", "sava", "tisza",
    "mures", "prut", "siret", "olt", "morava", "vltava", "maritsa", "struma", "vardar", "po", "adige", "arno",
    "tiber", "piave", "ticino", "adda", "ebro", "douro", "tagus", "guadiana", "guadalquivir", "jucar", "segura",
    "minho", "mondego", "thames", "severn", "trent", "mersey", "tyne", "tees", "humber", "avon", "wye", "dee",
    "clyde", "tay", "spey", "tweed", "shannon", "liffey", "boyne", "lee", "barrow", "neva", "svir", "onega",
    "dvina", "mezen", "narva", "daugava", "neman", "pripyat", "desna", "oka", "moskva", "vyatka", "belaya",
    "samara", "kuban", "terek", "kura", "aras", "rioni", "kolyma", "indigirka", "yana", "aldan", "vilyuy", "angara",
    "selenga", "tobol", "ishim", "tom", "argun", "ussuri", "songhua", "liao", "wei", "han", "gan", "xiang", "min",
    "jialing", "yalong", "huai", "red", "black", "chao", "ping", "nan", "mun", "irrawaddy", "chindwin", "sittang",
    "godavari", "krishna", "kaveri", "narmada", "tapti", "mahanadi", "yamuna", "chambal", "betwa", "son", "gandak",
    "kosi", "teesta", "jhelum", "chenab", "ravi", "beas", "sutlej", "kabul", "helmand", "karun", "jordan", "litani",
    "orontes", "sakarya", "kapuas", "mahakam", "barito", "musi", "hari", "solo", "brantas", "fly", "sepik", "ramu",
    "murrumbidgee", "lachlan", "goulburn", "burdekin", "fitzroy", "daly", "ord", "waikato", "clutha", "tamar",
    "derwent", "missouri", "ohio", "arkansas", "colorado", "columbia", "snake", "platte", "wabash", "tennessee",
    "cumberland", "hudson", "delaware", "potomac", "susquehanna", "savannah", "alabama", "tombigbee", "brazos",
    "pecos", "sabine", "trinity", "gila", "fraser", "peace", "athabasca", "churchill", "ottawa", "saguenay",
    "saskatchewan", "tanana", "kuskokwim", "grijalva", "usumacinta", "balsas", "patuca", "coco", "tapajos", "xingu",
    "negro", "japura", "putumayo", "ucayali", "maranon", "huallaga", "beni", "mamore", "guapore", "araguaia",
    "uruguay", "pilcomayo", "bermejo", "salado", "chubut", "essequibo", "caroni", "apure", "meta", "guaviare",
    "cauca", "atrato",
};
enum { RIVERS = sizeof rivers / sizeof *rivers };

/* A token is a letter, a = 1, ..., z = 26, or 0. Token 0 ends a word, as the character 0 ends a string, and is also
 * what comes before its first letter. */
enum { TOKENS = 27 };
int64_t token(char letter) { return letter ? letter - 'a' + 1 : 0; }
char letter(int64_t token) { return (char)(token ? 'a' + token - 1 : 0); }

/* ---- counting ---- */

/* N (27, 27), float32: N[a, b] is how often token b follows token a. "po" counts (0, p), (p, o) and (o, 0). */
Tensor *bigram_counts(const char *const *words, int count) {
    float n[TOKENS][TOKENS] = {{0}};
    // HOLE
    //| (void)words, (void)count; /* your code */
    for (int i = 0; i < count; i++) {
        const char *next = words[i];
        int64_t previous = 0;
        do {
            n[previous][token(*next)]++;
            // WRONG transposed_counts 18: n[token(*next)][previous]++;
            previous = token(*next);
        } while (*next++);
        // WRONG no_end 18: } while (*++next);
    }
    // END
    return t_tensor(n);
}

/* P[a, b] = (N[a, b] + s) / (the sum of row a of N + 27 s): the probability of b after a. s >= 0 smooths. */
Tensor *bigram_probabilities(Tensor *N, double s) {
    // HOLE
    //| (void)s; /* your code */
    //| return t_zeros_like(N);
    Tensor *smoothed = t_add(N, s);
    return t_div(smoothed, t_sum(smoothed, 1, .keepdim = true));
    // WRONG no_keepdim 19: return t_div(smoothed, t_sum(smoothed, 1));
    // END
}

/* ---- examples and their loss ---- */

/* What a model is trained on: row i of x (n, k) has k tokens, and y[i] of y (n) is the token that follows them. */
typedef struct Examples {
    Tensor *x, *y;
} Examples;

/* The examples of a list of words, in their order: one for each letter, and one for the end of each word. Before the
 * first letter the context is filled with 0. "po" with k = 3: 000 -> p, 00p -> o, 0po -> 0. */
Examples make_examples(const char *const *words, int count, int k) {
    int64_t n = 0;
    for (int i = 0; i < count; i++) n += (int64_t)strlen(words[i]) + 1;
    Tensor *x = t_zeros(n, k, .dtype = t_int64), *y = t_zeros(n, .dtype = t_int64);
    int64_t *row = t_data_ptr_mut(x), *next = t_data_ptr_mut(y); /* x has k numbers a row */
    // HOLE
    //| (void)row, (void)next; /* your code */
    for (int i = 0; i < count; i++) {
        int64_t context[16] = {0}; /* k <= 16 */
        const char *c = words[i];
        do {
            memcpy(row, context, (size_t)k * sizeof *row);
            *next++ = token(*c);
            row += k;
            memmove(context, context + 1, (size_t)(k - 1) * sizeof *context);
            context[k - 1] = token(*c);
            // WRONG newest_first 18: memcpy(context, row - k, (size_t)k * sizeof *row);
            // WRONG newest_first: memmove(context + 1, context, (size_t)(k - 1) * sizeof *context);
            // WRONG newest_first: context[0] = token(*c);
        } while (*c++);
    }
    // END
    return (Examples){x, y};
}

/* The mean of -log p(y[i]) over the rows i of log_p (n, 27), a scalar tensor. */
Tensor *negative_log_likelihood(Tensor *log_p, Tensor *y) {
    // HOLE
    //| (void)y; /* your code */
    //| return t_mul(t_sum(log_p), 0);
    Tensor *chosen = t_gather(log_p, 1, t_unsqueeze(y, 1));
    return t_neg(t_mean(chosen));
    // WRONG positive 16: return t_mean(chosen);
    // WRONG library_loss 19: return chosen ? F_nll_loss(log_p, y) : NULL;
    // END
}

/* ---- a network of one layer ---- */

/* The logits of the token after x (n, 1) are row x of W (27, 27). */
Tensor *bigram_logits(void *W, Tensor *x) { return t_at((Tensor *)W, "{}", t_select(x, 1, 0)); }

/* Gradient descent on W, in place: in each step all examples, W -= learning_rate * gradient. Returns the loss before
 * the last step. Uses negative_log_likelihood. */
double train_bigram_network(Tensor *W, Examples data, double learning_rate, int steps) {
    double value = 0;
    for_range (step, 0, steps) {
        // HOLE
        //| (void)W, (void)data, (void)learning_rate; /* your code */
        Tensor *log_p = t_log_softmax(bigram_logits(W, data.x), 1);
        // WRONG wrong_softmax 18: Tensor *log_p = t_log_softmax(bigram_logits(W, data.x), 0);
        Tensor *loss = negative_log_likelihood(log_p, data.y);
        t_set_grad(W, NULL);
        // WRONG gradient_stays 18:
        t_backward(loss);
        with_no_grad() {
            t_sub_(W, t_mul(learning_rate, t_grad(W)));
        }
        value = t_item(loss);
        // END
    }
    return value;
}

/* ---- an MLP over k letters ---- */

/* Letters as in Bengio et al.: each of k tokens becomes its row of C, the rows are joined, then tanh(e H + d) U + b. */
typedef struct Mlp {
    Tensor *C, *H, *d, *U, *b; /* (27, m), (k m, h), (h), (h, 27), (27) */
} Mlp;

Mlp *new_mlp(int k, int m, int h) {
    static Mlp self;
    self.C = t_requires_grad_(t_randn(TOKENS, m), true);
    self.H = t_requires_grad_(t_mul(t_randn(k * m, h), 1 / sqrt((double)k * m)), true);
    self.d = t_zeros(h, .requires_grad = true);
    self.U = t_requires_grad_(t_mul(t_randn(h, TOKENS), 0.1 / sqrt((double)h)), true);
    self.b = t_zeros(TOKENS, .requires_grad = true);
    return &self;
}

/* x (n, k) of int64 -> logits (n, 27) */
Tensor *mlp_logits(void *mlp, Tensor *x) {
    Mlp *m = mlp;
    // HOLE
    //| return t_matmul(t_zeros(t_size(x, 0), t_size(m->U, 0)), m->U); /* your code */
    Tensor *e = t_flatten(t_at(m->C, "{}", x), 1); /* (n, k, m) -> (n, k m) */
    Tensor *hidden = t_tanh(t_add(t_matmul(e, m->H), m->d));
    return t_add(t_matmul(hidden, m->U), m->b);
    // END
}

/* ---- sampling ---- */

/* Logits (27) -> probabilities (27): softmax(logits / temperature). Temperature 0 is its limit: 1 for the largest. */
Tensor *next_distribution(Tensor *logits, double temperature) {
    // HOLE
    //| return t_add(t_zeros_like(logits), temperature < 0); /* your code */
    if (temperature == 0) return t_float(t_eq(t_arange(TOKENS), t_argmax(logits)));
    return t_softmax(t_div(logits, temperature), 0);
    // WRONG temperature_inverted 19: return t_softmax(t_mul(logits, temperature), 0);
    // END
}

/* A model as sample_word sees it: x (1, k) -> logits (1, 27). */
typedef Tensor *Logits(void *model, Tensor *x);

/* Writes a word into `word`, as a C string of at most size - 1 letters: starts with a context of k zeros, draws the
 * next token from next_distribution by t_multinomial(p, 1), moves the context on by one, until token 0 or size - 1
 * letters. */
void sample_word(Logits *logits, void *model, int k, double temperature, char *word, int size) {
    int length = 0;
    // HOLE
    //| (void)logits, (void)model, (void)k, (void)temperature, (void)size; /* your code */
    Tensor *x = t_zeros(1, k, .dtype = t_int64);
    while (length < size - 1) {
        Tensor *p = next_distribution(t_at(logits(model, x), "0"), temperature);
        Tensor *drawn = t_multinomial(p, 1);
        if (t_item(drawn) == 0) break;
        word[length++] = letter(t_item_int64(drawn));
        x = t_cat(t_list(t_at(x, ":, 1:"), t_unsqueeze(drawn, 0)), 1);
        // WRONG context_stays 18: x = t_zeros_like(x);
    }
    // END
    word[length] = 0;
}

/* ---- the program ---- */

static double loss_of(Logits *logits, void *model, Examples data) {
    double loss = 0;
    with_no_grad() loss = t_item(negative_log_likelihood(t_log_softmax(logits(model, data.x), 1), data.y));
    return loss;
}

static void train_mlp(Mlp *m, Examples train, Examples held_out) {
    optim_Optimizer *optimizer = optim_Adam(t_list(m->C, m->H, m->d, m->U, m->b), .lr = 0.003);
    for_range (step, 0, 801) {
        if (step % 200 == 0)
            printf("  step %4d  train %.2f  held out %.2f\n", (int)step, loss_of(mlp_logits, m, train),
                   loss_of(mlp_logits, m, held_out));
        Tensor *rows = t_randint(0, t_size(train.y, 0), 64);
        Tensor *x = t_at(train.x, "{}", rows), *y = t_at(train.y, "{}", rows);
        Tensor *loss = negative_log_likelihood(t_log_softmax(mlp_logits(m, x), 1), y);
        optim_zero_grad(optimizer);
        t_backward(loss);
        optim_step(optimizer);
    }
}

static void print_words(const char *name, Logits *logits, void *model, int k, double temperature) {
    printf("  %-12s", name);
    for (int i = 0; i < 7; i++) with_no_grad() with_scope() {
        char word[16];
        sample_word(logits, model, k, temperature, word, sizeof word);
        printf(" %s", word);
    }
    printf("\n");
}

/* The probabilities as a picture: a row for each token, "." is 0. */
static void show_probabilities(Tensor *P, const char *folder) {
    static const char *const names[] = {".", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
                                        "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
    plt_figure(.figsize = {6, 5});
    sns_heatmap(P, .cmap = "Blues", .vmax = 0.5, .xticklabels = names, .yticklabels = names);
    plt_xlabel("next");
    plt_ylabel("token");
    char path[512];
    snprintf(path, sizeof path, "%s/bigrams.svg", folder ? folder : ".");
    if (folder) plt_savefig(path);
    plt_show();
}

int main(int argc, char **argv) {
    const char *folder = argc == 3 && strcmp(argv[1], "--plots") == 0 ? argv[2] : NULL;
    t_manual_seed(8);
    const char *train_words[RIVERS], *held_out_words[RIVERS]; /* each tenth name is held out */
    int n = 0, held = 0;
    for (int i = 0; i < RIVERS; i++) {
        if (i % 10 == 9) held_out_words[held++] = rivers[i];
        else train_words[n++] = rivers[i];
    }
    Examples train = make_examples(train_words, n, 1), held_out = make_examples(held_out_words, held, 1);
    printf("%d names for training, %d held out; %d examples; log(27) = %.2f\n", n, held, (int)t_size(train.y, 0),
           log(27));

    Tensor *N = bigram_counts(train_words, n);
    printf("bigram counts, smoothed by s:\n");
    for (int i = 0; i < 4; i++) {
        double s = (double[]){0.001, 0.1, 0.5, 5}[i];
        Tensor *log_P = t_log(bigram_probabilities(N, s)); /* used as logits: their softmax is P */
        printf("  s = %-5g  train %.2f  held out %.2f\n", s, loss_of(bigram_logits, log_P, train),
               loss_of(bigram_logits, log_P, held_out));
    }
    show_probabilities(bigram_probabilities(N, 0.5), folder);

    printf("a network of one layer:\n");
    Tensor *W = t_zeros(TOKENS, TOKENS, .requires_grad = true);
    for (int steps = 0; steps < 3; steps++) {
        train_bigram_network(W, train, 30, 100);
        printf("  step %4d  train %.2f\n", 100 * (steps + 1), loss_of(bigram_logits, W, train));
    }

    printf("an MLP over 3 letters:\n");
    Mlp *mlp = new_mlp(3, 8, 32);
    train_mlp(mlp, make_examples(train_words, n, 3), make_examples(held_out_words, held, 3));

    printf("new names:\n");
    Tensor *log_P = t_log(bigram_probabilities(N, 0.5));
    print_words("bigrams, 1", bigram_logits, log_P, 1, 1);
    print_words("MLP, 1.5", mlp_logits, mlp, 3, 1.5);
    print_words("MLP, 1", mlp_logits, mlp, 3, 1);
    print_words("MLP, 0.5", mlp_logits, mlp, 3, 0.5);
    print_words("MLP, 0", mlp_logits, mlp, 3, 0);
    return 0;
}
