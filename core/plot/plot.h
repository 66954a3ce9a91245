/* core/plot/plot.h: import matplotlib.pyplot as plt; import seaborn as sns (public). */
#ifndef TAPEGRAD_CORE_PLOT_H
#define TAPEGRAD_CORE_PLOT_H

#include "core/plot/pyplot.h"
#include "core/plot/sugar.h"

#endif
