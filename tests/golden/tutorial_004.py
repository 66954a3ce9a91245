"""Writes what PyTorch gives for tutorial 004 (a page on attention), into tutorial_004.txt next to this file.

    python tutorial_004.py DIR        DIR holds a runnable tutorial_004.py; make check never runs it

A case's key is a label and its inputs (rule.py); parameters and buffers are hashed from their names. Runs: 32 or 64 for
the dtype, e or t for eval or training mode, and F behind them for the repaired page (FIXED). The decoder is not the
page's: it is written out here, and its layer asserted to be PyTorch's nn.TransformerDecoderLayer. "demos" are those of
the page in its order under seed 42, and behind them what the port adds."""

import os
import sys
import tempfile

import torch
from torch import nn

from record_models import HERE, INIT_SEED, write_some, write_all
from record_ports import record_case, run_module

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import tutorial_004 as tutorial  # noqa: E402

BOTH, AS_IT_STANDS, FIXED = (False, True), (False,), (True,)


# ---- the decoder ----


class CrossAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, memory, mask=None):
        def heads(y):
            return y.unflatten(-1, (self.num_heads, self.d_k)).transpose(1, 2)

        y, _ = tutorial.scaled_dot_product_attention(
            heads(self.W_q(x)), heads(self.W_k(memory)), heads(self.W_v(memory)), mask
        )
        return self.W_o(y.transpose(1, 2).flatten(2))


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1):
        super().__init__()
        self.self_attn = tutorial.MultiHeadAttention(d_model, num_heads)
        self.cross_attn = CrossAttention(d_model, num_heads)
        self.ffn = tutorial.PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.norm1(x + self.dropout(self.self_attn(x, tgt_mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, src_mask)))
        return self.norm3(x + self.dropout(self.ffn(x)))


