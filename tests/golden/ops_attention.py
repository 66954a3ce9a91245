"""What tests/op_table_attention.c is in PyTorch: the math path, for its order of random draws."""
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from ops import get, op


@op("F_scaled_dot_product_attention")
def attention(x, n, c):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(
            *x[:3], attn_mask=x[3] if len(x) > 3 else None, is_causal=bool(get(n, 0)), dropout_p=get(n, 1) / 100,
            scale=None if get(n, 2) is None else get(n, 2) / 4, enable_gqa=bool(get(n, 3)))


op("F_scaled_dot_product_attention_with_dropout")(attention)
