"""Writes examples/PARITY.md: every public name of torch, Tensor, nn, nn.functional, optim and their like, and its
C counterpart.

    python tests/golden/parity.py     from the root of the tree; needs torch and torchvision

The C names are read from the headers: by the porting rule torch.x is t_x, nn.X is nn_X and so on; OTHER_NAMES lists the
exceptions. A name without a counterpart is listed under the first of the REASONS that matches it."""

import glob
import re
import sys
import types
import warnings

import torch
import torch.distributions
import torchvision.datasets
import torchvision.io
import torchvision.transforms.functional
import torchvision.utils
import torch.onnx
import torch.profiler
import torchvision.models

import parity_tables

warnings.filterwarnings("ignore")

# The functions of that package's page; the package need not be here.
SAFETENSORS = types.SimpleNamespace(
    **dict.fromkeys(["load", "load_file", "load_model", "save", "save_file", "save_model"])
)

def own(module):
    """A module's own names, without what it imports."""
    return types.SimpleNamespace(
        **{n: x for n, x in vars(module).items() if getattr(x, "__module__", "").startswith(module.__name__)}
    )


SPACES = [  # title, module, prefix here
    ("torch", torch, "t_"),
    ("torch.Tensor", torch.Tensor, "t_"),
    ("torch.special", torch.special, "special_"),
    ("torch.autograd", torch.autograd, "t_autograd_"),
    ("torch.nn", torch.nn, "nn_"),
    ("torch.nn.functional", torch.nn.functional, "F_"),
    ("torch.nn.init", torch.nn.init, "nn_init_"),
    ("torch.nn.utils", torch.nn.utils, "nn_utils_"),
    ("torch.optim", torch.optim, "optim_"),
    ("torch.optim.lr_scheduler", torch.optim.lr_scheduler, "optim_"),
    ("torch.optim.swa_utils", torch.optim.swa_utils, "optim_"),
    ("torch.amp.GradScaler", torch.amp.GradScaler, "amp_"),
    ("torch.utils.data", torch.utils.data, "data_"),
    ("torch.distributions", torch.distributions, "distributions_"),
    ("torch.profiler", torch.profiler, "profiler_"),
    ("safetensors.torch", SAFETENSORS, "safetensors_"),
    ("torchvision.transforms", own(torchvision.transforms), "transforms_"),
    ("torchvision.transforms.functional", own(torchvision.transforms.functional), "TF_"),
    ("torchvision.datasets", own(torchvision.datasets), "datasets_"),
    ("torchvision.models", torchvision.models, "models_"),
    ("torchvision.io", own(torchvision.io), "io_"),
    ("torchvision.utils", own(torchvision.utils), "utils_"),
    ("torch.onnx", torch.onnx, "onnx_"),
]

