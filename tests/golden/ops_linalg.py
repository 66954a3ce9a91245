"""The functions of op_table_linalg.c in PyTorch: see ops.py."""

import torch

from ops import get, op

L = torch.linalg


def linalg(name):
    return op("linalg_" + name)


def flag(n, i):
    return bool(get(n, i))


def symmetric(x):
    return x + x.mT if x.dim() > 1 else x


def triangle(x, upper):
    return x if x.dim() < 2 else x.triu() if upper else x.tril()


linalg("cross")(lambda x, n, c: L.cross(x[0], x[1], dim=get(n, 0)))
linalg("vecdot")(lambda x, n, c: L.vecdot(x[0], x[1], dim=get(n, 0)))
linalg("multi_dot")(lambda x, n, c: L.multi_dot(x))
linalg("matrix_power")(lambda x, n, c: L.matrix_power(x[0], get(n, 0)))
linalg("vander")(lambda x, n, c: L.vander(x[0], N=get(n, 0)))
linalg("diagonal")(lambda x, n, c: L.diagonal(x[0], offset=get(n, 0), dim1=get(n, 1), dim2=get(n, 2)))
linalg("solve")(lambda x, n, c: L.solve(x[0], x[1], left=not flag(n, 0)))
linalg("solve_ex")(
    lambda x, n, c: tuple(L.solve_ex(x[0], x[1], left=not flag(n, 0), check_errors=flag(n, 1)))
)
linalg("inv")(lambda x, n, c: L.inv(x[0]))
linalg("inv_ex")(lambda x, n, c: tuple(L.inv_ex(x[0], check_errors=flag(n, 0))))
linalg("solve_triangular")(
    lambda x, n, c: L.solve_triangular(
        x[0], x[1], upper=flag(n, 0), left=not flag(n, 1), unitriangular=flag(n, 2)
    )
)
linalg("tensorsolve")(lambda x, n, c: L.tensorsolve(x[0], x[1], dims=tuple(n[1 : 1 + get(n, 0)]) or None))
linalg("tensorinv")(lambda x, n, c: L.tensorinv(x[0], ind=get(n, 0)))
linalg("det")(lambda x, n, c: L.det(x[0]))


@linalg("slogdet")
def _(x, n, c):
    """PyTorch's sign has a grad_fn, whose gradient is 0."""
    sign, logabsdet = L.slogdet(x[0])
    return sign.detach(), logabsdet


linalg("lu")(lambda x, n, c: tuple(L.lu(x[0], pivot=not flag(n, 0))))
linalg("lu_factor")(lambda x, n, c: tuple(L.lu_factor_ex(x[0], pivot=not flag(n, 0))[:2]))
linalg("lu_factor_ex")(lambda x, n, c: tuple(L.lu_factor_ex(x[0], check_errors=flag(n, 0))))


def pivots_of(x, given):
    return x[1] if len(x) == given else L.lu_factor_ex(x[0].detach().flip(-2))[1]


linalg("lu_solve")(
    lambda x, n, c: L.lu_solve(x[0], pivots_of(x, 3), x[-1], left=not flag(n, 0), adjoint=flag(n, 1))
)
op("t_lu_unpack")(
    lambda x, n, c: torch.lu_unpack(
        x[0], pivots_of(x, 2), unpack_data=not flag(n, 0), unpack_pivots=not flag(n, 1)
    )
)
linalg("cholesky")(lambda x, n, c: L.cholesky(symmetric(x[0]), upper=flag(n, 0)))
linalg("cholesky_ex")(
    lambda x, n, c: tuple(L.cholesky_ex(symmetric(x[0]), upper=flag(n, 0), check_errors=flag(n, 1)))
)
op("t_cholesky_solve")(lambda x, n, c: torch.cholesky_solve(x[0], triangle(x[1], flag(n, 0)), flag(n, 0)))
op("t_cholesky_inverse")(lambda x, n, c: torch.cholesky_inverse(triangle(x[0], flag(n, 0)), flag(n, 0)))

MODES = ["reduced", "complete", "r", "x"]


@linalg("qr")
def _(x, n, c):
    Q, R = L.qr(x[0], mode=MODES[get(n, 0)])
    return Q, R


