/* tests/python/test_argparse.c: argparse's help, errors and values; the same output as CPython 3.11's for the same
 * parser. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/python/python.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

typedef struct Args {
    const char *data, *optimizer;
    int64_t epochs, batch_size;
    int level;
    double lr;
    float eps;
    bool verbose, bias;
} Args;

/*  p = argparse.ArgumentParser(prog='train', description=..., epilog='See %(prog)s.md.')
 *  p.add_argument('data', help=...)
 *  p.add_argument('-n', '--epochs', type=int, default=10, help='passes over the data (default: %(default)s), ...')
 *  p.add_argument('--lr', '--learning-rate', type=float, default=0.001, required=True, metavar='LR')
 *  p.add_argument('--optimizer', choices=['sgd', 'adam'], default='adam', help='one of %(choices)s')
 *  p.add_argument('--batch-size', type=int, default=64, help='samples')
 *  p.add_argument('-l', '--level', type=int, choices=[1, 2], default=1)
 *  p.add_argument('-v', '--verbose', action='store_true', help='prints more')
 *  p.add_argument('--no-bias', action='store_false') */
static argparse_ArgumentParser *train_parser(Args *args, const char *formatter_class) {
    *args = (Args){.epochs = 10, .lr = 0.001, .optimizer = "adam", .batch_size = 64, .level = 1, .bias = true};
    argparse_ArgumentParser *p = argparse_ArgumentParser(
        .prog = "train",
            .description = "Trains a well-known model on a folder of pictures, and writes what it has learned into a "
                "file of its own.",
        .epilog = "See %(prog)s.md.", .formatter_class = formatter_class);
    if (!p) return NULL;
    argparse_add_argument(p, &args->data, "data",
                          .help = "a folder with a part for training and a part for validation, each with a folder for "
                              "every class");
    argparse_add_argument(p, &args->epochs, "-n", "--epochs",
                          .help = "passes over the data (default: %(default)s), 100%% of it");
    argparse_add_argument(p, &args->lr, "--lr", "--learning-rate", .required = true, .metavar = "LR");
    argparse_add_argument(p, &args->optimizer, "--optimizer", .choices = {"sgd", "adam"}, .help = "one of %(choices)s");
    argparse_add_argument(p, &args->batch_size, "--batch-size", .help = "samples");
    argparse_add_argument(p, &args->level, "-l", "--level", .choices = {"1", "2"});
    argparse_add_argument(p, &args->verbose, "-v", "--verbose", .help = "prints more");
    argparse_add_argument(p, &args->bias, "--no-bias", .action = "store_false");
    return p;
}

/* parse_args of a line; string values are valid until the next call. */
static bool parse(argparse_ArgumentParser *parser, const char *text) {
    static char line[128];
    snprintf(line, sizeof line, "%s", text);
    char *words[32] = {"train"};
    int count = 1;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) words[count++] = word;
    return argparse_parse_args(parser, count, words);
}

static void expect_text(char *text, const char *want) {
    ck_assert_ptr_nonnull(text);
    ck_assert_str_eq(text, want);
    free(text);
}

static const char help[] =
    "usage: train [-h] [-n EPOCHS] --lr LR [--optimizer {sgd,adam}]\n"
    "             [--batch-size BATCH_SIZE] [-l {1,2}] [-v] [--no-bias]\n"
    "             data\n"
    "\n"
    "Trains a well-known model on a folder of pictures, and writes what it has\n"
    "learned into a file of its own.\n"
    "\n"
    "positional arguments:\n"
    "  data                  a folder with a part for training and a part for\n"
    "                        validation, each with a folder for every class\n"
    "\n"
    "options:\n"
    "  -h, --help            show this help message and exit\n"
    "  -n EPOCHS, --epochs EPOCHS\n"
    "                        passes over the data (default: 10), 100% of it\n"
    "  --lr LR, --learning-rate LR\n"
    "  --optimizer {sgd,adam}\n"
    "                        one of sgd, adam\n"
    "  --batch-size BATCH_SIZE\n"
    "                        samples\n"
    "  -l {1,2}, --level {1,2}\n"
    "  -v, --verbose         prints more\n"
    "  --no-bias\n"
    "\n"
    "See train.md.\n";
