"""The tables of examples/PARITY.md that are written by hand: the C counterparts of nn.Module's methods and of modules
that are mostly unsupported, and the unsupported arguments of supported names. parity.py compares them with PyTorch: a
name that only one of PyTorch and a table has is an error. The C in backquotes is compiled in tests/programs/guide*.c;
tests/checks/check_parity.sh checks that.

A row is the names and their counterpart; "not supported" may be followed by how to do the same."""

import ast
import os
import types

import torch
import torch.autograd.forward_ad
import torch.autograd.functional
import torch.autograd.graph
import torch.func
import torch.linalg
import torch.nn.utils.parametrize
import torch.nn.utils.prune
import torch.nn.utils.rnn
import torch.utils.checkpoint


def listed(module):
    """The public names of a module: __all__, else what its dir() shows of its own."""
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    return [n for n in names if not isinstance(getattr(module, n, None), types.ModuleType)]


def tensorboard():
    """From the source, since the module wants TensorBoard: SummaryWriter's methods, and the other classes."""
    folder = os.path.join(os.path.dirname(torch.__file__), "utils", "tensorboard")
    init, writer = (ast.parse(open(os.path.join(folder, name)).read()) for name in ("__init__.py", "writer.py"))
    classes = next(
        ast.literal_eval(s.value) for s in init.body if isinstance(s, ast.Assign) and s.targets[0].id == "__all__"
    )
    summary = next(s for s in writer.body if isinstance(s, ast.ClassDef) and s.name == "SummaryWriter")
    return classes + [s.name for s in summary.body if isinstance(s, ast.FunctionDef) and not s.name.startswith("_")]