class TransformerDecoder(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers, dropout=0.1):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pos_encoding = tutorial.PositionalEncoding(d_model)
        self.layers = nn.ModuleList([DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers)])
        self.fc = nn.Linear(d_model, vocab_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.dropout(self.pos_encoding(self.embedding(x)))
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        return self.fc(x)


def torch_layer(ours):
    """PyTorch's decoder layer with the weights of ours."""
    layer = nn.TransformerDecoderLayer(
        ours.self_attn.d_model, ours.self_attn.num_heads, ours.ffn.fc1.out_features, 0.0, batch_first=True
    ).double()
    state = ours.state_dict()
    values = {}
    for theirs, attn in (("self_attn", "self_attn"), ("multihead_attn", "cross_attn")):
        for kind in ("weight", "bias"):
            values[f"{theirs}.in_proj_{kind}"] = torch.cat([state[f"{attn}.W_{w}.{kind}"] for w in "qkv"])
            values[f"{theirs}.out_proj.{kind}"] = state[f"{attn}.W_o.{kind}"]
    for theirs, name in (
        ("linear1", "ffn.fc1"),
        ("linear2", "ffn.fc2"),
        *((f"norm{i}", f"norm{i}") for i in (1, 2, 3)),
    ):
        for kind in ("weight", "bias"):
            values[f"{theirs}.{kind}"] = state[f"{name}.{kind}"]
    layer.load_state_dict(values)
    return layer.eval()


def check_decoder_layer():
    """The decoder layer above is PyTorch's."""
    ours = DecoderLayer(8, 2, 16).double().eval()
    x, memory = torch.randn(2, 4, 8, dtype=torch.float64), torch.randn(2, 5, 8, dtype=torch.float64)
    pad = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    see = torch.ones(4, 4).tril()
    y = torch_layer(ours)(x, memory, tgt_mask=see == 0, memory_key_padding_mask=pad == 0)
    assert (ours(x, memory, pad[:, None, None, :], see) - y).abs().max() < 1e-14


# ---- the cases ----


class Function(nn.Module):
    def forward(self, q, k, v, mask=None):
        return tutorial.scaled_dot_product_attention(q, k, v, mask)[0]


class Encoder(tutorial.TransformerEncoder):
    """The port's --fixed takes (B, S, S) masks too."""

    def forward(self, x, mask=None):
        return super().forward(x, mask[:, None] if tutorial.FIXED and mask is not None and mask.dim() == 3 else mask)


def attention():
    return tutorial.MultiHeadAttention(4, 2)


def layer():
    return tutorial.EncoderLayer(4, 2, 6, 0.25)


def encoder():
    return Encoder(11, 4, 2, 6, 2, 3, 0.25)


def decoder_layer():
    return DecoderLayer(4, 2, 6, 0.25)


CASES = [  # label, module, inputs, modes
    ("function", Function, "r(2,2,3,4) r(2,2,5,4) r(2,2,5,3) -", AS_IT_STANDS),
    ("function", Function, "r(2,2,3,4) r(2,2,5,4) r(2,2,5,4) b(2,1,3,5)", AS_IT_STANDS),
    ("attention", attention, "r(2,3,4) -", AS_IT_STANDS),
    ("attention", attention, "r(2,3,4) b(2,1,1,3)", AS_IT_STANDS),
    ("attention", attention, "r(2,3,4) b(2,1,3,3)", AS_IT_STANDS),
    ("attention", attention, "r(2,5,4) T(5,5)", AS_IT_STANDS),  # 0 hides, -1 and 1 show
    ("feed_forward", lambda: tutorial.PositionwiseFeedForward(4, 6, 0.25), "r(2,3,4)", AS_IT_STANDS),
    ("positional_encoding", lambda: tutorial.PositionalEncoding(4, 7), "r(2,5,4)", AS_IT_STANDS),
    ("layer", layer, "r(2,3,4) -", AS_IT_STANDS),
    ("layer", layer, "r(2,3,4) b(2,1,1,3)", AS_IT_STANDS),
    ("encoder", encoder, "k11(2,5) -", BOTH),
    ("encoder", encoder, "k11(2,5) b(2,1,1,5)", BOTH),
    ("encoder", encoder, "k11(3,5) b(3,5)", FIXED),  # the page refuses it
    ("encoder", encoder, "k11(5,5) b(5,5)", BOTH),  # the page takes it for one mask of queries and keys
    ("encoder", encoder, "k11(2,6) b(2,6,6)", BOTH),  # and this for one mask a head
    ("cross_attention", lambda: CrossAttention(4, 2), "r(2,3,4) r(2,5,4) b(2,1,1,5)", AS_IT_STANDS),
    ("decoder_layer", decoder_layer, "r(2,3,4) r(2,5,4) - -", AS_IT_STANDS),
    ("decoder_layer", decoder_layer, "r(2,3,4) r(2,5,4) b(2,1,1,5) b(3,3)", AS_IT_STANDS),
    ("decoder", lambda: TransformerDecoder(11, 4, 2, 6, 2, 0.25), "k11(2,3) r(2,5,4) b(2,1,1,5) b(3,3)", AS_IT_STANDS),
]


class Watch:
    """The attention weights by the name of the module, which the page drops: what its function returns, in order."""

    def __init__(self, module):
        self.names = [
            name
            for name, m in module.named_modules()
            if isinstance(m, (tutorial.MultiHeadAttention, CrossAttention, Function))
        ]
        self.list, self.function = [], tutorial.scaled_dot_product_attention

    def __enter__(self):
        def keep(*inputs):
            y, weights = self.function(*inputs)
            self.list.append(weights)
            return y, weights

        tutorial.scaled_dot_product_attention = keep
        return self

    def __exit__(self, *_):
        tutorial.scaled_dot_product_attention = self.function

    def items(self):
        assert len(self.list) == len(self.names)
        return zip(self.names, self.list)


def record_refusal(file):
    tutorial.FIXED = False
    try:
        encoder()(torch.ones(3, 5, dtype=torch.int64), torch.ones(3, 5))
    except RuntimeError as error:
        file.write(f"= refused mask\n{error}\n")


# ---- at full size ----


def record_full(file):
    file.write("= full\n")
    torch.manual_seed(INIT_SEED)
    model = tutorial.TransformerEncoder(10000, 256, 8, 1024, 4, 2)
    ids = torch.randint(0, 10000, (8, 20))
    mask = torch.ones(8, 20)
    mask[1, 12:] = 0
    mask[6, 3:] = 0
    write_all(file, "ids", ids[:, :8])
    write_some(file, "pe", model.pos_encoding.pe[0, :100])
    tutorial.FIXED = False
    run_module(file, "32t", model, [ids], Watch, "full", all_up_to=96, samples=6)
    model.zero_grad()
    run_module(file, "32t.masked", model, [ids, mask[:, None, None, :]], Watch, "full", all_up_to=96, samples=6)
    model.zero_grad()
    tutorial.FIXED = True
    run_module(file, "32tF", model, [ids, mask], Watch, "full", all_up_to=96, samples=6)


# ---- the demos, and what the port adds to them ----


def record_demos(file):
    file.write("= demos\n")
    tutorial.FIXED = False
    torch.manual_seed(42)
    *_, output, weights = tutorial.demo_1()
    write_some(file, "demo_1.y", output)
    write_some(file, "demo_1.w", weights)
    write_some(file, "demo_2.y", tutorial.demo_2()[2])
    write_some(file, "demo_3.pe", tutorial.demo_3().pe)
    model = tutorial.demo_4()
    write_some(file, "demo_5.w", tutorial.demo_5()[0])
    model.eval()
    with torch.no_grad():
        record_real_attention(file, model)
        record_padded(file, model)
        record_decoder(file, model)
    file.write(f"= repr\n{model!r}\n")


def record_real_attention(file, model):
    with Watch(model) as seen:
        model(torch.tensor([[1, 2, 3, 4, 1, 5]]))
    write_some(file, "real.w", torch.cat(seen.list))


def record_padded(file, model):
    ids = torch.tensor([[1, 2, 3, 4, 1, 5], [1, 2, 3, 0, 0, 0]])
    alone = torch.cat([model(ids[:1]), model(ids[1:, :3])])
    mask = ids != 0
    for tutorial.FIXED in BOTH:
        y = model(ids, mask if tutorial.FIXED else mask[:, None, None, :])
        write_all(file, "padded" + "F" * tutorial.FIXED, (y - alone).abs().amax(1))


def record_decoder(file, model):
    torch.manual_seed(42)
    decoder = TransformerDecoder(10000, 256, 8, 1024, 4).eval()
    write_all(file, "decoder.parameters", torch.tensor(sum(p.numel() for p in decoder.parameters())))
    src, tgt = torch.randint(1, 10000, (2, 12)), torch.randint(1, 10000, (2, 9))
    src[1, 8:] = 0
    src_mask, see = (src != 0)[:, None, None, :], torch.ones(9, 9).tril()
    memory = model.pos_encoding(model.embedding(src))
    for encoder_layer in model.layers:
        memory = encoder_layer(memory, src_mask)
    write_some(file, "memory", memory)
    logits = decoder(tgt, memory, src_mask, see)
    write_some(file, "logits", logits)
    other = tgt.clone()
    other[:, 5] = tgt[:, 5] % 9999 + 1
    write_all(file, "changes", (decoder(other, memory, src_mask, see) - logits).abs().amax((0, 2)))


def main():
    torch.set_num_threads(1)
    check_decoder_layer()
    with tempfile.TemporaryDirectory() as tutorial.PLOT_DIR, open(os.path.join(HERE, "tutorial_004.txt"), "w") as file:
        for case in CASES:
            record_case(file, tutorial, *case, Watch, 96)
        record_refusal(file)
        record_full(file)
        record_demos(file)


if __name__ == "__main__":
    main()
