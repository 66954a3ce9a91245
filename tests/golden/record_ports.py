"""What the recorders of the tutorials' ports share: one run of a module, and one case in every way it is recorded."""

import torch
from torch import nn

import rule
from record_models import DROPOUT_SEED, ALL_UP_TO, load_hashed, write_some, write_all


def run_module(file, run, module, inputs, watch, key, scale=1, gradients=True, all_up_to=ALL_UP_TO, samples=32):
    """Writes y, the weights that watch(module) sees, and the gradients under a hashed dy / scale."""
    with watch(module) as seen:
        torch.manual_seed(DROPOUT_SEED)
        y = module(*inputs)
    write_all(file, f"{run}.next", torch.rand(2))
    write_some(file, f"{run}.y", y)
    for name, w in seen.items():
        write_some(file, f"{run}.w:{name}", w, all_up_to, samples)
    if not gradients:
        write_all(file, f"{run}.values_only", True)
        return
    y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of(key), 100, y.dtype) / scale)
    for name, p in module.named_parameters():
        write_some(file, f"{run}.g:{name}", p.grad, 32, samples)
    for k, x in enumerate(inputs):
        if torch.is_tensor(x) and x.requires_grad:
            write_some(file, f"{run}.x{k}", x.grad)


def record_case(file, tutorial, label, make, text, modes, watch, all_up_to=ALL_UP_TO):
    """In float32 and float64, in eval mode and (where it has dropout) in training mode, for each of the modes of
    FIXED."""
    key = f"{label} {text}"
    file.write(f"= {key}\n")
    random = any(isinstance(m, nn.Dropout) for m in make().modules())
    for run in ("32e", "32t", "64e", "64t") if random else ("32e", "64e"):
        for tutorial.FIXED in modes:
            real = torch.float32 if run.startswith("32") else torch.float64
            module = make().to(real).train(run[2] == "t")
            load_hashed(module, key)
            inputs = rule.make_inputs(text, rule.seed_of(key), real)
            run_module(
                file,
                run + "F" * tutorial.FIXED,
                module,
                inputs,
                watch,
                key,
                1,
                run in ("32t", "64e") or not random,
                all_up_to,
            )
