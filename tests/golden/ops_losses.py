"""What the functions of tests/ops/table/op_table_losses.c are in PyTorch. The first number of a loss is its reduction,
the others are quarters, where nothing else is said, dims and flags."""

import math

import torch
import torch.nn.functional as F

from ops import get, op

REDUCTIONS = ["mean", "sum", "none", "some", "batchmean"]


def reduction(n):
    return REDUCTIONS[get(n, 0)]


def third(x):
    return x[2] if len(x) > 2 else None


def power(n):
    return math.inf if n < 0 else n / 4


def with_options(f, x, n, **extra):
    if get(n, 2):
        extra["ignore_index"] = get(n, 2) - 1
    return f(x[0], x[1], weight=third(x), reduction=reduction(n), **extra)


op("F_cross_entropy")(lambda x, n, c: with_options(F.cross_entropy, x, n, label_smoothing=get(n, 1) / 100))
op("F_linear_cross_entropy")(
    lambda x, n, c: F.linear_cross_entropy(
        x[0],
        x[1],
        x[2],
        linear_bias=x[3],
        reduction=reduction(n),
        label_smoothing=get(n, 1) / 100,
        ignore_index=get(n, 2) - 1 if get(n, 2) else None,
    )
)
op("F_nll_loss")(lambda x, n, c: with_options(F.nll_loss, x, n))
op("F_mse_loss")(lambda x, n, c: F.mse_loss(x[0], x[1], weight=third(x), reduction=reduction(n)))
op("F_l1_loss")(lambda x, n, c: F.l1_loss(x[0], x[1], weight=third(x), reduction=reduction(n)))
op("F_smooth_l1_loss")(lambda x, n, c: F.smooth_l1_loss(x[0], x[1], beta=get(n, 1) / 4, reduction=reduction(n)))
op("F_huber_loss")(
    lambda x, n, c: F.huber_loss(x[0], x[1], delta=get(n, 1) / 4, weight=third(x), reduction=reduction(n))
)
op("F_poisson_nll_loss")(
    lambda x, n, c: F.poisson_nll_loss(x[0], x[1], bool(get(n, 1)), bool(get(n, 2)), eps=0.25, reduction=reduction(n))
)
op("F_gaussian_nll_loss")(
    lambda x, n, c: F.gaussian_nll_loss(*x, full=bool(get(n, 1)), eps=get(n, 2) / 4, reduction=reduction(n))
)
op("F_binary_cross_entropy")(lambda x, n, c: F.binary_cross_entropy(x[0], x[1], third(x), reduction=reduction(n)))
op("F_binary_cross_entropy_with_logits")(
    lambda x, n, c: F.binary_cross_entropy_with_logits(
        x[0], x[1], third(x), pos_weight=x[3] if len(x) > 3 else None, reduction=reduction(n)
    )
)
op("F_kl_div")(lambda x, n, c: F.kl_div(x[0], x[1], log_target=bool(get(n, 1)), reduction=reduction(n)))
op("F_cosine_embedding_loss")(lambda x, n, c: F.cosine_embedding_loss(*x, margin=get(n, 1) / 4, reduction=reduction(n)))
op("F_margin_ranking_loss")(lambda x, n, c: F.margin_ranking_loss(*x, margin=get(n, 1) / 4, reduction=reduction(n)))
op("F_hinge_embedding_loss")(lambda x, n, c: F.hinge_embedding_loss(*x, margin=get(n, 1) / 4, reduction=reduction(n)))
op("F_triplet_margin_loss")(
    lambda x, n, c: F.triplet_margin_loss(
        *x, margin=get(n, 1) / 4, p=power(get(n, 2)), eps=0.25, swap=bool(get(n, 3)), reduction=reduction(n)
    )
)
op("F_triplet_margin_with_distance_loss")(
    lambda x, n, c: F.triplet_margin_with_distance_loss(
        *x,
        distance_function=[None, lambda a, b: 1 - F.cosine_similarity(a, b, dim=-1)][get(n, 2)],
        margin=get(n, 1) / 4,
        swap=bool(get(n, 3)),
        reduction=reduction(n),
    )
)
def lengths(n):
    return torch.tensor([int(digit) for digit in str(n)])


op("F_ctc_loss")(
    lambda x, n, c: F.ctc_loss(
        x[0].log_softmax(-1),
        x[1],
        lengths(get(n, 3)),
        lengths(get(n, 4)),
        blank=get(n, 2),
        reduction=reduction(n),
        zero_infinity=bool(get(n, 1)),
    )
)
op("F_soft_margin_loss")(lambda x, n, c: F.soft_margin_loss(*x, reduction=reduction(n)))
op("F_multi_margin_loss")(
    lambda x, n, c: F.multi_margin_loss(x[0], x[1], get(n, 1), get(n, 2) / 4, third(x), reduction=reduction(n))
)
op("F_multilabel_margin_loss")(
    lambda x, n, c: F.multilabel_margin_loss(x[0], x[1] - (get(n, 1) and 1), reduction=reduction(n))
)
op("F_multilabel_soft_margin_loss")(
    lambda x, n, c: F.multilabel_soft_margin_loss(x[0], x[1], third(x), reduction=reduction(n))
)
op("F_cosine_similarity")(lambda x, n, c: F.cosine_similarity(x[0], x[1], get(n, 0), get(n, 1) / 4))
op("F_pairwise_distance")(
    lambda x, n, c: F.pairwise_distance(x[0], x[1], power(get(n, 0)), get(n, 1) / 4, bool(get(n, 2)))
)
op("F_normalize")(lambda x, n, c: F.normalize(x[0], power(get(n, 0)), get(n, 1), get(n, 2) / 4))
op("F_pdist")(lambda x, n, c: F.pdist(x[0], power(get(n, 0))))
