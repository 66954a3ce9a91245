"""The modules of nn/transformer.h written with PyTorch's own, and the classifier that the notebook makes of them.

The same arithmetic in the same order, and the same order of random draws: dropout is drawn where the module that owns
it is called, parameters in the order in which the constructors stand here. Masks hide where they are 0."""
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
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
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = torch.softmax(scores, dim=-1)
        heads = torch.matmul(self.dropout(weights), v)
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1, activation="relu"):
        super().__init__()
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU() if activation == "relu" else nn.GELU()

    def forward(self, x):
        return self.fc2(self.dropout(self.activation(self.fc1(x))))


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        position = torch.arange(max_len).float().unsqueeze(1)
        rate = torch.exp(torch.arange(0, d_model, 2).float() * -(math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * rate)
        pe[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, :x.size(1), :])


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, activation="relu", norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout, activation)
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


class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, vocab_size, max_len=5000, dropout=0.1, activation="relu",
                 norm_first=False, scale_embedding=True):
        super().__init__()
        self.scale = math.sqrt(d_model) if scale_embedding else 1
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = PositionalEncoding(d_model, max_len, dropout)
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout, activation, norm_first)
                                    for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(d_model) if norm_first else None

    def forward(self, ids, mask=None):
        x = self.positional_encoding(self.embedding(ids) * self.scale)
        if mask is not None and mask.dim() == 2:
            mask = mask.unsqueeze(1)
        weights = []
        for layer in self.layers:
            x, w = layer(x, mask)
            weights.append(w)
        return (self.final_norm(x) if self.final_norm else x), *weights


class EncoderClassifier(nn.Module):
    """The encoder, the mean over the positions, and a head of two linear layers."""

    def __init__(self, encoder, num_classes, d_model, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.classifier = nn.Sequential(nn.Linear(d_model, d_model // 2), nn.ReLU(), nn.Dropout(dropout),
                                        nn.Linear(d_model // 2, num_classes))

    def forward(self, ids, mask=None):
        x, *weights = self.encoder(ids, mask)
        return self.classifier(x.mean(1)), *weights


def classifier(num_layers, d_model, num_heads, d_ff, vocab_size, dropout=0.1, max_len=5000):
    """The notebook's model, which norms first."""
    encoder = Encoder(num_layers, d_model, num_heads, d_ff, vocab_size, max_len, dropout, norm_first=True)
    return EncoderClassifier(encoder, 2, d_model, dropout)
