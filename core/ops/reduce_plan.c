/* core/ops/reduce_plan.c: how a reduction is cut: into tiles of rows or columns, and these into pieces where there are few of them. */
#include "core/ops/reduce_plan_internal.h"

enum { MANY_TILES = 8, MOST_PIECES = 16, ALIGNED = 512, LONGEST = 1 << 30 };

static void plan_tiles(Folding *f) {
    Walk *w = &f->w;
    int kept = -1, reduced = -1;
    f->along = tg_is_reduced(w, 0);
    f->cut = f->of_block = -1;
    f->tiles = 1;
    for (int d = w->ndim - 1; d >= 0; d--) {
        if (tg_is_reduced(w, d)) {
            if (d) reduced = d;
        } else {
            f->of_block = kept;
            kept = d;
        }
        if (tg_is_reduced(w, d) && (f->cut < 0 || w->shape[d] > w->shape[f->cut])) f->cut = d;
        if (!tg_is_reduced(w, d)) f->tiles *= w->shape[d];
        w->steps[1][d] /= (int64_t)tg_itemsize(f->y->dtype);
    }
    f->of_tile = kept;
    f->down_first = f->along && kept < 0 && reduced > 0 && w->shape[0] <= TG_REDUCE_COLUMNS && !f->how->around;
    f->along &= !f->down_first;
    f->of_rows = f->along ? kept : reduced;
    const bool dense = f->of_block >= 0 && w->steps[1][0] == 1 && w->steps[1][f->of_block] == w->shape[0];
    if (f->along || !dense || w->shape[0] > TG_REDUCE_COLUMNS) f->of_block = -1;
}

static void plan_pieces(Folding *f, int64_t n) {
    const Walk *w = &f->w;
    f->most = TG_REDUCE_COLUMNS;
    if (f->along) {
        const int64_t near = TG_WALK_GRAIN / w->shape[0];
        if (near < f->most) f->most = near < 1 ? 1 : near < TG_REDUCE_ROWS ? near : near / TG_REDUCE_ROWS * TG_REDUCE_ROWS;
    }
    if (f->of_tile >= 0) {
        f->across = (w->shape[f->of_tile] + f->most - 1) / f->most;
        f->tiles = f->tiles / w->shape[f->of_tile] * f->across;
    }
    if (f->of_block >= 0) {
        const int64_t size = w->shape[f->of_block], room = TG_REDUCE_COLUMNS / w->shape[0], near = TG_WALK_GRAIN * f->tiles / n;
        f->blocks = near < 1 ? 1 : near < room ? near : room;
        f->tiles = f->tiles / size * ((size + f->blocks - 1) / f->blocks);
    }
    const int64_t length = f->cut < 0 ? 0 : w->shape[f->cut], wanted = n / f->tiles / TG_WALK_GRAIN;
    f->piece = length;
    if (f->tiles < MANY_TILES && wanted > 1) f->piece = length / (wanted < MOST_PIECES ? wanted : MOST_PIECES) + 1;
    if (f->cut == 0) f->piece = (f->piece + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (f->piece > LONGEST) f->piece = LONGEST; /* places in a tile are counted in 32 bits */
    f->pieces = length ? (length + f->piece - 1) / f->piece : 1;
}

void tg_plan_reduction(Folding *f, int64_t n) {
    plan_tiles(f);
    plan_pieces(f, n);
}
