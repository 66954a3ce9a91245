/* nn/module/module.h: torch.nn.Module, the tree of parameters, buffers and children (public).
 *
 * A class of one's own is a struct whose first member is an nn_Module:
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
 * belongs to the scope it was made in, like a tensor, and to its parent from nn_set on.
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
 * The third argument is super().__init__(in, out, bias=False): any constructor, of a class of the library or of one's
 * own; what it made becomes the new module. The parent's attributes are self->super.weight, keys and children are the
 * parent's ("weight"), nn_as(m, nn_Linear) and the parent's functions take it, and it prints as
 * Scaled(in_features=...). NULL for the forward inherits the parent's. nn_super_forward(self, x) is super().forward(x)
 * of a class of the library or one that nn_module made; where the parent is a subclass itself, its forward is called by
 * its name, scaled_call(&self->super, x). What the library calls by a function of the class's name
 * (nn_MultiheadAttention_call in a TransformerEncoderLayer) is not overridden. */
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
    bool transient;   /* a buffer that is not persistent: no state dict has it */
    const char *name; /* stands behind the struct */
} nn_Entry;

typedef struct nn_Module {
    t_Object object;
    const char *type;                                               /* the class name: "Linear" */
    nn_Forward forward;                                             /* forward(x), or NULL */
    nn_Forward2 forward2;                                           /* forward(a, b), or NULL: losses have this one */
    void (*extra_repr)(const void *self, char *text, size_t room);  /* what stands between the parentheses, or NULL */
    nn_Entry *first, *last;
    struct tg_Ancestor *ancestors; /* of a subclass: its parent class, that one's parent class, and so on */
    size_t bytes; /* of the whole struct */
    bool training;
} nn_Module;

/* What the named_... functions list: "layers.0.fc1.weight" and the tensor or module of that name. Owned by the scope. */
typedef struct nn_Named {
    char *name;
    Tensor *tensor;    /* of a parameter or buffer */
    nn_Module *module; /* of a module */
} nn_Named;
typedef struct nn_NamedList {
    t_Object object;
    int64_t len, room;
    nn_Named *items;
} nn_NamedList;

T_API nn_Module *nn_module_new(size_t bytes, const char *type, nn_Forward forward); /* super().__init__() */
/* class Type(Parent): what `parent` has, which a constructor just made and which is gone then, as the beginning of a
 * struct of that many bytes. With both forwards NULL the parent's is inherited. Errors: a parent that something else
 * holds, a struct smaller than its. */
T_API void *nn_subclass_new(size_t bytes, const char *type, nn_Forward forward, nn_Forward2 forward2, void *parent);
/* super().forward(x), of the first class that is no subclass */
T_API Tensor *nn_super_forward(void *self, Tensor *x);
T_API Tensor *nn_super_forward2(void *self, Tensor *a, Tensor *b);  /* super().forward(a, b) */
T_API bool nn_register_parameter(nn_Module *self, const char *name, Tensor *x);     /* self.name = nn.Parameter(x) */
T_API bool nn_register_buffer(nn_Module *self, const char *name, Tensor *x);        /* self.register_buffer(name, x) */
/* self.register_buffer(name, x, persistent): one that is not persistent is in no state dict */
T_API bool nn_register_buffer_as(nn_Module *self, const char *name, Tensor *x, bool persistent);
T_API bool nn_register_module(nn_Module *self, const char *name, void *child);      /* self.name = child */
T_API Tensor *nn_Parameter(Tensor *x);                  /* nn.Parameter(x): a leaf with x's data that requires grad */
T_API Tensor *nn_call(void *self, Tensor *x);           /* self(x), in a scope of its own */
T_API Tensor *nn_call2(void *self, Tensor *a, Tensor *b); /* self(a, b), in a scope of its own */
T_API bool nn_keep(nn_Module *self, const char *name, Tensor *x); /* self.name = x, a plain attribute: no parameter or buffer */

T_API t_TensorList *nn_parameters(const void *self);         /* list(self.parameters()) */
T_API t_TensorList *nn_buffers(const void *self);            /* list(self.buffers()) */
T_API nn_NamedList *nn_named_parameters(const void *self);   /* list(self.named_parameters()) */
T_API nn_NamedList *nn_named_buffers(const void *self);      /* list(self.named_buffers()) */
T_API nn_NamedList *nn_named_children(const void *self);     /* list(self.named_children()) */
T_API nn_NamedList *nn_named_modules(const void *self);      /* list(self.named_modules()); self comes first, as "" */
/* t_graph_dot(y, to) with the parameters of a module by their names: torchviz.make_dot(y, dict(self.named_parameters())) */
T_API bool nn_graph_dot(Tensor *y, const void *self, FILE *to);
T_API int64_t nn_count_parameters(const void *self, bool trainable_only); /* sum(p.numel() for p in self.parameters()) */
T_API void *nn_train(void *self, bool mode);                 /* self.train(mode): dropout on */
T_API void *nn_eval(void *self);                             /* self.eval(): dropout off */
/* self.apply(fn), of every module in the tree, children before their parents: fn(module, context), in a scope of its own. Which
 * class a module is of, isinstance(module, nn.Linear), nn_as says: if (nn_as(module, nn_Linear)). Stops, and is NULL,
 * when fn sets an error. */
typedef void nn_ApplyFunction(nn_Module *module, void *context);
T_API void *nn_apply(void *self, nn_ApplyFunction *fn, void *context);
T_API bool nn_zero_grad(void *self);                         /* self.zero_grad() */
T_API bool nn_requires_grad_(void *self, bool requires_grad); /* self.requires_grad_(requires_grad), for all parameters */
T_API void *nn_to(void *self, t_DType dtype);           /* self.to(dtype): floating parameters and buffers, in place */
T_API void *nn_deepcopy(const void *self);                   /* copy.deepcopy(self): the tree anew, with tensors of its own */
T_API char *nn_repr(const void *self);                       /* repr(self); the caller frees it with free() */
T_API const char *nn_str(const void *self);                  /* str(self), the same text, which belongs to the scope */
T_API void nn_print(const void *self);                       /* print(self) */

T_END_DECLS
#endif
