/* core/tensor/iterator_transposed.c: elementwise loops in which some operands are transposed relative to the output.
 *
 * In the output's order such an operand touches another cache line with every element. So the iteration is tiled: a
 * tile is LONG elements of the output's contiguous dim by one cache line of the transposed operand. The operand's part
 * of the tile is transposed into a buffer that stays in L1, and the loop runs on that. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/kernels/transpose.h"
#include "core/tensor/iterator_internal.h"

enum {
    LINE = 64,    /* bytes of a cache line */
    LONG = 128,   /* elements of a tile's row */
    SHORT = 16,   /* shortest dims for which tiles are faster */
    ENOUGH = 4096 /* fewest elements for which they are */
};

typedef struct Tiles {
    const Iterator *it;
    const int64_t *sizes; /* item size of each operand */
    Loop loop;
    const void *context;
    int across;            /* the dim along which the transposed operands are contiguous */
    int64_t strip, strips; /* rows of a tile, number of tiles along `across` */
} Tiles;

static bool is_transposed(const Iterator *it, const int64_t *sizes, int operand, int d) {
    return it->strides[operand][0] != 0 && it->strides[operand][0] != sizes[operand] &&
           it->strides[operand][d] == sizes[operand];
}

/* Transposes 8 x 8 bytes in eight words: exchanges the off-diagonal blocks of 4 x 4, then 2 x 2, then single bytes. */
static __attribute__((noinline)) void transpose_words(uint64_t word[8]) {
    static const uint64_t lower[] = {0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff};
    for (int round = 0, apart = 4; apart; apart /= 2, round++)
        for (int i = 0; i < 8; i++) {
            if (i & apart) continue;
            const uint64_t moved = (word[i] >> 8 * apart ^ word[i + apart]) & lower[round];
            word[i + apart] ^= moved;
            word[i] ^= moved << 8 * apart;
        }
}

/* to[j * LONG + i] = from[i * stride + j] for i < m, j < n. */
static void transpose_bytes(int64_t m, int64_t n, const char *from, int64_t stride, char *to) {
    for (int64_t i = 0; i < m; i += 8)
        for (int64_t j = 0; j < n; j += 8) {
            if (i + 8 > m || j + 8 > n) {
                for (int64_t a = i; a < i + 8 && a < m; a++)
                    for (int64_t b = j; b < j + 8 && b < n; b++) to[b * LONG + a] = from[a * stride + b];
                continue;
            }
            uint64_t word[8];
            for (int k = 0; k < 8; k++) memcpy(&word[k], from + (i + k) * stride + j, 8);
            transpose_words(word);
            for (int k = 0; k < 8; k++) memcpy(to + (j + k) * LONG + i, &word[k], 8);
        }
}

/* One tile, `rows` x n elements that begin at data. */
static void run_tile(const Tiles *job, char *const *data, int64_t n, int64_t rows) {
    const Iterator *it = job->it;
    _Alignas(64) char buffers[TG_OPERANDS - 1][LONG * LINE];
    char *p[TG_OPERANDS];
    int64_t strides[TG_OPERANDS], row_strides[TG_OPERANDS];
    for (int i = 0; i < it->operands; i++) {
        const int64_t size = job->sizes[i], stride = it->strides[i][0];
        p[i] = data[i];
        strides[i] = stride;
        row_strides[i] = it->strides[i][job->across];
        if (i == 0 || !is_transposed(it, job->sizes, i, job->across)) continue;
        p[i] = buffers[i - 1];
        strides[i] = size;
        row_strides[i] = LONG * size;
        if (size == 1) transpose_bytes(n, rows, data[i], stride, p[i]);
        else (size == 4 ? tg_transpose_4 : tg_transpose_8)(n, rows, data[i], stride / size, p[i], LONG);
    }
    for (int64_t row = 0; row < rows; row++) {
        job->loop(n, p, strides, job->context);
        for (int i = 0; i < it->operands; i++) p[i] += row_strides[i];
    }
}

/* Strips from .. to - 1; strips are numbered over all dims but the innermost. */
static void run_strips(int64_t from, int64_t to, void *context) {
    const Tiles *job = context;
    const Iterator *it = job->it;
    for (; from < to; from++) {
        const int64_t first = from % job->strips * job->strip, left = it->shape[job->across] - first;
        char *data[TG_OPERANDS];
        int64_t rest = from / job->strips;
        memcpy(data, it->data, sizeof data);
        for (int d = 1; d < it->ndim; d++) {
            const int64_t index = d == job->across ? first : rest % it->shape[d];
            for (int i = 0; i < it->operands; i++) data[i] += index * it->strides[i][d];
            if (d != job->across) rest /= it->shape[d];
        }
        for (int64_t at = 0; at < it->shape[0]; at += LONG) {
            run_tile(job, data, it->shape[0] - at < LONG ? it->shape[0] - at : LONG,
                     left < job->strip ? left : job->strip);
            for (int i = 0; i < it->operands; i++) data[i] += LONG * it->strides[i][0];
        }
    }
}

bool tg_iterator_run_tiles(const Iterator *it, const int64_t *sizes, Loop loop, const void *context) {
    Tiles job = {it, sizes, loop, context, .strip = LINE};
    const int64_t n = tg_shape_numel(it->shape, it->ndim);
    if (it->ndim < 2 || n < ENOUGH || it->shape[0] < SHORT) return false;
    for (int i = 1; i < it->operands; i++)
        if (sizes[i] == 2) return false; /* there is no transpose of such elements */
    for (int d = 1; d < it->ndim; d++)
        for (int i = 1; i < it->operands && !job.across; i++)
            if (it->shape[d] >= SHORT && is_transposed(it, sizes, i, d)) job.across = d;
    if (!job.across) return false;
    for (int i = 1; i < it->operands; i++) /* one cache line of the widest element type */
        if (is_transposed(it, sizes, i, job.across) && LINE / sizes[i] < job.strip) job.strip = LINE / sizes[i];
    job.strips = (it->shape[job.across] + job.strip - 1) / job.strip;
    const int64_t items = n / it->shape[0] / it->shape[job.across] * job.strips;
    const int64_t grain = TG_GRAIN_SIZE / (it->shape[0] * job.strip) + 1;
    tg_parallel(items, n <= 2 * TG_GRAIN_SIZE || !tg_iterator_no_overlap(it) ? items : grain, run_strips, &job);
    return true;
}
