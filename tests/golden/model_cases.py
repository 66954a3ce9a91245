"""The modules and inputs of models_*.txt. A label is what tests/support/models/model_cases.c calls the module."""

import torch
from torch import nn

from reference_models import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderDecoder,
    EncoderLayer,
    FeedForward,
    MultiHeadAttention,
    PositionalEncoding,
    Translator,
    classifier,
)

# ---- values and gradients: label, module, inputs ----

LAYERS = [
    ("linear", lambda: nn.Linear(3, 4), "r(2,5,3)"),
    ("linear", lambda: nn.Linear(3, 4), "r(3)"),
    ("linear", lambda: nn.Linear(3, 4), "r(0,3)"),
    ("linear_no_bias", lambda: nn.Linear(3, 4, bias=False), "r(6,3)"),
    ("embedding", lambda: nn.Embedding(7, 3), "k7(2,4)"),
    ("embedding", lambda: nn.Embedding(7, 3), "k7()"),
    ("embedding_padded", lambda: nn.Embedding(7, 3, padding_idx=2), "k7(4,6)"),
    ("embedding_padded_last", lambda: nn.Embedding(7, 3, padding_idx=-1), "k7(4,6)"),
    ("layer_norm", lambda: nn.LayerNorm(5), "r(2,3,5)"),
    ("layer_norm", lambda: nn.LayerNorm(5), "r(5)"),
    ("layer_norm", lambda: nn.LayerNorm(5), "r(0,5)"),
    ("layer_norm_plain", lambda: nn.LayerNorm(5, elementwise_affine=False), "r(2,3,5)"),
    ("layer_norm_no_bias", lambda: nn.LayerNorm(5, bias=False), "r(2,3,5)"),
    ("layer_norm_eps", lambda: nn.LayerNorm(5, eps=0.5), "r(2,3,5)"),
    ("layer_norm_two_dims", lambda: nn.LayerNorm((3, 5)), "r(2,3,5)"),
    ("relu", nn.ReLU, "r(3,5)"),
    ("tanh", nn.Tanh, "r(3,5)"),
    ("sigmoid", nn.Sigmoid, "r(3,5)"),
    ("identity", nn.Identity, "r(3,5)"),
    ("gelu", nn.GELU, "r(3,5)"),
    ("gelu_tanh", lambda: nn.GELU("tanh"), "r(3,5)"),
    ("softmax_last", lambda: nn.Softmax(-1), "r(2,3,5)"),
    ("softmax_1", lambda: nn.Softmax(1), "r(2,3,5)"),
    ("softmax_0", lambda: nn.Softmax(0), "r(4)"),
    ("dropout", lambda: nn.Dropout(0.3), "r(7,9)"),
    ("dropout_half", nn.Dropout, "r(7,9)"),
    ("dropout_all", lambda: nn.Dropout(1.0), "r(3,4)"),
    ("dropout_none", lambda: nn.Dropout(0.0), "r(3,4)"),
    ("sequential", lambda: nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Dropout(0.1), nn.Linear(6, 2)), "r(5,4)"),
]


def cross_entropy(**options):
    weighted = options.pop("weighted", False)
    return lambda: nn.CrossEntropyLoss(weight=torch.ones(5) if weighted else None, **options)


for label, module in [
    ("cross_entropy", cross_entropy()),
    ("cross_entropy_sum", cross_entropy(reduction="sum")),
    ("cross_entropy_none", cross_entropy(reduction="none")),
    ("cross_entropy_ignore", cross_entropy(ignore_index=2)),
    ("cross_entropy_weight", cross_entropy(weighted=True)),
    ("cross_entropy_smooth", cross_entropy(label_smoothing=0.2)),
    ("cross_entropy_all", cross_entropy(weighted=True, ignore_index=2, label_smoothing=0.2)),
    ("cross_entropy_all_sum", cross_entropy(weighted=True, ignore_index=2, label_smoothing=0.2, reduction="sum")),
    ("cross_entropy_all_none", cross_entropy(weighted=True, ignore_index=2, label_smoothing=0.2, reduction="none")),
]:
    LAYERS += [(label, module, text) for text in ("r(8,5) k5(8)", "r(3,5,4) k5(3,4)", "r(5) k5()")]
