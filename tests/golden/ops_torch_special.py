"""What the rows of op_table_torch_special.c are in PyTorch."""

import torch

from ops import op

for name in torch.special.__all__:
    op("special_" + name)(lambda x, n, c, f=getattr(torch.special, name): f(*x))
