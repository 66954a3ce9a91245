/* core/ops/fold_walk.c: a reduction is divided among threads.
 *
 * Where there are many results each thread takes some of them; where there are few, the inputs are cut into pieces that depend
 * on the sizes alone, each piece gives results of its own, and these are brought together in order. So a result never depends
 * on the number of threads. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/reduce.h"
#include "core/walk.h"

enum { FEW = 64, MOST_PIECES = 64, ALIGNED = 512 };

typedef struct Folding {
    const Walk *walk;
    Loop loop;
    int dim;        /* that is cut */
    int64_t piece;  /* its length; 0: each stretch is a cut */
    char *partial;  /* the pieces' results */
    size_t bytes;   /* of a piece's */
} Folding;

static void run_slice(const Folding *f, int64_t from, int64_t to, char *y) {
    Walk w = *f->walk;
    w.shape[f->dim] = to - from;
    w.data[0] = y + from * w.steps[0][f->dim];
    w.data[1] += from * w.steps[1][f->dim];
    tg_walk_run(&w, f->loop, NULL);
}

static void run_results(int64_t from, int64_t to, void *folding) {
    const Folding *f = folding;
    run_slice(f, from, to, f->walk->data[0]);
}

static void run_pieces(int64_t from, int64_t to, void *folding) {
    const Folding *f = folding;
    const int64_t end = f->walk->shape[f->dim];
    for (int64_t i = from; i < to; i++)
        run_slice(f, i * f->piece, (i + 1) * f->piece < end ? (i + 1) * f->piece : end, f->partial + (size_t)i * f->bytes);
}

/* The longest dim that is reduced (y has step 0 along it), or that is not; -1 where there is none. */
static int longest(const Walk *w, bool reduced) {
    int best = -1;
    for (int d = 0; d < w->ndim; d++)
        if ((w->steps[0][d] == 0) == reduced && (best < 0 || w->shape[d] > w->shape[best])) best = d;
    return best;
}

/* A cut of dim 0 goes through runs: not through what is read together. */
static int64_t rounded(int64_t length, int dim) {
    return dim ? length : (length + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static void fold_pieces(Folding *f, Loop combine, Tensor *y, int64_t pieces) {
    const int64_t itemsize = (int64_t)tg_itemsize(y->dtype), results = tg_numel(y);
    double partial[MOST_PIECES * FEW];
    f->piece = rounded((f->walk->shape[f->dim] + pieces - 1) / pieces, f->dim);
    pieces = (f->walk->shape[f->dim] + f->piece - 1) / f->piece;
    f->partial = (char *)partial;
    f->bytes = (size_t)(results * itemsize);
    for (int64_t i = 0; i < pieces; i++) memcpy(f->partial + (size_t)i * f->bytes, tg_data(y), f->bytes);
    tg_parallel(pieces, 1, run_pieces, f);
    for (int64_t i = 0; i < pieces; i++)
        combine(results, (char *[]){tg_data(y), f->partial + (size_t)i * f->bytes}, (int64_t[]){itemsize, itemsize}, NULL);
}

void tg_fold(Loop loop, Loop combine, Tensor *y, const Reduction *r, Tensor *x) {
    Tensor under = tg_spread_under(y, x, r);
    const int64_t n = tg_numel(x), results = tg_numel(y);
    Walk w;
    if (n == 0) return;
    tg_walk_plan(&w, &under, &x, 1);
    const bool few = results <= FEW;
    Folding f = {&w, loop, longest(&w, few), 0, NULL, 0};
    if (n <= 2 * TG_WALK_GRAIN || f.dim < 0) {
        tg_walk_run(&w, loop, NULL);
    } else if (few) {
        fold_pieces(&f, combine, y, n / TG_WALK_GRAIN < MOST_PIECES ? n / TG_WALK_GRAIN : MOST_PIECES);
    } else {
        const int64_t grain = TG_WALK_GRAIN / (n / w.shape[f.dim]) + 1;
        tg_parallel(w.shape[f.dim], rounded(grain, f.dim), run_results, &f);
    }
}
