"""What the rows of op_table_special.c are in PyTorch."""

import torch

from ops import get, op

op("t_polygamma")(lambda x, n, c: torch.polygamma(get(n, 0), x[0]))
op("t_polygamma_")(lambda x, n, c: x[0].polygamma_(get(n, 0)))
op("t_mvlgamma")(lambda x, n, c: torch.mvlgamma(x[0], get(n, 0)))
op("t_mvlgamma_")(lambda x, n, c: x[0].mvlgamma_(get(n, 0)))
