"""Writes what PyTorch's schedulers give into schedules.txt next to this file, for tests/optim/test_schedulers.c.

    python record_schedules.py     needs torch; make check never runs it

Each schedule of SCHEDULES runs three times over an SGD (OneCycleLR's `adam` row: an Adam) with two groups, of lr 0.5
and 0.02: plainly for 100 epochs, with the lr set to 0.3 after epochs 13 and 27, and as a new scheduler from epoch 17
on. Written are the lr of group 0 at every epoch, the last of group 1, and the momentum (beta1) where the schedule turns
it."""

import os
import warnings

import torch
from torch.optim import lr_scheduler as lrs
from torch.optim.swa_utils import SWALR

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCHS, FEWER, SET_AFTER, RESUME_AT = 100, 40, (13, 27), 17
warnings.filterwarnings("ignore")


def metric(epoch):
    """Falls, then stays, and falls a little again."""
    return 4.0 - 0.25 * min(epoch, 9) - (0.125 if epoch > 60 else 0.0) + 0.0625 * (epoch % 3)


SCHEDULES = {
    "lambda": lambda o, e: lrs.LambdaLR(o, lambda epoch: 1 / (1 + epoch), e),
    "multiplicative": lambda o, e: lrs.MultiplicativeLR(o, lambda epoch: 1 - 1 / (2 + epoch), e),
    "step": lambda o, e: lrs.StepLR(o, 6, 0.7, e),
    "step_of_one": lambda o, e: lrs.StepLR(o, step_size=1, last_epoch=e),
    "multi_step": lambda o, e: lrs.MultiStepLR(o, [30, 4, 18, 30, 75], 0.3, e),
    "exponential": lambda o, e: lrs.ExponentialLR(o, 0.93, e),
    "constant": lambda o, e: lrs.ConstantLR(o, last_epoch=e),
    "constant_long": lambda o, e: lrs.ConstantLR(o, 0.3, 20, e),
    "linear": lambda o, e: lrs.LinearLR(o, last_epoch=e),
    "linear_down": lambda o, e: lrs.LinearLR(o, 0.9, 0.1, 33, e),
    "polynomial": lambda o, e: lrs.PolynomialLR(o, last_epoch=e),
    "polynomial_long": lambda o, e: lrs.PolynomialLR(o, 50, 1.7, e),
    "cosine": lambda o, e: lrs.CosineAnnealingLR(o, 12, last_epoch=e),
    "cosine_min": lambda o, e: lrs.CosineAnnealingLR(o, T_max=100, eta_min=0.001, last_epoch=e),
    "restarts": lambda o, e: lrs.CosineAnnealingWarmRestarts(o, 10, last_epoch=e),
    "restarts_longer": lambda o, e: lrs.CosineAnnealingWarmRestarts(o, 5, 2, 0.01, e),
    "one_cycle": lambda o, e: lrs.OneCycleLR(o, 0.1, total_steps=100, last_epoch=e),
    "one_cycle_three": lambda o, e: lrs.OneCycleLR(
        o,
        max_lr=2,
        epochs=20,
        steps_per_epoch=6,
        pct_start=0.25,
        anneal_strategy="linear",
        three_phase=True,
        last_epoch=e,
    ),
    "one_cycle_adam": lambda o, e: lrs.OneCycleLR(
        o, [0.1, 0.3], 110, base_momentum=0.7, max_momentum=0.9, div_factor=10, final_div_factor=100, last_epoch=e
    ),
    "one_cycle_still": lambda o, e: lrs.OneCycleLR(o, 0.1, 110, cycle_momentum=False, last_epoch=e),
    "sequential": lambda o, e: lrs.SequentialLR(
        o,
        [
            lrs.LinearLR(o, 0.1, total_iters=8),
            lrs.CosineAnnealingLR(o, 30),
            lrs.ExponentialLR(o, 0.9),
            lrs.StepLR(o, 5),
            lrs.OneCycleLR(o, 0.2, 60),
        ],
        [8, 30, 40, 52],
    ),
    "sequential_others": lambda o, e: lrs.SequentialLR(
        o,
        [
            lrs.ConstantLR(o, 0.5, 3),
            lrs.MultiStepLR(o, [2, 9]),
            lrs.CosineAnnealingWarmRestarts(o, 7),
            lrs.PolynomialLR(o, 9, 2.0),
            lrs.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
        ],
        [5, 17, 38, 50],
    ),
    "cyclic": lambda o, e: lrs.CyclicLR(o, 0.01, 0.2, 7, last_epoch=e),
    "cyclic_down": lambda o, e: lrs.CyclicLR(o, 0.01, 0.2, 4, 9, "triangular2", last_epoch=e),
    "cyclic_power_adam": lambda o, e: lrs.CyclicLR(
        o, 0.01, 0.2, 5, mode="exp_range", gamma=0.95, base_momentum=0.7, max_momentum=0.95, last_epoch=e
    ),
    "cyclic_function": lambda o, e: lrs.CyclicLR(
        o, 0.01, 0.2, 5, scale_fn=lambda x: 1 / (1 + x), scale_mode="iterations", cycle_momentum=False, last_epoch=e
    ),
    "swa": lambda o, e: SWALR(o, 0.05, last_epoch=e),
    "swa_linear": lambda o, e: SWALR(o, 0.1, 7, "linear", last_epoch=e),
    "swa_at_once": lambda o, e: SWALR(o, 0.1, 0, last_epoch=e),
    "chained": lambda o, e: lrs.ChainedScheduler([lrs.ConstantLR(o, 0.1, 4), lrs.ExponentialLR(o, 0.9)]),
    "plateau": lambda o, e: lrs.ReduceLROnPlateau(o),
    "plateau_abs": lambda o, e: lrs.ReduceLROnPlateau(o, "min", 0.5, 3, 0.2, "abs", 4, 0.003, 1e-3),
    "plateau_max": lambda o, e: lrs.ReduceLROnPlateau(o, mode="max", factor=0.8, patience=2, threshold=0.1),
    "plateau_max_abs": lambda o, e: lrs.ReduceLROnPlateau(o, "max", 0.8, 5, 0.01, "abs"),
}
NO_RESUME = {"sequential", "sequential_others", "chained", "plateau", "plateau_abs", "plateau_max", "plateau_max_abs"}


