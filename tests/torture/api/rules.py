"""What the headers do not say in a form that a program reads: functions that are not called and why, what a void * is,
arguments with which a function succeeds, and which results are answers."""

import re

# Functions that are not called: name, or pattern, and the reason.
EXCEPTIONS = {
    "t_enter_": "the macros' frame: keeps a pointer to its argument",
    "t_leave_": "the macros' frame: keeps a pointer to its argument",
}
INTERNAL = "of the macros, not to be called: its arguments are what they make"
EXCEPTION_PATTERNS = [
    (r"t_(new_)?tensor_of_|t_arange_of_|t_tolist_of_|transforms_Lambda_of_|F_\w+_of_", INTERNAL),
    (r"t_tuple_len_of_|t_(add|mul)_of_|t_missing_of_", INTERNAL),
    (r"t_scope_exit_|t_scope_open_in_loop_|t_(swap|restore)_\w+_|t_as_list_|tqdm_step_", INTERNAL),
]
EXCEPTION_PATTERNS += [
    (r"models_vit_[lh]_\w+", "more than 1 GB of parameters, which is what a process may have here"),
]
# Called 500 times less often than the others; HEAVY: and not for an object that others need.
# (hessian ends more objects than the library remembers as dead ones, so that a dead argument made before is unknown.)
# LARGE: up to 0.5 GB of parameters, and also not in the sample of make check.
LARGE = re.compile(r"models_(resne|wide_|vgg|VGG|alexnet|vit_)\w*")
HEAVY = re.compile(LARGE.pattern + r"|models_\w+(_new|_v2)|profiler_peak_flops|t_autograd_functional_hessian")
SLOW = re.compile(HEAVY.pattern + r"|nn_Transformer_new|t_lobpcg|tensorboard_add_figure|plt_savefig")
# Integers that say how many bytes a void * has: from 0 to 256.
BOUNDED = {"context_bytes": 256, "attribute_bytes": 256}
# Fields that count what is in the same struct, which the macros set: from 0 to the number of elements.
BOUNDED.update(
    {"transforms_Values.count": 8, "t_Tuple.len": 9, "data_Samples.len": 8, "np_Values.len": 64, "np_Columns.len": 8}
)
# Numbers of iterations: a call takes as long as they say.
BOUNDED.update({"niter": 20, "n_power_iterations": 20, "max_iter": 20})

# Tensors of orders: a polynomial takes as many steps as its order, as in PyTorch. 0, 1 and 2.
BOUNDED_TENSORS = r"special_\w+_polynomial_\w+\.n"
# Where no function can tell a wrong value from a right one: a reference that the caller must hold, the struct of an
# iteration, what a rule gets. NULL, or what is right.
TRUSTED = (
    r"t_release\.\w+|torchtext_map_next\.map|(t_saved_tensor|t_needs_input_grad|t_attributes)\.ctx|"
    r"data_(iter|iter_next|iter_end|item|text|first|batch_dict)\.batch|t_(mark|unwind)\.mark"
)

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
    for name in "append len get set_item extend insert pop slice".split()
}
SPECS |= {
    f"nn_{name}": {"dict": "nn_ModuleDict_new"}
    for name in "get_key set_key pop_key contains update clear".split()
}

