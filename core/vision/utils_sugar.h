/* core/vision/utils_sugar.h: the macros for torchvision.utils (public; gcc and clang, C only). See core/sugar/sugar.h.
 */
#ifndef TAPEGRAD_CORE_VISION_UTILS_SUGAR_H
#define TAPEGRAD_CORE_VISION_UTILS_SUGAR_H
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/vision/utils.h"

#define UTILS_NAN_ __builtin_nan("")
typedef struct utils_GridArguments_ { /* and save_image's format, which goes by name */
    const char *format;
    int first_;
    int64_t nrow, padding;
    bool normalize;
    double value_range[2];
    bool scale_each;
    double pad_value;
} utils_GridArguments_;
#define UTILS_GRID_(...) T_OPTIONS_(utils_GridArguments_, t__g, .nrow = 8, .padding = 2, \
    .value_range = {UTILS_NAN_, UTILS_NAN_}, .first_ = 0, __VA_ARGS__) \
    const utils_GridOptions t__o = {sizeof t__o, t__g.nrow, t__g.padding, t__g.normalize, \
        {t__g.value_range[0], t__g.value_range[1]}, t__g.scale_each, t__g.pad_value};
/* utils_make_grid(batch, 4, .normalize = true, .value_range = {-1, 1}), utils_make_grid(t_list(x, y)) */
#define utils_make_grid(...) T_BEGIN_("utils_make_grid(" #__VA_ARGS__ ")") \
    __auto_type t__a = T_HEAD_(__VA_ARGS__); UTILS_GRID_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, \
    _Generic(t__a, Tensor *: (utils_make_grid), t_TensorList *: utils_make_grid_list, \
    const t_TensorList *: utils_make_grid_list)(t__a, &t__o))
/* utils_save_image(batch, "grid.png", .nrow = 4, .format = "png") */
#define utils_save_image(tensor, ...) T_BEGIN_("utils_save_image(" #tensor ", " #__VA_ARGS__ ")") \
    __auto_type t__a = (tensor); const char *t__p = T_HEAD_(__VA_ARGS__); UTILS_GRID_(T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, _Generic(t__a, Tensor *: (utils_save_image), t_TensorList *: utils_save_image_list, \
    const t_TensorList *: utils_save_image_list)(t__a, t__p, t__g.format, &t__o))

#endif
