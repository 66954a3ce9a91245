/* nn/module/module_internal.h: what the nn files share (internal). */
#ifndef TAPEGRAD_NN_MODULE_MODULE_INTERNAL_H
#define TAPEGRAD_NN_MODULE_MODULE_INTERNAL_H

#include "core/ops/random_internal.h"
#include "core/autograd/tape.h"
#include "nn/module/module.h"

bool tg_check_module(const void *self, int position); /* as tg_check, for modules */
/* Is it an object of the class that a function is about to read the fields of? function names the one that asks. */
#define TG_CHECK_CLASS(self, position, Type, function) tg_check_class(self, position, #Type, sizeof(Type), function)
bool tg_is_class(const void *module, const char *type, size_t bytes);
bool tg_copy_ancestors(nn_Module *to, const nn_Module *from);
bool tg_check_class(const void *self, int position, const char *type, size_t bytes, const char *function);

/* entry, or the first child behind it; NULL where there is none. */
nn_Entry *tg_child(const nn_Entry *entry);

/* The children of self become these, named "0", "1", ...; false with an error, and all as it was. */
bool tg_renumber_children(nn_Module *self, void *const *children, int64_t count);

/* A list for others than named_parameters.c; one of its items, of which name is copied and value may be NULL. */
nn_NamedList *tg_named_list(void);
bool tg_named_append(nn_NamedList *list, const char *name, Tensor *x);

/* Writes both parts behind the first `at` characters of a dotted name. Error: it gets too long. */
enum { TG_LONGEST_MODULE_NAME = 1024 };
bool tg_extend_name(char name[TG_LONGEST_MODULE_NAME], size_t at, const char *part, const char *next_part);

/* Constructors run between these two, in a scope of their own: begin gives the scope's depth (0 on out of memory), end
 * the finished module, or NULL if anything failed on the way: then all that was made is gone, and the default
 * generator, from which parameters are drawn, is as it was. */
typedef struct Making {
    int depth;
    int64_t failures;
    bool seeded; /* there is a default generator */
    tg_Draws draws;
} Making;
#define TG_SET(self, name, value) nn_register_module(&(self)->base, #name, (self)->name = (value))
Making tg_begin(void);
void *tg_end(Making making, void *self);

/* Is it a number of layers to make? PyTorch goes on making them until its memory is full. */
enum { TG_MOST_LAYERS = 10000 };
bool tg_check_layers(int64_t num_layers);

/* nn.Dropout(p) under another name and with another forward. Error: p outside [0, 1]. */
void *tg_dropout_new(const char *type, nn_Forward forward, double p);

/* A parameter of that shape, uninitialised; dtype float32 unless given. */
Tensor *tg_parameter(const int64_t *shape, int ndim, t_DType dtype);

#endif
