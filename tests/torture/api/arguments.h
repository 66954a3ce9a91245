/* tests/torture/api/arguments.h: what the files that make arguments share.
 *
 * Each value is made together with its text in C. Every argument draws from a generator of its own (*s), so that it
 * stays as it is when others become harmless. */
#ifndef TESTS_TORTURE_API_ARGUMENTS_H
#define TESTS_TORTURE_API_ARGUMENTS_H

#include "tests/torture/api/torture.h"

enum { EXPRESSION = 400 }; /* bytes of the C text of an argument */

/* The sizes of one call, so that its arguments may fit together. */
typedef struct Theme {
    int kind, fill;
    int64_t a, b, c, d;
    t_DType dtype;
} Theme;
Theme theme_of(uint64_t base);

/* The call whose arguments are being made. */
typedef struct Making {
    const Function *function; /* this call's, or one that returns an argument of it */
    Theme theme;
    int variables;        /* of its C text, so far */
    int nesting;          /* in an argument: fields, elements, arguments of the function that returns it */
    int producing;        /* arguments of a function that returns an argument: not watched */
    int watched, tensors; /* how many there are */
    /* The library knows the last 256 objects that died: arguments with dead objects are made after the others. */
    bool postpone, postponed;
} Making;
extern Making making;

/* c_text.c */
bool is_printing(void);
void say(const char *format, ...) T_PRINTF(1, 2);
void say_sizes(const int64_t *shape, int ndim);
void quote(const char *text, char *to);
void quote_integer(int64_t i, char *to);
void fill_call(const char *text, char (*arguments)[EXPRESSION], char *to, size_t size); /* $0, $1, ... */

/* call_memory.c */
void *block(size_t bytes); /* of exactly this size, until free_blocks */
void free_blocks(void);
void watch(void *p, size_t bytes, bool is_const, const char *name); /* bytes 0: an object */

/* tensor_values.c */
void make_tensor_value(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
Tensor *make_drawn_tensor(const Param *p, uint64_t *s, char *text);
Tensor *make_small_tensor(char *text); /* of shape (3,) */

/* object_values.c */
void make_object_value(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
void clear_context(void); /* what a context points to */
void make_pointer(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
void *make_any_object(uint64_t *s, char *text);
void *make_object(int class, uint64_t *s, char *text);
void *make_named(const char *name, char *text); /* by a public function, or prepared */
void *make_dead(bool tensor, int class, uint64_t *s, char *text);

/* prepared.c */
void prepared_begin(void);              /* of a call */
const char *prepared_name(int i);       /* NULL after the last */
const char *prepared_class(int i);      /* "" of what is no object */
int prepared_find(const char *name);    /* -1: there is none */
void *prepared_make(int i, char *text); /* in the current scope */

/* scalar_values.c */
void *make_file_contents(uint64_t *s, int64_t *count, char *text);
bool has_word(const char *name, const char *words); /* one of the words, which spaces separate */
void make_integer(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
void make_double(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
void make_long_double(bool hostile, uint64_t *s, long double *wide, char *text);
void make_enum(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);
void make_text(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);

/* compound_values.c */
void make_array(const Param *p, bool hostile, uint64_t *s, Value *v, int64_t *count, char *text);
void make_struct(const Param *p, bool hostile, uint64_t *s, Value *v, char *text);

/* arguments.c */
void make_value(const Param *p, bool hostile, uint64_t s, Value *v, long double *wide, char *text);
void make_all(const Param *params, int count, uint32_t hostile, uint64_t base, uint64_t seed, Value *values,
              long double *wide, char (*texts)[EXPRESSION]);

#endif
