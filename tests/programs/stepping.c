/* tests/programs/stepping.c: TAPEGRAD_STEP=always: t_backward stops at each step and reads keys from stdin. What it
 * prints, that the gradients are those of a backward without stops, and that [q] and the end of the input end it. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"

static const char prompt[] = "[Enter] next  [c]ontinue  [t]ape  [w]atched  [q]uit stepping > ";
static int failures;

static void expect(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "stepping: %s\n", what);
    failures++;
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (; (text = strstr(text, part)); text += strlen(part)) n++;
    return n;
}

/* Puts the keys where stdin is, calls t_backward and returns what it printed, malloced. */
static char *backward_with_keys(Tensor *loss, const char *keys, bool *ok) {
    char *text = calloc(1, 20000);
    FILE *input = tmpfile(), *output = tmpfile();
    if (!text || !input || !output || fputs(keys, input) < 0) exit(1);
    rewind(input);
    fflush(stdout);
    const int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);
    dup2(fileno(input), STDIN_FILENO);
    dup2(fileno(output), STDOUT_FILENO);
    clearerr(stdin);
    *ok = t_backward(loss);
    fflush(stdout);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    close(in);
    close(out);
    rewind(output);
    if (fread(text, 1, 19999, output) == 0 && ferror(output)) exit(1);
    fclose(input);
    fclose(output);
    return text;
}

static Tensor *loss_of(Tensor *w, Tensor *b) {
    return t_sum(t_mul(t_add(t_mul(w, 2), b), w)); /* sum(2 w^2 + b w): 4 steps */
}

static bool has_gradients(Tensor *w, Tensor *b) {
    const bool right = t_equal(t_grad(w), t_tensor("[4.5, 8.]")) && t_equal(t_grad(b), t_tensor("[1., 2.]"));
    t_set_grad(w, NULL);
    t_set_grad(b, NULL);
    return right;
}

/* A thread of its own, in which stepping has not ended. */
static void *backward_at_the_end_of_input(void *unused) {
    (void)unused;
    bool ok;
    with_scope () {
        Tensor *w = t_tensor("[1., 2.]", .requires_grad = true), *b = t_tensor("[0.5, 0.]", .requires_grad = true);
        char *text = backward_with_keys(loss_of(w, b), "", &ok);
        expect(ok && count(text, prompt) == 1 && has_gradients(w, b), "the end of the input does not end it");
        free(text);
        text = backward_with_keys(loss_of(w, b), "\n", &ok);
        expect(ok && *text == '\0' && has_gradients(w, b), "it goes on after the end of the input");
        free(text);
    }
    return NULL;
}

int main(void) {
    setenv("TAPEGRAD_STEP", "always", 1);
    bool ok;
    with_scope () {
        Tensor *w = t_tensor("[1., 2.]", .requires_grad = true), *b = t_tensor("[0.5, 0.]", .requires_grad = true);
        t_watch(w, b);
        char *text = backward_with_keys(loss_of(w, b), "\n\n\n\n", &ok);
        expect(ok && count(text, prompt) == 4 && has_gradients(w, b), "[Enter] is not the next step");
        const char *const steps[] = {"   4  SumBackward0  stepping.c:", "   3  MulBackward0  stepping.c:",
                                     "   2  AddBackward0  stepping.c:", "dx[1] to b: tensor([1., 2.])",
                                     "   1  MulBackward0  stepping.c:", "dx[0] to w: tensor([2., 4.])"};
        const char *at = text;
        for (size_t i = 0; at && i < sizeof steps / sizeof *steps; i++) {
            at = strstr(at, steps[i]);
            expect(at != NULL, steps[i]);
        }
        free(text);
        text = backward_with_keys(loss_of(w, b), "\nt\nw\nhelp\nc\n", &ok);
        expect(ok && count(text, prompt) == 5 && has_gradients(w, b), "[c] does not continue");
        expect(count(text, "SumBackward0") == 1 && count(text, "AddBackward0") == 0, "[c] shows a step");
        expect(count(text, "mul           (2)         #2, w ") == 1, "[t] does not print the tape");
        expect(count(text, "name  shape  made by") == 1, "[w] does not print what is watched");
        free(text);
        char long_line[200];
        memset(long_line, 'q', sizeof long_line);
        strcpy(long_line + sizeof long_line - 2, "\n");
        text = backward_with_keys(loss_of(w, b), long_line, &ok);
        expect(ok && count(text, prompt) == 1 && has_gradients(w, b), "[q] does not end it");
        free(text);
        text = backward_with_keys(loss_of(w, b), "\n", &ok);
        expect(ok && *text == '\0' && has_gradients(w, b), "it goes on after [q]");
        free(text);
        t_unwatch();
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, backward_at_the_end_of_input, NULL) != 0) return 1;
    pthread_join(thread, NULL);
    if (!failures) printf("stepping: each key does what the prompt says\n");
    return failures != 0;
}
