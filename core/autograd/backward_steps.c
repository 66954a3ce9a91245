/* core/autograd/backward_steps.c: a backward that the caller runs one record at a time (t_backward_begin,
 * t_backward_next). */
#include "core/autograd/arithmetic.h"
#include "core/autograd/backward.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct t_BackwardSteps {
    t_Object object;
    Backward *run; /* NULL after its end */
    StepGradients gradients;
    int64_t *to;   /* arrays of the last t_BackwardStep */
    Tensor **leaf;
    size_t bytes;  /* of each of the two */
};

/* ---- one step's arrays ---- */

static void free_step(t_BackwardSteps *steps) {
    StepGradients *gradients = &steps->gradients;
    for (int i = 0; gradients->record && i < gradients->record->inputs; i++) t_release(gradients->dx[i]);
    t_release(gradients->dy);
    tg_free(gradients->dx, gradients->bytes);
    tg_record_release(gradients->record);
    *gradients = (StepGradients){0};
    tg_free(steps->to, steps->bytes);
    tg_free(steps->leaf, steps->bytes);
    steps->to = NULL;
    steps->leaf = NULL;
}

/* The record's number as in t_tape_print: its position, oldest first, among the reachable records. Binary search in the
 * plan, which lists them newest first. */
static int64_t number_of(const Backward *run, const Record *r) {
    int64_t low = 0, high = run->planned;
    while (r && low < high) {
        int64_t middle = low + (high - low) / 2;
        if (run->plan[middle] == r) return run->planned - middle;
        if (run->plan[middle]->number > r->number) low = middle + 1;
        else high = middle;
    }
    return 0;
}

static bool describe(t_BackwardSteps *steps, t_BackwardStep *step) {
    const StepGradients *gradients = &steps->gradients;
    Record *r = gradients->record;
    tg_record_retain(r);
    steps->bytes = (size_t)(r->inputs + 1) * sizeof *steps->to;
    steps->to = tg_alloc(steps->bytes);
    steps->leaf = tg_alloc(steps->bytes);
    if (!steps->to || !steps->leaf) return false;
    for (int i = 0; i < r->inputs; i++) {
        steps->to[i] = number_of(steps->run, r->edges[i].record);
        steps->leaf[i] = tg_add_to_scope(r->edges[i].leaf);
        tg_add_to_scope(gradients->dx[i]);
    }
    *step = (t_BackwardStep){
        .number = number_of(steps->run, r), .op = r->op->name, .grad_fn = r->op->grad_fn, .site = r->site,
        .dy = tg_add_to_scope(gradients->dy), .inputs = r->inputs, .dx = gradients->dx, .to = steps->to,
        .leaf = steps->leaf,
    };
    return true;
}

/* ---- the object ---- */

static void end(t_BackwardSteps *steps) {
    tg_backward_end(steps->run); /* which sets it to NULL */
    free_step(steps);
}

static void steps_destroy(void *object) {
    t_BackwardSteps *steps = object;
    end(steps);
    tg_object_dispose(&steps->object);
    tg_object_free(&steps->object, sizeof *steps);
}

static const t_Class steps_class = {"BackwardSteps", steps_destroy};

static bool are_live(const t_BackwardSteps *steps) {
    if (!steps) return t_error() ? false : tg_fail("argument 1 is NULL where a backward is expected") != NULL;
    return steps->object.is_a == &steps_class || tg_fail("argument 1 is not a live backward");
}

/* ---- public ---- */

/* The object is created first, because it must not belong to the inner scope in which the backward begins. */
t_BackwardSteps *t_backward_begin(Tensor *loss, const t_BackwardOptions *options) {
    t_BackwardOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!tg_check_any(loss, 1) || !tg_check_any_optional(o.gradient, 2) || !tg_check_backward_inputs(o.inputs))
        return NULL;
    t_BackwardSteps *steps = tg_alloc(sizeof *steps);
    if (!steps) return NULL;
    tg_object_init(&steps->object, &steps_class);
    Request request = {&loss, 1, &o.gradient, 1, o.inputs, o.retain_graph, o.create_graph, .accumulate = true};
    int depth = t_scope_open();
    steps->run = depth ? tg_backward_begin(&request) : NULL;
    if (steps->run && !tg_backward_list(steps->run)) {
        tg_backward_end(steps->run);
        steps->run = NULL;
    }
    t_scope_close(depth);
    if (!steps->run) {
        t_release(tg_take_from_scope(steps));
        return NULL;
    }
    steps->run->owner = &steps->run;
    steps->run->step_gradients = &steps->gradients;
    t_set_grad_enabled(steps->run->grad_enabled_before);
    return steps;
}

