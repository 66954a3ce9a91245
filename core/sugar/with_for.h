/* core/sugar/with_for.h: Python's with and for statements as blocks in C, t_keep and t_keep_as (public; part of
 * sugar.h).
 *
 * return, goto and continue out of a block are safe: its scope is closed (gcc's cleanup attribute). A break inside
 * with_...() would leave only a loop inside the macro, so it is reported at run time with its line. If a function ends
 * in such a block, compilers need its return after the block. */
#ifndef TAPEGRAD_CORE_SUGAR_WITH_FOR_H
#define TAPEGRAD_CORE_SUGAR_WITH_FOR_H
#pragma GCC system_header

#include <stdio.h>

#include "core/autograd/autograd.h"
#include "core/autograd/saved_tensors_hooks.h"
#include "core/func/forward_ad.h"
#include "core/ops/autocast.h"
#include "core/tensor/error.h"
#include "core/tensor/scope.h"

/* ---- keep ---- */

/* return t_keep(x): moves x from the current scope to the enclosing one. t_keep(x, depth) moves it out of several
 * scopes: const int outside = t_scope_depth(); before the loops, and t_keep(x, outside) inside. */
#define t_keep(...) T_KEEP_FORM_(__VA_ARGS__, T_KEEP_IN_, T_KEEP_, )(__VA_ARGS__)
#define T_KEEP_FORM_(a, b, form, ...) form
#define T_KEEP_(x) (__extension__({ __auto_type t__k = (x); (__typeof__(t__k))t_keep_object(t__k); }))
#define T_KEEP_IN_(x, depth) \
    (__extension__({ static const t_Site t__S = {__FILE__, __LINE__, "t_keep(" #x ", " #depth ")"}; \
        __auto_type t__0 = t_enter_(&t__S); \
        __auto_type t__k = (x); t__k = (__typeof__(t__k))t_keep_object_in(t__k, depth); t_leave_(t__0); t__k; }))
/* t_Mark mark = t_mark(); ... t_unwind(mark): restores the thread's state after an error handler left by longjmp */
#define t_mark() (__extension__({ t_Mark t__m; (t_mark)(&t__m); t__m; }))
#define t_unwind(mark) (__extension__({ const t_Mark t__m = (mark); (t_unwind)(&t__m); }))
/* t_keep_as(&h, t_add(h, x)): for a loop-carried value, moves the new value to the enclosing scope and releases the one
 * of an earlier iteration. t_keep_as(&best, x, outside) moves it out of several scopes, like t_keep. */
#define t_keep_as(slot, ...) T_KEEP_FORM_(__VA_ARGS__, T_KEEP_AS_IN_, T_KEEP_AS_, )(slot, __VA_ARGS__)
#define T_KEEP_AS_(slot, x) (__extension__({ __auto_type t__s = (slot); __typeof__(*t__s) t__k = (x); \
    (__typeof__(t__k))t_keep_as_object(t__s, t__k); }))
#define T_KEEP_AS_IN_(slot, x, depth) \
    (__extension__({ static const t_Site t__S = {__FILE__, __LINE__, "t_keep_as(" #slot ", " #x ", " #depth ")"}; \
        __auto_type t__0 = t_enter_(&t__S); __auto_type t__s = (slot); __typeof__(*t__s) t__k = (x); \
        t__k = (__typeof__(t__k))t_keep_as_object_in(t__s, t__k, depth); t_leave_(t__0); t__k; }))
/* ---- with ---- */

/* Opens a scope, with the source location for its only error, out of memory. */
#define T_OPEN_(text) (__extension__({ static const t_Site t__S = {__FILE__, __LINE__, text}; \
    __auto_type t__0 = t_enter_(&t__S); int t__depth = (t_scope_open)(); t_leave_(t__0); t__depth; }))

/* t_scoped(f(x)): evaluates an expression in a scope of its own and keeps only the result. */
#define t_scoped(expression) (__extension__({ int t__depth = T_OPEN_("t_scoped(" #expression ")"); \
    __auto_type t__k = (expression); if (t__depth) t_keep_object(t__k); t_scope_exit_(t__depth); t__k; }))

