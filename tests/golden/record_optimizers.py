"""Writes optimizers.txt: the parameters, and the state, after ten steps of the optimizers of
tests/support/models/optimizer_cases.h, for float32 and float64. tests/optim/test_optimizers.c compares.

    python tests/golden/record_optimizers.py     needs torch; make check never runs it

p0 is in the first group, p1 and p2 are in the second. p1 has no gradient at step 4, p2 never has one."""

import os
import re

import torch

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
SHAPES = [(2, 3), (9,), (2,)]


def cases():
    """name, constructor, options of the second group"""
    source = open(os.path.join(HERE, "..", "support", "models", "optimizer_cases.h")).read()
    return re.findall(r'X\((\w+), "([^"]*)", "([^"]*)"', source)


def make(call, options, params):
    optimizer = eval("torch.optim." + call.replace("(p", "(params[:1]", 1))
    optimizer.add_param_group({"params": params[1:], **eval(f"dict({options})")})
    return optimizer


def main():
    with open(os.path.join(HERE, "optimizers.txt"), "w") as file:
        for name, call, options in cases():
            for dtype in (torch.float32, torch.float64):
                seed = rule.seed_of(name)
                params = [rule.hashed_tensor("r", shape, seed, i, dtype) for i, shape in enumerate(SHAPES)]
                optimizer = make(call, options, params)
                for group in optimizer.param_groups:
                    group["foreach"] = False
                for step in range(1, 11):
                    for i, p in enumerate(params[:2]):
                        p.grad = rule.hashed_tensor("R", p.shape, seed, 10 * step + i, dtype)
                    if step == 4:
                        params[1].grad = None
                    optimizer.step()
                file.write(f"= {name} {'float32' if dtype == torch.float32 else 'float64'}\n")
                for i, p in enumerate(params):
                    rule.write_array(file, f"p{i}", p.detach())
                for i, p in enumerate(params[:2]):
                    for key, x in optimizer.state[p].items():
                        rule.write_array(file, f"{key}.{i}", x)


if __name__ == "__main__":
    main()
