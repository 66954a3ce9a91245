/* core/pandas/dataframe.h: pandas' DataFrame and Series (public; part of core/pandas/pandas.h).
 *
 *     pd_DataFrame *df = pd_read_csv("titanic.csv");                    df = pd.read_csv("titanic.csv")
 *     pd_setitem(df, "Age", pd_fillna(pd_getitem(df, "Age"), 30));      df["Age"] = df["Age"].fillna(30)
 *     df = pd_get_dummies(pd_drop(df, .columns = {"Name"}));            df = pd.get_dummies(df.drop(columns=["Name"]))
 *     pd_print(pd_head(df));                                            print(df.head())
 *     Tensor *x = pd_to_numpy(df, t_float32);                           x = df.to_numpy(np.float32)
 *
 * The words, results and printed tables are pandas 3's. A column has one of the dtypes bool, int8 to int64, uint8,
 * float32, float64, str, datetime64[us] and [ns] (to_datetime.h), category (category.h), or object for a bool column
 * with missing values; a missing value is NaN in float columns, NaT in those of times, and no value in str, object and
 * category columns. Row labels are a range, or a column of their own. Frames and series belong to the current scope, as
 * tensors do; operations return new ones, which share the columns that did not change, and only pd_setitem changes a
 * frame. Errors have pandas' texts where it has some.
 *
 * The macros without DataFrame_ or Series_ in their names (core/pandas/sugar.h) take either: pd_head(df), pd_head(s).
 */
#ifndef TAPEGRAD_CORE_PANDAS_DATAFRAME_H
#define TAPEGRAD_CORE_PANDAS_DATAFRAME_H

#include "core/ops/dict.h"
#include "core/tensor/list.h"

T_BEGIN_DECLS

/* The fields are read-only. len(df), df.shape is (len, width). */
typedef struct pd_DataFrame {
    t_Object object;
    int64_t len, width, capacity;
    struct tg_FrameItem *items;
    struct tg_Index *index;
} pd_DataFrame;

/* A named column with row labels. len(s), s.name (NULL: None). */
typedef struct pd_Series {
    t_Object object;
    int64_t len;
    char *name;
    struct tg_Column *column;
    struct tg_Index *index;
} pd_Series;

/* ---- making them ---- */

/* pd.DataFrame(dict): a column for each tensor of one dim. Errors: other ranks, different lengths, a text. */
T_API pd_DataFrame *pd_DataFrame_new(const t_TensorDict *data);
/* pd.DataFrame(x, columns=names) of a tensor of two dims. names: count of them, or NULL for "0", "1", ... */
T_API pd_DataFrame *pd_DataFrame_of_tensor(Tensor *x, const char *const *names, int64_t count);
/* pd.Series(x, name=name), and of texts, of which NULL is a missing one */
T_API pd_Series *pd_Series_new(Tensor *x, const char *name);
T_API pd_Series *pd_Series_of_texts(const char *const *texts, int64_t count, const char *name);

/* ---- columns ---- */

T_API const char *pd_column_name(const pd_DataFrame *df, int64_t i); /* df.columns[i], negative from the end */
T_API bool pd_has_column(const pd_DataFrame *df, const char *name);  /* name in df */
T_API pd_Series *pd_DataFrame_getitem(const pd_DataFrame *df, const char *name); /* df[name]. Error: KeyError */
/* df[[names]]; the first NULL ends names, or count of them */
T_API pd_DataFrame *pd_DataFrame_select(const pd_DataFrame *df, const char *const *names, int64_t count);
/* df[name] = series (the row labels must be the frame's, or equal lengths), a tensor, a number, a text */
T_API bool pd_setitem_series(pd_DataFrame *df, const char *name, const pd_Series *value);
T_API bool pd_setitem_tensor(pd_DataFrame *df, const char *name, Tensor *value);
T_API bool pd_setitem_number(pd_DataFrame *df, const char *name, double value);
T_API bool pd_setitem_integer(pd_DataFrame *df, const char *name, int64_t value);
T_API bool pd_setitem_text(pd_DataFrame *df, const char *name, const char *value);
enum { PD_MOST_NAMES = 64 };
/* df.drop(columns=[...]), df.drop(index labels): rows by their label */
typedef struct pd_DropOptions {
    uint32_t size;
    const char *columns[PD_MOST_NAMES];
    Tensor *index;      /* int64 labels of rows */
    bool ignore_errors; /* errors="ignore" */
} pd_DropOptions;
T_API pd_DataFrame *pd_DataFrame_drop(const pd_DataFrame *df, const pd_DropOptions *options);
T_API pd_DataFrame *pd_DataFrame_rename(const pd_DataFrame *df, const char *from,
                                        const char *to);      /* columns={from: to} */