/* int depth = t_scope_open(); ... t_scope_close(depth): with_scope() is safer. */
#define t_scope_open() T_OPEN_("t_scope_open()")
#define t_scope_close(depth) \
    (__extension__({ static const t_Site t__S = {__FILE__, __LINE__, "t_scope_close(" #depth ")"}; \
        __auto_type t__0 = t_enter_(&t__S); (t_scope_close)(depth); t_leave_(t__0); }))

typedef struct t_Guard_ {
    int depth; /* of the scope, 0: none */
    bool restore_grad, grad_enabled;
    bool restore_anomaly;
    int anomaly;
    bool dual_level, saved_hooks;
    int autocast; /* for t_restore_autocast_ */
} t_Guard_;
static inline void t_guard_close_(t_Guard_ *guard) {
    t_scope_exit_(guard->depth);
    if (guard->restore_grad) t_set_grad_enabled(guard->grad_enabled);
    if (guard->restore_anomaly) t_swap_anomaly_(guard->anomaly);
    if (guard->saved_hooks) (t_autograd_graph_exit_saved_tensors_hooks)();
    t_restore_autocast_(guard->autocast);
    if (guard->dual_level) (t_autograd_forward_ad_exit_dual_level)();
}
static inline void t_stray_break_(const char *file, int line) {
    fprintf(stderr, "%s:%d: break inside a with_...() block only leaves the block; use goto or a flag to leave "
            "a loop\n",
            file, line);
}
#define T_GLUE_(a, b) T_GLUE2_(a, b)
#define T_GLUE2_(a, b) a##b
/* if (c) with_no_grad() y = ...; has no else of the user's that could dangle. clang sees that by the switch; gcc does
 * not, and the warning is at the user's if, so that it is off where this header is included. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wdangling-else"
#endif
#define T_WITH_(n, guard) \
    switch (0) case 0: default: if (0) { T_GLUE_(t__done_, n): ; } else \
    for (t_Guard_ T_GLUE_(t__guard_, n) __attribute__((cleanup(t_guard_close_), unused)) = guard; ; \
         __extension__({ t_stray_break_(__FILE__, __LINE__); goto T_GLUE_(t__done_, n); })) \
    for (; ; __extension__({ goto T_GLUE_(t__done_, n); }))

/* Each constant is for a name without its parentheses, with_scope { ... }: the first message says what to write. */
#define T_WITH_PARENTHESES_(name) extern const char name[] __attribute__((deprecated("write " #name "() { ... }")));
T_WITH_PARENTHESES_(with_scope)
T_WITH_PARENTHESES_(with_no_grad)
T_WITH_PARENTHESES_(with_inference_mode)
T_WITH_PARENTHESES_(with_enable_grad)
T_WITH_PARENTHESES_(with_detect_anomaly)

/* with_scope() { ... }: objects that are created in the block and not kept are released at its end. */
#define with_scope() T_WITH_(__COUNTER__, ((t_Guard_){.depth = T_OPEN_("with_scope()")}))
/* with torch.no_grad(): nothing in the block is recorded. */
#define with_no_grad() with_set_grad_enabled(false)
/* with torch.inference_mode() */
#define with_inference_mode() with_set_grad_enabled(false)
/* with torch.enable_grad() */
#define with_enable_grad() with_set_grad_enabled(true)
/* with torch.set_grad_enabled(on) */
#define with_set_grad_enabled(on) \
    T_WITH_(__COUNTER__, ((t_Guard_){.restore_grad = true, .grad_enabled = t_set_grad_enabled(on)}))
/* with torch.autograd.detect_anomaly(check_nan=True): see autograd.h for .check_forward, .check_inf */
#define with_detect_anomaly(...) T_WITH_(__COUNTER__, \
    ((t_Guard_){.restore_anomaly = true, .anomaly = t_swap_anomaly_(T_ANOMALY_(__VA_ARGS__))}))