bool t_backward_next(t_BackwardSteps *steps, t_BackwardStep *step) {
    if (!are_live(steps) || !tg_check_given(step != NULL, 2, "a step")) return false;
    free_step(steps);
    if (!steps->run) return false;
    if (steps->run != tg_thread.backward)
        return tg_fail("another backward was begun after this one and has not ended yet");
    int depth = t_scope_open();
    steps->run->grad_enabled_before = t_set_grad_enabled(steps->run->create_graph);
    int state = depth ? tg_backward_next(steps->run) : -1;
    if (state == 0 && !tg_backward_finish(steps->run)) state = -1;
    t_set_grad_enabled(steps->run->grad_enabled_before);
    t_scope_close(depth);
    if (state > 0 && describe(steps, step)) return true;
    end(steps);
    return false;
}

void t_backward_end(t_BackwardSteps *steps) {
    if (are_live(steps)) end(steps);
}

/* ---- printing ---- */

static void print_tensor(const char *what, Tensor *x, FILE *to) {
    char *text = x ? t_repr(x) : NULL;
    fprintf(to, "    %s ", what);
    for (const char *c = text ? text : "None"; *c; c++) {
        fputc(*c, to);
        if (*c == '\n') fprintf(to, "%*s", (int)strlen(what) + 5, "");
    }
    fputc('\n', to);
    free(text);
}

static void print_step(const t_BackwardStep *step, const Record *r, FILE *to) {
    char where[80], name[TG_NAME_SIZE];
    tg_print_site(step->site, where, sizeof where);
    fprintf(to, "%4lld  %s  %s  ", (long long)step->number, step->grad_fn, where);
    if (step->site) tg_print_expression(step->site->text, to);
    fputc('\n', to);
    print_tensor("dy", step->dy, to);
    for (int64_t i = 0; i < step->inputs; i++) {
        char what[64 + TG_NAME_SIZE];
        if (step->to[i]) snprintf(what, sizeof what, "dx[%d] to %lld:", (int)i, (long long)step->to[i]);
        else if (step->leaf[i] && tg_print_input_name(r, (int)i, name))
            snprintf(what, sizeof what, "dx[%d] to %s:", (int)i, name);
        else if (step->leaf[i]) snprintf(what, sizeof what, "dx[%d] to a leaf %s:", (int)i, tg_shape_of(step->leaf[i]));
        else continue;
        print_tensor(what, step->dx[i], to);
    }
}

/* ---- stepping in the terminal: TAPEGRAD_STEP ---- */

/* TAPEGRAD_STEP=1 stops if stdin is a terminal, TAPEGRAD_STEP=always also reads the keys from a file or pipe. */
bool tg_is_stepping(void) {
    static _Atomic int state = -1;
    if (state < 0) {
        const char *value = getenv("TAPEGRAD_STEP");
        state = value && (strcmp(value, "always") == 0 || (strcmp(value, "1") == 0 && isatty(STDIN_FILENO)));
    }
    return state > 0 && !tg_thread.stepping_ended && !tg_thread.backward;
}

typedef enum Key { KEY_NEXT, KEY_CONTINUE, KEY_QUIT } Key;

static Key read_key(Tensor *loss) {
    char line[64];
    for (;;) {
        printf("[Enter] next  [c]ontinue  [t]ape  [w]atched  [q]uit stepping > ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) return KEY_QUIT;
        while (!strchr(line, '\n') && fgets(line + 1, sizeof line - 1, stdin)) { } /* the rest of a long line */
        switch (*line) {
        case '\n': return KEY_NEXT;
        case 'c': return KEY_CONTINUE;
        case 'q': return KEY_QUIT;
        case 't': t_tape_print(loss, stdout); break;
        case 'w': t_watch_print(stdout); break;
        default: break;
        }
    }
}

bool tg_backward_stepping(Tensor *loss, const t_BackwardOptions *options) {
    int64_t failures = tg_thread.failures;
    int depth = t_scope_open();
    t_BackwardSteps *steps = depth ? t_backward_begin(loss, options) : NULL;
    Key key = KEY_NEXT;
    for (t_BackwardStep step; steps && t_backward_next(steps, &step);) {
        if (key != KEY_NEXT) continue;
        print_step(&step, steps->gradients.record, stdout);
        key = read_key(loss);
        tg_thread.stepping_ended = key == KEY_QUIT;
    }
    t_scope_close(depth);
    return !tg_failed_since(failures);
}

bool t_backward_print(Tensor *loss, FILE *to) {
    int64_t failures = tg_thread.failures;
    int depth = t_scope_open();
    t_BackwardSteps *steps = depth ? t_backward_begin(loss, NULL) : NULL;
    for (t_BackwardStep step; steps && t_backward_next(steps, &step);) 
        print_step(&step, steps->gradients.record, to ? to : stdout);
    t_scope_close(depth);
    return !tg_failed_since(failures);
}
