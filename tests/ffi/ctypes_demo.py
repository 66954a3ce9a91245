"""tapegrad from Python with nothing but ctypes: the plain functions of libtapegrad.so, no compiler, no macros.

    python3 tests/ffi/ctypes_demo.py build/libtapegrad.so

trains a small classifier and prints what tests/ffi/demo.c prints, which is the same program in C, to the last bit:
losses, probabilities, and an error message, after which the process goes on. --torch prints what PyTorch makes of
it."""

import ctypes
import sys

SEED, N, STEPS = 7, 64, 40


class AdamOptions(ctypes.Structure):  # optim_AdamOptions: the library reads as many fields as size says that there are
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("lr", ctypes.c_double),
        ("betas", ctypes.c_double * 2),
        ("eps", ctypes.c_double),
        ("weight_decay", ctypes.c_double),
        ("amsgrad", ctypes.c_bool),
        ("maximize", ctypes.c_bool),
    ]


class Library:
    """Each function with the types of its arguments and of its result, as the headers have them."""

    P, I, D, B = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double, ctypes.c_bool
    SIZES = ctypes.POINTER(ctypes.c_int64)
    TYPES = {
        "t_version": ([], ctypes.c_char_p),
        "t_error_message": ([], ctypes.c_char_p),
        "t_clear_error": ([], None),
        "t_manual_seed": ([I], None),
        "t_scope_open": ([], ctypes.c_int),
        "t_scope_close": ([ctypes.c_int], None),
        "t_randn": ([SIZES, ctypes.c_int, P], P),
        "t_sum": ([P, SIZES, ctypes.c_int, B], P),
        "t_mul": ([P, P], P),
        "t_gt": ([P, P], P),
        "t_to": ([P, ctypes.c_int], P),
        "t_number": ([D], P),
        "t_matmul": ([P, P], P),
        "t_softmax": ([P, I], P),
        "t_item": ([P], D),
        "t_tolist": ([P, ctypes.POINTER(D), I], I),
        "t_numel": ([P], I),
        "t_backward": ([P, P], B),
        "t_live_count": ([], I),
        "nn_Linear_new": ([I, I, P], P),
        "nn_Tanh_new": ([], P),
        "nn_LayerNorm_new": ([SIZES, ctypes.c_int, P], P),
        "nn_Sequential_new": ([ctypes.POINTER(P), I], P),
        "nn_call": ([P, P], P),
        "nn_parameters": ([P], P),
        "F_cross_entropy": ([P, P, P], P),
        "optim_Adam_new": ([P, P], P),
        "optim_zero_grad": ([P, B], B),
        "optim_step": ([P], B),
    }

    def __init__(self, path):
        library = ctypes.CDLL(path)
        for name, (arguments, result) in self.TYPES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = arguments, result
            setattr(self, name, self.checked(function) if result in (self.P, self.B) else function)

    def checked(self, function):
        def call(*arguments):
            result = function(*arguments)
            if not result:
                text = self.t_error_message().decode()
                self.t_clear_error()
                raise RuntimeError(text)
            return result

        return call

    def sizes(self, *sizes):
        return (ctypes.c_int64 * len(sizes))(*sizes), len(sizes)

    def list(self, x):
        values = (ctypes.c_double * self.t_numel(x))()
        return values[: self.t_tolist(x, values, len(values))]


def main(path):
    t = Library(path)
    t.t_manual_seed(SEED)
    x = t.t_randn(*t.sizes(N, 2), None)
    product = t.t_mul(t.t_sum(x, t.sizes(1)[0], 1, False), t.t_sum(t.t_mul(x, x), t.sizes(1)[0], 1, False))
    y = t.t_to(t.t_gt(product, t.t_number(0.5)), 2)  # t_int64
    layers = [
        t.nn_Linear_new(2, 16, None),
        t.nn_Tanh_new(),
        t.nn_LayerNorm_new(*t.sizes(16), None),
        t.nn_Linear_new(16, 2, None),
    ]
    model = t.nn_Sequential_new((ctypes.c_void_p * 4)(*layers), 4)
    options = AdamOptions.in_dll(ctypes.CDLL(path), "optim_AdamDefaults")  # the library's own defaults, to copy from
    options = AdamOptions.from_buffer_copy(options)
    options.lr = 0.05
    optimizer = t.optim_Adam_new(t.nn_parameters(model), ctypes.byref(options))
    for step in range(STEPS):
        scope = t.t_scope_open()  # what a step makes is gone after it
        loss = t.F_cross_entropy(t.nn_call(model, x), y, None)
        t.optim_zero_grad(optimizer, True)
        t.t_backward(loss, None)
        t.optim_step(optimizer)
        print("step %d loss %.9g" % (step, t.t_item(loss)))
        t.t_scope_close(scope)
    for p in t.list(t.t_softmax(t.nn_call(model, x), -1))[:8]:
        print("%.9g" % p)
    try:
        t.t_matmul(x, x)
    except RuntimeError as error:
        print(error)
    print("still here, tapegrad %s" % t.t_version().decode())


def with_torch():
    import torch

    torch.manual_seed(SEED)
    x = torch.randn(N, 2)
    y = (x.sum(1) * (x * x).sum(1) > 0.5).long()
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for step in range(STEPS):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step %d loss %.9g" % (step, loss.item()))
    for p in torch.softmax(model(x), -1).flatten().tolist()[:8]:
        print("%.9g" % p)
    try:
        x @ x
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    with_torch() if sys.argv[1] == "--torch" else main(sys.argv[1])
