/* core/sugar/io.h: the macros for core/io: torch.save and load, safetensors, NumPy files (public; part of
 * core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_IO_H
#define TAPEGRAD_CORE_SUGAR_IO_H
#pragma GCC system_header

#include "core/io/io.h"
#include "core/sugar/sugar_macros.h"

#define T_SAVE_(f, text, dict, path) \
    T_BEGIN_(text) const t_TensorDict *t__d = (dict); const char *t__p = (path); T_END_(bool, (f)(t__d, t__p))
#define t_save(dict, path) T_SAVE_(t_save, "t_save(" #dict ", " #path ")", dict, path)
#define t_load(path) T_BEGIN_("t_load(" #path ")") const char *t__p = (path); T_END_(t_TensorDict *, (t_load)(t__p))

#define safetensors_save_file(tensors, filename) \
    T_SAVE_(safetensors_save_file, "safetensors_save_file(" #tensors ", " #filename ")", tensors, filename)
#define safetensors_save(tensors, size) T_BEGIN_("safetensors_save(" #tensors ", " #size ")") \
    const t_TensorDict *t__d = (tensors); size_t *t__n = (size); T_END_(void *, (safetensors_save)(t__d, t__n))
/* safetensors_load_file("model.safetensors", .allow_trailing_bytes = true) */
#define safetensors_load_file(...) T_BEGIN_("safetensors_load_file(" #__VA_ARGS__ ")") \
    const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(safetensors_Options, t__o, .size = sizeof t__o, .allow_trailing_bytes = false, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorDict *, (safetensors_load_file)(t__p, &t__o))
/* safetensors_load(data, size, .allow_trailing_bytes = true) */
#define safetensors_load(data, ...) T_BEGIN_("safetensors_load(" #data ", " #__VA_ARGS__ ")") \
    const void *t__b = (data); const size_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(safetensors_Options, t__o, .size = sizeof t__o, .allow_trailing_bytes = false, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorDict *, (safetensors_load)(t__b, t__n, &t__o))

#define np_save(file, x) T_BEGIN_("np_save(" #file ", " #x ")") const char *t__p = (file); T_TENSOR_(t__x, (x)) \
    T_END_(bool, (np_save)(t__p, t__x))
#define np_load(file) T_BEGIN_("np_load(" #file ")") const char *t__p = (file); T_END_(Tensor *, (np_load)(t__p))
#define np_savez(file, arrays) T_BEGIN_("np_savez(" #file ", " #arrays ")") \
    const char *t__p = (file); const t_TensorDict *t__d = (arrays); T_END_(bool, (np_savez)(t__p, t__d))
#define np_savez_compressed(file, arrays) T_BEGIN_("np_savez_compressed(" #file ", " #arrays ")") \
    const char *t__p = (file); const t_TensorDict *t__d = (arrays); T_END_(bool, (np_savez_compressed)(t__p, t__d))
#define np_load_npz(file) T_BEGIN_("np_load_npz(" #file ")") const char *t__p = (file); \
    T_END_(t_TensorDict *, (np_load_npz)(t__p))
#define np_save_bytes(x, size) T_BEGIN_("np_save_bytes(" #x ", " #size ")") \
    T_TENSOR_(t__x, (x)) size_t *t__n = (size); T_END_(void *, (np_save_bytes)(t__x, t__n))
#define np_savez_bytes(arrays, size) T_BEGIN_("np_savez_bytes(" #arrays ", " #size ")") \
    const t_TensorDict *t__d = (arrays); size_t *t__n = (size); T_END_(void *, (np_savez_bytes)(t__d, t__n))
#define T_BYTES_(type, f, text, bytes, size) T_BEGIN_(text) const void *t__b = (bytes); const size_t t__n = (size); \
    T_END_(type, (f)(t__b, t__n))
#define np_load_bytes(bytes, size) T_BYTES_(Tensor *, np_load_bytes, "np_load_bytes(" #bytes ", " #size ")", bytes, \
    size)
#define np_load_npz_bytes(bytes, size) T_BYTES_(t_TensorDict *, np_load_npz_bytes, \
    "np_load_npz_bytes(" #bytes ", " #size ")", bytes, size)

/* ---- tables of text ---- */

/* np_columns(0, 2, -1): the column numbers of usecols and widths */
#define np_columns(...) ((const np_Columns){(const int64_t[]){__VA_ARGS__}, \
    (int64_t)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))})
/* np_values(0), np_values(0, 9): the numbers of filling_values */
#define np_values(...) ((const np_Values){(const double[]){__VA_ARGS__}, \
    (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double))})
/* np_loadtxt("x.csv", .delimiter = ",", .skiprows = 1, .usecols = np_columns(0, 2)) */
#define NP_TABLE_(f, type, defaults, text, ...) T_BEGIN_(text) const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(type, t__o, defaults, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__p, &t__o))
#define np_loadtxt(...) NP_TABLE_(np_loadtxt, np_LoadtxtOptions, NP_LOADTXT_DEFAULTS_, "np_loadtxt(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define np_genfromtxt(...) NP_TABLE_(np_genfromtxt, np_GenfromtxtOptions, NP_GENFROMTXT_DEFAULTS_, \
    "np_genfromtxt(" #__VA_ARGS__ ")", __VA_ARGS__)
/* np_loadtxt_bytes(text, strlen(text), .delimiter = ",") */
#define NP_TABLE_BYTES_(f, type, defaults, text, bytes, ...) T_BEGIN_(text) const void *t__b = (bytes); \
    const size_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(type, t__o, defaults, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__b, t__n, &t__o))
#define np_loadtxt_bytes(bytes, ...) NP_TABLE_BYTES_(np_loadtxt_bytes, np_LoadtxtOptions, NP_LOADTXT_DEFAULTS_, \
    "np_loadtxt_bytes(" #bytes ", " #__VA_ARGS__ ")", bytes, __VA_ARGS__)
#define np_genfromtxt_bytes(bytes, ...) NP_TABLE_BYTES_(np_genfromtxt_bytes, np_GenfromtxtOptions, \
    NP_GENFROMTXT_DEFAULTS_, "np_genfromtxt_bytes(" #bytes ", " #__VA_ARGS__ ")", bytes, __VA_ARGS__)
/* np_savetxt("z.txt", z, .fmt = "%.4f", .delimiter = ","), .fmt = {"%d", "%.2f"} */
#define np_savetxt(fname, ...) T_BEGIN_("np_savetxt(" #fname ", " #__VA_ARGS__ ")") const char *t__p = (fname); \
    T_TENSOR_(t__x, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(np_SavetxtOptions, t__o, NP_SAVETXT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (np_savetxt)(t__p, t__x, &t__o))
#define np_savetxt_bytes(x, ...) T_BEGIN_("np_savetxt_bytes(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__x, (x)) \
    size_t *t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(np_SavetxtOptions, t__o, NP_SAVETXT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(char *, (np_savetxt_bytes)(t__x, t__n, &t__o))

#endif
