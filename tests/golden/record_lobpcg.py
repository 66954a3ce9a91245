"""Writes what PyTorch's torch.lobpcg gives into lobpcg.txt next to this file, for tests/linalg/test_lobpcg.c, which has
the same calls under the same labels.

    python record_lobpcg.py     needs torch and numpy; make check never runs it

Each case, in float64: the state that a tracker sees after each step (where rounding does not change their number), the
eigenvalues, the absolute values of the eigenvectors, the next draw, and where tol is small the gradient of sums of
them."""

import os

import torch

import rule

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 7
TIGHT = {"tol": 1e-13}


def symmetric(x):
    return x + x.mT if x is not None else None


CASES = [
    ("default", "r(9,9)", lambda A: {}),
    ("tight", "r(9,9)", lambda A: {"k": 1, **TIGHT}),
    ("three", "r(12,12)", lambda A: {"k": 3, **TIGHT}),
    ("smallest", "r(12,12)", lambda A: {"k": 2, "largest": False, **TIGHT}),
    ("basic", "r(9,9)", lambda A: {"k": 2, "method": "basic", "tol": 1e-9}),
    ("basic_smallest", "m(12,12)", lambda A: {"k": 3, "method": "basic", "largest": False, "tol": 1e-9}),
    ("B", "R(9,9) M(9,9)", lambda A, B: {"k": 2, "B": symmetric(B)}),
    ("basic_B_iK", "R(9,9) M(9,9) M(9,9)", lambda A, B, iK: {"k": 2, "B": symmetric(B), "iK": iK, "method": "basic"}),
    ("X", "r(10,10) R(10,2)", lambda A, X: {"X": X, **TIGHT}),
    ("k_of_X", "r(10,10) R(10,3)", lambda A, X: {"k": 2, "X": X, **TIGHT}),
    ("more_columns", "r(12,12)", lambda A: {"k": 2, "n": 3, **TIGHT}),
    ("fewer_columns", "R(12,12)", lambda A: {"k": 3, "n": 2, "niter": 9}),
    ("two_steps", "R(12,12)", lambda A: {"k": 2, "niter": 2}),
    ("batch", "r(2,7,7)", lambda A: {"k": 2, **TIGHT}),
    ("batches", "r(2,1,2,7,7)", lambda A: {"k": 1, **TIGHT}),
    ("batch_X_B", "R(2,7,7) M(2,7,7) R(2,7,2)", lambda A, B, X: {"B": symmetric(B), "X": X, **TIGHT}),
    ("empty_batch", "r(0,7,7)", lambda A: {"k": 2}),
    ("use_drop", "R(12,12)", lambda A: {"k": 2, "ortho_bparams": {"ortho_use_drop": True}}),
    ("parameters", "R(12,12)", lambda A: {
        "k": 3, "ortho_iparams": {"ortho_i_max": 1, "ortho_j_max": 2},
        "ortho_fparams": {"ortho_tol": 1e-3, "ortho_tol_replace": 1e-5},
    }),
    ("clustered", "R(15,15)", lambda A: {"k": 3, "largest": False}),
    ("large", "R(60,60)", lambda A: {"k": 4}),
]  # fmt: skip


def solve(A, label, arguments):
    """E, X and what a tracker sees."""
    steps = []

    def tracker(worker):
        counts = [worker.ivars[k] for k in ("istep", "iterations_left", "converged_count", "converged_end")]
        steps.append(torch.cat([torch.tensor(counts, dtype=torch.float64), worker.E.clone()]))

    torch.manual_seed(SEED)
    M = symmetric(A)
    E, X = torch.lobpcg(M @ M if label == "clustered" else M, **arguments, tracker=tracker)
    return E, X, steps


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "lobpcg.txt"), "w") as file:
        for label, text, arguments in CASES:
            key = f"{label} {text}"
            file.write(f"= {key}\n")
            A, *more = rule.make_inputs(text, rule.seed_of(key), torch.float64)
            given = arguments(A, *more)
            counts = []
            for i in range(8):
                torch.manual_seed(i)
                counts.append(len(solve(A.detach() + torch.randn_like(A) * 2e-16, label, given)[2]))
            E, X, steps = solve(A, label, given)
            if steps and all(n == len(steps) for n in counts):
                rule.write_array(file, "steps", torch.stack(steps))
            rule.write_array(file, "next", torch.rand(2, dtype=torch.float64))
            rule.write_array(file, "E", E.detach())
            rule.write_array(file, "X", X.detach().abs())
            if A.requires_grad and given.get("tol") == TIGHT["tol"]:
                seed = rule.seed_of(key)
                loss = (E * rule.hashed_tensor("R", E.shape, seed, 100, torch.float64)).sum()
                loss = loss + (X.abs() * rule.hashed_tensor("R", X.shape, seed, 101, torch.float64)).sum()
                loss.backward()
                rule.write_array(file, "A", A.grad)


if __name__ == "__main__":
    main()