OTHER_NAMES = {
    "torchvision.io": {"ImageReadMode": "io_ImageOptions"},
    "torch.profiler": {"record_function": "with_record_function"},
    "torch": {
        "Tensor": "Tensor",
        "Generator": "t_Generator",
        "Size": "t_shape",
        "no_grad": "with_no_grad",
        "enable_grad": "with_enable_grad",
        "autocast": "with_autocast",
        "is_autocast_cache_enabled": "t_is_autocast_cache_enabled",
        "set_autocast_cache_enabled": "t_set_autocast_cache_enabled",
        "clear_autocast_cache": "t_clear_autocast_cache",
        "GradScaler": "amp_GradScaler",
        "is_autocast_cpu_enabled": "t_is_autocast_enabled",
        "get_autocast_cpu_dtype": "t_get_autocast_dtype",
        "set_autocast_enabled": "t_set_autocast",
        "set_autocast_dtype": "t_set_autocast",
        "set_autocast_cpu_enabled": "t_set_autocast",
        "set_autocast_cpu_dtype": "t_set_autocast",
        "vmap": "t_func_vmap",
        "inference_mode": "with_inference_mode",
        "ModuleDict": "nn_ModuleDict",
        "ParameterDict": "nn_ParameterDict",
        "range": "t_arange",
        "from_numpy": "t_tensor",
        "as_tensor": "t_tensor",
        "asarray": "t_tensor",
        "scalar_tensor": "t_tensor",
        "frombuffer": "t_tensor",
        "typename": "t_dtype",
        "is_nonzero": "t_is_true",
        "set_anomaly_enabled": "t_set_detect_anomaly",
        "is_anomaly_enabled": "t_is_anomaly_enabled",
        "seed": "t_manual_seed",
        "rsub": "t_sub",
        "inf": "INFINITY",
        "nan": "NAN",
        "pi": "M_PI",
        "e": "M_E",
        "newaxis": "t_at",
        "float32": "t_float32",
        "float64": "t_float64",
        **{name: "t_" + name for name in "int64 int32 int16 int8 uint8 float16".split()},
        "bool": "t_bool",
        "float": "t_float32",
        "double": "t_float64",
        "long": "t_int64",
        "half": "t_float16",
        "int": "t_int32",
        "short": "t_int16",
        "dtype": "t_DType",
        "numel": "t_numel",
        "split_with_sizes": "t_split_with_sizes",
        **{name + "Tensor": "t_tensor" for name in "Bool Byte Char Short Int Long Half BFloat16 Float Double".split()},
        "negative": "t_neg",
    },
    "torch.Tensor": {
        "T": "t_t",
        "ndim": "t_dim",
        "shape": "t_shape",
        "data_ptr": "t_data_ptr_mut",
        "const_data_ptr": "t_data_ptr",
        "numpy": "t_data_ptr",
        "is_nonzero": "t_is_true",
        "cpu": "t_detach",
        "new": "t_new_tensor",
        "itemsize": "t_element_size",
        "type": "t_to",
        "bool": "t_bool",
        "grad": "t_grad",
    },
    "torch.autograd": {
        "Function": "t_Function",
        "Variable": "Tensor",
        "no_grad": "with_no_grad",
        "enable_grad": "with_enable_grad",
        "gradcheck": "t_gradcheck",
        "gradgradcheck": "t_gradgradcheck",
        "set_grad_enabled": "t_set_grad_enabled",
        "detect_anomaly": "with_detect_anomaly",
        "inference_mode": "with_inference_mode",
        "set_detect_anomaly": "t_set_detect_anomaly",
    },
    "torch.nn": {
        "Module": "nn_Module",
        "Parameter": "nn_Parameter",
        "Buffer": "nn_register_buffer",
        "RNNBase": "nn_Recurrent",
        "RNNCellBase": "nn_RecurrentCell",
    },
    "torch.utils.data": {"default_convert": "t_tensor"},
    "torch.optim": {"Optimizer": "optim_Optimizer"},
    "torch.optim.lr_scheduler": {"LRScheduler": "optim_LRScheduler"},
}