T_API const char *pd_Series_dtype(const pd_Series *s);        /* str(s.dtype): "int64", "str" */
T_API pd_Series *pd_DataFrame_dtypes(const pd_DataFrame *df); /* df.dtypes */
/* df.select_dtypes(include="number"), of "number", "bool", "str", "object" (also str) or a dtype */
T_API pd_DataFrame *pd_select_dtypes(const pd_DataFrame *df, const char *include);
/* s.astype("float32"), df.astype(...). Errors: a text that is no number, a missing value to an integer. */
T_API pd_Series *pd_Series_astype(const pd_Series *s, const char *dtype);
T_API pd_DataFrame *pd_DataFrame_astype(const pd_DataFrame *df, const char *dtype);

/* ---- rows ---- */

T_API pd_DataFrame *pd_DataFrame_head(const pd_DataFrame *df, int64_t n); /* df.head(n=5); n < 0: all but the last -n */
T_API pd_Series *pd_Series_head(const pd_Series *s, int64_t n);
T_API pd_DataFrame *pd_DataFrame_tail(const pd_DataFrame *df, int64_t n);
T_API pd_Series *pd_Series_tail(const pd_Series *s, int64_t n);
/* df[mask]: the rows where a bool tensor is True. Error: it has not a row's element each. */
T_API pd_DataFrame *pd_DataFrame_filter(const pd_DataFrame *df, Tensor *mask);
T_API pd_Series *pd_Series_filter(const pd_Series *s, Tensor *mask);
T_API pd_DataFrame *pd_DataFrame_take(const pd_DataFrame *df, Tensor *indices); /* df.take(indices), df.iloc[indices] */
T_API pd_Series *pd_Series_take(const pd_Series *s, Tensor *indices);
/* df.iloc[":, :-1"]: slices and numbers as in t_at; one column by number stays a frame */
T_API pd_DataFrame *pd_DataFrame_iloc(const pd_DataFrame *df, const char *text);
T_API double pd_iat(const pd_Series *s, int64_t i);           /* s.iat[i], a number; NaN where it is missing */
/* s.iat[i], a text, or a time as str() writes it, which is the scope's; NULL where it is missing */
T_API const char *pd_iat_text(const pd_Series *s, int64_t i);
/* df.sample(n=None, frac=None, replace=False, random_state=None): numpy's draws for the same random_state, T_NONE for
 * Python's random ones. n and frac: 0 for not given; without both n = 1. */
typedef struct pd_SampleOptions {
    uint32_t size;
    int64_t n;
    double frac;
    bool replace;
    int64_t random_state;
} pd_SampleOptions;
#define PD_SAMPLE_DEFAULTS_ .random_state = T_NONE, .size = sizeof(pd_SampleOptions)
T_API pd_DataFrame *pd_DataFrame_sample(const pd_DataFrame *df, const pd_SampleOptions *options);
T_API pd_Series *pd_Series_sample(const pd_Series *s, const pd_SampleOptions *options);
/* df.sort_values(by, ascending=True): equal rows keep their order, missing values are last. */
T_API pd_DataFrame *pd_DataFrame_sort_values(const pd_DataFrame *df, const char *by, bool ascending);
T_API pd_Series *pd_Series_sort_values(const pd_Series *s, bool ascending);
T_API pd_DataFrame *pd_DataFrame_set_index(const pd_DataFrame *df, const char *name); /* df.set_index(name) */
T_API pd_DataFrame *pd_DataFrame_reset_index(const pd_DataFrame *df, bool drop); /* df.reset_index(drop=False) */
/* pd.concat([a, b, ...], axis=0, join="outer", ignore_index=False). axis 0: the rows, with missing values where a frame
 * has not a column of another one; join "inner": only the columns that all have. axis 1: the columns, rows by their
 * labels, in the order of appearance; ignore_index: new labels 0, 1, ... along the axis. */
