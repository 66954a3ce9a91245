"""What the headers do not say in a form that a program reads: functions that are not called and why, what a void * is,
arguments with which a function succeeds, and which results are answers."""

import re

# Functions that are not called: name, or pattern, and the reason.
EXCEPTIONS = {
    "t_enter_": "the macros' frame: keeps a pointer to its argument",
    "t_leave_": "the macros' frame: keeps a pointer to its argument",
    "t_set_error_handler": "keeps the callback for ever; its failures belong to torture-callbacks",
    "t_release": "releases a reference that the caller must hold: with t_retain",
    "torchtext_map_next": "its void * is a torchtext_Map: called through torchtext_build_vocab_from_iterator",
    "t_mark": "used around each call",
    "t_unwind": "used after each call",
}
INTERNAL = "of the macros, not to be called: its arguments are what they make"
EXCEPTION_PATTERNS = [
    (r"t_(new_)?tensor_of_|t_arange_of_|t_tolist_of_|transforms_Lambda_of_|F_\w+_of_", INTERNAL),
    (r"t_tuple_len_of_|t_(add|mul)_of_|t_missing_of_", INTERNAL),
    (r"t_scope_exit_|t_scope_open_in_loop_|t_(swap|restore)_\w+_|t_as_list_|tqdm_step_", INTERNAL),
]
EXCEPTION_PATTERNS += [
    (
        r"models_(resnet(34|50|101|152)|resnext\w+|wide_\w+|vgg\w+|VGG_new|alexnet|vit_\w+)",
        "some seconds a call; the same " "as models_ResNet_new, models_VisionTransformer_new with other numbers",
    ),
]
EXCEPTION_PATTERNS += [
    (r"special_\w+_polynomial_\w+", "takes as many steps as the order says, as in PyTorch: 1e30 is for ever"),
    (r"data_(iter|iter_next|iter_end|item|text|first|batch_dict)", "of for_batch, whose struct is not made by hand"),
]
# Called 500 times less often than the others; HEAVY: and not for an object that others need.
# (hessian ends more objects than the library remembers as dead ones, so that a dead argument made before is unknown.)
HEAVY = re.compile(r"models_\w+(_new|18|_v2)|profiler_peak_flops|t_autograd_functional_hessian")
SLOW = re.compile(HEAVY.pattern + r"|nn_Transformer_new|t_lobpcg|tensorboard_add_figure|plt_savefig")
# Integers that say how many bytes a void * has: from 0 to 256.
BOUNDED = {"context_bytes": 256, "attribute_bytes": 256}
# Fields that count what is in the same struct, which the macros set: from 0 to the number of elements.
BOUNDED.update(
    {"transforms_Values.count": 8, "t_Tuple.len": 9, "data_Samples.len": 8, "np_Values.len": 64, "np_Columns.len": 8}
)
# Numbers of iterations: a call takes as long as they say.
BOUNDED.update({"niter": 20, "n_power_iterations": 20, "max_iter": 20})

# (function, parameter) or parameter: the Role of a void *.
ROLES = {
    "context": "r_context",
    "variable": "r_context",
    "list": "r_list",
    "dict": "r_dict",
    "slot": "r_slot",
    "owned": "r_any",
    "to": "r_buffer",
    "items": "r_buffer",
    "bytes": "r_buffer",
    "data": "r_buffer",
}
# A callback's results where the rule for its type is not enough: what succeeds, and a second one.
CALLBACKS = {
    "models_NormLayer": ("(void *)(nn_Identity_new)()", "(void *)(nn_Identity_new)()"),
    "data_Iter": ("context", "context"),
}
# function: {parameter: what succeeds}
SPECS = {
    "F_conv3d": {"x": "f32[1,2,4,4,4]", "weight": "f32[3,2,2,2,2]", "bias": "NULL", "options": "NULL"},
    "F_conv_transpose3d": {"x": "f32[1,2,3,3,3]", "weight": "f32[2,3,2,2,2]", "bias": "NULL", "options": "NULL"},
    "F_batch_norm": dict.fromkeys(["running_mean", "running_var", "weight", "bias"], "f32[3]")
    | {"x": "f32[4,3]", "training": "true", "momentum": "0.1", "eps": "1e-5"},
    "F_instance_norm": dict.fromkeys(["running_mean", "running_var", "weight", "bias"], "f32[3]")
    | {"x": "f32[2,3,4]", "use_input_stats": "true", "momentum": "0.1", "eps": "1e-5"},
    "F_affine_grid": {"theta": "f32[1,2,3]", "size": "1,3,4,4"},
    "nn_init_kaiming_uniform_": {"x": "f32[3,4]", "mode": "fan_in", "nonlinearity": "relu"},
    "nn_init_kaiming_normal_": {"x": "f32[3,4]", "mode": "fan_out", "nonlinearity": "tanh"},
    "nn_init_calculate_gain": {"nonlinearity": "relu"},
    "nn_MaxPool1d_call": {"x": "f32[1,2,9]"},
    "nn_MaxPool2d_call": {"x": "f32[1,2,9,9]"},
    "nn_MaxPool3d_call": {"x": "f32[1,2,9,9,9]"},
    "nn_FractionalMaxPool2d_call": {"x": "f32[1,2,9,9]"},
    "nn_FractionalMaxPool3d_call": {"x": "f32[1,2,9,9,9]"},
    "nn_module_new": {"bytes": "400", "type": "Thing"},
    "t_keep_object_in": {"depth": "1"},
    "t_keep_as_object_in": {"depth": "1"},
    "tensorboard_add_video": {"vid_tensor": "f32[1,2,3,4,4]", "options": "NULL"},
    "tensorboard_add_pr_curve_raw": {"rows": "f32[6,5]"},
    "nn_Transformer_new": {"options": "all"},
    "nn_TransformerOptions": {
        "d_model": "4",
        "nhead": "2",
        "num_encoder_layers": "1",
        "num_decoder_layers": "1",
        "dim_feedforward": "4",
        "dropout": "0.1",
    },
    "models_ResNet_new": {"layers": "1,1,1,1"},
    "models_VisionTransformer_new": {
        "image_size": "8",
        "patch_size": "4",
        "num_layers": "1",
        "num_heads": "2",
        "hidden_dim": "8",
        "mlp_dim": "16",
    },
}