LAYERS += [
    ("cross_entropy", cross_entropy(), "r(4,5) Q(4,5)"),
    ("cross_entropy_weight", cross_entropy(weighted=True), "r(4,5) Q(4,5)"),
]
LAYERS += [
    (label, lambda reduction=reduction: nn.MSELoss(reduction=reduction), "r(3,4) r(3,4)")
    for label, reduction in (("mse", "mean"), ("mse_sum", "sum"), ("mse_none", "none"))
]

IDS, PADDED = "k11(2,5)", "k11(2,5) b(2,5)"
TRANSFORMER = [
    *[
        ("attention", lambda: MultiHeadAttention(4, 2), text)
        for text in (
            "r(2,3,4) r(2,3,4) r(2,3,4)",  # no mask
            "r(2,3,4) r(2,5,4) r(2,5,4)",  # keys and values of another length
            "r(2,3,4) r(2,5,4) r(2,5,4) b(3,5)",  # (Sq, Sk)
            "r(2,3,4) r(2,5,4) r(2,5,4) b(2,3,5)",  # (B, Sq, Sk)
            "r(2,3,4) r(2,5,4) r(2,5,4) b(2,1,5)",
            "r(2,3,4) r(2,5,4) r(2,5,4) b(2,3,1)",  # for some queries every key is hidden
            "r(2,3,4) r(2,5,4) r(2,5,4) k2(2,1,1,5)",  # 0 and 1 as int64
            "r(2,3,4) r(2,5,4) r(2,5,4) k2(1,2,3,5)",
            "r(0,3,4) r(0,5,4) r(0,5,4)",
        )
    ],
    *[
        ("attention_one_hides", lambda: MultiHeadAttention(4, 2, hides=1), text)
        for text in (
            "r(2,3,4) r(2,3,4) r(2,3,4)",
            "r(2,3,4) r(2,5,4) r(2,5,4) b(3,5)",
            "r(2,3,4) r(2,5,4) r(2,5,4) b(2,3,1)",
            "r(2,3,4) r(2,5,4) r(2,5,4) k2(2,2,1,5)",
        )
    ],
    ("attention_1", lambda: MultiHeadAttention(4, 1, 0.0), "r(2,3,4) r(2,3,4) r(2,3,4)"),
    ("feed_forward", lambda: FeedForward(4, 6), "r(2,3,4)"),
    ("feed_forward_gelu", lambda: FeedForward(4, 6, 0.3, "gelu"), "r(2,3,4)"),
    ("positional_encoding", lambda: PositionalEncoding(4, 7), "r(2,5,4)"),
    ("layer", lambda: EncoderLayer(4, 2, 6), "r(2,3,4)"),
    ("layer", lambda: EncoderLayer(4, 2, 6), "r(2,3,4) b(2,3,3)"),
    ("layer_gelu", lambda: EncoderLayer(4, 2, 6, activation="gelu"), "r(2,3,4)"),
    ("layer_pre", lambda: EncoderLayer(4, 2, 6, norm_first=True), "r(2,3,4)"),
    ("layer_pre_gelu", lambda: EncoderLayer(4, 2, 6, 0.2, "gelu", True), "r(2,3,4) b(3,3)"),
    ("encoder", lambda: Encoder(2, 4, 2, 6, 11, 9), IDS),
    ("encoder", lambda: Encoder(2, 4, 2, 6, 11, 9), PADDED),
    ("encoder", lambda: Encoder(2, 4, 2, 6, 11, 9), "k11(0,5) b(0,5)"),
    ("encoder", lambda: Encoder(2, 4, 2, 6, 11, 9), "k11(2,0)"),
    ("encoder_unscaled", lambda: Encoder(1, 4, 2, 6, 11, 9, scale_embedding=False), PADDED),
    ("encoder_unscaled", lambda: Encoder(1, 4, 2, 6, 11, 9, scale_embedding=False), "k11(2,5) b(2,5,5)"),
    ("encoder_pre", lambda: Encoder(2, 4, 2, 6, 11, 9, 0.2, "gelu", True), PADDED),
    ("encoder_one_hides", lambda: Encoder(2, 4, 2, 6, 11, 9, padding_idx=2, sinusoid="div", hides=1), PADDED),
    ("decoder_layer", lambda: DecoderLayer(4, 2, 6), "r(2,3,4) r(2,5,4)"),
    ("decoder_layer", lambda: DecoderLayer(4, 2, 6), "r(2,3,4) r(2,5,4) b(3,5) b(2,3,3)"),
    ("decoder_layer", lambda: DecoderLayer(4, 2, 6), "r(2,3,4) r(2,3,4) - k2(2,1,3,3)"),
    ("decoder_layer_gelu", lambda: DecoderLayer(4, 2, 6, activation="gelu"), "r(2,3,4) r(2,5,4) k2(2,1,1,5)"),
    ("decoder_layer_pre", lambda: DecoderLayer(4, 2, 6, norm_first=True), "r(2,3,4) r(2,5,4) b(2,1,5) b(3,3)"),
    (
        "decoder_layer_pre_one_hides",
        lambda: DecoderLayer(4, 2, 6, 0.2, "gelu", True, 1),
        "r(2,3,4) r(2,5,4) b(2,3,5) b(2,2,3,3)",
    ),
    ("decoder", lambda: Decoder(2, 4, 2, 6, 11, 9), "k11(2,3) r(2,5,4)"),
    ("decoder", lambda: Decoder(2, 4, 2, 6, 11, 9), "k11(2,3) r(2,5,4) b(2,5) b(3,3)"),
    ("decoder", lambda: Decoder(2, 4, 2, 6, 11, 9), "k11(0,3) r(0,5,4)"),
    ("decoder", lambda: Decoder(2, 4, 2, 6, 11, 9), "k11(2,3) r(2,0,4)"),
    (
        "decoder_unscaled",
        lambda: Decoder(1, 4, 2, 6, 11, 9, scale_embedding=False),
        "k11(2,3) r(2,5,4) b(2,3,5) b(2,3,3)",
    ),
    (
        "decoder_pre",
        lambda: Decoder(2, 4, 2, 6, 11, 9, 0.2, "gelu", True, hides=1),
        "k11(2,3) r(2,5,4) b(2,5) b(2,1,3,3)",
    ),
    ("encoder_decoder", lambda: EncoderDecoder(2, 4, 2, 6, 11, 7), "k11(2,5) k7(2,3)"),
    ("encoder_decoder", lambda: EncoderDecoder(2, 4, 2, 6, 11, 7), "k11(2,5) k7(2,3) b(2,5) b(3,3)"),
    (
        "encoder_decoder_unscaled",
        lambda: EncoderDecoder(1, 4, 2, 6, 11, 7, 9, 8, scale_embedding=False, sinusoid="pow"),
        "k11(2,5) k7(2,3) k2(2,1,1,5) b(2,1,3,3)",
    ),
    ("translator", lambda: Translator(), "k3(3,5) k3(3,4)"),  # short of tokens, so that much is padding
    ("translator_pre", lambda: Translator(dropout=0.2, activation="gelu", norm_first=True), "k3(3,5) k3(3,4)"),
    ("translator_one_hides", lambda: Translator(hides=1), "k3(3,5) k3(3,4)"),
    ("classifier", lambda: classifier(2, 4, 2, 6, 11, max_len=9), PADDED),
    ("classifier_full", lambda: classifier(2, 128, 4, 256, 50, max_len=20), "k50(3,20) b(3,20)"),
]


