/* optim/state_io.h: a state dict written and read by the same list of names (internal).
 *
 * The values of an optimizer or scheduler are listed once, as calls of tg_io_...(io, "gamma", &gamma): in tg_writing
 * each call puts the value into the dict; in tg_checking it checks that the dict has it, and changes nothing; in
 * tg_reading it reads it from a dict that was checked, and cannot fail. Names are prefixed with io's prefix,
 * "param_groups.0.". */
#ifndef TAPEGRAD_OPTIM_STATE_IO_H
#define TAPEGRAD_OPTIM_STATE_IO_H

#include "core/ops/dict.h"
#include "core/tensor/tensor.h"

typedef enum tg_IOMode { tg_writing, tg_checking, tg_reading } tg_IOMode;

enum { TG_IO_NAME = 512 };
#define TG_MAX_STEPS ((int64_t)1 << 53) /* up to here a double counts exactly */

typedef struct tg_StateIO {
    tg_IOMode mode;
    t_TensorDict *dict; /* modified only in tg_writing */
    size_t at;          /* the length of the prefix */
    char name[TG_IO_NAME];
} tg_StateIO;

/* Extends the prefix; *before gets the old length, to be restored into io->at. False where it gets too long. */
bool tg_io_enter(tg_StateIO *io, size_t *before, const char *format, ...) T_PRINTF(3, 4);
/* The tensor of that name, which io->name then holds; NULL where there is none, without an error. */
Tensor *tg_io_find(tg_StateIO *io, const char *format, ...) T_PRINTF(2, 3);
const char *tg_io_find_text(tg_StateIO *io, const char *key); /* the same for a text */
Tensor *tg_io_get(tg_StateIO *io, const char *key); /* the same, but a missing name is an error */
bool tg_io_put(tg_StateIO *io, const char *key, Tensor *x);
bool tg_io_put_text(tg_StateIO *io, const char *key, const char *text);

bool tg_io_number(tg_StateIO *io, const char *key, double *x);
bool tg_io_float(tg_StateIO *io, const char *key, float *x);
bool tg_io_int64(tg_StateIO *io, const char *key, int64_t *x, int64_t least);
/* a step count, at most TG_MAX_STEPS */
bool tg_io_count(tg_StateIO *io, const char *key, int64_t *x, int64_t least);
bool tg_io_flag(tg_StateIO *io, const char *key, bool *x);
bool tg_io_choice(tg_StateIO *io, const char *key, const char *no, const char *yes, bool *x); /* one of two words */
bool tg_io_numbers(tg_StateIO *io, const char *key, double *x, int64_t count);              /* "key.0", "key.1", ... */

/* Parses the name of an item as prefix, integer as Python writes it, and the rest ("" or ".lr"): returns the rest and
 * sets *number (clamped to int64); NULL for any other name. */
const char *tg_io_parse_index(const t_DictItem *item, const char *prefix, int64_t *number);

#endif
