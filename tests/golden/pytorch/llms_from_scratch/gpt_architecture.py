"""The Python side of examples/pytorch/llms_from_scratch/gpt_architecture.c: chapter 4."""

import os
import tempfile

import matplotlib
import matplotlib.pyplot as plt
import torch
import torch.nn as nn

from llms_from_scratch.gpt_model import GELU, FeedForward, GPTModel, LayerNorm, TransformerBlock, generate_text_simple
from llms_from_scratch.story import STORY
from llms_from_scratch.tokenizer import Tokenizer

matplotlib.use("Agg")

GPT_CONFIG = {
    "vocab_size": 322,
    "context_length": 64,
    "emb_dim": 96,
    "n_heads": 6,
    "n_layers": 4,
    "drop_rate": 0.1,
    "qkv_bias": False,
}


class DummyTransformerBlock(nn.Module):
    def __init__(self, cfg):
        super().__init__()

    def forward(self, x):
        return x


class DummyLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()

    def forward(self, x):
        return x


class DummyGPTModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok_emb = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos_emb = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop_emb = nn.Dropout(cfg["drop_rate"])
        self.trf_blocks = nn.Sequential(*[DummyTransformerBlock(cfg) for _ in range(cfg["n_layers"])])
        self.final_norm = DummyLayerNorm(cfg["emb_dim"])
        self.out_head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)

    def forward(self, in_idx):
        batch_size, seq_len = in_idx.shape
        tok_embeds = self.tok_emb(in_idx)
        pos_embeds = self.pos_emb(torch.arange(seq_len))
        x = tok_embeds + pos_embeds
        x = self.drop_emb(x)
        x = self.trf_blocks(x)
        x = self.final_norm(x)
        logits = self.out_head(x)
        return logits


def dummy_model(tokenizer):
    batch = []
    txt1 = "The clock in the tower"
    txt2 = "She took her box of"
    batch.append(torch.tensor(tokenizer.encode(txt1)))
    batch.append(torch.tensor(tokenizer.encode(txt2)))
    batch = torch.stack(batch, dim=0)
    print(batch)

    torch.manual_seed(123)
    model = DummyGPTModel(GPT_CONFIG)
    logits = model(batch)
    print("Output shape:", logits.shape)
    print(logits)
    return batch


def layer_norm_steps():
    torch.manual_seed(123)
    batch_example = torch.randn(2, 5)
    layer = nn.Sequential(nn.Linear(5, 6), nn.ReLU())
    out = layer(batch_example)
    print(out)
    mean = out.mean(dim=-1, keepdim=True)
    var = out.var(dim=-1, keepdim=True)
    print("Mean:\n", mean)
    print("Variance:\n", var)

    out_norm = (out - mean) / torch.sqrt(var)
    print("Normalized layer outputs:\n", out_norm)
    mean = out_norm.mean(dim=-1, keepdim=True)
    var = out_norm.var(dim=-1, keepdim=True)
    torch.set_printoptions(sci_mode=False)
    print("Mean:\n", mean)
    print("Variance:\n", var)

    ln = LayerNorm(emb_dim=5)
    out_ln = ln(batch_example)
    mean = out_ln.mean(dim=-1, keepdim=True)
    var = out_ln.var(dim=-1, unbiased=False, keepdim=True)
    print("Mean:\n", mean)
    print("Variance:\n", var)


def activations(path):
    gelu = GELU()
    relu = nn.ReLU()
    x = torch.linspace(-3, 3, 100)
    y_gelu = gelu(x)
    y_relu = relu(x)
    print(y_gelu[::10])
    plt.figure(figsize=(8, 3))
    for i, (y, label) in enumerate(zip([y_gelu, y_relu], ["GELU", "ReLU"]), 1):
        plt.subplot(1, 2, i)
        plt.plot(x, y)
        plt.title(f"{label} activation function")
        plt.xlabel("x")
        plt.ylabel(f"{label}(x)")
        plt.grid(True)
    plt.tight_layout()
    plt.savefig(path)

    ffn = FeedForward(GPT_CONFIG)
    x = torch.rand(2, 3, 96)
    out = ffn(x)
    print(out.shape)


class ExampleDeepNeuralNetwork(nn.Module):
    def __init__(self, layer_sizes, use_shortcut):
        super().__init__()
        self.use_shortcut = use_shortcut
        self.layers = nn.ModuleList()
        for i in range(5):
            self.layers.append(nn.Sequential(nn.Linear(layer_sizes[i], layer_sizes[i + 1]), GELU()))

    def forward(self, x):
        for layer in self.layers:
            layer_output = layer(x)
            if self.use_shortcut and x.shape == layer_output.shape:
                x = x + layer_output
            else:
                x = layer_output
        return x


def print_gradients(model, x):
    output = model(x)
    target = torch.tensor([[0.0]])
    loss = nn.MSELoss()
    loss = loss(output, target)
    loss.backward()
    for name, param in model.named_parameters():
        if "weight" in name:
            print(f"{name} has gradient mean of {param.grad.abs().mean().item():.4e}")


def shortcuts():
    layer_sizes = [3, 3, 3, 3, 3, 1]
    sample_input = torch.tensor([[1.0, 0.0, -1.0]])
    torch.manual_seed(123)
    model_without_shortcut = ExampleDeepNeuralNetwork(layer_sizes, use_shortcut=False)
    print_gradients(model_without_shortcut, sample_input)
    torch.manual_seed(123)
    model_with_shortcut = ExampleDeepNeuralNetwork(layer_sizes, use_shortcut=True)
    print_gradients(model_with_shortcut, sample_input)


def whole_model(batch):
    torch.manual_seed(123)
    x = torch.rand(2, 4, 96)
    block = TransformerBlock(GPT_CONFIG)
    output = block(x)
    print("Input shape:", x.shape)
    print("Output shape:", output.shape)

    torch.manual_seed(123)
    model = GPTModel(GPT_CONFIG)
    out = model(batch)
    print("Input batch:\n", batch)
    print("\nOutput shape:", out.shape)
    print(out)

    total_params = sum(p.numel() for p in model.parameters())
    print(f"Total number of parameters: {total_params:,}")
    print("Token embedding layer shape:", model.tok_emb.weight.shape)
    print("Output layer shape:", model.out_head.weight.shape)
    out_head_params = sum(p.numel() for p in model.out_head.parameters())
    total_params_tied = total_params - out_head_params
    print(f"Number of trainable parameters considering weight tying: {total_params_tied:,}")
    total_size_bytes = total_params * 4
    total_size_mb = total_size_bytes / (1024 * 1024)
    print(f"Total size of the model: {total_size_mb:.2f} MB")
    return model


def generating(model, tokenizer):
    start_context = "She took her box"
    encoded = tokenizer.encode(start_context)
    print("encoded:", encoded)
    encoded_tensor = torch.tensor(encoded).unsqueeze(0)
    print("encoded_tensor.shape:", encoded_tensor.shape)
    model.eval()
    out = generate_text_simple(
        model=model, idx=encoded_tensor, max_new_tokens=10, context_size=GPT_CONFIG["context_length"]
    )
    print("Output:", out)
    print("Output length:", len(out[0]))
    decoded_text = tokenizer.decode(out.squeeze(0).tolist())
    print(decoded_text)


def run(path):
    tokenizer = Tokenizer(STORY)
    batch = dummy_model(tokenizer)
    layer_norm_steps()
    activations(path)
    shortcuts()
    model = whole_model(batch)
    generating(model, tokenizer)


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(os.path.join(folder, "gelu.svg"))
    torch.set_printoptions(profile="default")