static const char help_with_defaults[] =
    "\n"
    "  -h, --help            show this help message and exit\n"
    "  -n EPOCHS, --epochs EPOCHS\n"
    "                        passes over the data (default: 10), 100% of it\n"
    "  --lr LR, --learning-rate LR\n"
    "  --optimizer {sgd,adam}\n"
    "                        one of sgd, adam (default: adam)\n"
    "  --batch-size BATCH_SIZE\n"
    "                        samples (default: 64)\n"
    "  -l {1,2}, --level {1,2}\n"
    "  -v, --verbose         prints more (default: False)\n"
    "  --no-bias\n"
    "\n"
    "See train.md.\n";
static const char narrow_usage[] =
    "usage: train [-h] [-n EPOCHS] --lr LR\n"
    "             [--optimizer {sgd,adam}]\n"
    "             [--batch-size BATCH_SIZE]\n"
    "             [-l {1,2}] [-v]\n"
    "             [--no-bias]\n"
    "             data\n";
static const char wide_usage[] =
    "usage: train [-h] [-n EPOCHS] --lr LR [--optimizer {sgd,adam}] [--batch-size BATCH_SIZE]"
    " [-l {1,2}] [-v] [--no-bias] data\n";

START_TEST(help_is_pythons) {
    Args args;
    setenv("COLUMNS", "80", 1);
    argparse_ArgumentParser *parser = train_parser(&args, NULL);
    expect_text(argparse_format_help(parser), help);
    char *text = argparse_format_help(train_parser(&args, "ArgumentDefaultsHelpFormatter"));
    HOLDS(text && strstr(text, "options:") &&
          strcmp(strstr(text, "options:") + strlen("options:"), help_with_defaults) == 0);
    free(text);
    setenv("COLUMNS", "40", 1);
    expect_text(argparse_format_usage(parser), narrow_usage);
    setenv("COLUMNS", "200", 1);
    expect_text(argparse_format_usage(parser), wide_usage);
    setenv("COLUMNS", "50", 1); /* the options fit, and the files do not */
    argparse_ArgumentParser *p = argparse_ArgumentParser(.prog = "p");
    const char *training = NULL, *validation = NULL, *first = NULL;
    argparse_add_argument(p, &training, "training_file");
    argparse_add_argument(p, &validation, "validation_file");
    argparse_add_argument(p, &first, "--first");
    expect_text(argparse_format_usage(p), "usage: p [-h] [--first FIRST]\n         training_file validation_file\n");
    setenv("COLUMNS", "80", 1);
    fflush(stdout);
    catch_output(STDOUT_FILENO);
    const bool parsed = parse(parser, "--nothing -h d");
    fflush(stdout);
    text = caught_output();
    HOLDS(!parsed && parser->status == 0 && !t_error());
    expect_text(text, help);
}
END_TEST

static const struct {
    const char *line, *error;
} errors[] = {
    {"", "the following arguments are required: data, --lr/--learning-rate"},
    {"d", "the following arguments are required: --lr/--learning-rate"},
    {"d --lr", "argument --lr/--learning-rate: expected one argument"},
    {"d --lr x", "argument --lr/--learning-rate: invalid float value: 'x'"},
    {"d --lr 1 -n 1.5", "argument -n/--epochs: invalid int value: '1.5'"},
    {"d --lr 1 --optimizer rms", "argument --optimizer: invalid choice: 'rms' (choose from 'sgd', 'adam')"},
    {"d --lr 1 -l 3", "argument -l/--level: invalid choice: 3 (choose from 1, 2)"},
    {"d --lr 1 --l 3", "ambiguous option: --l could match --lr, --learning-rate, --level"},
    {"d --lr 1 --verbose=1", "argument -v/--verbose: ignored explicit argument '1'"},
    {"d --lr 1 -vq", "argument -v/--verbose: ignored explicit argument 'q'"},
    {"d --lr 1 e f --q", "unrecognized arguments: e f --q"},
    {"-- -d --lr 1", "the following arguments are required: --lr/--learning-rate"},
    {"d --lr 1 -n --no-bias", "argument -n/--epochs: expected one argument"},
    {"d --lr 1 -x", "unrecognized arguments: -x"},
};

START_TEST(errors_are_pythons) {
    setenv("COLUMNS", "200", 1);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        Args args;
        char want[512];
        argparse_ArgumentParser *parser = train_parser(&args, NULL);
        snprintf(want, sizeof want, "%strain: error: %s\n", wide_usage, errors[i].error);
        catch_output(STDERR_FILENO);
        const bool parsed = parse(parser, errors[i].line);
        char *text = caught_output();
        HOLDS(!parsed && parser->status == 2 && !t_error());
        expect_text(text, want);
    }
    Args args;
    argparse_ArgumentParser *parser = train_parser(&args, NULL);
    char want[512];
    snprintf(want, sizeof want, "%strain: error: d_model 7 is odd\n", wide_usage);
    catch_output(STDERR_FILENO);
    const bool held = argparse_error(parser, "d_model %d is odd", 7);
    char *text = caught_output();
    HOLDS(!held && parser->status == 2);
    expect_text(text, want);
}
END_TEST

