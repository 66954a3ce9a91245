/* core/plot/sugar.h: the macros for core/plot (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_PLOT_SUGAR_H
#define TAPEGRAD_CORE_PLOT_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include <math.h>

#include "core/plot/pyplot.h"
#include "core/sugar/sugar.h"

/* The defaults of each call; `size` comes last, so that positional options initialise the fields after it. */
#define PLT_FIGURE_DEFAULTS_ .figsize = {NAN, NAN}, .dpi = NAN, .size = sizeof(plt_FigureOptions)
#define PLT_IMSHOW_DEFAULTS_ .cmap = "viridis", .aspect = "equal", .vmin = NAN, .vmax = NAN, .origin = "upper", \
    .size = sizeof(plt_ImshowOptions)
#define PLT_PLOT_DEFAULTS_ .linewidth = 1.5, .markersize = 6, .alpha = 1, .size = sizeof(plt_PlotOptions)
#define PLT_SCATTER_DEFAULTS_ .s = 36, .marker = "o", .cmap = "viridis", .alpha = 1, .size = sizeof(plt_ScatterOptions)
#define PLT_BAR_DEFAULTS_ .width = 0.8, .alpha = 1, .size = sizeof(plt_BarOptions)
#define PLT_HIST_DEFAULTS_ .bins = 10, .range = {NAN, NAN}, .alpha = 1, .size = sizeof(plt_HistOptions)
#define PLT_TEXT_DEFAULTS_ .fontsize = NAN, .size = sizeof(plt_TextOptions)
#define PLT_TICKS_DEFAULTS_ .rotation = NAN, .fontsize = NAN, .size = sizeof(plt_TicksOptions)
#define PLT_LEGEND_DEFAULTS_ .loc = "best", .fontsize = NAN, .frameon = true, .size = sizeof(plt_LegendOptions)
#define PLT_COLORBAR_DEFAULTS_ .shrink = 1, .size = sizeof(plt_ColorbarOptions)
#define PLT_GRID_DEFAULTS_ .visible = true, .axis = "both", .linestyle = "-", .linewidth = 0.8, .alpha = 1, \
    .size = sizeof(plt_GridOptions)
#define PLT_SAVEFIG_DEFAULTS_ .dpi = NAN, .size = sizeof(plt_SavefigOptions)
#define PLT_IMSAVE_DEFAULTS_ .vmin = NAN, .vmax = NAN, .cmap = "viridis", .origin = "upper", .dpi = 100, \
    .size = sizeof(plt_ImsaveOptions)
#define SNS_HEATMAP_DEFAULTS_ .vmin = NAN, .vmax = NAN, .cmap = "rocket", .fmt = ".2g", .linecolor = "white", \
    .cbar = true, .size = sizeof(sns_HeatmapOptions)

/* plt_figure(.figsize = {12, 6}) */
#define plt_figure(...) T_BEGIN_("plt_figure(" #__VA_ARGS__ ")") \
    T_OPTIONS_(plt_FigureOptions, t__o, PLT_FIGURE_DEFAULTS_, __VA_ARGS__) T_END_(bool, (plt_figure)(&t__o))
#define plt_subplot(rows, columns, index) T_BEGIN_("plt_subplot(" #rows ", " #columns ", " #index ")") \
    const int64_t t__r = (rows), t__c = (columns), t__i = (index); T_END_(bool, (plt_subplot)(t__r, t__c, t__i))

#define PLT_ONE_(f, Options, defaults, text, A, ...) T_BEGIN_(text) T_OPTIONAL_TENSOR_(t__a, (A)) \
    T_OPTIONS_(Options, t__o, defaults, __VA_ARGS__) T_END_(bool, (f)(t__a, &t__o))
#define PLT_TWO_(f, Options, defaults, text, A, B, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) \
    T_OPTIONS_(Options, t__o, defaults, __VA_ARGS__) T_END_(bool, (f)(t__a, t__b, &t__o))
#define plt_imread(fname) T_BEGIN_("plt_imread(" #fname ")") const char *t__p = (fname); \
    T_END_(Tensor *, (plt_imread)(t__p))
/* plt_imsave("x.png", x, .cmap = "gray", .vmin = 0, .vmax = 1) */
#define plt_imsave(fname, ...) T_BEGIN_("plt_imsave(" #fname ", " #__VA_ARGS__ ")") const char *t__p = (fname); \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(plt_ImsaveOptions, t__o, PLT_IMSAVE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (plt_imsave)(t__p, t__a, &t__o))
/* plt_imshow(x, .cmap = "RdBu", .aspect = "auto") */
#define plt_imshow(...) PLT_ONE_(plt_imshow, plt_ImshowOptions, PLT_PASS_(PLT_IMSHOW_DEFAULTS_), \
    "plt_imshow(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define PLT_PASS_(...) __VA_ARGS__
