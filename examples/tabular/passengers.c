/* examples/tabular/passengers.c: the passengers. Who is saved depends on sex, class, age and family, and on chance. */
#include "examples/tabular/passengers.h"

#include <math.h>
#include <stdlib.h>

#include "core/python/python.h"

static const char *const families[] = {"Allen",  "Baker",  "Carter",  "Dahl",  "Evans",  "Fischer",
                                       "Garcia", "Hansen", "Iversen", "Jones", "Keller", "Larsen",
                                       "Moreau", "Novak",  "O'Brien", "Palmer"};
static const char *const men[] = {"William", "John", "Thomas", "Karl", "Patrick", "George"};
static const char *const women[] = {"Mary", "Anna", "Margaret", "Elin", "Bridget", "Helen"};

/* The index of a choice with these probabilities; the last one takes the rest. */
static int draw(const double *probabilities, int count) {
    double u = random_random();
    int i = 0;
    while (i < count - 1 && u >= probabilities[i]) u -= probabilities[i++];
    return i;
}

static double round_to(double x, double step) {
    return floor(x / step + 0.5) * step;
}

typedef struct Passenger {
    int64_t survived, pclass, sibsp, parch;
    double age, fare; /* NAN: not known */
    const char *name, *sex, *ticket, *cabin, *embarked;
} Passenger;

static Passenger make_passenger(void) {
    const int pclass = 1 + draw((const double[]){0.24, 0.21, 0.55}, 3);
    const bool is_woman = random_random() < 0.36;
    const double age = fmax(0.5, round_to(random_gauss(34 - 3.0 * (pclass - 1), 14), 0.5));
    const int sibsp = draw((const double[]){0.66, 0.24, 0.06, 0.03, 0.01}, 5);
    const int parch = draw((const double[]){0.74, 0.15, 0.09, 0.02}, 4);
    const double fare = round_to((pclass == 1 ? 55 : pclass == 2 ? 16 : 8) * exp(random_gauss(0, 0.5)), 0.0125);
    const int port = draw((const double[]){0.72, 0.19, 0.085, 0.005}, 4);
    const char *family = families[(random_randrange)(0, 16, 1)];
    const char *given = is_woman ? women[(random_randrange)(0, 6, 1)] : men[(random_randrange)(0, 6, 1)];
    const char *title = is_woman ? age < 18 || random_random() < 0.4 ? "Miss." : "Mrs." : age < 14 ? "Master." : "Mr.";
    const double logit = (is_woman ? 1.9 : -1.4) - 1.0 * (pclass - 2) + (age < 12 ? 2.2 : 0) - 0.02 * (age - 30) -
                         (sibsp + parch > 3 ? 1.5 : 0);
    const bool survived = random_random() < 1 / (1 + exp(-1.6 * logit));
    const bool age_is_known = random_random() >= 0.2, has_cabin = random_random() < (pclass == 1 ? 0.8 : 0.06);
    return (Passenger){
        survived,
        pclass,
        sibsp,
        parch,
        age_is_known ? age : NAN,
        fare,
        t_format("%s, %s %s", family, title, given),
        is_woman ? "female" : "male",
        t_format("%d", (int)(random_randrange)(100000, 400000, 1)),
        has_cabin ? t_format("%c%d", "ABCDE"[(random_randrange)(0, 5, 1)], (int)(random_randrange)(1, 120, 1)) : NULL,
        port == 3 ? NULL : (const char *const[]){"S", "C", "Q"}[port]};
}

pd_DataFrame *make_passengers(int64_t count, int64_t seed) {
    random_seed(seed);
    Passenger *all = malloc((size_t)count * sizeof *all);
    const char **texts = malloc((size_t)count * sizeof *texts);
    double *numbers = malloc((size_t)count * sizeof *numbers);
    int64_t *integers = malloc((size_t)count * sizeof *integers);
    if (!all || !texts || !numbers || !integers) return t_fail("out of memory for %d passengers", (int)count);
    for (int64_t i = 0; i < count; i++) all[i] = make_passenger();
    pd_DataFrame *df = pd_DataFrame(t_dict());
#define COLUMN(name, field, array, series)                         \
    for (int64_t i = 0; i < count; i++) (array)[i] = all[i].field; \
    pd_setitem(df, name, series)
    pd_setitem(df, "PassengerId", t_arange(1, count + 1));
    COLUMN("Survived", survived, integers, t_tensor(integers, count));
    COLUMN("Pclass", pclass, integers, t_tensor(integers, count));
    COLUMN("Name", name, texts, pd_Series_of_texts(texts, count, "Name"));
    COLUMN("Sex", sex, texts, pd_Series_of_texts(texts, count, "Sex"));
    COLUMN("Age", age, numbers, t_tensor(numbers, count));
    COLUMN("SibSp", sibsp, integers, t_tensor(integers, count));
    COLUMN("Parch", parch, integers, t_tensor(integers, count));
    COLUMN("Ticket", ticket, texts, pd_Series_of_texts(texts, count, "Ticket"));
    COLUMN("Fare", fare, numbers, t_tensor(numbers, count));
    COLUMN("Cabin", cabin, texts, pd_Series_of_texts(texts, count, "Cabin"));
    COLUMN("Embarked", embarked, texts, pd_Series_of_texts(texts, count, "Embarked"));
#undef COLUMN
    free(all);
    free(texts);
    free(numbers);
    free(integers);
    return df;
}