# ---- initial values ----

INITS = [
    ("linear", lambda: nn.Linear(3, 2)),
    ("linear_large", lambda: nn.Linear(128, 64)),
    ("linear_no_bias", lambda: nn.Linear(5, 7, bias=False)),
    ("linear_double", lambda: nn.Linear(6, 5, dtype=torch.float64)),
    ("embedding", lambda: nn.Embedding(4, 3)),
    ("embedding_large", lambda: nn.Embedding(50, 128)),
    ("embedding_padded", lambda: nn.Embedding(7, 5, padding_idx=2)),
    ("embedding_double", lambda: nn.Embedding(6, 3, dtype=torch.float64)),
    ("layer_norm", lambda: nn.LayerNorm(6)),
    ("sequential", lambda: nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Dropout(0.1), nn.Linear(6, 2))),
    ("attention", lambda: MultiHeadAttention(16, 4)),
    ("feed_forward", lambda: FeedForward(16, 24)),
    ("layer", lambda: EncoderLayer(16, 4, 24)),
    ("encoder", lambda: Encoder(2, 16, 4, 24, 11)),
    ("encoder_pre", lambda: Encoder(2, 16, 4, 24, 11, norm_first=True)),
    ("decoder_layer", lambda: DecoderLayer(16, 4, 24)),
    ("decoder", lambda: Decoder(2, 16, 4, 24, 11, padding_idx=3)),
    ("encoder_decoder", lambda: EncoderDecoder(2, 16, 4, 24, 11, 7, norm_first=True, src_padding_idx=0)),
    ("classifier", lambda: classifier(2, 16, 4, 24, 11)),
    ("xavier", lambda: filled(nn.init.xavier_uniform_)),
    ("xavier_gain", lambda: filled(nn.init.xavier_uniform_, 0.7)),
    ("kaiming", lambda: filled(nn.init.kaiming_uniform_)),
    ("kaiming_slope", lambda: filled(nn.init.kaiming_uniform_, 0.3)),
    ("uniform", lambda: filled(nn.init.uniform_, -0.1, 0.3)),
    ("normal", lambda: filled(nn.init.normal_, 0.5, 0.02)),
]