TABLES = [  # title, what it is, PyTorch's names, rows
    (
        "torch.nn.Module",
        "methods",
        [n for n in dir(torch.nn.Module) if not n.startswith("_")],
        [
            (
                "__call__ forward",
                "`nn_call(model, x)`, which calls the function that `nn_module(Net, net_call)` was given",
            ),
            (
                "add_module register_module",
                '`nn_set(self, fc, nn_Linear(8, 2))`, or without a field `nn_add_module(self, "last", child)`, '
                '`nn_register_module(&self->base, "late", child)`',
            ),
            ("apply", "`nn_apply(model, init_weights, &context)`"),
            ("buffers", "`nn_buffers(model)`, a list"),
            (
                "children named_children",
                "`for_named (child, nn_named_children(model))`, then `child->name`, `child->module`",
            ),
            ("double float to", "`nn_to(model, t_float64)`, `nn_to(model, t_float32)`"),
            ("eval train", "`nn_eval(model)`, `nn_train(model)`; `training` is `model->base.training`"),
            (
                "extra_repr",
                "`self->base.extra_repr = write_extra` with `void write_extra(const void *self, char *text, size_t "
                "capacity)`",
            ),
            ("load_state_dict", "`nn_load_state_dict(model, d, .strict = false, .assign = true, .keys = &keys)`"),
            ("modules named_modules", "`for_named (m, nn_named_modules(model))`, then `m->name`, `m->module`"),
            ("named_buffers", "`for_named (b, nn_named_buffers(model))`, then `b->name`, `b->tensor`"),
            ("named_parameters", "`for_named (p, nn_named_parameters(model))`, then `p->name`, `p->tensor`"),
            ("parameters", "`nn_parameters(model)`, a list; `for_parameters (p, model)`"),
            ("register_buffer", "`nn_register_buffer(self, pe, t_zeros(4, 8), .persistent = false)`"),
            (
                "register_parameter",
                '`nn_set(self, scale, nn_Parameter(t_ones(8)))`, or without a field '
                '`nn_register_parameter(&self->base, "bias", x)`',
            ),
            (
                "register_forward_hook register_forward_pre_hook",
                "`nn_register_forward_hook(model, show)`, "
                "`nn_register_forward_pre_hook(model, scale, .prepend = true)`; "
                "of all modules `nn_register_module_forward_hook(show)`",
            ),
            (
                "register_full_backward_hook register_full_backward_pre_hook",
                "`nn_register_full_backward_hook(model, clamp)`, "
                "`nn_register_full_backward_pre_hook(model, count, &calls)`",
            ),
            ("requires_grad_", "`nn_requires_grad_(model, false)`"),
            ("state_dict", '`nn_state_dict(model, .prefix = "encoder.")`'),
            ("zero_grad", "`nn_zero_grad(model)`"),
            (
                "get_parameter get_buffer",
                '`nn_get_parameter(model, "fc.weight")`, `nn_get_buffer(model, "pe")`',
            ),
            (
                "get_submodule set_submodule",
                '`nn_get_submodule(model, "fc")`, or the field itself; '
                '`nn_set_submodule(model, "fc", nn_Linear(8, 3))`',
            ),
            (
                "get_extra_state set_extra_state",
                'not supported; a value of the checkpoint, `t_dict_set(checkpoint, "epoch", epoch)`',
            ),
            (
                "register_backward_hook",
                "not supported (deprecated in PyTorch); `nn_register_full_backward_hook(model, clamp)`",
            ),
            (
                "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_state_dict_post_hook "
                "register_state_dict_pre_hook",
                "`nn_register_load_state_dict_pre_hook(model, rename_keys)`, "
                "`nn_register_load_state_dict_post_hook(model, loaded)`, "
                "`nn_register_state_dict_post_hook(model, rename_keys)`, "
                "`nn_register_state_dict_pre_hook(model, before)`",
            ),
            ("cpu cuda ipu mtia share_memory to_empty xpu", "not supported: there is one device"),
            ("type", "not supported; `nn_to(model, t_float64)`, which leaves integers alone"),
            ("bfloat16 half", "`nn_to(model, t_bfloat16)`, `nn_to(model, t_float16)`"),
            ("T_destination call_super_init compile dump_patches", "not supported: Python's own"),
        ],
    ),
    (
        "torch.func",
        "names",
        listed(torch.func),
        [
            (
                "grad grad_and_value",
                "`t_func_grad(loss_of, w, .context = &batch)`, `dw = t_func_grad_and_value(loss_of, w, .context = "
                "&batch, .value = &loss)`",
            ),
            ("vjp", "`vjp_fn = t_func_vjp(f, x, .output = &y)`, `g = t_func_call(vjp_fn, v)`, a list"),
            ("jvp", "`dy = t_func_jvp(f, x, v, .output = &y)`"),
            ("linearize", "`jvp_fn = t_func_linearize(f, x, .output = &y)`, `g = t_func_call(jvp_fn, v)`"),
            ("jacrev jacfwd hessian", "`t_func_jacrev(f, x)`, `t_func_jacfwd(f, x)`, `t_func_hessian(sum_of_f, x)`"),
            (
                "vmap",
                "`t_func_vmap(t_mul, t_list(m, x), .in_dims = t_tuple(0, T_NONE), .out_dims = t_tuple(1))`: a loop "
                "over the batch, some 6 us a call",
            ),
            ("functional_call", '`t_func_functional_call(model, dict, x, .strict = true)`'),
            ("rearrange", "not supported; `t_reshape`, `t_permute`"),
            ("replace_all_batch_norm_modules_", "not supported; `nn_BatchNorm1d(8, .track_running_stats = false)`"),
            (
                "stack_module_state",
                "`params = t_func_stack_module_state(models, 2, .buffers = &buffers)`, of an array of modules",
            ),
            ("debug_unwrap functionalize", "not supported: the tracer's own"),
        ],
    ),
    (
        "torch.autograd.functional",
        "names",
        listed(torch.autograd.functional),
        [
            ("vjp", "`g = t_autograd_functional_vjp(f, x, v, .output = &y)`"),
            ("jvp", "`dy = t_autograd_functional_jvp(f, x, v, .create_graph = true)`"),
            ("jacobian", "`t_autograd_functional_jacobian(f, x, .strict = true)`"),
            ("hessian", "`t_autograd_functional_hessian(sum_of_f, x)`"),
            ("hvp vhp", "`t_autograd_functional_hvp(sum_of_f, x, v)`, `t_autograd_functional_vhp(sum_of_f, x, v)`"),
        ],
    ),
    (
        "torch.autograd.forward_ad",
        "names",
        listed(torch.autograd.forward_ad),
        [
            ("make_dual", "`Tensor *dual = t_autograd_forward_ad_make_dual(x, v)`"),
            (
                "unpack_dual UnpackedDualTensor",
                "`y = t_autograd_forward_ad_unpack_dual(f(dual), .tangent = &dy)`",
            ),
            (
                "dual_level enter_dual_level exit_dual_level",
                "`with_dual_level() {`, or `t_autograd_forward_ad_enter_dual_level()` and "
                "`t_autograd_forward_ad_exit_dual_level()`",
            ),
        ],
    ),
    (
        "torch.autograd.graph",
        "names",
        listed(torch.autograd.graph),
        [
            (
                "saved_tensors_hooks",
                "`with_saved_tensors_hooks(pack, unpack, &table) {`, with `Tensor *pack(Tensor *x, void *context)` and "
                "`Tensor *unpack(Tensor *packed, void *context)`",
            ),
            ("save_on_cpu", "`with_save_on_cpu() {`, which changes nothing: there is one device"),
            (
                "Node GradientEdge get_gradient_edge node_creation_hook register_multi_grad_hook "
                "disable_saved_tensors_hooks allow_mutation_on_saved_tensors increment_version queue_callback "
                "region_activation_memory_budget set_override_stale_capture_stream "
                "set_warn_on_accumulate_grad_stream_mismatch",
                "not supported",
            ),
        ],
    ),
    (
        "torch.linalg",
        "names",
        listed(torch.linalg),
        [
            (
                "cholesky cholesky_ex cond cross det diagonal eigh eigvalsh householder_product inv inv_ex ldl_factor "
                "ldl_factor_ex ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul matrix_exp matrix_norm "
                "matrix_power matrix_rank matrix_sqrth multi_dot norm pinv polar qr slogdet solve solve_ex "
                "solve_triangular svd svdvals tensorinv tensorsolve vander vecdot vector_norm",
                "the same names with the prefix `linalg_`; \"fro\" and \"nuc\" are `T_FRO` and `T_NUC`, tolerances are "
                "numbers; further results are written to the address of a variable: `U = linalg_svd(a, false, .S = &S, "
                ".Vh = &Vh)`",
            ),
            ("eig eigvals", "not supported: complex numbers"),
            ("LinAlgError common_notes", "not supported: Python's own"),
        ],
    ),
    (
        "torch.nn.utils.rnn",
        "names",
        listed(torch.nn.utils.rnn),
        [
            ("pad_sequence", "`nn_utils_rnn_pad_sequence(sequences, true, 0.0)`"),
            (
                "pack_padded_sequence",
                "`nn_utils_rnn_pack_padded_sequence(x, lengths, .batch_first = true, .enforce_sorted = false)`",
            ),
            ("pad_packed_sequence", "`nn_utils_rnn_pad_packed_sequence(packed, true, .lengths = &lengths)`"),
            ("pack_sequence", "`nn_utils_rnn_pack_sequence(sequences, .enforce_sorted = false)`"),
            ("unpack_sequence", "`nn_utils_rnn_unpack_sequence(packed)`"),
            ("unpad_sequence", "`nn_utils_rnn_unpad_sequence(padded, lengths, true)`"),
            ("invert_permutation", "`nn_utils_rnn_invert_permutation(permutation)`"),
            ("PackedSequence", "`nn_utils_rnn_PackedSequence(data, packed->batch_sizes, packed->sorted_indices)`"),
        ],
    ),
    (
        "torch.nn.utils.prune",
        "names",
        listed(torch.nn.utils.prune),
        [
            ("identity Identity", '`nn_utils_prune_identity(layer, "weight")`'),
            ("l1_unstructured L1Unstructured", '`nn_utils_prune_l1_unstructured(layer, "weight", 0.3)`'),
            ("random_unstructured RandomUnstructured", '`nn_utils_prune_random_unstructured(layer, "weight", 2)`'),
            ("ln_structured LnStructured", '`nn_utils_prune_ln_structured(layer, "weight", 0.5, .n = 2, .dim = 0)`'),
            ("random_structured RandomStructured", '`nn_utils_prune_random_structured(layer, "weight", 1, 0)`'),
            ("custom_from_mask CustomFromMask", '`nn_utils_prune_custom_from_mask(layer, "weight", mask)`'),
            (
                "global_unstructured",
                "`nn_utils_prune_global_unstructured(both, 2, nn_utils_prune_L1Unstructured, 0.2)`, of an array "
                "`const nn_utils_prune_Parameter both[]`",
            ),
            ("remove", '`nn_utils_prune_remove(layer, "weight")`'),
            ("is_pruned", "`nn_utils_prune_is_pruned(layer)`"),
            (
                "BasePruningMethod",
                '`nn_utils_prune_BasePruningMethod_apply(&method, layer, "weight")` of a constant '
                "`nn_utils_prune_BasePruningMethod` with PRUNING_TYPE and the function compute_mask",
            ),
            ("PruningContainer", "not supported: the class behind them"),
            ("ABC Iterable abstractmethod", "not supported: Python's own"),
        ],
    ),
    (
        "torch.nn.utils.parametrize",
        "names",
        listed(torch.nn.utils.parametrize),
        [
            (
                "register_parametrization ParametrizationList",
                '`nn_utils_parametrize_register_parametrization(layer, "weight", nn_module(Triangle, triangle_call))`',
            ),
            (
                "remove_parametrizations",
                '`nn_utils_parametrize_remove_parametrizations(layer, "weight", .leave_parametrized = false)`',
            ),
            ("is_parametrized", '`nn_utils_parametrize_is_parametrized(layer, "weight")`'),
            ("cached", "not needed: a weight is computed once a call"),
            (
                "transfer_parametrizations_and_params type_before_parametrizations",
                "not supported",
            ),
        ],
    ),
    (
        "torch.nn.utils.parametrizations",
        "names",
        listed(torch.nn.utils.parametrizations),
        [
            ("weight_norm", "`nn_utils_parametrizations_weight_norm(layer, .dim = 1)`"),
            ("spectral_norm", '`nn_utils_parametrizations_spectral_norm(layer, "bias", .n_power_iterations = 2)`'),
            ("orthogonal", '`nn_utils_parametrizations_orthogonal(layer, .orthogonal_map = "cayley")`'),
        ],
    ),
    (
        "torch.utils.checkpoint",
        "names",
        listed(torch.utils.checkpoint),
        [
            (
                "checkpoint",
                "`t_checkpoint(f, x, .preserve_rng_state = false)`: as with use_reentrant=False",
            ),
            ("checkpoint_sequential", "`t_checkpoint_sequential(model, 2, x)`"),
            (
                "CheckpointError CheckpointFunction CheckpointPolicy DefaultDeviceType GraphExecGroup SAC_IGNORED_OPS "
                "SelectiveCheckpointContext "
                "check_backward_validity create_selective_checkpoint_contexts detach_variable "
                "get_device_states noop_context_fn "
                "set_checkpoint_debug_enabled set_checkpoint_early_stop set_device_states",
                "not supported",
            ),
        ],
    ),
    (
        "torch.utils.tensorboard",
        "classes, and methods of SummaryWriter",
        tensorboard(),
        [
            ("SummaryWriter", '`tensorboard_SummaryWriter("build/guide_runs", .flush_secs = 10)`'),
            ("add_scalar", '`tensorboard_add_scalar(writer, "Loss/train", loss, step)`'),
            ("add_scalars", '`tensorboard_add_scalars(writer, "loss", losses, step)`, losses a dict'),
            ("add_histogram", '`tensorboard_add_histogram(writer, "weight", model->weight, step, .bins = "auto")`'),
            ("add_histogram_raw", '`tensorboard_add_histogram_raw`'),
            ("add_image", '`tensorboard_add_image(writer, "image", image, step, .dataformats = "HWC")`'),
            ("add_images", '`tensorboard_add_images`'),
            ("add_figure", '`tensorboard_add_figure(writer, "figure", step)`, the current figure'),
            (
                "add_image_with_boxes",
                '`tensorboard_add_image_with_boxes(writer, "boxes", image, boxes, step, .dataformats = "HWC")`',
            ),
            ("add_video", '`tensorboard_add_video(writer, "video", frames, step, .fps = 4)`: an animated GIF'),
            ("add_mesh", '`tensorboard_add_mesh(writer, "mesh", points, .global_step = step)`'),
            ("add_pr_curve_raw", '`tensorboard_add_pr_curve_raw`, the six rows as one tensor'),
            ("add_text", '`tensorboard_add_text(writer, "note", "a **bold** word", step)`'),
            ("add_tensor add_audio", '`tensorboard_add_tensor`, `tensorboard_add_audio`'),
            ("add_hparams", '`tensorboard_add_hparams(writer, hparams, metrics, .run_name = "first")`'),
            ("add_pr_curve", '`tensorboard_add_pr_curve(writer, "curve", labels, predictions, step)`'),
            ("add_embedding", '`tensorboard_add_embedding(writer, features, .metadata = names)`'),
            (
                "add_custom_scalars add_custom_scalars_marginchart add_custom_scalars_multilinechart",
                '`tensorboard_add_custom_scalars(writer, {"all", "losses", "Multiline", {"Loss/train", "Loss/test"}})`',
            ),
            ("add_graph", '`tensorboard_add_graph(writer, model, features)`'),
            ("add_onnx_graph", '`tensorboard_add_onnx_graph(writer, "tests/golden/onnx_graph.onnx.bin")`'),
            (
                "flush close get_logdir",
                '`tensorboard_flush(writer)`, `tensorboard_close(writer)`, `tensorboard_get_logdir(writer)`',
            ),
            (
                "FileWriter RecordWriter",
                'not supported',
            ),
        ],
    ),
]

