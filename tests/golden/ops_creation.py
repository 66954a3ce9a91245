"""More functions of op_table_creation.c, and those of op_table_random.c, in PyTorch: see ops.py."""

import torch

from ops import get, op, sizes

op("t_eye")(
    lambda x, n, c: (
        torch.eye(get(n, 0), dtype=c.dtype) if get(n, 1) is None else torch.eye(get(n, 0), get(n, 1), dtype=c.dtype)
    )
)
op("t_linspace")(lambda x, n, c: torch.linspace(get(n, 0) / 4, get(n, 1) / 4, get(n, 2), dtype=c.dtype))
op("t_logspace")(lambda x, n, c: torch.logspace(get(n, 0) / 4, get(n, 1) / 4, get(n, 2), get(n, 3), dtype=c.dtype))
op("t_tril_indices")(lambda x, n, c: torch.tril_indices(get(n, 0), get(n, 1), get(n, 2)))
op("t_triu_indices")(lambda x, n, c: torch.triu_indices(get(n, 0), get(n, 1), get(n, 2)))
op("t_meshgrid")(lambda x, n, c: torch.meshgrid(*x, indexing=c.texts["indexings"][get(n, 0)]))
op("t_new_empty")(lambda x, n, c: x[0].new_zeros(sizes(n)))
op("t_new_zeros")(lambda x, n, c: x[0].new_zeros(sizes(n)))
op("t_new_ones")(lambda x, n, c: x[0].new_ones(sizes(n)))
op("t_new_full")(lambda x, n, c: x[0].new_full(sizes(n, 1), get(n, 0) / 4))
op("t_type_as")(lambda x, n, c: x[0].type_as(x[1]))


op("t_bernoulli")(lambda x, n, c: torch.bernoulli(x[0], (n[0] - 1) / 4) if get(n, 0) else torch.bernoulli(x[0]))

# ---- op_table_random.c ----
op("t_exponential_")(lambda x, n, c: x[0].exponential_(get(n, 0) / 4))
op("t_geometric_")(lambda x, n, c: x[0].geometric_(get(n, 0) / 8))
op("t_cauchy_")(lambda x, n, c: x[0].cauchy_(get(n, 0) / 4, get(n, 1) / 4))
op("t_log_normal_")(lambda x, n, c: x[0].log_normal_(get(n, 0) / 4, get(n, 1) / 4))
op("t_random_")(
    lambda x, n, c: x[0].random_() if n[1] is None else x[0].random_(n[1]) if n[0] is None else x[0].random_(n[0], n[1])
)
op("t_randint_like")(lambda x, n, c: torch.randint_like(x[0], get(n, 0), get(n, 1)))
op("t_normal")(lambda x, n, c: torch.normal(*x) if not get(n, 0) else torch.normal(*x, size=sizes(n, 1), dtype=c.dtype))
op("t_multinomial")(lambda x, n, c: torch.multinomial(x[0], get(n, 0), bool(get(n, 1))))
