/* nn/module/module.h: torch.nn.Module, the tree of parameters, buffers and children (public). The folder has the tree,
 * its names and the state dict; it may include core/ only.
 *
 * A user's class is a struct whose first member is an nn_Module:
 *
 *     typedef struct { nn_Module base; nn_Linear *fc; } Net;
 *     Tensor *net_call(Net *self, Tensor *x) { return nn_call(self->fc, x); }
 *     Net *net(void) {
 *         Net *self = nn_module(Net, net_call);
 *         nn_set(self, fc, nn_Linear(8, 2));
 *         return self;
 *     }
 *
 * nn_set assigns the field and registers it under its name: "fc.weight" is then a key of the state dict. A module
 * belongs to the scope in which it was constructed, like a tensor, and after nn_set to its parent.
 *
 * class Scaled(nn.Linear), a subclass, is a struct whose first member is the parent class's struct, under the name
 * super:
 *
 *     typedef struct { nn_Linear super; double scale; } Scaled;
 *     Tensor *scaled_call(Scaled *self, Tensor *x) { return t_mul(nn_super_forward(self, x), self->scale); }
 *     Scaled *scaled(int64_t in, int64_t out, double scale) {
 *         Scaled *self = nn_subclass(Scaled, scaled_call, nn_Linear(in, out, .bias = false));
 *         self->scale = scale;
 *         return self;
 *     }
 *
 * The third argument is super().__init__(in, out, bias=False): a call of any constructor, the library's or a user's,
 * whose result becomes the new module. The parent's attributes are self->super.weight; keys and children are the
 * parent's ("weight"); nn_as(m, nn_Linear) and the parent's functions accept it; it prints as Scaled(in_features=...).
 * NULL for the forward inherits the parent's. nn_super_forward(self, x) is super().forward(x) of a class of the library
 * or one constructed by nn_module; if the parent is a subclass itself, its forward is called by name,
 * scaled_call(&self->super, x). Functions that the library calls directly (nn_MultiheadAttention_call in a
 * TransformerEncoderLayer) cannot be overridden. */
#ifndef TAPEGRAD_NN_MODULE_MODULE_H
#define TAPEGRAD_NN_MODULE_MODULE_H

#include <stdio.h>

#include "core/tensor/api.h"
#include "core/tensor/list.h"
#include "core/tensor/scope.h"

T_BEGIN_DECLS

typedef Tensor *(*nn_Forward)(void *self, Tensor *x);
typedef Tensor *(*nn_Forward2)(void *self, Tensor *a, Tensor *b);
typedef enum nn_Kind { nn_parameter_kind, nn_buffer_kind, nn_child_kind, nn_kept_kind } nn_Kind;

/* One registered name, in order of registration. */
typedef struct nn_Entry {
    struct nn_Entry *next;
    nn_Kind kind;
    t_Object *value; /* a Tensor or an nn_Module; NULL for a registered None */
    uint32_t bytes;
    bool transient;   /* a buffer that is not persistent: not in the state dict */
    const char *name; /* stored after the struct */
} nn_Entry;

typedef struct nn_Module {
    t_Object object;
    const char *type;                                               /* the class name: "Linear" */
    nn_Forward forward;                                             /* forward(x), or NULL */
    nn_Forward2 forward2;                                           /* forward(a, b), or NULL; losses have it */
    void (*extra_repr)(const void *self, char *text, size_t size);  /* writes the text in the parentheses, or NULL */
    nn_Forward right_inverse;                                       /* of a parametrization (parametrize.h), or NULL */
    t_TensorList *(*right_inverse2)(void *self, Tensor *x);         /* of one with two originals, or NULL */
    nn_Entry *first, *last;
    struct tg_Ancestor *ancestors; /* of a subclass: its parent class, that class's parent, and so on */
    struct tg_ModuleHooks *hooks;  /* NULL before the first (module_hooks.h) */
    size_t bytes;                  /* of the whole struct */
    bool training;
} nn_Module;

/* An item of the lists of nn_named_...: "layers.0.fc1.weight" and the tensor or module of that name. Owned by the
 * scope. */
typedef struct nn_Named {
    char *name;
    Tensor *tensor;    /* of a parameter or buffer */
    nn_Module *module; /* of a module */
} nn_Named;
typedef struct nn_NamedList {
    t_Object object;
    int64_t len, capacity;
    nn_Named *items;
} nn_NamedList;

T_API nn_Module *nn_module_new(size_t bytes, const char *type, nn_Forward forward); /* super().__init__() */
/* class Type(Parent): `parent`, a module that was just constructed, becomes the beginning of a struct of that many
 * bytes; its own struct is freed. With both forwards NULL the parent's is inherited. Errors: something else references
 * the parent, a struct smaller than the parent's. */
