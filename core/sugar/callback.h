/* core/sugar/callback.h: a user's function of tensors as the function of a list that the library calls, and a tensor as
 * a list of one (public; part of core/sugar/sugar.h).
 *
 * t_gradcheck, t_func_grad and their like take f in any of these forms:
 *     Tensor *f(Tensor *x), f(Tensor *a, Tensor *b), f(Tensor *a, Tensor *b, Tensor *c)     also an op: t_sin
 *     Tensor *f(Tensor *x, void *context)
 *     Tensor *f(t_TensorList *inputs, void *context)
 *     t_TensorList *f(t_TensorList *inputs, void *context)                                  several outputs
 *     Tensor *f(t_TensorDict *params, void *context)                                        inputs in a dict */
#ifndef TAPEGRAD_CORE_SUGAR_CALLBACK_H
#define TAPEGRAD_CORE_SUGAR_CALLBACK_H
#pragma GCC system_header

#include "core/ops/dict.h"
#include "core/tensor/error.h"
#include "core/tensor/list.h"

/* A tensor as the argument of a list parameter is a list of one. */
static inline t_TensorList *t_one_(Tensor *x) { return t_as_list_(x); }
static inline t_TensorList *t_many_(t_TensorList *list) { return list; }
static inline t_TensorList *t_values_(t_TensorDict *dict) { return (t_dict_values)(dict); }
/* The values of a dict too. */
#define T_AS_LIST_(a) \
    (__extension__({ __auto_type t__v = (a); \
        _Generic(t__v, Tensor *: t_one_, t_TensorList *: t_many_, t_TensorDict *: t_values_)(t__v); }))
static inline Tensor *t_only_(t_TensorList *list) { return list && list->len > 0 ? list->items[0] : NULL; }
static inline t_TensorDict *t_named_(t_TensorDict *names, t_TensorList *list) {
    return list ? (t_dict_zip)(names, list) : NULL;
}

typedef struct t_Callback_ {
    void (*f)(void);
    void *context;
    const t_TensorDict *names; /* of the inputs, if they were given in a dict; or NULL */
} t_Callback_;
static inline t_TensorList *t_call_list_(t_TensorList *inputs, void *callback) {
    t_Callback_ *c = (t_Callback_ *)callback;
    return ((t_TensorList *(*)(t_TensorList *, void *))c->f)(inputs, c->context);
}
static inline t_TensorList *t_call_tensor_(t_TensorList *inputs, void *callback) {
    t_Callback_ *c = (t_Callback_ *)callback;
    return t_as_list_(((Tensor *(*)(t_TensorList *, void *))c->f)(inputs, c->context));
}
/* The inputs of a function of that many tensors. */
static inline Tensor **t_arguments_(t_TensorList *inputs, int count) {
    if (inputs->len == count) return inputs->items;
    return (Tensor **)(t_fail)("a function of %d tensor%s was given %lld", count, count == 1 ? "" : "s",
        (long long)inputs->len);
}
static inline t_TensorList *t_call_1_(t_TensorList *inputs, void *callback) {
    Tensor **x = t_arguments_(inputs, 1);
    return x ? t_as_list_(((Tensor *(*)(Tensor *))((t_Callback_ *)callback)->f)(x[0])) : NULL;
}
static inline t_TensorList *t_call_context_(t_TensorList *inputs, void *callback) {
    t_Callback_ *c = (t_Callback_ *)callback;
    Tensor **x = t_arguments_(inputs, 1);
    return x ? t_as_list_(((Tensor *(*)(Tensor *, void *))c->f)(x[0], c->context)) : NULL;
}
static inline t_TensorList *t_call_2_(t_TensorList *inputs, void *callback) {
    Tensor **x = t_arguments_(inputs, 2);
    return x ? t_as_list_(((Tensor *(*)(Tensor *, Tensor *))((t_Callback_ *)callback)->f)(x[0], x[1])) : NULL;
}
static inline t_TensorList *t_call_3_(t_TensorList *inputs, void *callback) {
    Tensor **x = t_arguments_(inputs, 3);
    return x ? t_as_list_(((Tensor *(*)(Tensor *, Tensor *, Tensor *))((t_Callback_ *)callback)->f)(x[0], x[1], x[2]))
             : NULL;
}
static inline t_TensorList *t_call_dict_(t_TensorList *inputs, void *callback) {
    t_Callback_ *c = (t_Callback_ *)callback;
    t_TensorDict *params = c->names ? (t_dict_zip)(c->names, inputs)
                                    : (t_TensorDict *)(t_fail)("a function of a dict was given a tensor or a list");
    return params ? t_as_list_(((Tensor *(*)(t_TensorDict *, void *))c->f)(params, c->context)) : NULL;
}
static inline const t_TensorDict *t_names_(void *inputs) { return (const t_TensorDict *)inputs; }
static inline const t_TensorDict *t_no_names_(void *inputs) { (void)inputs; return NULL; }
/* t__g, t__c: the function t__f as one of a list, and its context; t__i: the inputs as they were given. */
#define T_CALLBACK_(callback_context)                                            \
    t_Callback_ t__c = {(void (*)(void))t__f, callback_context,                  \
                        _Generic(t__i, t_TensorDict *                            \
                                 : t_names_, default                             \
                                 : t_no_names_)(t__i)};                          \
    t_TensorList *(*t__g)(t_TensorList *, void *) =                              \
        !t__f ? NULL                                                             \
              : _Generic(t__f, t_TensorList * (*)(t_TensorList *, void *)        \
                         : t_call_list_, Tensor * (*)(t_TensorList *, void *)    \
                         : t_call_tensor_, Tensor * (*)(t_TensorDict *, void *)  \
                         : t_call_dict_, Tensor * (*)(Tensor *, void *)          \
                         : t_call_context_, Tensor * (*)(Tensor *)               \
                         : t_call_1_, Tensor * (*)(Tensor *, Tensor *)           \
                         : t_call_2_, Tensor * (*)(Tensor *, Tensor *, Tensor *) \
                         : t_call_3_);
/* 1 if t__f returns a list. */
#define T_RETURNS_LIST_ _Generic(t__f, t_TensorList *(*)(t_TensorList *, void *): 1, default: 0)

#endif
