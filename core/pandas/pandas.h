/* core/pandas/pandas.h: import pandas as pd: tables for training scripts (public). */
#ifndef TAPEGRAD_CORE_PANDAS_PANDAS_H
#define TAPEGRAD_CORE_PANDAS_PANDAS_H

#include "core/core.h"
#include "core/pandas/category.h"
#include "core/pandas/dataframe.h"
#include "core/pandas/groupby.h"
#include "core/pandas/io/genfromtxt.h"
#include "core/pandas/io/read_csv.h"
#include "core/pandas/to_datetime.h"
#include "core/pandas/sugar.h"

#endif
