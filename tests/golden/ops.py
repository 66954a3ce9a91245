"""What each function of the op tables is in PyTorch: name -> f(x, n, context), x the inputs, n the other arguments.

The result is a tensor, a number, or a tuple of them. Missing numbers are 0, as in C. context.dtype is the dtype of the
run, context.texts the string arrays of the table's file."""

import torch
import torch.nn.functional as F

DTYPE = [
    None, torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64,
]  # fmt: skip
OPS = {}


def op(name):
    def add(f):
        OPS[name] = f
        return f

    return add


def simple(names, *functions):
    for name, f in zip(names.split(), functions):
        OPS["t_" + name] = lambda x, n, c, f=f: f(*x)


simple(
    "neg abs sign exp log sqrt rsqrt square reciprocal sin cos tanh sigmoid erf relu logical_not bitwise_not isnan "
    "isinf isfinite",
    torch.neg,
    torch.abs,
    torch.sign,
    torch.exp,
    torch.log,
    torch.sqrt,
    torch.rsqrt,
    torch.square,
    torch.reciprocal,
    torch.sin,
    torch.cos,
    torch.tanh,
    torch.sigmoid,
    torch.erf,
    torch.relu,
    torch.logical_not,
    torch.bitwise_not,
    torch.isnan,
    torch.isinf,
    torch.isfinite,
)
simple(
    "float double long half int short char byte clone contiguous detach t",
    *(
        getattr(torch.Tensor, name)
        for name in "float double long half int short char byte clone contiguous detach t".split()
    ),
)
simple(
    "add sub mul div pow eq ne lt le gt ge",
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b,
    lambda a, b: a**b,
    lambda a, b: a == b,
    lambda a, b: a != b,
    lambda a, b: a < b,
    lambda a, b: a <= b,
    lambda a, b: a > b,
    lambda a, b: a >= b,
)
simple(
    "maximum minimum logical_and logical_or clamp where masked_fill equal matmul mm bmm",
    torch.maximum,
    torch.minimum,
    torch.logical_and,
    torch.logical_or,
    torch.clamp,
    torch.where,
    torch.masked_fill,
    torch.equal,
    torch.matmul,
    torch.mm,
    torch.bmm,
)
simple(
    "add_ sub_ mul_ div_ copy_ zero_ masked_fill_ expand_as",
    *(getattr(torch.Tensor, name) for name in "add_ sub_ mul_ div_ copy_ zero_ masked_fill_ expand_as".split()),
)
simple(
    "empty_like zeros_like ones_like rand_like randn_like bernoulli",
    torch.zeros_like,
    torch.zeros_like,
    torch.ones_like,
    torch.rand_like,
    torch.randn_like,
    torch.bernoulli,
)


def get(n, i):
    return n[i] if i < len(n) else 0


def sizes(n, at=0):
    """The shape (or list of dims) whose length is at n[at]."""
    count = get(n, at)
    return [get(n, at + 1 + i) for i in range(count)]


# PyTorch computes number % tensor, but then has no gradient for it: the number becomes a tensor
op("t_remainder")(lambda x, n, c: x[0] % x[1] if torch.is_tensor(x[0]) else torch.tensor(x[0]) % x[1])
for name in ("bitwise_and", "bitwise_or"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(*x))
op("t_to")(lambda x, n, c: x[0].to(DTYPE[n[0]]))
op("t_allclose")(lambda x, n, c: torch.allclose(x[0], x[1], get(n, 0) / 100, get(n, 1) / 100, bool(get(n, 2))))
op("t_fill_")(lambda x, n, c: x[0].fill_(get(n, 0) / 4))
op("t_uniform_")(lambda x, n, c: x[0].uniform_(get(n, 0), get(n, 1)))
op("t_normal_")(lambda x, n, c: x[0].normal_(get(n, 0), get(n, 1)))
op("t_bernoulli_")(lambda x, n, c: x[0].bernoulli_(get(n, 0) / 4))


