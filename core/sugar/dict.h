/* core/sugar/dict.h: the macros for dicts of tensors and for random generators (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_DICT_H
#define TAPEGRAD_CORE_SUGAR_DICT_H
#pragma GCC system_header

#include "core/ops/dict.h"
#include "core/sugar/sugar_macros.h"

#define t_dict() T_BEGIN_("t_dict()") T_END_(t_TensorDict *, t_dict_new())

/* t_dict_set(dict, name, value): value is a tensor, a dict, a string, a number or a bool */
static inline bool t_dict_set_bool_(t_TensorDict *dict, const char *name, bool x) {
    return (t_dict_set)(dict, name, t_boolean(x));
}
#define t_dict_set(dict, name, value) T_BEGIN_("t_dict_set(" #dict ", " #name ", " #value ")") \
    t_TensorDict *t__d = (dict); const char *t__n = (name); __auto_type t__v = (value); \
    T_END_(bool, \
        _Generic(t__v, \
            Tensor *: (t_dict_set), \
            void *: (t_dict_set), \
            t_TensorDict *: (t_dict_set_dict), \
            const t_TensorDict *: (t_dict_set_dict), \
            char *: (t_dict_set_text), \
            const char *: (t_dict_set_text), \
            float: (t_dict_set_number), \
            double: (t_dict_set_number), \
            _Bool: t_dict_set_bool_, \
            default: (t_dict_set_integer))(t__d, t__n, t__v))

#define T_DICT_(type, f, text, dict, name) T_BEGIN_(text) t_TensorDict *t__d = (dict); const char *t__n = (name); \
    T_END_(type, (f)(t__d, t__n))
#define t_dict_get(dict, name) T_DICT_(Tensor *, t_dict_get, "t_dict_get(" #dict ", " #name ")", dict, name)
#define t_dict_get_dict(dict, name) T_DICT_(t_TensorDict *, t_dict_get_dict, "t_dict_get_dict(" #dict ", " #name ")", \
    dict, name)
#define t_dict_get_text(dict, name) T_DICT_(const char *, t_dict_get_text, "t_dict_get_text(" #dict ", " #name ")", \
    dict, name)
#define t_dict_get_number(dict, name) T_DICT_(double, t_dict_get_number, "t_dict_get_number(" #dict ", " #name ")", \
    dict, name)
#define t_dict_get_integer(dict, name) T_DICT_(int64_t, t_dict_get_integer, \
    "t_dict_get_integer(" #dict ", " #name ")", dict, name)
#define t_dict_has(dict, name) T_DICT_(bool, t_dict_has, "t_dict_has(" #dict ", " #name ")", dict, name)
#define t_dict_delete(dict, name) T_DICT_(bool, t_dict_delete, "t_dict_delete(" #dict ", " #name ")", dict, name)

#define t_dict_values(dict) T_BEGIN_("t_dict_values(" #dict ")") t_TensorDict *t__d = (dict); \
    T_END_(t_TensorList *, (t_dict_values)(t__d))
#define t_dict_zip(names, values) T_BEGIN_("t_dict_zip(" #names ", " #values ")") t_TensorDict *t__d = (names); \
    t_TensorList *t__l = (values); T_END_(t_TensorDict *, (t_dict_zip)(t__d, t__l))

/* ---- random generators, and their states for checkpoints ---- */
#define t_manual_seed(seed) T_BEGIN_("t_manual_seed(" #seed ")") const int64_t t__i = (seed); \
    T_END_VOID_((t_manual_seed)(t__i))
#define t_generator() T_BEGIN_("t_generator()") T_END_(t_Generator *, (t_generator)())
#define t_default_generator() T_BEGIN_("t_default_generator()") T_END_(t_Generator *, (t_default_generator)())
#define t_generator_manual_seed(generator, seed) T_BEGIN_("t_generator_manual_seed(" #generator ", " #seed ")") \
    t_Generator *t__g = (generator); const int64_t t__i = (seed); \
    T_END_(t_Generator *, (t_generator_manual_seed)(t__g, t__i))
#define t_initial_seed() T_BEGIN_("t_initial_seed()") T_END_(int64_t, (t_initial_seed)())
#define t_generator_initial_seed(generator) T_BEGIN_("t_generator_initial_seed(" #generator ")") \
    t_Generator *t__g = (generator); T_END_(int64_t, (t_generator_initial_seed)(t__g))
#define t_get_rng_state() T_BEGIN_("t_get_rng_state()") T_END_(Tensor *, (t_get_rng_state)())
#define t_set_rng_state(state) T_BEGIN_("t_set_rng_state(" #state ")") T_TENSOR_(t__a, (state)) \
    T_END_(bool, (t_set_rng_state)(t__a))
#define t_generator_get_state(generator) T_BEGIN_("t_generator_get_state(" #generator ")") \
    t_Generator *t__g = (generator); T_END_(Tensor *, (t_generator_get_state)(t__g))
#define t_generator_set_state(generator, state) T_BEGIN_("t_generator_set_state(" #generator ", " #state ")") \
    t_Generator *t__g = (generator); T_TENSOR_(t__a, (state)) T_END_(bool, (t_generator_set_state)(t__g, t__a))

/* for_items (item, dict) { item->name, item->tensor, item->text }: for name, value in dict.items(). The dict must not
 * change in the loop. */
#define for_items(item, dict) T_FOR_ITEMS_(__COUNTER__, item, dict)
#define T_FOR_ITEMS_(n, item, dict) T_FOR_NAME_(#item) \
    for (const t_TensorDict *T_GLUE_(t__dict_, n) = (dict); T_GLUE_(t__dict_, n); T_GLUE_(t__dict_, n) = NULL) \
    for (const t_DictItem *item = T_GLUE_(t__dict_, n)->items, \
             *T_GLUE_(t__end_, n) = item ? item + T_GLUE_(t__dict_, n)->len : item; \
         item < T_GLUE_(t__end_, n); item++)

#endif
