"""Writes checkpoints.txt: state dicts of PyTorch's optimizers and schedulers, flat under dotted names, and where the
runs that they are of end; and states of its generator. tests/optim/test_optim_state.c, test_scheduler_state.c and
test_rng_state.c compare.

    python record_checkpoints.py     needs torch; make check never runs it

Each optimizer of OPTIMIZERS has two groups, of p0 and of p1 and p2 (which never gets a gradient), takes 3 steps, saves,
and takes 3 more. Each schedule of record_schedules.py is saved after 17 of its epochs."""

import os

import torch
from torch.optim import lr_scheduler as lrs

import record_optimizers
import record_schedules
import rule

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_THERE = {
    "foreach",
    "fused",
    "capturable",
    "differentiable",  # ways to compute
    "_is_initial",
    "_get_lr_called_within_step",
    "mode_worse",
    "default_min_lr",
    "al",
}  # of no use when nothing runs
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "sgd_momentum": lambda p: torch.optim.SGD(p, 0.1, 0.9, nesterov=True, weight_decay=0.01),
    "sgd_dampening": lambda p: torch.optim.SGD(p, 0.1, 0.5, 0.3, maximize=True),
    "adam": lambda p: torch.optim.Adam(p, 0.01),
    "adam_amsgrad": lambda p: torch.optim.Adam(p, 0.01, (0.8, 0.95), amsgrad=True, weight_decay=0.1),
    "adamw": lambda p: torch.optim.AdamW(p, 0.01),
    "rmsprop": lambda p: torch.optim.RMSprop(p),
    "rmsprop_momentum": lambda p: torch.optim.RMSprop(p, momentum=0.5),
    "rmsprop_centered": lambda p: torch.optim.RMSprop(p, 0.02, 0.9, momentum=0.5, centered=True),
    "adagrad": lambda p: torch.optim.Adagrad(p, 0.1, 0.1, initial_accumulator_value=0.5),
    "adadelta": lambda p: torch.optim.Adadelta(p),
    "adamax": lambda p: torch.optim.Adamax(p, 0.01, (0.8, 0.95), weight_decay=0.1),
    "nadam": lambda p: torch.optim.NAdam(p, 0.01, decoupled_weight_decay=True, weight_decay=0.1),
    "radam": lambda p: torch.optim.RAdam(p, 0.1, (0.5, 0.8)),
    "asgd": lambda p: torch.optim.ASGD(p, 0.1, lambd=0.01, t0=2),
    "rprop": lambda p: torch.optim.Rprop(p, 0.1, (0.4, 1.5), (1e-3, 2)),
}


def flat(value, name=""):
    """{"a": {"b": [1, 2]}} as {"a.b.0": 1, "a.b.1": 2}, without None's; an empty dict is "{}", as in tapegrad."""
    if isinstance(value, (dict, list, tuple)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        out = {}
        for key, inner in items:
            if str(key) in NOT_THERE or (inner is None and key != 0 and not name.endswith("lr_lambdas")):
                continue
            out.update(flat(inner, f"{name}.{key}" if name else str(key)))
        return out if out or not name else {name: "{}"}
    return {name: value}


def write(file, state):
    items = flat(state)
    file.write("names " + " ".join(items) + "\n")
    for name, value in items.items():
        if isinstance(value, str) or value is None:
            file.write(f"{name} text {value}\n")
            continue
        tensor = value if isinstance(value, torch.Tensor) else torch.tensor(value, dtype=torch.float64)
        rule.write_array(file, name, tensor.double())


def steps(key, optimizer, params, first):
    for step in range(first, first + 3):
        for i, p in enumerate(params[:2]):
            p.grad = rule.hashed_tensor("R", p.shape, rule.seed_of(key), 10 * step + i, torch.float64)
        optimizer.step()


def main():
    with open(os.path.join(HERE, "checkpoints.txt"), "w") as file:
        for key, make in OPTIMIZERS.items():
            shapes = [(2, 3), (4,), (2,)]
            params = [
                rule.hashed_tensor("r", shape, rule.seed_of(key), i, torch.float64) for i, shape in enumerate(shapes)
            ]
            optimizer = make([{"params": params[:1]}, {"params": params[1:], "lr": 0.02}])
            file.write(f"= {key} at first\n")
            write(file, optimizer.state_dict())
            steps(key, optimizer, params, 1)
            file.write(f"= {key}\n")
            write(file, optimizer.state_dict())
            for i, p in enumerate(params):
                rule.write_array(file, f"p{i}", p.detach())
            steps(key, optimizer, params, 4)
            for i, p in enumerate(params):
                rule.write_array(file, f"end{i}", p.detach())
        params, loss = record_optimizers.lbfgs_problem("quadratic", rule.seed_of("lbfgs"), torch.float64)
        optimizer = torch.optim.LBFGS(params, max_iter=3, history_size=4, line_search_fn="strong_wolfe")
        closure = record_optimizers.closure_of(optimizer, loss, 1)
        file.write("= lbfgs at first\n")
        write(file, optimizer.state_dict())
        optimizer.step(closure)
        optimizer.step(closure)
        file.write("= lbfgs\n")
        write(file, optimizer.state_dict())
        for i, p in enumerate(params):
            rule.write_array(file, f"p{i}", p.detach())
        optimizer.step(closure)
        for i, p in enumerate(params):
            rule.write_array(file, f"end{i}", p.detach())
        for key, make in record_schedules.SCHEDULES.items():
            optimizer = record_schedules.optimizer_for(key)
            scheduler = make(optimizer, -1)
            for epoch in range(17):
                optimizer.step()
                (
                    scheduler.step(record_schedules.metric(epoch))
                    if isinstance(scheduler, lrs.ReduceLROnPlateau)
                    else scheduler.step()
                )
            file.write(f"= {key}\n" if key not in OPTIMIZERS else f"= schedule {key}\n")
            write(file, scheduler.state_dict())
        torch.manual_seed(42)
        for key, draw in (
            ("seeded", None),
            ("one word", lambda: torch.rand(1)),
            ("a block", lambda: torch.rand(623)),
            ("another", lambda: torch.rand(1)),
            ("a normal waits", lambda: torch.randn(1)),
            ("it is taken", lambda: torch.randn(1)),
            ("later", lambda: (torch.rand(10000), torch.randn(3))),
        ):
            if draw:
                draw()
            file.write(f"= generator: {key}\n")
            state = torch.get_rng_state()
            rule.write_array(file, "state", state.long())
            rule.write_array(file, "next", torch.randn(3, dtype=torch.float64))
            torch.set_rng_state(state)


if __name__ == "__main__":
    main()
