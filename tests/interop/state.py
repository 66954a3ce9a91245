"""State dicts between tapegrad and a real PyTorch, in both directions, by files that the safetensors package reads and
writes: every module of tests/support/models/state_modules.h (strict=True, outputs to 1e-5), every optimizer in the
middle of a run, and the random generator.

    make interop     or, from the root,     python tests/interop/state.py build/tests/interop_state

Needs torch and safetensors.
"""

import os
import re
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.nn as nn
from safetensors.torch import load_file, save_file

warnings.filterwarnings("ignore")
torch.backends.mha.set_fastpath_enabled(False)
HERE = os.path.dirname(os.path.abspath(__file__))
program = sys.argv[1]
TEXTS = re.findall(r'X\("(nn\.[^"]*)"', open(os.path.join(HERE, "..", "support/models/state_modules.h")).read())
OPTIMIZERS = {
    "SGD": dict(lr=0.1, momentum=0.9, nesterov=True),
    "Adam": dict(lr=0.01, amsgrad=True),
    "AdamW": dict(lr=0.02),
    "RMSprop": dict(lr=0.01, momentum=0.5, centered=True),
    "Adagrad": dict(lr=0.1, lr_decay=0.1),
    "Adadelta": dict(lr=0.5, rho=0.8),
    "Adamax": dict(lr=0.01, weight_decay=0.1),
    "NAdam": dict(lr=0.01, momentum_decay=0.1),
    "RAdam": dict(lr=0.01, betas=(0.8, 0.9)),
    "ASGD": dict(lr=0.1, t0=1),
    "Rprop": dict(lr=0.1, etas=(0.4, 1.3), step_sizes=(1e-3, 1)),
}
failures = []


def flat(value, name=""):
    """{"a": {"b": [1, 2]}} as {"a.b.0": 1, "a.b.1": 2}, without None's."""
    if isinstance(value, dict):
        value = list(value.items())
    elif isinstance(value, (list, tuple)):
        value = list(enumerate(value))
    else:
        return (
            {}
            if value is None
            else {name: torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None)}
        )
    out = {}
    for key, inner in value:
        out.update(flat(inner, f"{name}.{key}" if name else str(key)))
    return out


def nested(items):
    """What torch.optim expects: numbers in the groups, lists where the keys are 0, 1, 2, tensors in the state."""
    tree = {}
    for name, x in items.items():
        *path, last = name.split(".")
        node = tree
        for key in path:
            node = node.setdefault(key, {})
        node[last] = x.item() if name.startswith("param_groups") else x

    def lists(value):
        if not isinstance(value, dict):
            return value
        value = {key: lists(inner) for key, inner in value.items()}
        keys = [str(i) for i in range(len(value))]
        return [value[key] for key in keys] if value and set(keys) == set(value) else value

    groups = lists(tree["param_groups"])
    for group in groups:
        for key in {"betas", "etas", "step_sizes"} & set(group):
            group[key] = tuple(group[key])
        if "history_size" in group:  # LBFGS
            group.setdefault("line_search_fn", None)
    return {"state": {int(key): lists(value) for key, value in tree.get("state", {}).items()}, "param_groups": groups}


def part(items, name):
    return {key[len(name) + 1 :]: x for key, x in items.items() if key.startswith(name + ".")}


def expect_close(what, got, want):
    worst = (got.double() - want.double()).abs().max().item() if got.shape == want.shape else float("inf")
    if not worst <= 1e-5:
        failures.append(what)
        print(f"PyTorch: {what} is off by {worst:g}")


def run(module, items):
    inputs = part(items, "input")
    y = module(*(inputs[key] for key in sorted(inputs)))
    return (y[0] if isinstance(y, tuple) else y).detach()


def steps(optimizer, params, items, first):
    for step in range(first, first + 3):
        for i, p in enumerate(params):
            p.grad = items[f"grad.{step}.{i}"].clone()
        optimizer.step()