typedef struct pd_ConcatOptions {
    uint32_t size;
    int64_t axis;
    const char *join;
    bool ignore_index;
} pd_ConcatOptions;
#define PD_CONCAT_DEFAULTS_ .join = "outer", .size = sizeof(pd_ConcatOptions)
T_API pd_DataFrame *pd_concat_of(const pd_DataFrame *const *frames, int64_t count, const pd_ConcatOptions *options);
/* pd.merge(left, right, how="inner", on=None, left_on=None, right_on=None, suffixes=("_x", "_y")): rows of both frames
 * with equal keys. how: "inner", "left", "right", "outer" (sorted by the keys) or "cross" (all pairs, without keys).
 * Without keys, those columns that both have. A missing key equals a missing one. left_index, right_index: the row
 * labels of that side are its key; those of the result are the equal ones, or with one of them the other frame's.
 * indicator: the name of a str column (in pandas a category) of "left_only", "right_only", "both"; indicator=True is
 * "_merge". Not here: validate. Errors have pandas' texts. */
typedef struct pd_MergeOptions {
    uint32_t size;
    const char *how;
    const char *on[PD_MOST_NAMES], *left_on[PD_MOST_NAMES], *right_on[PD_MOST_NAMES];
    const char *suffixes[2];
    bool left_index, right_index;
    const char *indicator;
} pd_MergeOptions;
#define PD_MERGE_DEFAULTS_ .how = "inner", .suffixes = {"_x", "_y"}, .size = sizeof(pd_MergeOptions)
T_API pd_DataFrame *pd_merge(const pd_DataFrame *left, const pd_DataFrame *right, const pd_MergeOptions *options);

/* ---- missing values ---- */

T_API pd_DataFrame *pd_DataFrame_isna(const pd_DataFrame *df);
T_API pd_Series *pd_Series_isna(const pd_Series *s);
T_API pd_Series *pd_Series_fillna(const pd_Series *s, double value);
T_API pd_Series *pd_Series_fillna_text(const pd_Series *s, const char *value);
T_API pd_DataFrame *pd_DataFrame_fillna(const pd_DataFrame *df, double value);           /* of number columns */
T_API pd_DataFrame *pd_DataFrame_fillna_text(const pd_DataFrame *df, const char *value); /* of str columns */
T_API pd_Series *pd_Series_dropna(const pd_Series *s);
/* df.dropna(subset=[...]): all columns if none is named */
T_API pd_DataFrame *pd_DataFrame_dropna(const pd_DataFrame *df, const char *const *subset, int64_t count);

/* ---- statistics, over the values that are not missing ---- */

typedef enum pd_Statistic {
    pd_stat_count,
    pd_stat_sum,
    pd_stat_mean,
    pd_stat_std,
    pd_stat_var,
    pd_stat_min,
    pd_stat_max,
    pd_stat_median,
    pd_stat_nunique
} pd_Statistic;
/* s.mean() and so on: std and var with ddof=1. NaN on error: a str column. */
T_API double pd_Series_stat(const pd_Series *s, pd_Statistic which);
/* df.mean(numeric_only=True), df.count(), ...: a series with the columns as labels */
T_API pd_Series *pd_DataFrame_stat(const pd_DataFrame *df, pd_Statistic which);
T_API double pd_Series_quantile(const pd_Series *s, double q);     /* s.quantile(q), linear interpolation */
T_API pd_Series *pd_Series_describe(const pd_Series *s);           /* s.describe() */
T_API pd_DataFrame *pd_DataFrame_describe(const pd_DataFrame *df); /* df.describe(), of columns of numbers and times */
T_API pd_DataFrame *pd_DataFrame_corr(const pd_DataFrame *df);     /* df.corr(numeric_only=True) */
/* df.groupby(by)[column].mean() and so on: a series with the sorted groups as labels; more in groupby.h */
T_API pd_Series *pd_groupby_stat(const pd_DataFrame *df, const char *by, const char *column, pd_Statistic which);

/* ---- a row and those before it ---- */

T_API pd_Series *pd_Series_shift(const pd_Series *s, int64_t periods);      /* s.shift(periods=1) */
T_API pd_Series *pd_Series_diff(const pd_Series *s, int64_t periods);       /* s.diff(periods=1), of numbers */
T_API pd_Series *pd_Series_pct_change(const pd_Series *s, int64_t periods); /* s.pct_change(periods=1) */
T_API pd_Series *pd_Series_cumsum(const pd_Series *s); /* missing values are passed over; bools become int64 */
/* s.rolling(window, min_periods=None).mean() and so on, of any statistic but nunique; min_periods T_NONE: window */
T_API pd_Series *pd_Series_rolling(const pd_Series *s, int64_t window, int64_t min_periods, pd_Statistic which);

