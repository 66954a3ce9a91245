/* core/pandas/category.h: the dtype category and Series.cat (public; part of core/pandas/pandas.h).
 *
 *     s = pd_astype(s, "category");                                       s = s.astype("category")
 *     pd_Series *names = pd_cat_categories(s);                            s.cat.categories
 *     Tensor *codes = pd_codes(s);                                        s.cat.codes (int64 here, int8 in pandas)
 *
 * A column of category has codes of its categories, which are the sorted values, or those of pd_cat_set_categories in
 * their order; sorting, grouping, pd_value_counts and pd_get_dummies go by it, the latter two with categories that no
 * row has. Columns with the same categories keep them in pd_concat and pd_merge, others become their values. */
#ifndef TAPEGRAD_CORE_PANDAS_CATEGORY_H
#define TAPEGRAD_CORE_PANDAS_CATEGORY_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

T_API pd_Series *pd_cat_categories(const pd_Series *s);
/* s.cat.set_categories(names, ordered=ordered): other values become missing. names: as the values are printed. */
T_API pd_Series *pd_cat_set_categories(const pd_Series *s, const char *const *names, int64_t count, bool ordered);
T_API pd_Series *pd_cat_as_ordered(const pd_Series *s); /* s.cat.as_ordered(): min and max exist */

T_END_DECLS
#endif