START_TEST(values_are_stored_in_variables) {
    Args args;
    HOLDS(parse(train_parser(&args, NULL), "d --lr 0.5"));
    HOLDS(strcmp(args.data, "d") == 0 && args.lr == 0.5 && args.epochs == 10 && args.level == 1 && !args.verbose &&
          args.bias);
    HOLDS(parse(train_parser(&args, NULL), "--learning=1e-3 -vn3 --no-bias d --opt sgd -l=2 --ba 1_000"));
    HOLDS(args.lr == 1e-3 && args.verbose && args.epochs == 3 && !args.bias && args.level == 2 &&
          args.batch_size == 1000);
    HOLDS(strcmp(args.optimizer, "sgd") == 0);
    HOLDS(parse(train_parser(&args, NULL), "--lr -.5 -n -3 -- -d") && args.lr == -0.5 && args.epochs == -3);
    HOLDS(strcmp(args.data, "-d") == 0);
    HOLDS(parse(train_parser(&args, NULL), "--lr nan d") && isnan(args.lr));
    const char *from = "a", *to = "b";
    float eps = 0.1f;
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.add_help = false);
    HOLDS(argparse_add_argument(parser, &from, "from") && argparse_add_argument(parser, &to, "to", .nargs = "?"));
    HOLDS(argparse_add_argument(parser, &eps, "-e", .help = "%(default)s"));
    HOLDS(parse(parser, "x -e 2") && strcmp(from, "x") == 0 && strcmp(to, "b") == 0 && eps == 2);
    HOLDS(parse(parser, "x y") && strcmp(to, "y") == 0);
    setenv("COLUMNS", "80", 1);
    expect_text(argparse_format_help(parser),
                "usage: train [-e E] from [to]\n\npositional arguments:\n  from\n  to\n\noptions:\n  -e E  0.1\n");
}
END_TEST

/* Words longer than a line, hyphens, letters of two bytes, and what help may name. */
START_TEST(long_words_are_split_as_in_python) {
    const char *size = NULL;
    argparse_ArgumentParser *parser = argparse_ArgumentParser(
        .prog = "words", .description = "See https://example.org/a-very-long-address/of-a-page/without-spaces.html for "
                                        "the rest, or readthisveryveryverylongwordwithoutanyhyphensinit now.");
    argparse_add_argument(parser, &size, "--size", .metavar = "N",
                          .help = "100%% of %(prog)s, %(metavar)s by %(dest)s, ünïcödeünïcödeünïcödeünïcöde"
                                  "ünïcöde--twice and self-taught well--known x2-y 3-a");
    setenv("COLUMNS", "40", 1);
    expect_text(argparse_format_help(parser), "usage: words [-h] [--size N]\n\n"
                                              "See https://example.org/a-very-long-\n"
                                              "address/of-a-page/without-spaces.html\n"
                                              "for the rest, or readthisveryveryveryl\n"
                                              "ongwordwithoutanyhyphensinit now.\n\n"
                                              "options:\n"
                                              "  -h, --help  show this help message\n"
                                              "              and exit\n"
                                              "  --size N    100% of words, N by\n"
                                              "              size, ünïcödeünïcödeünïc\n"
                                              "              ödeünïcödeünïcöde--twice\n"
                                              "              and self-taught well--\n"
                                              "              known x2-y 3-a\n");
}
END_TEST

/* A long word without a place for a line break still breaks after a hyphen, but not within dashes alone. */
START_TEST(long_numbers_are_split_after_hyphens) {
    argparse_ArgumentParser *parser = argparse_ArgumentParser(
        .prog = "words", .add_help = false,
        .description = "Call 0800-1234-5678-9012-3456-7890-1234-5678-9012-3456 or "
                       "1234567890123456789012345678901234567890-12 now, or "
                       "----------------------------------------------12.");
    setenv("COLUMNS", "40", 1);
    expect_text(argparse_format_help(parser), "usage: words\n\n"
                                              "Call 0800-1234-5678-9012-3456-7890-\n"
                                              "1234-5678-9012-3456 or 123456789012345\n"
                                              "6789012345678901234567890-12 now, or -\n"
                                              "--------------------------------------\n"
                                              "-------12.\n");
}
END_TEST

