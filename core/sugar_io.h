/* core/sugar_io.h: the macros over io/, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_IO_H
#define TAPEGRAD_CORE_SUGAR_IO_H
#pragma GCC system_header

#include "core/io/io.h"
#include "core/sugar_words.h"

#define T_SAVE_(f, text, dict, path) \
    T_BEGIN_(text) const t_TensorDict *t__d = (dict); const char *t__p = (path); T_END_(bool, (f)(t__d, t__p))
#define t_save(dict, path) T_SAVE_(t_save, "t_save(" #dict ", " #path ")", dict, path)
#define t_load(path) T_BEGIN_("t_load(" #path ")") const char *t__p = (path); T_END_(t_TensorDict *, (t_load)(t__p))

#define safetensors_save_file(tensors, filename) \
    T_SAVE_(safetensors_save_file, "safetensors_save_file(" #tensors ", " #filename ")", tensors, filename)
#define safetensors_save(tensors, size) T_BEGIN_("safetensors_save(" #tensors ", " #size ")")                          \
    const t_TensorDict *t__d = (tensors); size_t *t__n = (size); T_END_(void *, (safetensors_save)(t__d, t__n))
/* safetensors_load_file("model.safetensors", .allow_trailing_bytes = true) */
#define safetensors_load_file(...) T_BEGIN_("safetensors_load_file(" #__VA_ARGS__ ")") const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(safetensors_Options, t__o, .size = sizeof t__o, .allow_trailing_bytes = false, T_TAIL_(__VA_ARGS__))    \
    T_END_(t_TensorDict *, (safetensors_load_file)(t__p, &t__o))
/* safetensors_load(data, size, .allow_trailing_bytes = true) */
#define safetensors_load(data, ...) T_BEGIN_("safetensors_load(" #data ", " #__VA_ARGS__ ")") const void *t__b = (data); \
    const size_t t__n = T_HEAD_(__VA_ARGS__);                                                                          \
    T_OPTIONS_(safetensors_Options, t__o, .size = sizeof t__o, .allow_trailing_bytes = false, T_TAIL_(__VA_ARGS__))    \
    T_END_(t_TensorDict *, (safetensors_load)(t__b, t__n, &t__o))

#endif
