/* core/ops/aliases.h: aliases in PyTorch of the same functions (public; part of core/ops/ops.h). t_multiply(a, b) is
 * t_mul(a, b), and that is the name in errors and on the tape. */
#ifndef TAPEGRAD_CORE_OPS_ALIASES_H
#define TAPEGRAD_CORE_OPS_ALIASES_H

#include "core/tensor/api.h"

#define t_absolute t_abs
#define t_absolute_ t_abs_
#define t_arccos t_acos
#define t_arccos_ t_acos_
#define t_arccosh t_acosh
#define t_arccosh_ t_acosh_
#define t_arcsin t_asin
#define t_arcsin_ t_asin_
#define t_arcsinh t_asinh
#define t_arcsinh_ t_asinh_
#define t_arctan t_atan
#define t_arctan_ t_atan_
#define t_arctan2 t_atan2
#define t_arctan2_ t_atan2_
#define t_arctanh t_atanh
#define t_arctanh_ t_atanh_
#define t_clip t_clamp
#define t_clip_ t_clamp_
#define t_concat t_cat
#define t_concatenate t_cat
/* x.data, except that a write through it counts as a write to x: a backward that needs the old value reports an
 * error. */
#define t_data t_detach
#define t_divide t_div
#define t_divide_ t_div_
#define t_fix t_trunc
#define t_fix_ t_trunc_
#define t_greater t_gt
#define t_greater_ t_gt_
#define t_greater_equal t_ge
#define t_greater_equal_ t_ge_
#define t_less t_lt
#define t_less_ t_lt_
#define t_less_equal t_le
#define t_less_equal_ t_le_
#define t_moveaxis t_movedim
#define t_multiply t_mul
#define t_multiply_ t_mul_
#define t_ndimension t_dim
#define t_negative t_neg
#define t_negative_ t_neg_
#define t_nelement t_numel
#define t_not_equal t_ne
#define t_not_equal_ t_ne_
#define t_row_stack t_vstack
#define t_subtract t_sub
#define t_subtract_ t_sub_
#define t_swapaxes_ t_transpose_
#define t_swapdims_ t_transpose_
#define t_trapz t_trapezoid
#define t_true_divide t_div
#define t_true_divide_ t_div_

#endif
