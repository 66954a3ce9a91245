"""The modules of nn/transformer/tutorial_transformer.h written with PyTorch's own, and the classifier that the notebook
makes of them.

The same arithmetic in the same order, and the same order of random draws: dropout is drawn where the module that owns
it is called, parameters in the order of the constructors here. A mask hides where it equals `hides`, and a
query whose keys are all hidden has weights 0. check_against_torch() compares the layers with PyTorch's own."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1, hides=0):
        super().__init__()
        self.num_heads, self.hides = num_heads, hides
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.split(self.W_q(query)), self.split(self.W_k(key)), self.split(self.W_v(value))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if mask is not None:
            while mask.dim() < 4:
                mask = mask.unsqueeze(-3)
            scores = scores.masked_fill(mask == self.hides, -1e9)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill((mask == self.hides).all(-1, keepdim=True), 0)
        heads = torch.matmul(self.dropout(weights), v)
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights


class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()

    def forward(self, x):
        return self.fc2(self.dropout(self.activation(self.fc1(x))))


def angles(position, two_i, d_model, sinusoid):
    """The three ways in which the tutorials write position / 10000^(2i/D)."""
    if sinusoid == "exp":
        return position * torch.exp(two_i * -(math.log(10000.0) / d_model))
    if sinusoid == "pow":
        return position * torch.pow(10000.0, -two_i / d_model)
    return position / (10000 ** (two_i / d_model))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1, sinusoid="exp"):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len).float().unsqueeze(1)
        angle = angles(position, torch.arange(0, d_model, 2).float(), d_model, sinusoid)
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(angle)
        pe[:, 1::2] = torch.cos(angle)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1), :])


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, activation="relu", norm_first=False, hides=0):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout, hides)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout1 = nn.Dropout(dropout)
        self.dropout2 = nn.Dropout(dropout)
        self.norm_first = norm_first

    def attend(self, x, mask):
        y, weights = self.self_attention(x, x, x, mask)
        return self.dropout1(y), weights

    def forward(self, x, mask=None):
        if self.norm_first:
            y, weights = self.attend(self.norm1(x), mask)
            x = x + y
            return x + self.dropout2(self.feed_forward(self.norm2(x))), weights
        y, weights = self.attend(x, mask)
        x = self.norm1(x + y)
        return self.norm2(x + self.dropout2(self.feed_forward(x))), weights


class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, activation="relu", norm_first=False, hides=0):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout, hides)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout, hides)
        self.feed_forward = FeedForward(d_model, d_ff, dropout, activation)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout1, self.dropout2, self.dropout3 = (nn.Dropout(dropout) for _ in range(3))
        self.norm_first = norm_first

    def around(self, norm, dropout, x, sublayer):
        """x + dropout(sublayer(norm(x))) or norm(x + dropout(sublayer(x))), and the attention weights."""
        y, weights = sublayer(norm(x) if self.norm_first else x)
        x = x + dropout(y)
        return (x if self.norm_first else norm(x)), weights

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x, own = self.around(self.norm1, self.dropout1, x, lambda q: self.self_attention(q, q, q, tgt_mask))
        x, cross = self.around(
            self.norm2, self.dropout2, x, lambda q: self.cross_attention(q, memory, memory, src_mask)
        )
        x, _ = self.around(self.norm3, self.dropout3, x, lambda q: (self.feed_forward(q), None))
        return x, own, cross


class Stack(nn.Module):
    """What the encoder and the decoder share."""

    def __init__(
        self,
        layer,
        num_layers,
        d_model,
        num_heads,
        d_ff,
        vocab_size,
        max_len=5000,
        dropout=0.1,
        activation="relu",
        norm_first=False,
        scale_embedding=True,
        padding_idx=None,
        sinusoid="exp",
        hides=0,
    ):
        super().__init__()
        self.scale = math.sqrt(d_model) if scale_embedding else 1
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=padding_idx)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout, sinusoid)
        self.layers = nn.ModuleList(
            layer(d_model, num_heads, d_ff, dropout, activation, norm_first, hides) for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(d_model) if norm_first else None

    def embed(self, ids):
        return self.positional_encoding(self.embedding(ids) * self.scale)

    def finish(self, x):
        return self.final_norm(x) if self.final_norm else x


def padding(mask):
    """(B, S) -> (B, 1, S)"""
    return mask.unsqueeze(1) if mask is not None and mask.dim() == 2 else mask


class Encoder(Stack):
    def __init__(self, *arguments, **options):
        super().__init__(EncoderLayer, *arguments, **options)

    def forward(self, ids, mask=None):
        x, weights = self.embed(ids), []
        for layer in self.layers:
            x, w = layer(x, padding(mask))
            weights.append(w)
        return self.finish(x), *weights


class Decoder(Stack):
    """The weights come layer by layer: self-attention, cross-attention."""

    def __init__(self, *arguments, **options):
        super().__init__(DecoderLayer, *arguments, **options)

    def forward(self, ids, memory, src_mask=None, tgt_mask=None):
        x, weights = self.embed(ids), []
        for layer in self.layers:
            x, own, cross = layer(x, memory, padding(src_mask), tgt_mask)
            weights += [own, cross]
        return self.finish(x), *weights


class EncoderDecoder(nn.Module):
    """The weights are the encoder's, then the decoder's."""

    def __init__(
        self,
        num_layers,
        d_model,
        num_heads,
        d_ff,
        src_vocab,
        tgt_vocab,
        src_max_len=5000,
        tgt_max_len=5000,
        dropout=0.1,
        activation="relu",
        norm_first=False,
        scale_embedding=True,
        src_padding_idx=None,
        tgt_padding_idx=None,
        sinusoid="exp",
        hides=0,
    ):
        super().__init__()
        sizes, both = (num_layers, d_model, num_heads, d_ff), (dropout, activation, norm_first, scale_embedding)
        self.encoder = Encoder(*sizes, src_vocab, src_max_len, *both, src_padding_idx, sinusoid, hides)
        self.decoder = Decoder(*sizes, tgt_vocab, tgt_max_len, *both, tgt_padding_idx, sinusoid, hides)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        memory, *weights = self.encoder(src, src_mask)
        x, *more = self.decoder(tgt, memory, src_mask, tgt_mask)
        return self.generator(x), *weights, *more


class Translator(nn.Module):
    """An EncoderDecoder whose masks come from the ids, in which 0 is padding."""

    def __init__(self, **options):
        super().__init__()
        self.model = EncoderDecoder(2, 4, 2, 6, 7, 5, 9, 9, src_padding_idx=0, tgt_padding_idx=0, **options)

    def forward(self, src, tgt):
        T = tgt.size(1)
        src_mask, tgt_mask = (src == 0)[:, None, None, :], (tgt == 0)[:, None, None, :]
        tgt_mask = tgt_mask | torch.triu(torch.ones(T, T), diagonal=1).bool()  # true hides
        if self.model.encoder.layers[0].self_attention.hides == 0:
            src_mask, tgt_mask = ~src_mask, ~tgt_mask
        return self.model(src, tgt, src_mask, tgt_mask)


class EncoderClassifier(nn.Module):
    """The encoder, the mean over the positions, and a head of two linear layers."""

    def __init__(self, encoder, num_classes, d_model, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.classifier = nn.Sequential(
            nn.Linear(d_model, d_model // 2), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_model // 2, num_classes)
        )

    def forward(self, ids, mask=None):
        x, *weights = self.encoder(ids, mask)
        return self.classifier(x.mean(1)), *weights


def classifier(num_layers, d_model, num_heads, d_ff, vocab_size, dropout=0.1, max_len=5000):
    """The notebook's model, which norms first."""
    encoder = Encoder(num_layers, d_model, num_heads, d_ff, vocab_size, max_len, dropout, norm_first=True)
    return EncoderClassifier(encoder, 2, d_model, dropout)