def index_of(text, n):
    values = iter(n)
    text = "".join(str(next(values)) if part == "{}" else part for part in text.replace("{}", "|{}|").split("|"))
    return eval(f"I[{text}]", {"I": type("I", (), {"__class_getitem__": classmethod(lambda cls, i: i)})})


@op("t_set")
def _(x, n, c):
    x[0][index_of(c.texts["set_texts"][get(n, 0)], n[1:])] = x[1]
    return x[0]


op("t_at")(lambda x, n, c: x[0][index_of(c.texts["at_texts"][get(n, 0)], n[1:])])

# ---- creation ----
op("t_empty")(lambda x, n, c: torch.empty(sizes(n), dtype=c.dtype).zero_())
for name, f in {"zeros": torch.zeros, "ones": torch.ones, "rand": torch.rand, "randn": torch.randn}.items():
    op("t_" + name)(lambda x, n, c, f=f: f(sizes(n), dtype=c.dtype))
op("t_full")(lambda x, n, c: torch.full(sizes(n, 1), get(n, 0) / 4, dtype=c.dtype))
op("t_full_like")(lambda x, n, c: torch.full_like(x[0], get(n, 0) / 4))
op("t_eye")(lambda x, n, c: torch.eye(get(n, 0), dtype=c.dtype))
op("t_arange")(lambda x, n, c: torch.arange(get(n, 0) / 4, get(n, 1) / 4, get(n, 2) / 4, dtype=c.dtype))
op("t_arange_int64")(lambda x, n, c: torch.arange(get(n, 0), get(n, 1), get(n, 2)))
op("t_number")(lambda x, n, c: torch.tensor(get(n, 0) / 4, dtype=torch.float64))
op("t_integer")(lambda x, n, c: torch.tensor(get(n, 0)))
op("t_boolean")(lambda x, n, c: torch.tensor(get(n, 0) != 0))
op("t_randint")(lambda x, n, c: torch.randint(get(n, 0), get(n, 1), sizes(n, 2)))
op("t_randperm")(lambda x, n, c: torch.randperm(get(n, 0)))
op("t_tensor_from_text")(lambda x, n, c: torch.tensor(eval(c.texts["literals"][get(n, 0)])))


@op("t_tensor_from_data")
def _(x, n, c):
    floats = [0.1, -2, 3.25, 4, 0, -0.5]
    values = {torch.bool: [True, False, True, True, False, False], torch.int64: [1, -2, 3, 4, 0, 1 << 40]}
    values = values.get(DTYPE[n[0]], floats)
    shape = sizes(n, 2)
    data = torch.tensor(values, dtype=DTYPE[n[0]])[: torch.Size(shape).numel()].reshape(shape)
    return data.to(DTYPE[get(n, 1)]) if get(n, 1) else data


# ---- shapes ----
op("t_view")(lambda x, n, c: x[0].view(sizes(n)))
op("t_reshape")(lambda x, n, c: x[0].reshape(sizes(n)))
op("t_permute")(lambda x, n, c: x[0].permute(sizes(n)))
op("t_expand")(lambda x, n, c: x[0].expand(sizes(n)))
op("t_repeat")(lambda x, n, c: x[0].repeat(sizes(n)))
op("t_flatten")(lambda x, n, c: x[0].flatten(get(n, 0), get(n, 1)))
op("t_transpose")(lambda x, n, c: x[0].transpose(get(n, 0), get(n, 1)))
op("t_unsqueeze")(lambda x, n, c: x[0].unsqueeze(get(n, 0)))
op("t_squeeze")(lambda x, n, c: x[0].squeeze() if get(n, 0) is None else x[0].squeeze(get(n, 0)))
op("t_diagonal")(lambda x, n, c: torch.diagonal(x[0], get(n, 0), get(n, 1), get(n, 2)))
op("t_tril")(lambda x, n, c: torch.tril(x[0], get(n, 0)))
op("t_triu")(lambda x, n, c: torch.triu(x[0], get(n, 0)))
op("t_narrow")(lambda x, n, c: x[0].narrow(get(n, 0), get(n, 1), get(n, 2)))
op("t_select")(lambda x, n, c: x[0].select(get(n, 0), get(n, 1)))
op("t_slice")(lambda x, n, c: torch.ops.aten.slice(x[0], get(n, 0), get(n, 1), get(n, 2), get(n, 3)))
op("t_chunk")(lambda x, n, c: x[0].chunk(get(n, 0), get(n, 1)))
op("t_split")(lambda x, n, c: x[0].split(get(n, 0), get(n, 1)))
op("t_unbind")(lambda x, n, c: x[0].unbind(get(n, 0)))
op("t_cat")(lambda x, n, c: torch.cat(x, get(n, 0)))
op("t_stack")(lambda x, n, c: torch.stack(x, get(n, 0)))
op("t_gather")(lambda x, n, c: torch.gather(x[0], get(n, 0), x[1]))
op("t_index_select")(lambda x, n, c: torch.index_select(x[0], get(n, 0), x[1]))

