"""The Python side of examples/pytorch/autograd/forward_mode.c: Forward-mode automatic differentiation."""

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn as nn
from torch.func import functional_call, jvp


def fn(x, y):
    return x**2 + y**2


def basic_usage():
    primal = torch.randn(10, 10)
    tangent = torch.randn(10, 10)

    with fwAD.dual_level():
        dual_input = fwAD.make_dual(primal, tangent)
        input_tangent = fwAD.unpack_dual(dual_input).tangent
        print(torch.equal(input_tangent, tangent))

        plain_tensor = torch.randn(10, 10)
        dual_output = fn(dual_input, plain_tensor)
        jvp = fwAD.unpack_dual(dual_output).tangent
        print(jvp[0])

    output_tangent = fwAD.unpack_dual(dual_output).tangent
    print(output_tangent is None)


def usage_with_modules():
    model = nn.Linear(5, 5)
    input = torch.randn(16, 5)

    params = {name: p.detach() for name, p in model.named_parameters()}
    tangents = {name: torch.rand_like(p) for name, p in params.items()}

    dual_params = {}
    with fwAD.dual_level():
        for name, p in params.items():
            dual_params[name] = fwAD.make_dual(p, tangents[name])
        out = functional_call(model, dual_params, input)
        jvp = fwAD.unpack_dual(out).tangent
        print(jvp.shape)
        print(jvp[0])


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, foo):
        result = torch.exp(foo)
        ctx.save_for_forward(result)
        return result

    @staticmethod
    def jvp(ctx, gI):
        (result,) = ctx.saved_tensors
        gO = gI * result
        return gO


def custom_function():
    primal = torch.randn(10, 10, dtype=torch.double, requires_grad=True)
    tangent = torch.randn(10, 10, dtype=torch.double)

    with fwAD.dual_level():
        dual_input = fwAD.make_dual(primal, tangent)
        dual_output = Exponential.apply(dual_input)
        jvp = fwAD.unpack_dual(dual_output).tangent
        print(jvp[0, :5].detach())
    print(
        torch.autograd.gradcheck(
            Exponential.apply,
            (primal,),
            check_forward_ad=True,
            check_backward_ad=False,
            check_undefined_grad=False,
            check_batched_grad=False,
        )
    )


def predict(params, model, input):
    return functional_call(model, params, input)


def functional_api():
    primal0 = torch.randn(10, 10)
    tangent0 = torch.randn(10, 10)
    primal1 = torch.randn(10, 10)
    tangent1 = torch.randn(10, 10)
    primal_out, tangent_out = jvp(fn, (primal0, primal1), (tangent0, tangent1))
    print(torch.equal(primal_out, fn(primal0, primal1)))
    print(tangent_out[0])

    model = nn.Linear(5, 5)
    input = torch.randn(16, 5)
    params = {name: p.detach() for name, p in model.named_parameters()}
    tangents = {name: torch.rand_like(p) for name, p in params.items()}
    out, tangent_out = jvp(lambda params: predict(params, model, input), (params,), (tangents,))
    print(torch.allclose(out, model(input)))
    print(tangent_out[0])


def main():
    torch.manual_seed(0)
    basic_usage()
    usage_with_modules()
    custom_function()
    functional_api()