/* plt_plot(y), plt_plot(x, y), plt_plot(x, y, "r--", .label = "loss") */
#define plt_plot(...) PLT_ONE_(plt_plot, plt_PlotOptions, PLT_PASS_(PLT_PLOT_DEFAULTS_), "plt_plot(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_scatter(x, ...) PLT_TWO_(plt_scatter, plt_ScatterOptions, PLT_PASS_(PLT_SCATTER_DEFAULTS_), \
    "plt_scatter(" #x ", " #__VA_ARGS__ ")", x, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_bar(x, ...) PLT_TWO_(plt_bar, plt_BarOptions, PLT_PASS_(PLT_BAR_DEFAULTS_), \
    "plt_bar(" #x ", " #__VA_ARGS__ ")", x, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_hist(...) PLT_ONE_(plt_hist, plt_HistOptions, PLT_PASS_(PLT_HIST_DEFAULTS_), "plt_hist(" #__VA_ARGS__ ")", \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

#define PLT_TEXT_(f, text, A, ...) T_BEGIN_(text) const char *t__a = (A); \
    T_OPTIONS_(plt_TextOptions, t__o, PLT_TEXT_DEFAULTS_, __VA_ARGS__) T_END_(bool, (f)(t__a, &t__o))
#define plt_title(...) PLT_TEXT_(plt_title, "plt_title(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_xlabel(...) PLT_TEXT_(plt_xlabel, "plt_xlabel(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define plt_ylabel(...) PLT_TEXT_(plt_ylabel, "plt_ylabel(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
/* plt_xticks(t_arange(6), tokens, .rotation = 45) */
#define plt_xticks(...) PLT_ONE_(plt_xticks, plt_TicksOptions, PLT_PASS_(PLT_TICKS_DEFAULTS_), \
    "plt_xticks(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_yticks(...) PLT_ONE_(plt_yticks, plt_TicksOptions, PLT_PASS_(PLT_TICKS_DEFAULTS_), \
    "plt_yticks(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define plt_xlim(left, right) T_BEGIN_("plt_xlim(" #left ", " #right ")") const double t__a = (left), t__b = (right); \
    T_END_(bool, (plt_xlim)(t__a, t__b))
#define plt_ylim(bottom, top) T_BEGIN_("plt_ylim(" #bottom ", " #top ")") const double t__a = (bottom), t__b = (top); \
    T_END_(bool, (plt_ylim)(t__a, t__b))
#define plt_legend(...) T_BEGIN_("plt_legend(" #__VA_ARGS__ ")") \
    T_OPTIONS_(plt_LegendOptions, t__o, PLT_LEGEND_DEFAULTS_, __VA_ARGS__) T_END_(bool, (plt_legend)(&t__o))
#define plt_colorbar(...) T_BEGIN_("plt_colorbar(" #__VA_ARGS__ ")") \
    T_OPTIONS_(plt_ColorbarOptions, t__o, PLT_COLORBAR_DEFAULTS_, __VA_ARGS__) T_END_(bool, (plt_colorbar)(&t__o))
#define plt_grid(...) T_BEGIN_("plt_grid(" #__VA_ARGS__ ")") \
    T_OPTIONS_(plt_GridOptions, t__o, PLT_GRID_DEFAULTS_, __VA_ARGS__) T_END_(bool, (plt_grid)(&t__o))
#define plt_tight_layout() T_BEGIN_("plt_tight_layout()") T_END_(bool, (plt_tight_layout)())
/* plt_savefig("loss.svg", .dpi = 100, .bbox_inches = "tight") */
#define plt_savefig(...) T_BEGIN_("plt_savefig(" #__VA_ARGS__ ")") const char *t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(plt_SavefigOptions, t__o, PLT_SAVEFIG_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (plt_savefig)(t__a, &t__o))
#define plt_show() T_BEGIN_("plt_show()") T_END_(bool, (plt_show)())
/* plt_close(), plt_close("all") */
#define plt_close(...) T_BEGIN_("plt_close(" #__VA_ARGS__ ")") const char *const t__l[] = {NULL, __VA_ARGS__}; \
    T_END_(bool, (plt_close)(t__l[sizeof t__l / sizeof *t__l - 1]))
#define plt_rcParams(key, value) T_BEGIN_("plt_rcParams(" #key ", " #value ")") \
    const char *t__a = (key), *t__b = (value); T_END_(bool, (plt_rcParams)(t__a, t__b))
/* sns_heatmap(x, .cmap = "Blues", .annot = true, .fmt = ".2f") */
#define sns_heatmap(...) PLT_ONE_(sns_heatmap, sns_HeatmapOptions, PLT_PASS_(SNS_HEATMAP_DEFAULTS_), \
    "sns_heatmap(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

#endif
#endif
