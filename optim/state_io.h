/* optim/state_io.h: a state dict written, or read, by one list of names (internal).
 *
 * What an optimizer or a scheduler keeps is said once, as calls of tg_io_...(io, "gamma", &gamma): writing, each puts
 * the value into the dict; checking, each looks whether the dict has it, and changes nothing; reading, each takes it
 * out of a dict that was checked, and cannot fail. A name stands behind io's prefix, "param_groups.0.". */
#ifndef TAPEGRAD_OPTIM_STATE_IO_H
#define TAPEGRAD_OPTIM_STATE_IO_H

#include "core/ops/dict.h"
#include "core/tensor/tensor.h"

typedef enum tg_IOMode { tg_writing, tg_checking, tg_reading } tg_IOMode;

enum { TG_IO_NAME = 512 };
#define TG_MOST_STEPS ((int64_t)1 << 53) /* more are not counted: a double has them all */

typedef struct tg_StateIO {
    tg_IOMode mode;
    t_TensorDict *dict; /* written to in tg_writing alone */
    size_t at;          /* the length of the prefix */
    char name[TG_IO_NAME];
} tg_StateIO;

/* A longer prefix; *before is the old one's length, to put back into io->at. False where it gets too long. */
bool tg_io_enter(tg_StateIO *io, size_t *before, const char *format, ...) T_PRINTF(3, 4);
/* The tensor of that name, which stays in io->name; NULL where there is none, without an error. */
Tensor *tg_io_find(tg_StateIO *io, const char *format, ...) T_PRINTF(2, 3);
Tensor *tg_io_get(tg_StateIO *io, const char *key); /* the same, but missing it is an error */
bool tg_io_put(tg_StateIO *io, const char *key, Tensor *x);
bool tg_io_put_text(tg_StateIO *io, const char *key, const char *text);

bool tg_io_number(tg_StateIO *io, const char *key, double *x);
bool tg_io_whole(tg_StateIO *io, const char *key, int64_t *x, int64_t least);
/* what steps add to: TG_MOST_STEPS at most */
bool tg_io_count(tg_StateIO *io, const char *key, int64_t *x, int64_t least);
bool tg_io_flag(tg_StateIO *io, const char *key, bool *x);
bool tg_io_word(tg_StateIO *io, const char *key, const char *no, const char *yes, bool *x); /* one of two words */
bool tg_io_numbers(tg_StateIO *io, const char *key, double *x, int64_t count);              /* "key.0", "key.1", ... */

/* What follows the number in the name of an item that begins with prefix and a whole number ("" or ".lr") as Python
 * writes it, which is put into *number (one too large for it as the largest); NULL for any other name. */
const char *tg_io_numbered(const t_DictItem *item, const char *prefix, int64_t *number);

#endif