/* ---- categories ---- */

/* s.value_counts(normalize=False, sort=True, ascending=False, dropna=True) */
typedef struct pd_ValueCountsOptions {
    uint32_t size;
    bool normalize, sort, ascending, dropna;
} pd_ValueCountsOptions;
#define PD_VALUE_COUNTS_DEFAULTS_ .sort = true, .dropna = true, .size = sizeof(pd_ValueCountsOptions)
T_API pd_Series *pd_Series_value_counts(const pd_Series *s, const pd_ValueCountsOptions *options);
T_API pd_Series *pd_Series_unique(const pd_Series *s); /* s.unique(), in the order of appearance, a missing one too */
T_API pd_Series *pd_Series_mode(const pd_Series *s);   /* s.mode(): the most frequent values, sorted */
/* codes, uniques = pd.factorize(s): int64 codes in the order of appearance (sort: of the values), -1 for missing ones.
 * uniques may be NULL. */
T_API Tensor *pd_Series_factorize(const pd_Series *s, bool sort, pd_Series **uniques);
T_API Tensor *pd_Series_codes(const pd_Series *s); /* s.astype("category").cat.codes, as int64 */
/* s.map({"male": 0, "female": 1}): NaN where the dict has no such text. The dict's numbers are 0-dim tensors. */
T_API pd_Series *pd_Series_map(const pd_Series *s, const t_TensorDict *map);
T_API Tensor *pd_Series_eq(const pd_Series *s, const char *value);   /* s == "male": a bool tensor */
T_API Tensor *pd_Series_eq_number(const pd_Series *s, double value); /* s == 1 */
/* pd.get_dummies(df, columns=None, drop_first=False, dtype=bool): the named columns, or all str and object ones, are
 * replaced by a column for each sorted value, "Sex_female". dtype: "bool", "int64", "float32", ... */
typedef struct pd_GetDummiesOptions {
    uint32_t size;
    const char *columns[PD_MOST_NAMES];
    bool drop_first, dummy_na;
    const char *dtype;
} pd_GetDummiesOptions;
#define PD_GET_DUMMIES_DEFAULTS_ .dtype = "bool", .size = sizeof(pd_GetDummiesOptions)
T_API pd_DataFrame *pd_DataFrame_get_dummies(const pd_DataFrame *df, const pd_GetDummiesOptions *options);
T_API pd_DataFrame *pd_Series_get_dummies(const pd_Series *s, const pd_GetDummiesOptions *options); /* no prefix */

/* ---- out ---- */

/* df.to_numpy(dtype), df.values: a tensor of len x width; dtype 0: the columns' common one (bool and numbers: error in
 * pandas' object array). Errors: a str column. A missing value is NaN in floats, an error in integers. */
T_API Tensor *pd_DataFrame_to_numpy(const pd_DataFrame *df, t_DType dtype);
T_API Tensor *pd_Series_to_numpy(const pd_Series *s, t_DType dtype);
T_API const char *pd_DataFrame_str(const pd_DataFrame *df); /* str(df); owned by the scope */
T_API const char *pd_Series_str(const pd_Series *s);
T_API bool pd_DataFrame_print(const pd_DataFrame *df); /* print(df) */
T_API bool pd_Series_print(const pd_Series *s);
T_API bool pd_DataFrame_info(const pd_DataFrame *df); /* df.info(memory_usage=False) */
/* df.to_csv(path, sep=",", na_rep="", float_format=None, header=True, index=True, compression="infer"): written to a
 * temporary file that is renamed. compression: "gzip", NULL (none), or "infer": gzip if the path ends with ".gz". */
typedef struct pd_ToCsvOptions {
    uint32_t size;
    const char *sep, *na_rep, *float_format;
    bool header, index;
    const char *compression;
} pd_ToCsvOptions;
#define PD_TO_CSV_DEFAULTS_                                                                     \
    .sep = ",", .na_rep = "", .header = true, .index = true, .compression = "infer", \
    .size = sizeof(pd_ToCsvOptions)
T_API bool pd_to_csv(const pd_DataFrame *df, const char *path, const pd_ToCsvOptions *options);
/* df.to_csv(): a text of *size bytes that is freed with free(); NULL on error */
T_API char *pd_to_csv_bytes(const pd_DataFrame *df, size_t *size, const pd_ToCsvOptions *options);

T_END_DECLS
#endif
