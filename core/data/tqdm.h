/* core/data/tqdm.h: from tqdm import tqdm, trange (public; part of core/data/data.h).
 *
 *     for_batch (batch, data_tqdm(loader, .desc = "epoch 1")) { ... data_set_postfix(loader, "loss=%.3f", loss); }
 *     for_trange (i, 100, .desc = "steps") { ... }
 *     tqdm_tqdm *bar = tqdm_tqdm(.total = bytes, .unit = "B", .unit_scale = true);
 *     while ((n = read_block(file)) > 0) tqdm_update(bar, n);
 *     tqdm_close(bar);
 *
 * The texts are tqdm's to the byte:
 *
 *     epoch 1:  45%|████▌     | 352/782 [00:02<00:02, 171.20it/s, loss=0.432]
 *
 * Bars that are open at the same time have lines below each other, the first at the top; a bar belongs to its scope
 * like a tensor and is closed with it. Nothing is written to stdout but by tqdm_write. Here are no gui,
 * notebooks, and no thread that redraws a bar whose loop hangs. */
#ifndef TAPEGRAD_CORE_DATA_TQDM_H
#define TAPEGRAD_CORE_DATA_TQDM_H

#include <stdio.h>

#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct tqdm_tqdm tqdm_tqdm;

/* tqdm's keywords, in its order. Texts are copied. */
typedef struct tqdm_Options {
    uint32_t size;
    const char *desc;   /* before the bar, with ": " after it */
    double total;       /* the number of iterations; negative: unknown, no bar and no estimate */
    int leave;          /* true: the bar stays at its end; -1 (None): if its position is 0 */
    FILE *file;         /* NULL: stderr */
    int ncols;          /* columns of the line; -1: the terminal's, or 10 for the bar; 0: no bar */
    double mininterval, maxinterval; /* seconds between redraws */
    double miniters;    /* iterations between redraws; -1: adapted to mininterval */
    const char *ascii;  /* NULL: Unicode blocks; "": " 123456789#"; or the characters from empty to full */
    bool disable;
    const char *unit;
    double unit_scale;  /* 1 (true): k, M, G, ...; another number but 0 scales n and total */
    bool dynamic_ncols; /* follows the terminal's size */
    double smoothing;   /* of the rate: 0 the average, 1 the current one */
    /* NULL: '{l_bar}{bar}{r_bar}'. Python's str.format with l_bar, bar, r_bar, n, n_fmt, total, total_fmt, percentage,
     * elapsed, elapsed_s, ncols, nrows, desc, unit, rate, rate_fmt, rate_noinv, rate_noinv_fmt, rate_inv, rate_inv_fmt,
     * postfix, unit_divisor, colour, remaining, remaining_s, eta. "{bar:20}" has 20 columns, "{bar:-10b}" 10 less than
     * there are, and blanks. Errors (of tqdm_tqdm_new): Python's. */
    const char *bar_format;
    double initial;
    int position;       /* the line, from 0; -1: the first free one */
    const char *postfix;
    double unit_divisor; /* 1000, or 1024 */
    int nrows;          /* lines of the screen; -1: the terminal's, or 20 */
    const char *colour; /* "green", "#00ff00" */
    double delay;       /* seconds before the first drawing */
} tqdm_Options;
#define TQDM_DEFAULTS_ .total = -1, .leave = true, .ncols = -1, .mininterval = 0.1, .maxinterval = 10, \
    .miniters = -1, .unit = "it", .smoothing = 0.3, .position = -1, .unit_divisor = 1000, .nrows = -1, \
    .size = sizeof(tqdm_Options)
extern T_API const tqdm_Options tqdm_Defaults;

T_API tqdm_tqdm *tqdm_tqdm_new(const tqdm_Options *options); /* tqdm(total=100): a bar that tqdm_update moves */
/* bar.update(n): true if it was redrawn. A number that is no integer is printed as Python's float. */
T_API bool tqdm_update(tqdm_tqdm *bar, double n);
T_API bool tqdm_close(tqdm_tqdm *bar);   /* bar.close() */
T_API bool tqdm_refresh(tqdm_tqdm *bar); /* bar.refresh(): redraws it now */
T_API bool tqdm_clear(tqdm_tqdm *bar);   /* bar.clear(): from the screen */
T_API bool tqdm_reset(tqdm_tqdm *bar, double total); /* bar.reset(total): from 0 again; negative: the same total */
T_API bool tqdm_set_description(tqdm_tqdm *bar, const char *desc);     /* bar.set_description(desc) */
T_API bool tqdm_set_description_str(tqdm_tqdm *bar, const char *desc); /* without ": " after it */
/* bar.set_postfix(ordered_dict): "loss=0.432, lr=1e-5": numbers of a dict with three digits, texts as they are */
T_API bool tqdm_set_postfix(tqdm_tqdm *bar, const t_TensorDict *postfix);
T_API bool tqdm_set_postfix_str(tqdm_tqdm *bar, const char *text); /* bar.set_postfix_str(text) */
/* One iteration of a loop, for the macros: bar.n is behind until the next drawing, as tqdm's __iter__ counts. */
T_API void tqdm_step_(tqdm_tqdm *bar);
T_API double tqdm_n(const tqdm_tqdm *bar);                         /* bar.n */
/* tqdm.write(text, file=sys.stdout, end="\n"): above the bars, which are drawn again. NULL: the defaults */
T_API bool tqdm_write(const char *text, FILE *file, const char *end);
T_API const char *tqdm_str(const tqdm_tqdm *bar); /* str(bar): the line; owned by the scope */

/* tqdm.format_meter(n, total, elapsed, ...): a bar's line, owned by the scope. rate: NAN (None) is (n - initial) /
 * elapsed. Of the options it takes ncols (-1: None), desc as the prefix, ascii, unit, unit_scale, postfix,
 * unit_divisor, initial and colour. */
T_API const char *tqdm_format_meter(double n, double total, double elapsed, double rate, const tqdm_Options *options);
T_API const char *tqdm_format_interval(double seconds);                          /* "1:02:05" */
T_API const char *tqdm_format_num(double n);                                     /* "1.23e+5" */
T_API const char *tqdm_format_sizeof(double n, const char *suffix, double divisor); /* "1.50M" */

T_END_DECLS
#endif