# Unsupported arguments of supported names: names, arguments, and the alternative. What all names lack is listed above
# the table (EVERYWHERE).
EVERYWHERE = (
    "Not supported anywhere: `out=`, `device=`, `layout=`, `memory_format=`, `pin_memory=`, `non_blocking=` and dims "
    "by name (there is one device and one "
    "layout, and a result is a new tensor); of optimizers and of the `clip_grad_` functions `foreach=`, `fused=`, "
    "`capturable=`, "
    "`differentiable=`; of losses the deprecated `size_average=` and `reduce=`. Other unsupported arguments are listed "
    "below, in \"Unsupported arguments\"."
)
ARGUMENTS = [
    ("torch.max min, of two tensors", "other", "`t_maximum(a, b)`, `t_minimum(a, b)`"),
    (
        "torch.aminmax cummax cummin kthvalue max median min mode sort topk",
        "a pair as the result",
        "`v = t_sort(x, 0, .indices = &i)` and so on, `min = t_aminmax(x, .max = &max)`",
    ),
    (
        "torch.unique unique_consecutive",
        "return_inverse return_counts",
        "`u = t_unique(x, .inverse = &i, .counts = &c)`",
    ),
    ("torch.nonzero, torch.where of a condition alone", "as_tuple", "`t_nonzero_tuple(x)`"),
    ("torch.atleast_1d atleast_2d atleast_3d", "several tensors", "a call for each"),
    ("torch.bmm mm addmm baddbmm", "out_dtype", "`t_to(t_mm(a, t_t(b)), t_float64)`"),
    ("torch.cdist", "compute_mode", "a matter of speed: distances are computed as they are defined"),
    ("torch.gather", "sparse_grad", "gradients are dense: there is no sparse layout"),
    ("torch.repeat_interleave", "output_size", "saves a synchronization with a device"),
    ("torch.linalg.svd svdvals", "driver, which is of CUDA", ""),
    (
        "Tensor.scatter scatter_",
        "reduce",
        '`t_scatter_add(x, 0, index, src)`, `t_scatter_reduce(x, 0, index, src, "prod")`; value= is a number '
        "in place of src",
    ),
    ("torch.tensor_split", "a tensor of indices", "a tuple: `t_tensor_split(x, (1, 3), 0)`"),
    (
        "torch.as_tensor asarray from_numpy frombuffer",
        "copy count offset; memory that is shared",
        "`t_tensor(array, 2, 2)` always copies",
    ),
    ("torch.tensor", "a nested list", '`t_tensor("[[1, 2], [3, 4]]")`'),
    (
        "torch.load",
        "map_location pickle_module weights_only mmap",
        "only tensors, numbers and strings are read, as with weights_only=True",
    ),
    ("torch.save", "pickle_module pickle_protocol; objects but dicts", "`t_save(d, \"build/guide.ckpt\")`"),
    (
        "torch.no_grad enable_grad set_grad_enabled autograd.detect_anomaly",
        "use as a decorator",
        "a block in the function",
    ),
    ("Tensor.to", "copy", "`t_clone(t_to(x, t_float64))`"),
    ("Tensor.view", "dtype", "the same bytes as another dtype: `t_tensor_from_data` of its `t_data_ptr`"),
    (
        "torch.autograd.grad",
        "only_inputs, which must be True; is_grads_batched",
        "`t_func_vmap` of a function that calls `t_autograd_grad`",
    ),
    (
        "torch.autograd.gradcheck",
        "check_undefined_grad check_grad_dtypes check_batched_grad check_batched_forward_grad masked",
        "of what PyTorch's engine has and this one has not: undefined gradients, batching rules, sparse layouts",
    ),
    (
        "torch.autograd.gradgradcheck",
        "gen_non_contig_grad_outputs check_undefined_grad check_grad_dtypes check_batched_grad check_fwd_over_rev "
        "check_rev_over_rev masked",
        "the same; gradients of gradients are checked in reverse mode",
    ),
    (
        "nn.Module.buffers named_buffers named_modules named_parameters parameters",
        "prefix recurse remove_duplicate memo",
        "of the whole tree, each once",
    ),
    (
        "nn.Module.state_dict",
        "destination keep_vars",
        "the dict is a new one; parameters: `nn_named_parameters(model)`",
    ),
    ("nn.Module.zero_grad", "set_to_none", "the gradients go; to set them to 0: `optim_zero_grad(optimizer, false)`"),
    (
        "nn.Embedding EmbeddingBag, F.embedding embedding_bag",
        "sparse=True",
        "gradients are dense: there is no sparse layout",
    ),
    ("nn.EmbeddingBag", "_weight", "`nn_set(bag, weight, nn_Parameter(x))`"),
    (
        "nn.MaxPool1d MaxPool2d MaxPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d",
        "return_indices",
        "the second result of a call: `nn_MaxPool2d_call(pool, image, &i)`, "
        "`nn_AdaptiveMaxPool2d_call(adaptive, image, &i)`",
    ),
    (
        "nn.FractionalMaxPool2d FractionalMaxPool3d",
        "return_indices",
        "`nn_FractionalMaxPool2d_call(fractional, image, &i)`",
    ),
    ("lr_scheduler.LambdaLR MultiplicativeLR", "a list of functions, one a group", "one for all groups"),
    ("lr_scheduler.ReduceLROnPlateau", "a list as min_lr", "one for all groups"),
    (
        "lr_scheduler.OneCycleLR",
        "lists as max_lr, base_momentum, max_momentum",
        "`optim_OneCycleLR(optimizer, .max_lrs = rates, .total_steps = 10)`",
    ),
    ("lr_scheduler.SequentialLR", "last_epoch", "`optim_scheduler_load_state_dict`"),
    (
        "utils.data.DataLoader",
        "multiprocessing_context pin_memory_device in_order",
        "workers are threads, and batches are in order",
    ),
    ("safetensors.torch.save_file save", "metadata", "strings in the dict: `t_dict_set(d, \"format\", \"pt\")`"),
]


