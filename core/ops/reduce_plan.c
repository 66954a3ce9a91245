/* core/ops/reduce_plan.c: plans a reduction: tiles of rows or columns, and splits of a reduced dim if there are few
 * tiles. reduce_tiles.c executes the plan. */
#include "core/ops/reduce_plan_internal.h"

enum { ENOUGH_TILES = 8, MAX_SPLITS = 16, SPLIT_ALIGN = 512, MAX_SPLIT_SIZE = 1 << 30 };

/* Chooses the dims of tiles, rows, blocks and splits. */
static void plan_tiles(ReducePlan *f) {
    Walk *w = &f->w;
    int kept = -1, reduced = -1;
    f->inner_reduced = tg_is_reduced(w, 0);
    f->split_dim = f->block_dim = -1;
    f->tiles = 1;
    for (int d = w->ndim - 1; d >= 0; d--) {
        if (tg_is_reduced(w, d)) {
            if (d) reduced = d;
        } else {
            f->block_dim = kept;
            kept = d;
        }
        if (tg_is_reduced(w, d) && (f->split_dim < 0 || w->shape[d] > w->shape[f->split_dim])) f->split_dim = d;
        if (!tg_is_reduced(w, d)) f->tiles *= w->shape[d];
        w->steps[1][d] /= (int64_t)tg_itemsize(f->y->dtype);
    }
    f->tile_dim = kept;
    f->columns_first = f->inner_reduced && kept < 0 && reduced > 0 && w->shape[0] <= TG_REDUCE_COLUMNS &&
                       !f->args->center;
    f->inner_reduced &= !f->columns_first;
    f->row_dim = f->inner_reduced ? kept : reduced;
    const bool dense = f->block_dim >= 0 && w->steps[1][0] == 1 && w->steps[1][f->block_dim] == w->shape[0];
    if (f->inner_reduced || !dense || w->shape[0] > TG_REDUCE_COLUMNS) f->block_dim = -1;
}

/* Chooses the sizes: about TG_WALK_GRAIN elements of x for each tile or split. */
static void plan_splits(ReducePlan *f, int64_t n) {
    const Walk *w = &f->w;
    f->tile_size = TG_REDUCE_COLUMNS;
    if (f->inner_reduced) {
        const int64_t per_grain = TG_WALK_GRAIN / w->shape[0];
        if (per_grain < f->tile_size)
            f->tile_size = per_grain < 1              ? 1
                           : per_grain < TG_REDUCE_ROWS ? per_grain
                                                      : per_grain / TG_REDUCE_ROWS * TG_REDUCE_ROWS;
    }
    if (f->tile_dim >= 0) {
        f->tiles_across = (w->shape[f->tile_dim] + f->tile_size - 1) / f->tile_size;
        f->tiles = f->tiles / w->shape[f->tile_dim] * f->tiles_across;
    }
    if (f->block_dim >= 0) {
        const int64_t size = w->shape[f->block_dim], capacity = TG_REDUCE_COLUMNS / w->shape[0],
                      per_grain = TG_WALK_GRAIN * f->tiles / n;
        f->block_size = per_grain < 1 ? 1 : per_grain < capacity ? per_grain : capacity;
        f->tiles = f->tiles / size * ((size + f->block_size - 1) / f->block_size);
    }
    const int64_t length = f->split_dim < 0 ? 0 : w->shape[f->split_dim], wanted = n / f->tiles / TG_WALK_GRAIN;
    f->split_size = length;
    if (f->tiles < ENOUGH_TILES && wanted > 1) f->split_size = length / (wanted < MAX_SPLITS ? wanted : MAX_SPLITS) + 1;
    if (f->split_dim == 0) f->split_size = (f->split_size + SPLIT_ALIGN - 1) / SPLIT_ALIGN * SPLIT_ALIGN;
    if (f->split_size > MAX_SPLIT_SIZE) f->split_size = MAX_SPLIT_SIZE; /* indices in a tile are 32 bits */
    f->splits = length ? (length + f->split_size - 1) / f->split_size : 1;
}

void tg_plan_reduction(ReducePlan *f, int64_t n) {
    plan_tiles(f);
    plan_splits(f, n);
}
