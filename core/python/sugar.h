/* core/python/sugar.h: the macros for core/python (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_PYTHON_SUGAR_H
#define TAPEGRAD_CORE_PYTHON_SUGAR_H
#pragma GCC system_header

#include "core/python/argparse.h"
#include "core/python/os.h"
#include "core/python/random.h"
#include "core/sugar/sugar.h"

#define random_seed(seed) T_BEGIN_("random_seed(" #seed ")") const int64_t t__i = (seed); \
    T_END_VOID_((random_seed)(t__i))
#define random_randint(a, b) T_BEGIN_("random_randint(" #a ", " #b ")") const int64_t t__i = (a); \
    const int64_t t__j = (b); T_END_(int64_t, (random_randint)(t__i, t__j))
/* random_randrange(10), random_randrange(5, 50), random_randrange(5, 50, 3) */
#define random_randrange(...) T_TENTH_(__VA_ARGS__, RANDOM_RANGE3_, RANDOM_RANGE3_, RANDOM_RANGE3_, RANDOM_RANGE3_, \
    RANDOM_RANGE3_, RANDOM_RANGE3_, RANDOM_RANGE3_, RANDOM_RANGE2_, RANDOM_RANGE1_, \
    0)("random_randrange(" #__VA_ARGS__ ")", __VA_ARGS__)
#define RANDOM_RANGE1_(text, stop) RANDOM_RANGE3_(text, 0, stop, 1)
#define RANDOM_RANGE2_(text, start, stop) RANDOM_RANGE3_(text, start, stop, 1)
#define RANDOM_RANGE3_(text, start, stop, step) T_BEGIN_(text) const int64_t t__i = (start); \
    const int64_t t__j = (stop); const int64_t t__k = (step); \
    T_END_(int64_t, (random_randrange)(t__i, t__j, t__k))
/* const char *word = random_choice(words, 5): one of the array's first 5; for 0, an error and a zero value */
#define random_choice(array, count) T_BEGIN_("random_choice(" #array ", " #count ")") __auto_type t__p = (array); \
    const int64_t t__i = (random_choice)(count); __typeof__(*t__p) t__none = {0}; \
    T_END_(__typeof__(t__none), t__i < 0 ? t__none : t__p[t__i])
/* random_shuffle(array, n), random_sample(array, n, k, to) */
#define random_shuffle(array, count) T_BEGIN_("random_shuffle(" #array ", " #count ")") __auto_type t__p = (array); \
    const int64_t t__n = (count); \
    T_END_(bool, (random_shuffle)(t__p, t__n, sizeof *t__p))
#define random_sample(array, count, k, to) T_BEGIN_("random_sample(" #array ", " #count ", " #k ", " #to ")") \
    __auto_type t__p = (array); \
    const int64_t t__n = (count); const int64_t t__k = (k); __typeof__(*t__p) *t__to = (to); \
    T_END_(bool, (random_sample)(t__p, t__n, sizeof *t__p, t__k, (void *)t__to))
#define os_listdir(path) T_BEGIN_("os_listdir(" #path ")") const char *t__p = (path); \
    T_END_(os_Listing *, (os_listdir)(t__p))
/* argparse_ArgumentParser(.description = "Trains a model."); argparse_add_argument(parser, &args.epochs, "-n",
 * "--epochs", .help = "...") */
#define argparse_ArgumentParser(...) T_BEGIN_("argparse_ArgumentParser(" #__VA_ARGS__ ")") \
    T_OPTIONS_(argparse_ParserOptions, t__o, ARGPARSE_PARSER_DEFAULTS_, __VA_ARGS__) \
    T_END_(argparse_ArgumentParser *, argparse_ArgumentParser_new(&t__o))
#define argparse_add_argument(parser, variable, ...) \
    T_BEGIN_("argparse_add_argument(" #parser ", " #variable ", " #__VA_ARGS__ ")") \
    argparse_ArgumentParser *t__p = (parser); __auto_type t__v = (variable); \
    T_OPTIONS_(argparse_ArgumentOptions, t__o, .size = sizeof(argparse_ArgumentOptions), __VA_ARGS__) \
    T_END_(bool, (argparse_add_argument)(t__p, (void *)t__v, \
    _Generic(t__v, int *: argparse_int32, long *: ARGPARSE_OF_(long), long long *: argparse_int64, \
    float *: argparse_float32, double *: argparse_float64, const char **: argparse_str, char **: argparse_str, \
    _Bool *: argparse_bool), &t__o))
#define ARGPARSE_OF_(type) (sizeof(type) == 8 ? argparse_int64 : argparse_int32)
#define argparse_parse_args(parser, argc, argv) T_BEGIN_("argparse_parse_args(" #parser ", " #argc ", " #argv ")") \
    argparse_ArgumentParser *t__p = (parser); \
    T_END_(bool, (argparse_parse_args)(t__p, argc, argv))

#endif
