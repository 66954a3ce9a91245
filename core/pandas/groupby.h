/* core/pandas/groupby.h: df.groupby(by).agg(...) (public; part of core/pandas/pandas.h). */
#ifndef TAPEGRAD_CORE_PANDAS_GROUPBY_H
#define TAPEGRAD_CORE_PANDAS_GROUPBY_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* name=(column, how). how: "mean", "sum", "count", "min", "max", "std", "var", "median", "first", "last", "nunique" or
 * "size", of which size needs no column. name NULL: the column's, or "x_mean" if the column x is aggregated more than
 * once. */
typedef struct pd_Aggregation {
    const char *column, *how, *name;
} pd_Aggregation;

/* df.groupby(by, as_index=True, sort=True, dropna=True).agg(name=(column, how), ...), a row for each group of equal
 * keys, in the order of the keys, or with sort false of appearance. min, max, first and last keep the dtype, of texts
 * and times too; std and var have ddof=1. The keys are row labels if there is one key, else the first columns, since
 * row labels of several columns (pandas' MultiIndex) are not here: as after reset_index(). as_index false: columns in
 * any case. dropna: rows with a missing key are left out, else they are the last groups. Errors: KeyError; an unknown
 * how; a mean or a sum of texts or times. */
typedef struct pd_GroupbyAggOptions {
    uint32_t size;
    const char *by[PD_MOST_NAMES];
    pd_Aggregation agg[PD_MOST_NAMES];
    bool as_index, sort, dropna;
} pd_GroupbyAggOptions;
#define PD_GROUPBY_AGG_DEFAULTS_ .as_index = true, .sort = true, .dropna = true, .size = sizeof(pd_GroupbyAggOptions)
T_API pd_DataFrame *pd_groupby_agg(const pd_DataFrame *df, const pd_GroupbyAggOptions *options);

T_END_DECLS
#endif