T_API void *nn_subclass_new(size_t bytes, const char *type, nn_Forward forward, nn_Forward2 forward2, void *parent);
/* super().forward(x), of the first class of the chain that is not a subclass */
T_API Tensor *nn_super_forward(void *self, Tensor *x);
T_API Tensor *nn_super_forward2(void *self, Tensor *a, Tensor *b);  /* super().forward(a, b) */
/* Errors of the next four: a name that is empty or contains "." or "[" (which PyTorch allows; here it comes from nn_set
 * of an array's element, whose index is not in the name); for a parameter a tensor that is not one. */
T_API bool nn_register_parameter(nn_Module *self, const char *name, Tensor *x);     /* self.name = nn.Parameter(x) */
T_API bool nn_register_buffer(nn_Module *self, const char *name, Tensor *x);        /* self.register_buffer(name, x) */
/* self.register_buffer(name, x, persistent): a buffer that is not persistent is in no state dict */
T_API bool nn_register_buffer_as(nn_Module *self, const char *name, Tensor *x, bool persistent);
T_API bool nn_register_module(nn_Module *self, const char *name, void *child);      /* self.name = child */
T_API Tensor *nn_Parameter(Tensor *x);                  /* nn.Parameter(x): a leaf with x's data that requires grad */
/* nn.Parameter(x, requires_grad); without a gradient x may be of integers. Error: integers that require grad */
T_API Tensor *nn_Parameter_as(Tensor *x, bool requires_grad);
T_API Tensor *nn_call(void *self, Tensor *x);           /* self(x), in a scope of its own */
T_API Tensor *nn_call2(void *self, Tensor *a, Tensor *b); /* self(a, b), in a scope of its own */
T_API bool nn_keep(nn_Module *self, const char *name, Tensor *x); /* self.name = x, a plain attribute */

T_API t_TensorList *nn_parameters(const void *self);         /* list(self.parameters()) */
T_API t_TensorList *nn_buffers(const void *self);            /* list(self.buffers()) */
T_API nn_NamedList *nn_named_parameters(const void *self);   /* list(self.named_parameters()) */
/* Not in PyTorch: t_watch of all parameters, as "model.0.weight" for the name "model". nn_watch(model) */
T_API bool nn_watch(const void *self, const char *name);
T_API nn_NamedList *nn_named_buffers(const void *self);      /* list(self.named_buffers()) */
T_API nn_NamedList *nn_named_children(const void *self);     /* list(self.named_children()) */
T_API nn_NamedList *nn_named_modules(const void *self);      /* list(self.named_modules()); self comes first, as "" */
/* t_graph_dot(y, to) with the parameters of a module by their names: torchviz.make_dot(y,
 * dict(self.named_parameters())) */
T_API bool nn_graph_dot(Tensor *y, const void *self, FILE *to);
T_API int64_t nn_count_parameters(const void *self, bool trainable_only); /* sum(p.numel() for p in parameters()) */
T_API void *nn_train(void *self, bool mode);                 /* self.train(mode): dropout on */
T_API void *nn_eval(void *self);                             /* self.eval(): dropout off */
/* self.apply(fn): calls fn(module, context) on every module of the tree, children before their parents, in a scope of
 * its own. nn_as is isinstance(module, nn.Linear): if (nn_as(module, nn_Linear)). Stops and returns NULL if fn sets an
 * error. */
typedef void nn_ApplyFunction(nn_Module *module, void *context);
T_API void *nn_apply(void *self, nn_ApplyFunction *fn, void *context);
T_API void *nn_get_submodule(void *self, const char *target); /* self.get_submodule(target): "layers.0" (submodule.c) */
T_API Tensor *nn_get_parameter(void *self, const char *target); /* self.get_parameter("layers.0.weight") */
T_API Tensor *nn_get_buffer(void *self, const char *target);    /* self.get_buffer("bn.running_mean") */
T_API bool nn_set_submodule(void *self, const char *target, void *module,
                            bool strict);                        /* self.set_submodule(target, module, strict=False) */
T_API bool nn_zero_grad(void *self);                         /* self.zero_grad() */
T_API bool nn_requires_grad_(void *self, bool requires_grad); /* self.requires_grad_(requires_grad), all parameters */
T_API void *nn_to(void *self, t_DType dtype);           /* self.to(dtype): floating parameters and buffers, in place */
T_API void *nn_deepcopy(const void *self);                   /* copy.deepcopy(self): with its own tensors */
T_API char *nn_repr(const void *self);                       /* repr(self); the caller frees it with free() */
T_API const char *nn_str(const void *self);                  /* str(self), the same text, which belongs to the scope */
T_API void nn_print(const void *self);                       /* print(self) */

T_END_DECLS
#endif