typedef struct t_AutocastArguments_ {
    int first_;
    t_DType dtype;
    bool enabled, cache_enabled;
} t_AutocastArguments_;
T_WITH_PARENTHESES_(with_autocast)
/* with torch.autocast("cpu", dtype=torch.bfloat16, enabled=True, cache_enabled=True) */
#define with_autocast(...) T_WITH_(__COUNTER__, ((t_Guard_){.autocast = (__extension__({ \
    static const t_Site t__S = {__FILE__, __LINE__, "with_autocast(" #__VA_ARGS__ ")"}; \
    __auto_type t__0 = t_enter_(&t__S); \
    T_OPTIONS_(t_AutocastArguments_, t__k, .dtype = t_bfloat16, .enabled = true, .cache_enabled = true, \
        .first_ = 0, __VA_ARGS__) \
    const int t__before = t_swap_autocast_(t__k.enabled, t__k.dtype, t__k.cache_enabled); \
    t_leave_(t__0); t__before; }))}))

/* ---- for ---- */

/* The beginning of a for_... (x, ...) statement. Compiler error: for_range (int i, 0, n), with a type. */
#define T_FOR_NAME_ERROR_ \
    "a loop declares its variable itself: write its name without a type, " \
    "as in for_range (i, 0, n) or for_batch (b, loader)"
#ifdef __clang__
static inline int t_for_name_(const char *name) __attribute__((
    diagnose_if(__builtin_strchr(name, ' ') || __builtin_strchr(name, '*'), T_FOR_NAME_ERROR_, "error")));
static inline int t_for_name_(const char *name) { return name == NULL; }
#define T_FOR_NAME_(name) switch (t_for_name_(name)) case 0: default:
#else
#define T_FOR_NAME_(name) \
    switch (__extension__({ _Static_assert(__builtin_strcspn(name, " *") == sizeof(name) - 1, \
        T_FOR_NAME_ERROR_); 0; })) case 0: default:
#endif

typedef struct t_Loop_ {
    int depth;
    bool done;
    uint32_t loop;
} t_Loop_;
static inline void t_loop_close_(t_Loop_ *loop) { t_scope_exit_(loop->depth); }
static inline bool t_loop_next_(t_Loop_ *loop, int64_t i, int64_t to, int64_t step, const t_Site *site) {
    t_scope_exit_(loop->depth);
    const t_Site *before = t_enter_(site);
    const bool more = step > 0 ? i < to : step < 0 ? i > to : (t_fail)("range() arg 3 must not be zero") != NULL;
    loop->depth = more ? (t_scope_open_in_loop_)(&loop->loop) : 0;
    t_leave_(before);
    return more;
}
#define T_FOR_RANGE_(n, i, from, to, step) T_FOR_NAME_(#i) \
    for (t_Loop_ T_GLUE_(t__loop_, n) __attribute__((cleanup(t_loop_close_))) = {0, false, 0}; \
         !T_GLUE_(t__loop_, n).done; T_GLUE_(t__loop_, n).done = true) \
    for (int64_t i = (from), T_GLUE_(t__to_, n) = (to), T_GLUE_(t__step_, n) = (step); \
         t_loop_next_(&T_GLUE_(t__loop_, n), i, T_GLUE_(t__to_, n), T_GLUE_(t__step_, n), \
             __extension__({ static const t_Site t__S = {__FILE__, __LINE__, "for_range (" #i ")"}; &t__S; })); \
         i += T_GLUE_(t__step_, n))

/* for_range (epoch, 0, n) { ... }: for epoch in range(0, n), with one scope per iteration; for_range (i, n) is
 * range(n), for_range (i, 0, n, 35) is range(0, n, 35), for_range (i, 9, -1, -1) is range(9, -1, -1). */
#define for_range(i, ...) T_RANGE_FORM_(__VA_ARGS__, T_RANGE3_, T_RANGE2_, T_RANGE1_, )(i, __VA_ARGS__)
#define T_RANGE_FORM_(a, b, c, form, ...) form
#define T_RANGE1_(i, to) T_FOR_RANGE_(__COUNTER__, i, 0, to, 1)
#define T_RANGE2_(i, from, to) T_FOR_RANGE_(__COUNTER__, i, from, to, 1)
#define T_RANGE3_(i, from, to, step) T_FOR_RANGE_(__COUNTER__, i, from, to, step)

#endif
