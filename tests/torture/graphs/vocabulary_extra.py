"""Functions for which op_db has no entry, as entries like its own: a name, PyTorch's function and arguments."""

import torch
import torch.nn.functional as F
from operations import Sample

NOISE = torch.Generator().manual_seed(3)


def real(*shape, low=-1.0, high=1.0):
    values = torch.rand(shape, generator=NOISE, dtype=torch.float64) * (high - low) + low
    return values.requires_grad_()


def whole(*values):
    return torch.tensor(values)


class Extra:
    """What tests/golden/sample_inputs/operations.py needs of an OpInfo."""

    variant_test_name, supports_autograd, error_inputs_func = "", True, None

    def __init__(self, name, op, inplace, args, kwargs):
        self.name, self.op, self.inplace = name, op, inplace
        self.sample = Sample(args[0], args[1:], kwargs)
        self.aten_name = name.rpartition(".")[2]

    def get_inplace(self):
        return self.inplace

    def supported_dtypes(self, device):
        return {torch.float64}

    def sample_inputs(self, device, dtype, requires_grad):
        yield self.sample


EXTRA = []


def extra(op, *args, space="nn.functional", inplace=None, **kwargs):
    name = (space + "." if space else "") + op.__name__
    EXTRA.append(Extra(name, op, inplace, args, kwargs))


extra(F.adaptive_avg_pool3d, real(1, 2, 4, 3, 4), (2, 1, 2))
extra(F.affine_grid, real(2, 2, 3), [2, 3, 4, 5], align_corners=True)
extra(F.channel_shuffle, real(1, 4, 2, 3), 2)
extra(F.conv_tbc, real(5, 2, 3), real(2, 3, 4), real(4), 1)
extra(F.dropout1d, real(2, 3, 4), 0.5)
extra(F.dropout3d, real(2, 3, 2, 2, 2), 0.5)
extra(F.fold, real(1, 8, 6), (3, 4), (2, 2))
extra(F.lp_pool1d, real(1, 2, 6, low=0.2), 2.0, 2)
extra(F.lp_pool2d, real(1, 2, 4, 6, low=0.2), 2.0, 2)
extra(F.lp_pool3d, real(1, 2, 4, 4, 4, low=0.2), 2.0, 2)
extra(F.gumbel_softmax, real(3, 4))
extra(F.sigmoid, real(3, 4))
extra(F.tanh, real(3, 4))
extra(F.ctc_loss, real(6, 2, 5).log_softmax(-1).detach().requires_grad_(), whole([1, 2, 3], [4, 1, 1]), (6, 6), (3, 2))
extra(torch.swapaxes, real(2, 3, 4), 0, 2, space="")
extra(torch.swapdims, real(2, 3, 4), 1, -1, space="")
extra(torch.slice_scatter, real(4, 3), real(2, 3), 0, 1, 3, space="")
# PyTorch's gradient of celu is computed with 1 / alpha in float32: an alpha of 0.5 is exact
extra(torch.celu, real(3, 4), 0.5, space="")
extra(torch.hardshrink, real(3, 4), 0.3, space="")
extra(torch.prelu, real(2, 3, 4), real(3), space="")
extra(torch.threshold, real(3, 4), 0.1, 0.5, space="")
extra(torch.chain_matmul, real(2, 3), real(3, 2), real(2, 4), space="")
extra(torch.ger, real(3), real(4), space="")
extra(torch.positive, real(3, 2), space="")
extra(torch.vander, real(4), 3, space="")
extra(torch.segment_reduce, real(6, 2), "sum", lengths=whole(1, 2, 3), space="")
extra(torch.segment_reduce, real(6, 2), "max", lengths=whole(1, 2, 3), space="")
for name, arguments in [
    ("elu", (0.7,)),
    ("celu", (0.5,)),
    ("selu", ()),
    ("hardtanh", (-0.5, 0.6)),
    ("leaky_relu", (0.2,)),
    ("rrelu", (0.1, 0.4)),
    ("threshold", (0.1, 0.5)),
]:
    extra(getattr(F, name), real(3, 4), *arguments, inplace=getattr(F, name + "_"))
