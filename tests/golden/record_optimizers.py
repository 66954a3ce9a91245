"""Writes optimizers.txt: the parameters, and the state, after ten steps of the optimizers of
tests/support/models/optimizer_cases.h, for each floating dtype, and of LBFGS after STEPS steps.
tests/optim/test_optimizers.c and test_lbfgs.c compare.

    python tests/golden/record_optimizers.py     needs torch; make check never runs it

p0 is in the first group, p1 and p2 are in the second. p1 has no gradient at step 4, p2 never has one."""

import os
import re

import torch

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 3
SHAPES = [(2, 3), (9,), (2,)]
HALF_SHAPES = [(4, 16), (32,), (32,)]  # whole vectors of PyTorch's: optim/plain_loop.h


def cases():
    """name, constructor, options of the second group"""
    source = open(os.path.join(HERE, "..", "support", "models", "optimizer_cases.h")).read()
    return re.findall(r'X\((\w+), "([^"]*)",\s+"([^"]*)"', source)


def make(call, options, params):
    optimizer = eval("torch.optim." + call.replace("(p", "(params[:1]", 1))
    optimizer.add_param_group({"params": params[1:], **eval(f"dict({options})")})
    return optimizer


def hashed_tensor(kind, shape, seed, i, dtype):
    """Of float16 and bfloat16: float32's, rounded."""
    if dtype.itemsize > 2:
        return rule.hashed_tensor(kind, shape, seed, i, dtype)
    return rule.hashed_tensor(kind, shape, seed, i, torch.float32).detach().to(dtype).requires_grad_(kind == "r")


def wide(x):
    return x.float() if x.dtype.itemsize == 2 else x


def lbfgs_problem(problem, seed, dtype):
    """The parameters, of which the last gets no gradient, and the loss: |A x - b|^2 / 2, or Rosenbrock's function."""
    shapes = [(2, 2), (3,), (2,)]
    params = [rule.hashed_tensor("r", shape, seed, i, dtype) for i, shape in enumerate(shapes)]
    A = rule.hashed_tensor("R", (9, 7), seed, 10, dtype)
    b = rule.hashed_tensor("R", (9,), seed, 11, dtype)

    def loss():
        x = torch.cat([p.view(-1) for p in params[:2]])
        if problem == "quadratic":
            return (A @ x - b).square().sum() / 2
        return (100 * (x[1:] - x[:-1].square()).square() + (1 - x[:-1]).square()).sum()

    return params, loss


def closure_of(optimizer, loss, sign):
    def closure():
        optimizer.zero_grad()
        value = sign * loss()
        value.backward()
        return value

    return closure


def record_lbfgs(file):
    source = open(os.path.join(HERE, "..", "support", "models", "optimizer_cases.h")).read()
    for name, problem, options in re.findall(r'X\((lbfgs\w*), (\w+), "([^"]*)"', source):
        for dtype in (torch.float32, torch.float64):
            params, loss = lbfgs_problem(problem, rule.seed_of(name), dtype)
            optimizer = eval(f"torch.optim.LBFGS(params, {options})")
            closure = closure_of(optimizer, loss, -1 if "maximize" in name else 1)
            losses = [optimizer.step(closure).item() for _ in range(STEPS)]
            file.write(f"= {name} {'float32' if dtype == torch.float32 else 'float64'}\n")
            rule.write_array(file, "losses", torch.tensor(losses, dtype=dtype))
            for i, p in enumerate(params):
                rule.write_array(file, f"p{i}", p.detach())
            state = optimizer.state[params[0]]
            rule.write_array(file, "counts", torch.tensor([state["n_iter"], state["func_evals"]]))


def record_muon(file):
    source = open(os.path.join(HERE, "..", "support", "models", "optimizer_cases.h")).read()
    for name, options in re.findall(r'X\((muon\w*), "([^"]*)"', source):
        for dtype in (torch.float32, torch.float64):
            seed = rule.seed_of(name)
            params = [rule.hashed_tensor("r", shape, seed, i, dtype) for i, shape in enumerate([(4, 7), (9, 3)])]
            optimizer = eval(f"torch.optim.Muon(params, {options})")
            for step in range(1, 6):
                for i, p in enumerate(params):
                    p.grad = rule.hashed_tensor("R", p.shape, seed, 10 * step + i, dtype)
                optimizer.step()
            file.write(f"= {name} {'float32' if dtype == torch.float32 else 'float64'}\n")
            for i, p in enumerate(params):
                rule.write_array(file, f"p{i}", p.detach())
                rule.write_array(file, f"momentum_buffer.{i}", optimizer.state[p]["momentum_buffer"])


def main():
    with open(os.path.join(HERE, "optimizers.txt"), "w") as file:
        record_lbfgs(file)
        record_muon(file)
        for name, call, options in cases():
            for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
                seed = rule.seed_of(name)
                shapes = HALF_SHAPES if dtype.itemsize == 2 else SHAPES
                params = [hashed_tensor("r", shape, seed, i, dtype) for i, shape in enumerate(shapes)]
                optimizer = make(call, options, params)
                for group in optimizer.param_groups:
                    group["foreach"] = False
                for step in range(1, 11):
                    for i, p in enumerate(params[:2]):
                        p.grad = hashed_tensor("R", p.shape, seed, 10 * step + i, dtype).detach()
                    if step == 4:
                        params[1].grad = None
                    optimizer.step()
                file.write(f"= {name} {str(dtype)[6:]}\n")
                for i, p in enumerate(params):
                    rule.write_array(file, f"p{i}", wide(p.detach()))
                for i, p in enumerate(params[:2]):
                    for key, x in optimizer.state[p].items():
                        rule.write_array(file, f"{key}.{i}", wide(x))


if __name__ == "__main__":
    main()