/* Choices are compared as numbers; a percent sign that begins no name is shown, where Python refuses it. */
START_TEST(numbers_are_chosen_by_their_values) {
    double lr = 0;
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.prog = "words", .add_help = false);
    HOLDS(argparse_add_argument(parser, &lr, "--lr", .choices = {"0.1", "0.5", "1e-08"}, .help = "50% of it"));
    HOLDS(parse(parser, "--lr 0.50") && lr == 0.5 && parse(parser, "--lr 10e-9") && lr == 1e-8);
    setenv("COLUMNS", "80", 1);
    catch_output(STDERR_FILENO);
    const bool parsed = parse(parser, "--lr 0.3");
    char *text = caught_output();
    HOLDS(!parsed && parser->status == 2);
    expect_text(text, "usage: words [--lr {0.1,0.5,1e-08}]\n"
                      "words: error: argument --lr: invalid choice: 0.3 (choose from 0.1, 0.5, 1e-08)\n");
    expect_text(argparse_format_help(parser), "usage: words [--lr {0.1,0.5,1e-08}]\n\noptions:\n"
                                              "  --lr {0.1,0.5,1e-08}  50% of it\n");
}
END_TEST

START_TEST(definitions_that_python_refuses_are_refused) {
    Args args;
    int number = 0;
    bool flag = false;
    argparse_ArgumentParser *parser = train_parser(&args, NULL);
    expect_refusal(!argparse_add_argument(parser, &number, "-x", "--epochs"),
                   "argument -x/--epochs: conflicting option string: --epochs");
    expect_refusal(!argparse_add_argument(parser, &number, "-h"), "argument -h: conflicting option string: -h");
    expect_refusal(!argparse_add_argument(parser, &number, "-x", "y"),
                   "invalid option string 'y': must start with a character '-'");
    expect_refusal(!argparse_add_argument(parser, &number, "x", "-y"),
                   "invalid option string 'x': must start with a character '-'");
    expect_refusal(!argparse_add_argument(parser, &number, "x", .required = true),
                   "'required' is an invalid argument for positionals");
    expect_refusal(!argparse_add_argument(parser, &number, "--"), "dest= is required for options like '--'");
    expect_refusal(!argparse_add_argument(parser, &flag, "x"), "a bool is set by an option, \"--x\"");
    expect_refusal(!argparse_add_argument(parser, &number, .help = "x"),
                   "an argument has a name: \"data\" or \"--epochs\"");
    expect_refusal(!argparse_add_argument(parser, &number, "-x", .action = "count"),
                   "action is 'count', but must be 'store_true' or 'store_false', of a bool");
    expect_refusal(!argparse_add_argument(parser, &number, "x", .nargs = "*"),
                   "nargs is '*', but can only be '?', of a positional");
    expect_refusal(!argparse_add_argument(parser, (int *)NULL, "-x"),
                   "argument 2 is NULL where a variable is expected");
    expect_refusal(!argparse_ArgumentParser(.formatter_class = "x"),
                   "formatter_class is 'x', but must be 'ArgumentDefaultsHelpFormatter' or NULL");
    expect_refusal(!argparse_parse_args(NULL, 0, NULL), "argument 1 is NULL where a parser is expected");
}
END_TEST

static bool make_and_parse(void *unused) {
    (void)unused;
    Args args;
    argparse_ArgumentParser *parser = train_parser(&args, NULL);
    return parser && !t_error() && parse(parser, "d --lr 0.5");
}

START_TEST(memory_that_is_not_there_leaves_nothing) {
    refuse_all("argparse", make_and_parse, NULL, NULL);
    report_notes();
}
END_TEST

/* Other tests query the width of the terminal. */
static void without_columns(void) {
    unsetenv("COLUMNS");
}

Suite *argparse_suite(void);
Suite *argparse_suite(void) {
    Suite *suite = suite_create("argparse");
    TCase *tests = tcase_create("argparse");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_checked_fixture(tests, NULL, without_columns);
    tcase_add_test(tests, help_is_pythons);
    tcase_add_test(tests, errors_are_pythons);
    tcase_add_test(tests, values_are_stored_in_variables);
    tcase_add_test(tests, long_words_are_split_as_in_python);
    tcase_add_test(tests, long_numbers_are_split_after_hyphens);
    tcase_add_test(tests, numbers_are_chosen_by_their_values);
    tcase_add_test(tests, definitions_that_python_refuses_are_refused);
    tcase_add_test(tests, memory_that_is_not_there_leaves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