REASONS = [  # why a name is missing, and a pattern of these names
    (
        "other devices, and torch's own observers of its dispatcher (there is the processor only, whose memory "
        "`profiler_memory_peak` names; torch.accelerator.max_memory_allocated is 0 without an accelerator)",
        r"^(CuspyConfig|ExecutionTraceObserver|PerformanceMetricsConfig|RecordScope|is_fbcode|supported_activities|"
        r"register_optimizer_step_post_hook)$",
    ),
    (
        "torchvision's enums of weights (the option `weights` takes their names; `models_get_weight`) and other models",
        r"_Weights$|^WeightsEnum$|^(convnext|densenet|efficientnet|googlenet|inception|maxvit|mnasnet|mobilenet_v3)|"
        r"^(regnet|shufflenet|squeezenet|swin)|^(ConvNeXt|DenseNet|EfficientNet|GoogLeNet|Inception3|MaxVit|MNASNet)|"
        r"^(MobileNetV3|RegNet|ShuffleNetV2|SqueezeNet|SwinTransformer|GoogLeNetOutputs|InceptionOutputs)|"
        r"^(get_model|get_model_builder|list_models)$",
    ),
    (
        "Python's own: typing, classes and helpers that the module exposes",
        r"TYPE_CHECKING|LinAlgError|^ExponentialFamily$|^register_kl$|"
        r"Callable|Optional|Literal|ParamSpec|TypeVar|TypedDict|SupportsFloat|Counter|annotations|"
        r"bisect_right|^cast$|"
        r"partial|^ref$|wraps|override|^Self$|^Any$|BroadcastingList|DType|ScalingType|SwizzleType|_notes$|"
        r"boolean_dispatch|"
        r"handle_torch_function|has_torch_function|assert_int|GRID_SAMPLE|classproperty|factory_kwargs|"
        r"^(multi_dim_)?common(_args)?$|"
        r"EPOCH_DEPRECATION|^Tensor$|"
        r"prepare_multiprocessing|^index$|^parse_|unify_type|merge_type|get_file_path|USE_|PRIVATE_OPS|^AVG$|^SUM$|"
        r"Iterable|"
        r"Sequence|^T$|^T_co$|^inf$|^deepcopy$|^Module$|PARAM_LIST|Mapping|overload|NestedIO|is_tensor",
    ),
    (
        "the compiler, the tracer and the runtime underneath (JIT, export, dispatch, symbolic shapes, storages, "
        "profiling)",
        r"Type$|^Script|Script|JIT|Graph|Alias|Argument|Schema|Capsule|Code$|Compil|Compilation|CallStack|Concrete|"
        r"Dispatch|DisableTorch|LinearCrossEntropyOptions|"
        r"DeepCopyMemo|Serialization|ErrorReport|^Event|^Stream|Future|IODescriptor|Import|import_ir|LiteScript|Logger|"
        r"OperatorInfo|"
        r"PyTorchFile|StaticModule|Storage|^Sym|sym_|Tag$|Throughput|Benchmark|Tracing|^Use$|^Value$|^Node$|^Block$|"
        r"^Type$|BufferDict|"
        r"ExecutionPlan|FatalError|FileCheck|^Gradient$|AggregationType|AcceleratorError|OutOfMemoryError|compile|"
        r"while_loop|^cond$|vmap|"
        r"fork|^wait$|hash_tensor|thread_safe_generator|compiled_with|is_vulkan|profiler|ExcludeDispatch|layout|"
        r"memory_format|"
        r"channels_last|contiguous_format|preserve_format|strided$|device|Device|get_float32|set_float32|num_interop|"
        r"deterministic|"
        r"warn_always|set_flush|default_generator|init_num_threads|(?<!index)_copy$|^unsafe_|untyped|output_nr|"
        r"volatile|reinforce|as_subclass|"
        r"module_load|^name$|^names$|has_names|share_memory|is_shared|pin_memory|is_pinned|record_stream|is_set_to|"
        r"^set_$|dim_order|"
        r"map_$|map2_|apply_|const_data|storage|is_inference|inference_mode|grad_dtype|swap_in_optimizer|^function$|"
        r"^graph$|forward_ad|"
        r"profiler|saved_tensors|Kineto|Profiler|ProfilerState|^variable$|is_storage|native_|slice_inverse|"
        r"is_distributed|"
        r"set_default_tensor_type|is_same_size|is_inference|DataChunk|IterDataPipe|MapDataPipe|DFIter|datapipe|"
        r"_DatasetKind|argument_validation|runtime_validation|multithreading|view_replay|kineto|SavedTensor|from_file",
    ),
    (
        "complex numbers, and the Fourier transforms",
        r"complex|[Cc]omplex|conj|imag(?!e)|angle|polar|cdouble|cfloat|chalf|^mH$|^H$|adjoint|resolve_|"
        r"^eig$|^eigvals$|is_neg|view_as_real|isreal|vdot|stft|^real$",
    ),
    (
        "sparse, quantized, nested and packed tensors",
        r"sparse|[Ss]parse|quantize|qint|quint|q_|qscheme|per_channel|per_tensor|int_repr|fbgemm|dequantize|nested|"
        r"jagged|coalesce|"
        r"crow_indices|col_indices|row_indices|^indices$|^values$|dense|hsmm|spmm|^smm$|sspaddmm|dsmm|hspmm|saddmm|"
        r"fake_quant|"
        r"moving_avg|qparams|padded_tensor",
    ),
    (
        "dtypes: unsigned integers but uint8, integers of less than 8 bits, float8 and float4",
        r"^u?int\d+$|float8|float4|^bits?[\dx]*$",
    ),
    (
        "devices and other backends, and autocast's for them",
        r"^skip_init$|"
        r"cuda|cudnn|miopen|mkldnn|mps|xpu|xla|(^|_)ipu|maia|mtia|vulkan|is_cpu|is_meta|autocast|get_device|"
        r"^to_dlpack|from_dlpack|"
        r"has_mkl|has_lapack|has_openmp|has_spectral|lp_parallel|SyncBatch|DataParallel|scaled_mm|scaled_grouped|"
        r"grouped_mm|scaled_addmm|prefetch",
    ),
    (
        "decompositions and solvers that torch.linalg supersedes (prefix `linalg_`), and rarer ones",
        r"cholesky|symeig|geqrf|lobpcg|lstsq|^lu|matrix_rank|ormqr|^qr$|^solve$|svd|triangular_solve|pca_lowrank",
    ),
    (
        "the functions underneath nn and nn.functional",
        r"affine_grid_generator|^batch_norm_|constant_pad_nd|^convolution$|embedding_renorm_|grid_sampler|"
        r"^(gru|lstm|rnn_relu|rnn_tanh)(_cell)?$|^(frobenius|nuclear)_norm$|dropout_$|^feature_dropout$",
    ),
    (
        "deprecated or superseded names",
        r"^uniform$|^normal$|^constant$|^eye$|^dirac$|^xavier_\w+[^_]$|^kaiming_\w+[^_]$|^orthogonal$|^sparse$|"
        r"^upsample|UpsamplingN|UpsamplingB|clip_grad_norm$|NLLLoss2d|Container|_with_indices$|CrossMapLRN|"
        r"norm_except_dim|^resize(_as)?$",
    ),
    ("shapes that are only known at the first call", r"^Lazy|Uninitialized"),
]