linalg("ldl_factor")(lambda x, n, c: tuple(L.ldl_factor(x[0])))
linalg("ldl_factor_ex")(lambda x, n, c: tuple(L.ldl_factor_ex(x[0], check_errors=flag(n, 0))))
linalg("ldl_solve")(lambda x, n, c: L.ldl_solve(*L.ldl_factor_ex(x[0])[:2], x[1]))
linalg("polar")(lambda x, n, c: tuple(L.polar(x[0])))
linalg("householder_product")(lambda x, n, c: L.householder_product(x[0], x[1]))
op("t_ormqr")(lambda x, n, c: torch.ormqr(*x, left=not flag(n, 0), transpose=flag(n, 1)))


@op("t_svd_lowrank")
def _(x, n, c):
    U, S, V = torch.svd_lowrank(x[0], get(n, 0), get(n, 1), x[1])
    return U.abs(), S, V.abs()


@op("t_pca_lowrank")
def _(x, n, c):
    U, S, V = torch.pca_lowrank(x[0], get(n, 0) or None, not flag(n, 2), get(n, 1))
    return U.abs(), S, V.abs()


@op("t_lobpcg")
def _(x, n, c):
    E, X = torch.lobpcg(
        symmetric(x[0]) if x[0].shape[-1] == x[0].shape[-2] else x[0],
        get(n, 0),
        largest=not flag(n, 1),
        method="basic" if flag(n, 2) else "ortho",
        tol=1e-12 if x[0].dtype == torch.float64 else 1e-6,
        niter=12,
    )
    return E, X.abs()


linalg("matrix_exp")(lambda x, n, c: L.matrix_exp(x[0] / 4 if x[0].is_floating_point() else x[0]))
linalg("matrix_sqrth")(lambda x, n, c: L.matrix_sqrth(symmetric(x[0])))


@linalg("eigh")
def _(x, n, c):
    values, vectors = L.eigh(symmetric(x[0]), UPLO="U" if flag(n, 0) else "L")
    return values, vectors.abs()


linalg("eigvalsh")(lambda x, n, c: L.eigvalsh(symmetric(x[0]), UPLO="U" if flag(n, 0) else "L"))


@linalg("svd")
def _(x, n, c):
    U, S, Vh = L.svd(x[0], full_matrices=not flag(n, 0))
    return U.abs(), S, Vh.abs()


linalg("svdvals")(lambda x, n, c: L.svdvals(x[0]))


@op("t_svd")
def _(x, n, c):
    U, S, V = torch.svd(x[0], some=not flag(n, 0), compute_uv=not flag(n, 1))
    return U.abs(), S, V.abs()


def tolerances(n):
    return dict(atol=get(n, 1) / 100 or None, rtol=get(n, 2) / 100 or None, hermitian=flag(n, 0))


linalg("pinv")(lambda x, n, c: L.pinv(symmetric(x[0]) if flag(n, 0) else x[0], **tolerances(n)))
op("t_pinverse")(lambda x, n, c: torch.pinverse(x[0]))
linalg("matrix_rank")(lambda x, n, c: L.matrix_rank(symmetric(x[0]) if flag(n, 0) else x[0], **tolerances(n)))
DRIVERS = [None, "gels", "gelsy", "gelsd", "gelss", "x"]


@linalg("lstsq")
def _(x, n, c):
    """Residuals that are not computed have a grad_fn in PyTorch."""
    X, residuals, *rest = L.lstsq(x[0], x[1], driver=DRIVERS[get(n, 0)])
    return X, residuals if residuals.numel() else residuals.detach(), *rest




def order(n):
    return {None: None, 77: "fro", 88: "nuc", 99: float("inf"), -99: -float("inf")}.get(n, n and n / 2)


def whole(value):
    """3 in place of 3.0, as it is written in Python, and named in errors."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def norm_arguments(n):
    dims = tuple(n[3 : 3 + get(n, 2)])
    return dict(ord=whole(order(n[0])), dim=dims if len(dims) > 1 else dims[0] if dims else None, keepdim=flag(n, 1))


linalg("norm")(lambda x, n, c: L.norm(x[0], **norm_arguments(n)))


@linalg("matrix_norm")
def _(x, n, c):
    arguments = norm_arguments(n)
    if get(n, 2) == 0:
        arguments.pop("dim")
    elif get(n, 2) == 1:
        arguments["dim"] = (arguments["dim"],)
    return L.matrix_norm(x[0], **arguments)


linalg("cond")(lambda x, n, c: L.cond(x[0], whole(order(n[0]))))
