"""What tests/ops/table/op_table_attention.c is in PyTorch: the math path, for its order of random draws."""

import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from ops import get, op


@op("F_scaled_dot_product_attention")
def attention(x, n, c):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(
            *x[:3],
            attn_mask=x[3] if len(x) > 3 else None,
            is_causal=bool(get(n, 0)),
            dropout_p=get(n, 1) / 100,
            scale=None if get(n, 2) is None else get(n, 2) / 4,
            enable_gqa=bool(get(n, 3))
        )


op("F_scaled_dot_product_attention_with_dropout")(attention)


@op("F_multi_head_attention_forward")
def multi_head(x, n, c):
    y, weights = F.multi_head_attention_forward(
        *x[:3],
        4,
        n[0],
        x[3],
        x[4],
        None,
        None,
        bool(get(n, 1)),
        get(n, 5) / 100,
        x[5],
        x[6],
        need_weights=bool(get(n, 2)),
        attn_mask=x[7],
        average_attn_weights=bool(get(n, 3)),
        is_causal=bool(get(n, 4))
    )
    return y if weights is None else (y, weights)


@op("F_multi_head_attention_forward_with_static")
def multi_head_with_static(x, n, c):
    return F.multi_head_attention_forward(
        *x[:3],
        4,
        n[0],
        x[3],
        None,
        None,
        None,
        bool(get(n, 1)),
        0.0,
        x[6],
        None,
        need_weights=False,
        static_k=x[4],
        static_v=x[5],
        key_padding_mask=x[7]
    )[0]
