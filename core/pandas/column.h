/* core/pandas/column.h: the columns and row labels of frames (internal).
 *
 * A column does not change once it is made, so that frames share columns. Numbers and bools are a tensor of one dim,
 * times and categories one of int64 numbers; texts are one after the other in a block, each with its terminating zero.
 * The row labels (index) are a range or a column.
 *
 * The folder core/pandas: frames and series, how they print, are joined and grouped; core/pandas/io: read_csv, to_csv,
 * genfromtxt; core/pandas/datetime: the calendar. They include core/io (text files, decimal numbers), core/python
 * (numpy's RandomState) and the public headers of core/ops. */
#ifndef TAPEGRAD_CORE_PANDAS_COLUMN_H
#define TAPEGRAD_CORE_PANDAS_COLUMN_H

#include "core/pandas/dataframe.h"
#include "core/pandas/to_datetime.h"
#include "core/tensor/tensor.h"

typedef enum tg_ColumnKind {
    tg_column_values, /* numbers or bools: float64 and float32 have NaN for missing */
    tg_column_text,
    tg_column_object,   /* bool with missing values: uint8 0, 1, or TG_MISSING_BOOL */
    tg_column_category, /* int64 codes, -1 for missing */
    tg_column_datetime  /* int64, TG_NAT for missing */
} tg_ColumnKind;
enum { TG_MISSING_BOOL = 2 };

typedef struct tg_Column {
    int64_t refs, len;
    tg_ColumnKind kind;
    bool is_object;               /* of texts: pandas says object, as of a mixture of types */
    int digits;                   /* of datetimes: as tg_datetime_digits counts them */
    int64_t per_second;           /* of datetimes: TG_MICROSECONDS or TG_NANOSECONDS */
    bool is_ordered;              /* of category: its values have an order */
    struct tg_Column *categories; /* of category: a reference, without missing values */
    Tensor *values;               /* a reference; NULL for texts */
    int64_t *offsets;             /* len + 1 of texts; a missing text has the length 0 and no zero */
    char *chars;
    size_t chars_size; /* of the block */
} tg_Column;

tg_Column *tg_column_of_tensor(Tensor *x, tg_ColumnKind kind); /* contiguous, one dim; takes a reference */
tg_Column *tg_column_of_datetimes(Tensor *x, int64_t per_second);
tg_Column *tg_column_of_codes(Tensor *codes, tg_Column *categories, bool is_ordered); /* takes two references */
tg_Column *tg_column_like(Tensor *x, const tg_Column *column); /* of the same kind; not of texts */
/* Adds a reference; drops one (NULL is none). */
tg_Column *tg_column_keep(tg_Column *column);
void tg_column_drop(tg_Column *column);

/* A column of texts that is being made; text NULL: missing. */
typedef struct tg_TextBuilder {
    tg_Column *column; /* NULL after an error */
    int64_t capacity;
    size_t used;
} tg_TextBuilder;
bool tg_text_begin(tg_TextBuilder *builder, int64_t capacity);
bool tg_text_add(tg_TextBuilder *builder, const char *text, size_t length);
tg_Column *tg_text_end(tg_TextBuilder *builder, bool ok); /* NULL, and frees it, if not ok */