SPECS |= {
    f"nn_{name}": {"list": "nn_ModuleList_new"}
    for name in "append len get set_item extend insert pop slice clear".split()
}
SPECS |= {
    f"nn_{name}": {"dict": "nn_ModuleDict_new"}
    for name in "get_key set_key pop_key contains update get_key_of get_of".split()
}

ANSWERS = re.compile(
    r"(t|TF|nn|F|optim|torch|data|amp|distributions|profiler|plt|pd)_"
    r"(is_\w+|has_\w+|\w*_?equal|allclose|\w+_is_\w+|requires_grad|can_cast)"
)


# Flags of api.h by name. f_null: NULL is an answer; f_keeps: what it got or made outlives the scope of the call;
# f_global: changes the state of the thread, by its purpose.
FLAGS = {
    "f_answer": """t_set_tape_values t_set_teach t_retains_grad t_backward_next t_dict_has tqdm_update
        argparse_parse_args argparse_error t_gradcheck t_gradgradcheck torchtext_vocab_contains nn_contains""",
    "f_null": """t_keep_object t_keep_as_object t_keep_forever t_keep_object_in t_keep_as_object_in t_retain
        t_grad t_grad_fn t_error t_error_message nn_as_of tokenizers_id_to_token models_get_model_weights
        pd_iat_text""",
    # makes what the scope does not release; a grad that depends on its leaf is a cycle of the caller's
    "f_keeps": """t_keep_object t_keep_as_object t_keep_forever t_keep_object_in t_keep_as_object_in t_retain
        t_scope_close t_set_grad t_backward t_autograd_backward""",
    # run a forward, of a lazy module or one in place; a function of the user in place, as far as it got; a loader
    "f_changes": """nn_summary nn_call tensorboard_add_graph onnx_export onnx_export_bytes t_apply_ t_map_ t_map2_
        t_func_functional_call optim_update_bn""",
    # writes to the tensors of a const list, by its purpose
    "f_writes": "nn_utils_vector_to_parameters t_apply_outputs",
    "f_frees": "",
    "f_global": "t_set_tape_values t_set_teach",
}
VALUES = {
    "f_answer": 1,
    "f_null": 2,
    "f_keeps": 4,
    "f_changes": 8,
    "f_bounded": 16,
    "f_frees": 32,
    "f_global": 64,
    "f_draws": 512,
    "f_writes": 2048,
}


def flags(name, result, params, comment):
    found = 0
    if result == "bool" and ANSWERS.fullmatch(name):
        found |= 1
    for flag, names in FLAGS.items():
        if name in names.split():
            found |= VALUES[flag]
    if result == "char *" or result == "void *" and any(p["type"] == "size_t *" for p in params):
        found |= VALUES["f_frees"]
    if any(p["kind"] == "k_pointer" and p["sub"] == "r_buffer" for p in params):
        found |= VALUES["f_bounded"]
    if re.fullmatch(
        r"nn_call\w*|nn_\w+_(call|decode|encode|forward)\w*|transforms_call|t_gradgradcheck|t_checkpoint_sequential|"
        r"nn_summary|onnx_export(_bytes)?|t_func_functional_call|t_tape_html",
        name,
    ):
        # a forward that fails has drawn, as in PyTorch; t_tape_html puts back what will be drawn, not each byte
        found |= VALUES["f_draws"]
    if SLOW.fullmatch(name):
        found |= 256
    if HEAVY.fullmatch(name):
        found |= 1024
    return found
