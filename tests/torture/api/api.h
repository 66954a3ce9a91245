/* tests/torture/api/api.h: the public functions as data, which generate.py writes and torture.c calls at random. */
#ifndef TESTS_TORTURE_API_API_H
#define TESTS_TORTURE_API_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum Kind {
    k_void,
    k_tensor,
    k_object,
    k_pointer,
    k_int,
    k_double,
    k_long_double,
    k_bool,
    k_enum,
    k_text,
    k_array,
    k_inline,
    k_out,
    k_struct,
    k_callback,
    k_file,
    k_other
} Kind;

/* What a void * is. */
typedef enum Role { r_context, r_module, r_any, r_buffer, r_list, r_dict, r_slot } Role;

/* An argument, a field of a struct or an element of an array. */
typedef struct Param {
    const char *name, *type;
    Kind kind;
    int sub;       /* of an object the class, of a struct, an enum or a callback its number, of a pointer the
                      Role, of an integer its bytes */
    int pair;      /* of an array the index of its count, of a count that of its array; -1: none */
    int length;    /* of an array of fixed length */
    size_t offset; /* of a field */
    size_t bytes;
    const struct Param *element;
    const char *spec; /* what succeeds: "f32[2,3]", "3", "mean"; NULL: drawn */
    bool is_unsigned, is_const;
    int most;     /* not 0: an integer from 0 to this; of a tensor, its elements */
    bool trusted; /* no function can tell a wrong value: never hostile but for NULL */
} Param;

typedef union Value {
    void *p;
    const char *text;
    int64_t i;
    double d;
    bool b;
    void (*f)(void);
    char room[16];
} Value;

typedef struct Function {
    const char *name;
    const Param *params;
    int count;
    Kind result;
    int result_sub; /* the class of an object */
    const char *result_type;
    int flags;
    const char *exception; /* why it is not called */
    void (*call)(const Value *a, Value *r, long double *wide);
    const char *call_text;                                           /* "(t_add)($0, $1)" */
    const char *const *texts;                                        /* those in the comments of its header */
    void (*call_macro)(const Value *a, Value *r, long double *wide); /* NULL: no form of its macro was found */
    const char *macro_text;
} Function;
enum {
    f_answer = 1,
    f_null = 2,
    f_keeps = 4,
    f_changes = 8,
    f_bounded = 16,
    f_frees = 32,
    f_global = 64,
    f_partial = 128,
    f_slow = 256,
    f_draws = 512,
    f_heavy = 1024,
    f_writes = 2048,
    f_fails = 4096,
    f_large = 8192
};

typedef struct Struct {
    const char *name;
    size_t bytes;
    const Param *fields;
    int count;
    const void *defaults;
    const char *defaults_name;
    bool has_size;
} Struct;

typedef struct Class {
    const char *name;
    int base; /* -1: none */
} Class;

enum { CALLBACK_VARIANTS = 4 };
typedef struct Callback {
    const char *name;
    void (*function[CALLBACK_VARIANTS])(void);
    const char *text[CALLBACK_VARIANTS]; /* its definition */
} Callback;

typedef struct Enum {
    const char *name;
    const int *values;
    int count;
} Enum;

extern const Function api_functions[];
extern const int api_function_count;
extern const Struct api_structs[];
extern const Class api_classes[];
extern const int api_class_count, api_tensor_class, api_module_class, api_list_class, api_dict_class;
extern const Callback api_callbacks[];
extern const Enum api_enums[];
extern const char api_includes[];
extern int api_calls_of_callbacks;
extern bool api_was_plain; /* the macro has no form for these values (a NULL array of sizes) */

#endif
