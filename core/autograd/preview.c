/* core/autograd/preview.c: a backward that leaves every grad as it was (Request.preview), for t_tape_html.
 *
 * Before a grad is changed, by this backward or by one that a hook or a rule calls, it is set aside: x->grad is NULL
 * then and receives the gradients of the preview only; t_grad returns the sum of both. tg_backward_end puts the old
 * grad back. All graphs are retained, and no post-accumulate hook is called, since it may be an optimizer's step. */
#include "core/autograd/backward.h"
#include "core/ops/ops.h"

struct GradAside {
    struct GradAside *next;
    Tensor *x, *grad;         /* with references; grad may be NULL */
    int32_t used_grad_version;
    bool replaced;            /* by t_set_grad */
};

Backward *tg_running_preview(void) {
    Backward *run = tg_thread.backward;
    while (run && !run->preview) run = run->outer;
    return run;
}

static struct GradAside *find(const Backward *run, const Tensor *x) {
    struct GradAside *aside = run->aside;
    while (aside && aside->x != x) aside = aside->next;
    return aside;
}

bool tg_set_grad_aside(Tensor *x, bool replaced) {
    Backward *run = tg_running_preview();
    if (!run) return true;
    struct GradAside *aside = find(run, x);
    if (!aside) {
        aside = tg_alloc(sizeof *aside);
        if (!aside) return false;
        *aside = (struct GradAside){run->aside, t_retain(x), x->grad, x->used_grad_version, false};
        x->grad = NULL;
        x->used_grad_version = 0;
        run->aside = aside;
    }
    aside->replaced = aside->replaced || replaced;
    return true;
}

Tensor *tg_preview_grad(Tensor *x) {
    const struct GradAside *aside = find(tg_running_preview(), x);
    Tensor *old = !aside ? x->grad : aside->replaced ? NULL : aside->grad, *new = aside ? x->grad : NULL;
    if (old && new) return t_add(old, new);
    return old ? t_clone(old) : new ? tg_add_to_scope(new) : NULL; /* a copy: the caller may write to it */
}

void tg_restore_grads(Backward *run) {
    for (struct GradAside *aside = run->aside, *next; aside; aside = next) {
        next = aside->next;
        t_release(aside->x->grad);
        aside->x->grad = aside->grad;
        aside->x->used_grad_version = aside->used_grad_version;
        t_release(aside->x);
        tg_free(aside, sizeof *aside);
    }
    run->aside = NULL;
}