def filled(fill, *arguments):
    module = nn.Module()
    module.weight = nn.Parameter(fill(torch.empty(7, 4, 3), *arguments))
    return module


# ---- printed modules ----


class Everything(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder(4, 8, 2, 16, 10, 20)
        self.layers = nn.ModuleList(
            [
                EncoderLayer(8, 2, 16),
                EncoderLayer(8, 2, 16),
                EncoderLayer(8, 4, 32),
                EncoderLayer(8, 2, 16, 0.25, "gelu", True),
            ]
        )
        self.head = nn.Sequential(
            nn.Linear(8, 4, bias=False),
            nn.Tanh(),
            nn.Sigmoid(),
            nn.GELU("tanh"),
            nn.Identity(),
            nn.Identity(),
            nn.Softmax(-1),
            nn.Dropout(1e-7),
            nn.Dropout(0.123456789),
            nn.Dropout(),
        )
        self.norms = nn.ModuleList(
            [
                nn.LayerNorm((3, 5)),
                nn.LayerNorm(5, bias=False),
                nn.LayerNorm(5, eps=1e-12, elementwise_affine=False),
                nn.LayerNorm(7, eps=0.25),
            ]
        )
        self.tokens = nn.Embedding(10, 8, padding_idx=-1)
        self.nothing = nn.ModuleList()
        self.spare = nn.ReLU()
        self.spare = None
        self.gaps = nn.ModuleList([None, None, nn.ReLU()])
        self.criterion = nn.CrossEntropyLoss(torch.ones(2), label_smoothing=0.1)
        self.distance = nn.MSELoss(reduction="sum")
