/* core/tensor/api.h: the few words that every other header uses (public).
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

/* The version of these headers, which stands here alone; t_version() says that of the library. A new major one breaks programs,
 * before 1.0 a new minor one, too. */
#define TAPEGRAD_VERSION_MAJOR 0
#define TAPEGRAD_VERSION_MINOR 1
#define TAPEGRAD_VERSION_PATCH 0
#define TAPEGRAD_VERSION T_VERSION_(TAPEGRAD_VERSION_MAJOR, TAPEGRAD_VERSION_MINOR, TAPEGRAD_VERSION_PATCH) /* "0.1.0" */
#define T_VERSION_(major, minor, patch) T_VERSION_TEXT_(major, minor, patch)
#define T_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch

enum { T_MAX_DIMS = 8 };  /* the largest rank */
#define T_NONE INT64_MIN  /* Python's None where an int64 is expected: "no dim given" */

/* torch.dtype, in PyTorch's order of promotion. 0 stands for "not given". */
typedef enum t_DType { t_bool = 1, t_int64, t_float32, t_float64 } t_DType;
enum { T_DTYPES = 5 }; /* for tables that a dtype indexes */
/* The element types of C arrays as the macros tell them to functions: a dtype, where one is stored like it, or one of these. */
#define T_C_TEXT_ 0
#define T_C_INT_ -1
#define T_C_UNSIGNED_ -2
#define T_C_SHORT_ -3
#define T_C_UNSIGNED_SHORT_ -4
#define T_C_SIGNED_CHAR_ -5
#define T_C_UNSIGNED_CHAR_ -6
#define T_C_UINT64_ -7

T_BEGIN_DECLS
T_API const char *t_dtype_repr(t_DType dtype); /* str(x.dtype): "torch.float32"; NULL for what is no dtype */
T_API const char *t_version(void); /* of the library at hand, "0.1.0"; torch.__version__ */
T_END_DECLS

typedef struct Tensor Tensor; /* torch.Tensor; opaque: see the accessors in tensor_info.h */

/* if (t_eq(a, b)) asks in C whether there is a tensor, which is always true, where Python asks for its one element. What is meant is
 * t_is_true(t_eq(a, b)) of one element, or t_equal(a, b); whether the call failed is asked by t_eq(a, b) == NULL. gcc warns (-Waddress,
 * in -Wall) where an address is a condition, also in a branch that is never taken: such a branch, of which no code comes, is what the
 * macros over comparisons add. (gcc warns of the first if in a file; of none where these headers are in a system's directory. clang
 * does not look into branches.) */
#if defined __GNUC__ && !defined __clang__ && !defined __cplusplus
extern Tensor a_tensor_is_no_condition_write_t_is_true_or_t_equal; /* there is no such tensor */
#define T_NO_CONDITION_(call) (0 ? &a_tensor_is_no_condition_write_t_is_true_or_t_equal : call)
#else
#define T_NO_CONDITION_(call) call
#endif

/* Where a call stands in the user's source: what the tape prints and what errors name. */
typedef struct t_Site {
    const char *file;
    int line;
    const char *text; /* the expression as it was written */
} t_Site;

/* Keyword arguments of the functions that make a tensor; NULL stands for all defaults. */
typedef struct t_Generator t_Generator;
typedef struct t_TensorOptions {
    uint32_t size;          /* sizeof(t_TensorOptions), so that the library knows which fields its caller knew */
    t_DType dtype;          /* not given: the function's own default (float32, or what the values ask for) */
    bool requires_grad;
    t_Generator *generator; /* for the random ones; NULL is the thread's default generator */
} t_TensorOptions;

#endif