# Objects in a state, which tests/torture/api/prepared.c makes.
SPECS |= {
    "t_autograd_grad": {"outputs": "losses", "inputs": "weights", "options": "NULL"},
    "linalg_lu_solve": {"LU": "lu", "pivots": "lu_pivots", "B": "f32[3,2]", "left": "true", "adjoint": "false"},
    "t_lu_unpack": {"LU_data": "lu", "LU_pivots": "lu_pivots", "unpack_data": "true", "unpack_pivots": "true"},
    "linalg_ldl_solve": {"LD": "ldl", "pivots": "ldl_pivots", "B": "f32[3,2]"},
    "t_normal": {"mean": "number", "std": "number", "size": "2,3", "options": "NULL"},
    "linalg_multi_dot": {"tensors": "matrices"},
    "F_embedding_bag": {"input": "i64[2,3]", "weight": "f32[5,2]", "offsets": "NULL", "options": "NULL"},
    "plt_savefig": {"fname": "figure.svg", "options": "NULL"},
    "tokenizers_train": {"files": "file_names", "options": "NULL"},
    "t_histogramdd": {"x": "f32[5,2]", "bins": "edges", "range": "NULL", "weight": "NULL"},
    "t_set_rng_state": {"new_state": "generator_state"},
    "t_generator_set_state": {"new_state": "generator_state"},
    "t_tape_html": {"x": "loss", "path": "tape.html"},
    "t_autograd_forward_ad_make_dual": {"tensor": "f32[3]", "tangent": "f32[3]"},
    "io_decode_image": {"input": "png_bytes"},
    "io_decode_png": {"input": "png_bytes"},
    "io_decode_jpeg": {"input": "jpeg_bytes", "options": "NULL"},
    "TF_pil_to_tensor": {"pic": "pil_image"},
    "TF_to_grayscale": {"img": "pil_image", "num_output_channels": "3"},
    "TF_elastic_transform": {"img": "f32[3,6,7]", "displacement": "f32[1,6,7,2]", "interpolation": "0", "fill": "NULL"},
    "transforms_ColorJitter_new": dict.fromkeys(["brightness", "contrast", "saturation", "hue"], "NULL"),
    "datasets_DatasetFolder_new": {"root": "folder", "options": "folder_options"},
    "nn_subclass_new": {"bytes": "400", "type": "Thing", "parent": "linear"},
    "nn_super_forward": {"self": "subclass", "x": "f32[4,2]"},
    "nn_super_forward2": {"self": "subclass2", "a": "f32[4,2]", "b": "f32[4,2]"},
    "nn_get_key_of": {"dict": "module_dict", "key": "a", "type": "nn_Linear", "bytes": "linear_bytes"},
    "nn_get_of": {"list": "module_list", "index": "0", "type": "nn_Linear", "bytes": "linear_bytes"},
    "F_multi_head_attention_forward": {
        "query": "f32[3,2,4]",
        "key": "f32[5,2,4]",
        "value": "f32[5,2,4]",
        "embed_dim_to_check": "4",
        "num_heads": "2",
        "in_proj_weight": "f32[12,4]",
        "in_proj_bias": "f32[12]",
        "bias_k": "NULL",
        "bias_v": "NULL",
        "add_zero_attn": "false",
        "dropout_p": "0",
        "out_proj_weight": "f32[4,4]",
        "out_proj_bias": "f32[4]",
        "options": "NULL",
    },
    "F_max_unpool3d": {
        "x": "f32[1,2,1,1,1]",
        "indices": "zero_indices",
        "options": "pool3d_options",
        "output_size": "NULL",
    },
    "F_fractional_max_pool3d": {"x": "f32[1,2,9,9,9]", "options": "fractional_options"},
    "nn_utils_fuse_conv_bn_eval": {"conv": "conv", "bn": "batch_norm", "transpose": "false"},
    "nn_utils_fuse_linear_bn_eval": {"linear": "linear", "bn": "batch_norm"},
    "nn_MaxUnpool1d_call": {"x": "f32[1,2,3]", "indices": "i64[1,2,3]", "output_size": "NULL"},
    "nn_MaxUnpool2d_call": {"x": "f32[1,2,3,3]", "indices": "i64[1,2,3,3]", "output_size": "NULL"},
    "nn_MaxUnpool3d_call": {"x": "f32[1,2,1,1,1]", "indices": "zero_indices", "output_size": "NULL"},
    "nn_utils_parametrize_remove_parametrizations": {"module": "orthogonal", "tensor_name": "weight"},
    "nn_utils_parametrize_right_inverse": {"module": "orthogonal", "tensor_name": "weight", "value": "f32[3,2]"},
    "nn_utils_remove_spectral_norm": {"module": "spectral_normed", "name": "weight"},
    "nn_utils_remove_weight_norm": {"module": "weight_normed", "name": "weight"},
    "nn_utils_prune_remove": {"module": "pruned", "name": "weight"},
    "nn_HiddenState_detach": {"state": "hidden_state"},
    "nn_HiddenState_clear": {"state": "hidden_state"},
    "nn_RNN_call_packed": {"self": "rnn", "x": "packed", "states": "NULL"},
    "nn_LSTM_call_packed": {"self": "lstm", "x": "packed", "states": "NULL"},
    "nn_GRU_call_packed": {"self": "gru", "x": "packed", "states": "NULL"},
    "nn_Decoder_call": {"self": "decoder", "ids": "token_ids", "memory": "memory"}
    | dict.fromkeys(["src_mask", "tgt_mask"], "NULL"),
    "nn_EncoderDecoder_decode": {"self": "encoder_decoder", "tgt": "token_ids", "memory": "memory"}
    | dict.fromkeys(["src_mask", "tgt_mask"], "NULL"),
    "optim_state": {"optimizer": "optimizer", "p": "weight", "name": "momentum_buffer"},
    "optim_set_state": {"optimizer": "own_optimizer", "p": "weight", "name": "sum", "x": "f32[3,2]"},
    "optim_SequentialLR_new": {"schedulers": "schedulers", "milestones": "2"},
    "amp_unscale_": {"scaler": "grad_scaler", "optimizer": "optimizer"},
    "amp_step": {"scaler": "grad_scaler", "optimizer": "optimizer"},
    "amp_update": {"scaler": "grad_scaler", "new_scale": "2"},
    "data_sampler_batches": {"sampler": "batch_sampler"},
    "profiler_step": {"prof": "running_profile"},
    "profiler_export_stacks": {"prof": "finished_profile", "metric": "self_cpu_time_total"},
    "profiler_export_memory_timeline": {"prof": "finished_profile", "path": "timeline.json"},
    "pd_groupby_stat": {"df": "frame", "by": "a", "column": "b"},
    "pd_groupby_agg": {"df": "frame", "options": "aggregations"},
    "tensorboard_scalars": {"events": "events", "tag": "loss"},
    "tensorboard_add_onnx_graph": {"prototxt": "right.onnx"},
    "torchtext_map_next": {"map": "map"},
    "data_bar": {"loader": "loader_with_a_bar"},
    "sklearn_OneHotEncoder_transform": {"encoder": "fitted_one_hot_encoder", "x": "text_frame"},
    "sklearn_OneHotEncoder_inverse_transform": {"encoder": "fitted_one_hot_encoder", "x": "f32[3,2]"},
    "sklearn_OrdinalEncoder_transform": {"encoder": "fitted_ordinal_encoder", "x": "text_frame"},
    "sklearn_SimpleImputer_transform": {"imputer": "fitted_imputer", "x": "number_frame"},
    "sklearn_SimpleImputer_transform_tensor": {"imputer": "fitted_tensor_imputer", "x": "f32[3,2]"},
    "sklearn_LabelEncoder_transform": {"encoder": "fitted_label_encoder", "labels": "texts"},
}
SPECS |= {f"data_{name}": {"batch": "running_batch"} for name in "iter_next iter_end item text batch_dict".split()}
SPECS["data_item"] |= {"name": "x"}
SPECS["data_text"] |= {"name": "note", "index": "0"}
SPECS |= {f"data_{name}": {"loader": "loader"} for name in ("iter", "first")}
SPECS |= {f"t_{name}": {"ctx": "context_of_a_rule"} for name in ("saved_tensor", "needs_input_grad", "attributes")}
SPECS["t_release"] = {"x": "retained"}
SPECS["t_unwind"] = {"mark": "mark"}

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
        pd_iat_text data_get_worker_info optim_state""",
    # makes what the scope does not release; a grad that depends on its leaf is a cycle of the caller's
    "f_keeps": """t_keep_object t_keep_as_object t_keep_forever t_keep_object_in t_keep_as_object_in t_retain
        t_scope_close t_set_grad t_backward t_autograd_backward""",
    # run a forward, of a lazy module or one in place; a function of the user in place, as far as it got; a loader
    "f_changes": """nn_summary nn_call tensorboard_add_graph onnx_export onnx_export_bytes t_apply_ t_map_ t_map2_
        t_func_functional_call optim_update_bn nn_utils_parametrize_register_parametrization""",
    # writes to the tensors of a const list, by its purpose
    "f_writes": """nn_utils_vector_to_parameters t_apply_outputs nn_utils_clip_grad_norm_ nn_utils_clip_grad_value_
        nn_utils_clip_grads_with_norm_""",
    "f_frees": "",
    "f_global": "t_set_tape_values t_set_teach",
    "f_fails": "t_fail", # by its purpose
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
    "f_fails": 4096,
    "f_large": 8192,
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
        r"nn_summary|onnx_export(_bytes)?|tensorboard_add_graph|optim_update_bn|t_func_functional_call|t_tape_html|"
        r"nn_utils_parametrize_register_parametrization",
        name,
    ):
        # a forward that fails has drawn, as in PyTorch; t_tape_html puts back what will be drawn, not each byte
        found |= VALUES["f_draws"]
    if SLOW.fullmatch(name):
        found |= 256
    if HEAVY.fullmatch(name):
        found |= 1024
    if LARGE.fullmatch(name):
        found |= VALUES["f_large"]
    return found