static inline const char *tg_column_text_at(const tg_Column *column, int64_t i) {
    return column->offsets[i + 1] > column->offsets[i] ? column->chars + column->offsets[i] : NULL;
}
const char *tg_column_dtype(const tg_Column *column); /* "int64" */
bool tg_column_is_number(const tg_Column *column);    /* bool is one, as in pandas */
bool tg_column_is_missing(const tg_Column *column, int64_t i);
double tg_column_double(const tg_Column *column, int64_t i); /* NaN where missing; not of texts */
int64_t tg_column_int64(const tg_Column *column, int64_t i); /* of integers, bools and datetimes */
/* The rows of a column in another order; rows: int64 indices, -1 for a missing value. */
tg_Column *tg_column_take(const tg_Column *column, const int64_t *rows, int64_t count);
/* int64 and other integers as float64, bool as object: columns that can have missing values. */
tg_Column *tg_column_with_missing(tg_Column *column);
tg_Column *tg_column_take_missing(tg_Column *column, const int64_t *rows, int64_t count); /* so, if a row is -1 */
/* The rows of several columns; numbers in the smallest common dtype, other mixtures are texts. */
tg_Column *tg_columns_join(tg_Column *const *columns, int64_t count, int64_t len);
/* Of category: the values; anything else stays. And the other way round. New references. */
tg_Column *tg_column_decoded(const tg_Column *column);
tg_Column *tg_column_encoded(const tg_Column *column);
bool tg_categories_same(const tg_Column *a, const tg_Column *b);
tg_Column *tg_categories_join(tg_Column *const *columns, int64_t count, int64_t len);
tg_Column *tg_category_fill(const tg_Column *column, const char *text, double number); /* text NULL: the number */
tg_Column *tg_column_astype(const tg_Column *column, const char *dtype);
/* astype to datetime64[us] or datetime64[ns], of texts, other times, and integers since 1970; and from one of them. */
tg_Column *tg_column_as_datetime(const tg_Column *column, const char *dtype);
tg_Column *tg_column_from_datetime(const tg_Column *column, const char *name, t_DType dtype);
/* pandas.to_datetime. is_other, if not NULL, is set, without an error, where a text is no time. */
tg_Column *tg_column_to_datetime(const tg_Column *column, const pd_ToDatetimeOptions *options, bool *is_other);
/* How pandas writes an element: "1", "0.5", "True", the text; NULL where missing. buffer: 400 bytes for numbers. */
const char *tg_column_item(const tg_Column *column, int64_t i, char *buffer);
void tg_float_repr(double value, t_DType dtype, char *buffer); /* Python's repr: "0.1", "1e-05", "inf" */
/* Orders elements of one column as pandas' sort: missing ones last. */
int tg_column_compare(const tg_Column *column, int64_t i, int64_t j);
bool tg_column_equal(const tg_Column *column, int64_t i, int64_t j);
uint64_t tg_column_hash(const tg_Column *column, int64_t i);
/* A stable order of the rows: indices into order, which has len items. */
bool tg_column_argsort(const tg_Column *column, bool ascending, int64_t *order);

/* ---- row labels ---- */

typedef struct tg_Index {
    int64_t refs, start, step; /* of a range, if labels is NULL */
    tg_Column *labels;
    char *name; /* NULL: none */
} tg_Index;
tg_Index *tg_index_range(int64_t start, int64_t step);
tg_Index *tg_index_of(tg_Column *labels, const char *name); /* takes over the reference on labels, on an error too */
tg_Index *tg_index_keep(tg_Index *index);
void tg_index_drop(tg_Index *index);
tg_Index *tg_index_take(const tg_Index *index, const int64_t *rows, int64_t count);
tg_Column *tg_index_labels(const tg_Index *index, int64_t len); /* the row labels as a column */
bool tg_index_same(const tg_Index *a, const tg_Index *b, int64_t len);

/* ---- frames ---- */

typedef struct tg_FrameItem {
    char *name;
    tg_Column *column;
} tg_FrameItem;

pd_DataFrame *tg_frame_new(int64_t len, tg_Index *index); /* takes over index; no columns */
/* Appends or replaces a column; takes over the reference on it, on an error too (NULL: false). */
bool tg_frame_set(pd_DataFrame *df, const char *name, tg_Column *column);
bool tg_frame_append(pd_DataFrame *df, const char *name, tg_Column *column);    /* even if the name is there */
int64_t tg_frame_find(const pd_DataFrame *df, const char *name);                /* -1 where there is none */
bool tg_frame_rename(pd_DataFrame *df, int64_t i, const char *name);            /* of a new frame */
bool tg_frame_key_error(const char *name);                                      /* KeyError: 'name' */
pd_Series *tg_series_new(tg_Column *column, tg_Index *index, const char *name); /* takes over both */
bool tg_check_frame(const pd_DataFrame *df, int position);
bool tg_check_series(const pd_Series *s, int position);
char *tg_copy_text(const char *text); /* with malloc; NULL for NULL and on out of memory */

#endif
