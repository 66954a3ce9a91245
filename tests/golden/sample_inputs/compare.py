"""Whether two results agree: dtype, shape, values within the tolerances of the tests."""

import math

import torch

FORWARD = {  # relative to each element, absolute
    torch.float32: (1.3e-6, 1e-5),
    torch.float16: (2**-10, 1e-5),
    torch.bfloat16: (2**-7, 1e-5),
}


def largest_of(tensors):
    """The largest finite absolute value."""
    largest = 0.0
    for x in tensors:
        if isinstance(x, torch.Tensor) and x.is_floating_point():
            finite = x.detach().double()
            finite = finite[torch.isfinite(finite)].abs()
            largest = max(largest, finite.max().item() if finite.numel() else 0.0)
    return largest


def limits(expected, gradient, largest):
    """The largest difference allowed at each element. largest: of the array, or of all gradients of the sample, since
    one of them can be the difference of equal terms."""
    e = expected.double()
    largest = max(largest, largest_of([e]))
    if expected.dtype == torch.float64:
        return torch.full_like(e, 1e-10 * largest + 1e-12)
    if gradient:
        relative = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}[expected.dtype]
        return torch.full_like(e, relative * largest + 1e-6)
    relative, absolute = FORWARD[expected.dtype]
    return e.abs().nan_to_num(0, 0, 0) * relative + absolute


def difference(expected, actual, gradient=False, exact=None, largest=0.0):
    """None, or what differs. exact: the same result computed by PyTorch in float64; an element that is off by no more
    than PyTorch's own is no difference."""
    if expected.dtype != actual.dtype:
        return "dtype", f"{actual.dtype} instead of {expected.dtype}"
    if expected.shape != actual.shape:
        return "shape", f"{list(actual.shape)} instead of {list(expected.shape)}"
    if not expected.numel():
        return None
    if not expected.is_floating_point():
        bad = expected != actual
    else:
        e, a = expected.double(), actual.double()
        off = (e - a).abs()
        bad = ~((off <= limits(expected, gradient, largest)) | (e == a) | (e.isnan() & a.isnan()))
        if exact is not None and exact.shape == e.shape and bad.any():
            x = exact.double()
            allowed = 2 * (x - e).abs() + limits(x.to(expected.dtype), gradient, largest)
            bad &= ~(((x - a).abs() <= allowed) & a.isfinite())
    if not bad.any():
        return None
    i = int(bad.reshape(-1).nonzero()[0])
    e, a = expected.reshape(-1)[i].item(), actual.reshape(-1)[i].item()
    kind = "gradient" if gradient else "value"
    return kind, f"{show(a)} instead of {show(e)} at {i}, {int(bad.sum())} of {bad.numel()} elements"


def show(x):
    return f"{x:.9g}" if isinstance(x, float) and math.isfinite(x) else str(x)