def available():
    """Public names: functions of the headers, their macros, and types."""
    names = set()
    for path in (
        [p for p in glob.glob("core/**/*.h", recursive=True)
         if not p.startswith(("core/plot", "core/python", "core/text"))]
        + glob.glob("nn/**/*.h", recursive=True)
        + glob.glob("optim/**/*.h", recursive=True)
    ):
        text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
        names |= set(re.findall(r"^T_API[^;(]*?\b(\w+)\(", text, re.M)) | set(
            re.findall(r"#define ([a-zA-Z]\w*[a-z_\d])\(", text)
        )
        names |= set(re.findall(r"^} (\w+);", text, re.M)) | set(re.findall(r"^typedef struct \w+ (\w+);", text, re.M))
        names |= set(re.findall(r"\b(t_(?:b?float\d+|u?int\d+|bool))\b", text))
        names |= set(re.findall(r"^#define ((?:t|linalg|special)_\w+) (?:t|linalg|special)_\w+ *$", text, re.M))
    names |= {"INFINITY", "NAN", "M_PI", "M_E"}
    plain = {name[:-4] for name in names if name.endswith("_new")}
    return {
        n
        for n in names | plain
        if not re.match(r"tg_|T_|OPTIM_|DISTRIBUTIONS_|t__", n)
        and not re.match(r"\w_?\w*[A-Z]\w*[a-z]\w*_$|\w+_[A-Z_\d]+_$|\w+_of_$", n)
    }