# ---- reductions ----
op("t_sum")(
    lambda x, n, c: (
        x[0].sum(sizes(n, 1), bool(get(n, 0)))
        if get(n, 1)
        else x[0].sum() if not get(n, 0) else x[0].sum(list(range(x[0].dim())), True)
    )
)
op("t_mean")(
    lambda x, n, c: (
        x[0].mean(sizes(n, 1), bool(get(n, 0)))
        if get(n, 1)
        else x[0].mean() if not get(n, 0) else x[0].mean(list(range(x[0].dim())), True)
    )
)
op("t_var")(lambda x, n, c: x[0].var(sizes(n, 2) or None, correction=get(n, 0) / 2, keepdim=bool(get(n, 1))))
for name in ("max", "min"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch, name): (
            f(x[0]) if get(n, 0) is None else tuple(f(x[0], get(n, 0), bool(get(n, 1))))
        )
    )
for name in ("argmax", "argmin"):
    op("t_" + name)(lambda x, n, c, f=getattr(torch, name): f(x[0], get(n, 0), bool(get(n, 1))))
for name in ("amax", "amin", "all", "any"):
    op("t_" + name)(
        lambda x, n, c, f=getattr(torch, name): (
            f(x[0], sizes(n, 1), keepdim=bool(get(n, 0)))
            if get(n, 1)
            else f(x[0]) if not get(n, 0) else f(x[0], list(range(x[0].dim())), keepdim=True)
        )
    )
op("t_einsum")(lambda x, n, c: torch.einsum(c.texts["equations"][get(n, 0)], *x))
op("t_softmax")(lambda x, n, c: torch.softmax(x[0], get(n, 0)))
op("t_log_softmax")(lambda x, n, c: torch.log_softmax(x[0], get(n, 0)))

# ---- torch.nn.functional ----
op("F_linear")(lambda x, n, c: F.linear(*x))
op("F_layer_norm")(lambda x, n, c: F.layer_norm(x[0], sizes(n, 1), x[1], x[2], get(n, 0) / 1000))
op("F_dropout")(lambda x, n, c: F.dropout(x[0], get(n, 0) / 100, bool(get(n, 1))))
op("F_embedding")(lambda x, n, c: F.embedding(x[0], x[1], get(n, 0)))


@op("F_embedding_bag")
def embedding_bag(x, n, c):
    sizes = [int(digit) for digit in str(get(n, 3))[1:]]
    offsets = torch.tensor([sum(sizes[:b]) for b in range(len(sizes) + (get(n, 1) & 2 > 0))])
    return F.embedding_bag(
        x[0],
        x[1],
        offsets if get(n, 3) else None,
        scale_grad_by_freq=bool(get(n, 1) & 1),
        mode=["mean", "sum", "max", "min"][get(n, 0)],
        per_sample_weights=x[2],
        include_last_offset=bool(get(n, 1) & 2),
        padding_idx=get(n, 2) - 1 if get(n, 2) else None,
    )


