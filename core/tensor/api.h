/* core/tensor/api.h: definitions that every other public header uses: export macros, version, t_DType, t_Site (public).
 *
 * Names: t_x is torch.x or Tensor.x, nn_x is torch.nn.x, F_x is torch.nn.functional.x, optim_x is torch.optim.x and
 * data_x is torch.utils.data.x. A name that ends in an underscore belongs to the macros of sugar.h: do not call it. */
#ifndef TAPEGRAD_CORE_TENSOR_API_H
#define TAPEGRAD_CORE_TENSOR_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define T_BEGIN_DECLS extern "C" {
#define T_END_DECLS }
#else
#define T_BEGIN_DECLS
#define T_END_DECLS
#endif

#define T_API __attribute__((visibility("default"))) /* what the shared library exports */
#define T_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

/* The version of these headers; t_version() returns the library's. Programs may break with a new major version, and
 * before 1.0 with a new minor version. */
#define TAPEGRAD_VERSION_MAJOR 0
#define TAPEGRAD_VERSION_MINOR 1
#define TAPEGRAD_VERSION_PATCH 0
/* "0.1.0" */
#define TAPEGRAD_VERSION T_VERSION_(TAPEGRAD_VERSION_MAJOR, TAPEGRAD_VERSION_MINOR, TAPEGRAD_VERSION_PATCH)
#define T_VERSION_(major, minor, patch) T_VERSION_TEXT_(major, minor, patch)
#define T_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch

enum { T_MAX_DIMS = 8 };  /* the largest rank */
#define T_NONE INT64_MIN  /* Python's None where an int64 is expected: "no dim given" */

/* torch.dtype, in PyTorch's order of type promotion (uint8 and int8 give int16, float16 and bfloat16 give float32). 0
 * means "not given". Values of float16 and bfloat16 are computed in float32 and rounded once, to nearest even; those of
 * uint8, int8, int16 and int32 are computed in int64 and keep its low bits. */
typedef enum t_DType {
    t_bool = 1,
    t_uint8,
    t_int8,
    t_int16,
    t_int32,
    t_int64,
    t_float16,
    t_bfloat16,
    t_float32,
    t_float64
} t_DType;
enum { T_DTYPES = 11 }; /* for tables that a dtype indexes */
/* Element types of C arrays that the macros pass to functions: a t_DType where its storage is the same, else one of
 * these. */
#define T_C_TEXT_ 0
#define T_C_INT_ -1
#define T_C_UNSIGNED_ -2
#define T_C_SHORT_ -3
#define T_C_UNSIGNED_SHORT_ -4
#define T_C_SIGNED_CHAR_ -5
#define T_C_UNSIGNED_CHAR_ -6
#define T_C_UINT64_ -7

T_BEGIN_DECLS
/* torch.get_default_dtype(), torch.set_default_dtype(d): of new tensors, of parameters, and of the results of integers
 * with floats. float32 at first; of the process. False on an error: a dtype that is not floating. */
T_API t_DType t_get_default_dtype(void);
T_API bool t_set_default_dtype(t_DType d);
T_API const char *t_dtype_repr(t_DType dtype); /* str(x.dtype): "torch.float32"; NULL on error: not a dtype */
T_API const char *t_version(void); /* the linked library's version, "0.1.0"; torch.__version__ */
T_END_DECLS

typedef struct Tensor Tensor; /* torch.Tensor; opaque: see the accessors in tensor_info.h */

/* In C, if (t_eq(a, b)) tests a pointer, which is NULL only if the call failed; in Python it tests the one element.
 * Write t_is_true(t_eq(a, b)) for a tensor of one element, or t_equal(a, b); t_eq(a, b) == NULL tests for failure. For
 * a compiler warning about this mistake the comparison macros add a branch that is never taken and generates no code,
 * in which an address is a condition: gcc warns about it (-Waddress, in -Wall). (gcc warns about the first such if in a
 * file, and not at all for headers in a system directory; clang does not warn about dead branches.) */
#if defined __GNUC__ && !defined __clang__ && !defined __cplusplus
extern Tensor a_tensor_is_no_condition_write_t_is_true_or_t_equal; /* there is no such tensor */
#define T_NO_CONDITION_(call) (0 ? &a_tensor_is_no_condition_write_t_is_true_or_t_equal : call)
#else
#define T_NO_CONDITION_(call) call
#endif

/* The source location of a call in user code: printed by the tape and named in errors. */
typedef struct t_Site {
    const char *file;
    int line;
    const char *text; /* the expression as it was written */
} t_Site;

/* Keyword arguments of the functions that create a tensor; NULL means all defaults. */
typedef struct t_Generator t_Generator;
typedef struct t_TensorOptions {
    uint32_t size;          /* sizeof(t_TensorOptions) as the caller was compiled: which fields exist */
    t_DType dtype;          /* 0: the function's own default (float32, or inferred from the values) */
    bool requires_grad;
    t_Generator *generator; /* for random tensors; NULL: the thread's default generator */
} t_TensorOptions;

#endif