def names_of(row):
    return [n for n in row[0].split() if n != "__call__"]


def tables():
    """The lines of the sections, the C names in them, and a line for the count."""
    lines, code, counts = [], [], []
    for title, what, public, rows in TABLES:
        given = [n for row in rows for n in names_of(row)]
        missing, unknown = set(public) - set(given), set(given) - set(public)
        if missing or unknown or len(given) != len(set(given)):
            raise SystemExit(
                f"parity_tables.py: {title} lacks {sorted(missing)}, has {sorted(unknown)} too many, or one twice"
            )
        here = sum(len(names_of(row)) for row in rows if not row[1].startswith("not supported"))
        lines += [f"## {title}: {here} of {len(given)} {what}", "", "| PyTorch | C |", "| --- | --- |"]
        lines += [f"| {' '.join(f'`{n}`' for n in names.split())} | {text} |" for names, text in rows] + [""]
        code += [text for _, text in rows if not text.startswith("not supported")]
        counts += [f"{title} {here}"] if here else []
    return lines, code, counts


def arguments():
    lines = [
        "## Unsupported arguments",
        "",
        "Besides those at the top of this page. All other arguments of the supported names are "
        "supported. A second result is written to the address of a variable.",
        "",
        "| of | unsupported | instead |",
        "| --- | --- | --- |",
    ]
    return lines + [f"| {names} | {gone} | {instead} |" for names, gone, instead in ARGUMENTS] + [""]