def public(module):
    return sorted(
        (
            n
            for n in dir(module)
            if not n.startswith("_") and not isinstance(getattr(module, n, None), types.ModuleType)
        ),
        key=str.lower,
    )


def reason(name):
    for text, pattern in REASONS:
        if re.search(pattern, name):
            return text
    return "not built so far"


def section(title, module, prefix, names, used):
    rule, otherwise, missing = [], [], {}
    for name in public(module):
        other = OTHER_NAMES.get(title, {}).get(name)
        candidates = (
            [other]
            if other
            else [prefix + name]
            + {"torch": ["F_" + name], "torch.Tensor": ["F_" + name], "torch.autograd": ["t_" + name]}.get(title, [])
        )
        found = next((c for c in candidates if c in names), None)
        if found:
            used.add(found)
            (rule if found == prefix + name else otherwise).append((name, found))
        else:
            missing.setdefault(reason(name), []).append(name)
    count = len(rule) + len(otherwise)
    lines = [f"## {title}: {count} of {count + sum(map(len, missing.values()))} names", ""]
    if rule:
        lines += [f"By the porting rule (prefix `{prefix}`): " + " ".join(f"`{n}`" for n, _ in rule) + ".", ""]
    if otherwise:
        lines += ["Under another name: " + ", ".join(f"`{n}` is `{f}`" for n, f in otherwise) + ".", ""]
    for text in [r for r, _ in REASONS] + ["not built so far"]:
        if text in missing:
            lines += [f"Left out, {text} ({len(missing[text])}): " + " ".join(missing[text]) + ".", ""]
    return lines, count


def wrapped(text):
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) > 126:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return lines + [line]


def main():
    names, used, body, total = available(), set(), [], []
    for title, module, prefix in SPACES:
        lines, count = section(title, module, prefix, names, used)
        body += lines
        total.append(f"{title} {count}")
    lines, code, counts = parity_tables.tables()
    used.update(re.findall(r"\w+", " ".join(re.findall("`[^`]*`", " ".join(code)))))
    body += lines + parity_tables.arguments()
    total += counts
    version = open("tests/golden/VERSION").read().strip()
    own = sorted(
        n
        for n in names - used
        if re.match(
            r"(t|special|F|nn|optim|amp|data|distributions|profiler|safetensors|np|transforms|TF|"
            r"datasets|models|onnx|io|utils|tensorboard|tqdm|loggers)_|with_|for_",
            n,
        )
        and not re.search(r"_new$|Options$|_parentheses_$|^F_[A-Z_\d]+$", n)
    )
    head = [
        "# PyTorch's names and their C counterparts",
        "",
        f"Every public name of the PyTorch that the tests compare with ({version}), and its C counterpart. This page "
        f"is written by "
        "`tests/golden/parity.py` from PyTorch's modules and this tree's headers; `make check` fails if a function of "
        "the headers is "
        "not on it. For a function that is in torch and in torch.nn.functional (torch.dropout) the second is listed. "
        "The "
        "tables come from `tests/golden/parity_tables.py`; their C lines are compiled in "
        "`tests/programs/guide_parity.c`.",
        "",
        "Available: " + ", ".join(total) + ".",
        "",
        parity_tables.EVERYWHERE,
        "",
    ]
    tail = [
        "## Names of tapegrad's own",
        "",
        "For Python's syntax, operators and other types of arguments, and for what C needs (each `nn_X` and `optim_X` "
        "also has a "
        "plain constructor `nn_X_new` and a struct of options): " + " ".join(f"`{n}`" for n in own) + ".",
        "",
    ]
    with open("examples/PARITY.md", "w") as file:
        for line in head + body + tail:
            file.write("\n".join([line] if line.startswith("|") else wrapped(line)) + "\n")
    print(", ".join(total))


if __name__ == "__main__":
    sys.exit(main())