def modules(folder):
    for i, text in enumerate(TEXTS):
        items = load_file(f"{folder}/ours_{i}.safetensors")
        module = eval(text)
        module.load_state_dict(part(items, "state"), strict=True)
        module.eval()
        expect_close(text, run(module, items), items["output"])

        torch.manual_seed(1000 + i)
        module = eval(text)
        with torch.no_grad():
            for p in module.parameters():
                p.add_(0.1 * torch.randn_like(p))
            run(module, items)  # updates the statistics of norms
        module.eval()
        out = {key: x for key, x in items.items() if key.startswith("input")}
        out["output"] = run(module, items).contiguous()
        out.update({f"state.{key}": x.clone().contiguous() for key, x in module.state_dict().items()})
        save_file(out, f"{folder}/theirs_{i}.safetensors")


def optimizers(folder):
    for name, options in OPTIMIZERS.items():
        make = getattr(torch.optim, name)
        items = load_file(f"{folder}/ours_{name}.safetensors")
        params = [nn.Parameter(items[f"middle.{i}"].clone()) for i in range(2)]
        optimizer = make(params)  # its hyperparameters come with the state
        optimizer.load_state_dict(nested(part(items, "optimizer")))
        steps(optimizer, params, items, 3)
        for i, p in enumerate(params):
            expect_close(f"{name}'s parameter {i}", p.detach(), items[f"end.{i}"])

        params = [nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(4))]
        out = {f"grad.{step}.{i}": torch.randn_like(p) for step in range(6) for i, p in enumerate(params)}
        optimizer = make(params, **options)
        steps(optimizer, params, out, 0)
        out.update({f"optimizer.{key}": x.clone() for key, x in flat(optimizer.state_dict()).items()})
        out.update({f"middle.{i}": p.detach().clone() for i, p in enumerate(params)})
        steps(optimizer, params, out, 3)
        out.update({f"end.{i}": p.detach().clone() for i, p in enumerate(params)})
        save_file(out, f"{folder}/theirs_{name}.safetensors")


def closure_of(optimizer, params):
    def closure():
        optimizer.zero_grad()
        loss = (torch.cat([params[0].flatten(), params[1]]).square() - 2).square().sum()
        loss.backward()
        return loss

    return closure


def lbfgs(folder):
    items = load_file(f"{folder}/ours_LBFGS.safetensors")
    params = [nn.Parameter(items[f"middle.{i}"].clone()) for i in range(2)]
    optimizer = torch.optim.LBFGS(params)
    optimizer.load_state_dict(nested(part(items, "optimizer")))
    optimizer.step(closure_of(optimizer, params))
    for i, p in enumerate(params):
        expect_close(f"LBFGS's parameter {i}", p.detach(), items[f"end.{i}"])

    params = [nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.randn(4))]
    optimizer = torch.optim.LBFGS(params, lr=0.1, max_iter=4)
    for _ in range(2):
        optimizer.step(closure_of(optimizer, params))
    out = {f"optimizer.{key}": x.clone() for key, x in flat(optimizer.state_dict()).items()}
    out.update({f"middle.{i}": p.detach().clone() for i, p in enumerate(params)})
    optimizer.step(closure_of(optimizer, params))
    out.update({f"end.{i}": p.detach().clone() for i, p in enumerate(params)})
    save_file(out, f"{folder}/theirs_LBFGS.safetensors")


def generator(folder):
    items = load_file(f"{folder}/ours_generator.safetensors")
    torch.set_rng_state(items["state"].to(torch.uint8))
    if not torch.equal(torch.randn(20), items["next"]):
        failures.append("generator")
        print("PyTorch: the generator goes on with other numbers")
    torch.rand(7)
    state = torch.get_rng_state()
    save_file({"state": state, "next": torch.randn(20)}, f"{folder}/theirs_generator.safetensors")


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, "write", folder], check=True)
    modules(folder)
    optimizers(folder)
    lbfgs(folder)
    generator(folder)
    print(
        f"PyTorch {torch.__version__}: {len(TEXTS)} modules, {len(OPTIMIZERS) + 1} optimizers "
        f"and a generator of tapegrad's loaded, {len(failures)} of them off"
    )
    status = subprocess.run([program, "check", folder]).returncode
sys.exit(1 if failures or status else 0)