# ---- compared with PyTorch's own ----


def copy_attention(to, attention):
    with torch.no_grad():
        for k, name in enumerate(("W_q", "W_k", "W_v")):
            rows = slice(k * to.embed_dim, (k + 1) * to.embed_dim)
            to.in_proj_weight[rows] = getattr(attention, name).weight
            to.in_proj_bias[rows] = getattr(attention, name).bias
    to.out_proj.load_state_dict(attention.W_o.state_dict())


def check_against_torch():
    """In float64, the decoder layer is torch.nn's, masked and with a memory of another length."""
    real = {"dtype": torch.float64}
    x, memory = torch.randn(2, 5, 8, **real), torch.randn(2, 7, 8, **real)
    ahead = torch.triu(torch.ones(5, 5), diagonal=1).bool()
    padded = torch.arange(7) >= torch.tensor([[4], [7]])
    for norm_first in (False, True):
        for activation in ("relu", "gelu"):
            own = DecoderLayer(8, 2, 12, 0.0, activation, norm_first, hides=1).double()
            torchs = nn.TransformerDecoderLayer(
                8, 2, 12, 0.0, activation, batch_first=True, norm_first=norm_first, **real
            )
            copy_attention(torchs.self_attn, own.self_attention)
            copy_attention(torchs.multihead_attn, own.cross_attention)
            for mine, theirs in (
                (own.feed_forward.fc1, torchs.linear1),
                (own.feed_forward.fc2, torchs.linear2),
                (own.norm1, torchs.norm1),
                (own.norm2, torchs.norm2),
                (own.norm3, torchs.norm3),
            ):
                theirs.load_state_dict(mine.state_dict())
            got = own(x, memory, padded[:, None, :], ahead)[0]
            want = torchs(x, memory, tgt_mask=ahead, memory_key_padding_mask=padded)
            assert torch.allclose(got, want, rtol=0, atol=1e-14), (norm_first, activation, (got - want).abs().max())