def optimizer_for(name):
    groups = [{"params": [torch.zeros(1, requires_grad=True)], "lr": lr} for lr in (0.5, 0.02)]
    return torch.optim.Adam(groups) if name.endswith("adam") else torch.optim.SGD(groups, momentum=0.9)


def run(name, epochs, set_after=(), resume_at=None):
    optimizer = optimizer_for(name)
    scheduler = SCHEDULES[name](optimizer, -1)
    rates, momenta = [], []
    for epoch in range(epochs):
        assert scheduler.get_last_lr() == [group["lr"] for group in optimizer.param_groups]
        rates.append(scheduler.get_last_lr()[0])
        group = optimizer.param_groups[0]
        momenta.append(group["betas"][0] if "betas" in group else group["momentum"])
        optimizer.step()
        if epoch in set_after:
            for group in optimizer.param_groups:
                group["lr"] = 0.3
        if epoch == resume_at:
            scheduler = SCHEDULES[name](optimizer, scheduler.last_epoch)
        elif isinstance(scheduler, lrs.ReduceLROnPlateau):
            scheduler.step(metric(epoch))
        else:
            scheduler.step()
    return (
        torch.tensor(rates, dtype=torch.float64),
        torch.tensor(scheduler.get_last_lr()[1], dtype=torch.float64),
        momenta,
    )


def main():
    with open(os.path.join(HERE, "schedules.txt"), "w") as file:
        for name in SCHEDULES:
            file.write(f"= {name}\n")
            for way, arguments in (
                ("plain", {"epochs": EPOCHS}),
                ("set", {"epochs": FEWER, "set_after": SET_AFTER}),
                ("resumed", {"epochs": FEWER, "resume_at": RESUME_AT}),
            ):
                if way == "resumed" and name in NO_RESUME:
                    continue
                rates, last, momenta = run(name, **arguments)
                rule.write_array(file, way + ".lr", rates)
                rule.write_array(file, way + ".last", last)
                if len(set(momenta)) > 1:
                    rule.write_array(file, way + ".momentum", torch.tensor(momenta, dtype=torch.float64))
        optimizer = optimizer_for("restarts")  # step(epoch) with fractions, back and forth
        scheduler = lrs.CosineAnnealingWarmRestarts(optimizer, 3, 2)
        rates = []
        for epoch in (0.5, 2.75, 3, 4.25, 8.5, 9, 20.125, 100, 1):
            scheduler.step(epoch)
            rates.append(scheduler.get_last_lr()[0])
        scheduler.step()
        rule.write_array(file, "fractions", torch.tensor(rates + scheduler.get_last_lr()[:1], dtype=torch.float64))


if __name__ == "__main__":
    main()
