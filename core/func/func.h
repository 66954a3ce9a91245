/* core/func/func.h: torch.func, functions of functions (public).
 *
 * torch.func.grad(f)(x) is t_func_grad(f, x): C has no closures, so the function is evaluated at once, and what f needs
 * besides its inputs is in the context (functional.h shows the forms of f). inputs is a tensor, or a list: Python's
 * *args, or its tuple of parameters. All of it is differentiated unless argnums says which items (PyTorch's default,
 * argnums=0, is the first argument); what shall not be differentiated, labels say, goes into argnums or the context.
 * With .aux = &aux (has_aux=True) f returns a list: its output, and tensors that are not differentiated. Of a dict of
 * parameters the macros give a dict of gradients: t_func_grad(loss, params) with Tensor *loss(t_TensorDict *params,
 * void *context).
 *
 * Transforms nest: f may call t_func_grad of another function, and t_func_vmap one of t_func_grad, which gives the
 * gradient for each sample. As in PyTorch grad mode is on in f; a result has a history only if it depends on a tensor
 * that requires grad outside of the call, an input or another one that f uses, and if grad mode is on there.
 *
 * Errors: PyTorch's where it has one, and an f that returns NULL or sets an error; nothing is changed then. */
#ifndef TAPEGRAD_CORE_FUNC_FUNC_H
#define TAPEGRAD_CORE_FUNC_FUNC_H

#include "core/func/functional.h"

T_BEGIN_DECLS

typedef struct t_FuncOptions {
    uint32_t size;
    const int64_t *argnums; /* of grad, grad_and_value and the Jacobians: items of inputs, negative from the end */
    int argnum_count;       /* 0: all of them */
    bool strict;            /* of jvp: an output that does not depend on the inputs is an error */
    int64_t chunk_size;     /* of jacrev: a matter of PyTorch's memory, without an effect; 0 or less is an error */
    Tensor **output;        /* the output, of an f that returns a tensor, and */
    t_TensorList **outputs; /* the outputs, of one that returns a list; not of the Jacobians */
    t_TensorList **aux;     /* has_aux=True: all that f returned after its output; not of linearize and hessian */
} t_FuncOptions;
extern T_API const t_FuncOptions t_FuncDefaults;

/* torch.func.grad(f, argnums)(*inputs): the gradients of an f with one 0-dim output, zeros where it does not depend on
 * the input. */
T_API t_TensorList *t_func_grad(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                const t_FuncOptions *options);
/* torch.func.grad_and_value(f, argnums)(*inputs): the value is written to .value of the macro, .output here. */
T_API t_TensorList *t_func_grad_and_value(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                          const t_FuncOptions *options);

/* The second result of vjp and linearize: a linear function, which holds the graph of f at the point where it was
 * evaluated. Owned by the scope like a tensor. */
typedef struct t_LinearFunction t_LinearFunction;
/* torch.func.vjp(f, *primals)[1]: v to v^T J. */
T_API t_LinearFunction *t_func_vjp(t_TensorFunction *func, t_TensorList *primals, void *context,
                                   const t_FuncOptions *options);
/* torch.func.linearize(f, *primals)[1]: v to J v. f is differentiated once, and each call is one backward. */
T_API t_LinearFunction *t_func_linearize(t_TensorFunction *func, t_TensorList *primals, void *context,
                                         const t_FuncOptions *options);
/* vjp_fn(*cotangents), a tensor for each primal; jvp_fn(*tangents), one for each output. t_func_call(vjp_fn, v) */
T_API t_TensorList *t_func_call(t_LinearFunction *function, const t_TensorList *v);

/* torch.func.jvp(f, primals, tangents, strict)[1]: J v, a tensor for each output. (PyTorch's forward mode computes it
 * along with f. Here it is the derivative of u^T J, which is linear in u, along u: no op has a rule of its own for
 * forward mode, and the price is two backwards. An op that is not twice differentiable is an error.) */
T_API t_TensorList *t_func_jvp(t_TensorFunction *func, t_TensorList *primals, void *context,
                               const t_TensorList *tangents, const t_FuncOptions *options);

/* torch.func.jacrev(f, argnums, chunk_size)(*inputs), a row of the Jacobian for each element of the outputs;
 * torch.func.jacfwd(f, argnums)(*inputs), a column for each element of the inputs. For output k and input i a tensor of
 * the output's shape followed by the input's, PyTorch's J[k][i], as item k * (number of differentiated inputs) + i. */
T_API t_TensorList *t_func_jacrev(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                  const t_FuncOptions *options);
T_API t_TensorList *t_func_jacfwd(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                  const t_FuncOptions *options);
/* torch.func.hessian(f, argnums)(*inputs) = jacfwd(jacrev(f)). With n differentiated inputs PyTorch's H[k][i][j], of
 * output k, is item (k * n + i) * n + j. */
T_API t_TensorList *t_func_hessian(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                   const t_FuncOptions *options);

/* torch.func.vmap(f, in_dims, out_dims, randomness)(*inputs): f for each index of the inputs' mapped dim; its outputs
 * are stacked. A loop over the batch, one call of f for each index, which may be any f, while PyTorch runs each op of f
 * once for the whole batch (and refuses t_item in f). It pays where a call works much, and not where it is one small
 * op: then write the op of the batch. One thread, 64 per-sample gradients, ours / PyTorch's: of an MLP 784-128-10 5.0 /
 * 5.2 ms, of the CNN in examples/pytorch/autograd/per_sample_gradients.c 27 / 65 ms; 10,000 dots of 8 elements 60 /
 * 0.15 ms, some 6 us a call. For a batch of size 0 f is called once, with zeros, for the shapes of its outputs.
 *
 * in_dims: one for all inputs (a single number), or one for each; T_NONE: f gets that input whole. out_dims: where the
 * mapped dim is in each output; T_NONE: the output is the same for all indices, and the first one is returned.
 * randomness: "error", "same" (every call draws the same numbers, and the generator advances once) or "different" (the
 * calls draw one after another; PyTorch draws for the batch at once, which may be other numbers). They concern the
 * default generator: with "error" it is put back, and the error is reported, after the call of f that drew. */
typedef struct t_VmapOptions {
    uint32_t size;
    const int64_t *in_dims, *out_dims; /* NULL: 0 for all */
    int in_dim_count, out_dim_count;
    const char *randomness; /* NULL: "error" */
    int64_t chunk_size;     /* T_NONE: None; a matter of PyTorch's memory, without an effect; 0 or less is an error */
} t_VmapOptions;
T_API t_TensorList *t_func_vmap(t_TensorFunction *func, t_TensorList *inputs, void *context,
                                const t_VmapOptions *options);

T_END_DECLS
#endif
