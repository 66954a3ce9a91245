"""The Python side of examples/pytorch/llms_from_scratch/pretraining.c: chapter 5."""

import os
import tempfile

import torch

from llms_from_scratch.gpt_dataset import create_dataloader_v1
from llms_from_scratch.gpt_model import GPTModel, generate_text_simple
from llms_from_scratch.gpt_training import (
    calc_loss_loader,
    generate,
    plot_losses,
    text_to_token_ids,
    token_ids_to_text,
    train_model_simple,
)
from llms_from_scratch.story import STORY
from llms_from_scratch.tokenizer import Tokenizer

GPT_CONFIG = {
    "vocab_size": 322,
    "context_length": 32,
    "emb_dim": 96,
    "n_heads": 6,
    "n_layers": 3,
    "drop_rate": 0.1,
    "qkv_bias": False,
}


def text_generation_loss(model, tokenizer):
    start_context = "The boy came up"
    token_ids = generate_text_simple(
        model=model,
        idx=text_to_token_ids(start_context, tokenizer),
        max_new_tokens=10,
        context_size=GPT_CONFIG["context_length"],
    )
    print("Output text:\n", token_ids_to_text(token_ids, tokenizer))

    inputs = torch.stack((torch.tensor(tokenizer.encode(" the clock")), torch.tensor(tokenizer.encode(" she looked"))))
    targets = torch.stack((torch.tensor(tokenizer.encode(" clock in")), torch.tensor(tokenizer.encode(" looked up"))))
    with torch.no_grad():
        logits = model(inputs)
    probas = torch.softmax(logits, dim=-1)
    print(probas.shape)
    token_ids = torch.argmax(probas, dim=-1, keepdim=True)
    print("Token IDs:\n", token_ids)
    print(f"Targets batch 1: {token_ids_to_text(targets[0], tokenizer)}")
    print(f"Outputs batch 1: {token_ids_to_text(token_ids[0].flatten(), tokenizer)}")

    text_idx = 0
    target_probas_1 = probas[text_idx, [0, 1], targets[text_idx]]
    print("Text 1:", target_probas_1)
    text_idx = 1
    target_probas_2 = probas[text_idx, [0, 1], targets[text_idx]]
    print("Text 2:", target_probas_2)
    log_probas = torch.log(torch.cat((target_probas_1, target_probas_2)))
    print(log_probas)
    avg_log_probas = torch.mean(log_probas)
    print(avg_log_probas)
    neg_avg_log_probas = avg_log_probas * -1
    print(neg_avg_log_probas)

    print("Logits shape:", logits.shape)
    print("Targets shape:", targets.shape)
    logits_flat = logits.flatten(0, 1)
    targets_flat = targets.flatten()
    print("Flattened logits:", logits_flat.shape)
    print("Flattened targets:", targets_flat.shape)
    loss = torch.nn.functional.cross_entropy(logits_flat, targets_flat)
    print(loss)
    perplexity = torch.exp(loss)
    print(perplexity)


def training(model, tokenizer, text_data, path):
    total_characters = len(text_data)
    total_tokens = len(tokenizer.encode(text_data))
    print("Characters:", total_characters)
    print("Tokens:", total_tokens)
    train_ratio = 0.90
    split_idx = int(train_ratio * len(text_data))
    train_data = text_data[:split_idx]
    val_data = text_data[split_idx:]

    torch.manual_seed(123)
    context_length = GPT_CONFIG["context_length"]
    train_loader = create_dataloader_v1(train_data, tokenizer, 2, context_length, context_length, True, True)
    val_loader = create_dataloader_v1(val_data, tokenizer, 2, context_length, context_length, False, False)
    print("Train loader:")
    for x, y in train_loader:
        print(x.shape, y.shape)
    print("Validation loader:")
    for x, y in val_loader:
        print(x.shape, y.shape)

    torch.manual_seed(123)
    with torch.no_grad():
        train_loss = calc_loss_loader(train_loader, model)
        val_loss = calc_loss_loader(val_loader, model)
    print(f"Training loss: {train_loss:.4f}")
    print(f"Validation loss: {val_loss:.4f}")

    torch.manual_seed(123)
    model = GPTModel(GPT_CONFIG)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001, weight_decay=0.1)
    num_epochs = 12
    train_losses, val_losses, tokens_seen = train_model_simple(
        model, train_loader, val_loader, optimizer, num_epochs, 5, 5, "The boy came up", tokenizer
    )
    print("Tokens seen:", tokens_seen[-1])
    epochs_tensor = torch.linspace(0, num_epochs, len(train_losses))
    plot_losses(epochs_tensor, train_losses, val_losses, path)
    return model, optimizer


WORDS = ["again", "bird", "box", "clock", "dust", "nest", "soup", "up", "wheel"]


def print_sampled_tokens(probas):
    torch.manual_seed(123)
    sample = [torch.multinomial(probas, num_samples=1).item() for _ in range(1000)]
    sampled_ids = torch.bincount(torch.tensor(sample), minlength=len(probas))
    for i, freq in enumerate(sampled_ids):
        print(f"{freq} x {WORDS[i]}")


def softmax_with_temperature(logits, temperature):
    scaled_logits = logits / temperature
    return torch.softmax(scaled_logits, dim=0)


def decoding_strategies(model, tokenizer):
    model.eval()
    token_ids = generate_text_simple(
        model=model,
        idx=text_to_token_ids("The boy came up", tokenizer),
        max_new_tokens=25,
        context_size=GPT_CONFIG["context_length"],
    )
    print("Output text:\n", token_ids_to_text(token_ids, tokenizer))

    next_token_logits = torch.tensor([4.2, 0.7, -1.6, 6.4, -0.3, -2.1, 1.2, 5.9, 1.8])
    probas = torch.softmax(next_token_logits, dim=0)
    next_token_id = torch.argmax(probas).item()
    print(WORDS[next_token_id])
    torch.manual_seed(123)
    next_token_id = torch.multinomial(probas, num_samples=1).item()
    print(WORDS[next_token_id])
    print_sampled_tokens(probas)
    for T in [1, 0.1, 5]:
        scaled_probas = softmax_with_temperature(next_token_logits, T)
        print(scaled_probas)

    top_k = 3
    top_logits, top_pos = torch.topk(next_token_logits, top_k)
    print("Top logits:", top_logits)
    print("Top positions:", top_pos)
    new_logits = torch.where(next_token_logits < top_logits[-1], torch.tensor(float("-inf")), next_token_logits)
    print(new_logits)
    topk_probas = torch.softmax(new_logits, dim=0)
    print(topk_probas)

    torch.manual_seed(123)
    token_ids = generate(
        model=model,
        idx=text_to_token_ids("The boy came up", tokenizer),
        max_new_tokens=25,
        context_size=GPT_CONFIG["context_length"],
        temperature=1.4,
        top_k=15,
    )
    print("Output text:\n", token_ids_to_text(token_ids, tokenizer))


def saving(model, optimizer, tokenizer, path):
    torch.save(model.state_dict(), path)
    model = GPTModel(GPT_CONFIG)
    model.load_state_dict(torch.load(path))
    model.eval()

    checkpoint = {"model_state_dict": model.state_dict(), "optimizer_state_dict": optimizer.state_dict()}
    torch.save(checkpoint, path)
    checkpoint = torch.load(path)
    model = GPTModel(GPT_CONFIG)
    model.load_state_dict(checkpoint["model_state_dict"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.1)
    optimizer.load_state_dict(checkpoint["optimizer_state_dict"])
    model.eval()
    token_ids = generate(model, text_to_token_ids(" the clock", tokenizer), 15, GPT_CONFIG["context_length"])
    print("After loading:\n", token_ids_to_text(token_ids, tokenizer))
    print("Learning rate:", optimizer.param_groups[0]["lr"])


def run(folder):
    tokenizer = Tokenizer(STORY)
    torch.manual_seed(123)
    model = GPTModel(GPT_CONFIG)
    model.eval()
    text_generation_loss(model, tokenizer)
    model, optimizer = training(model, tokenizer, STORY, os.path.join(folder, "loss.svg"))
    decoding_strategies(model, tokenizer)
    saving(model, optimizer, tokenizer, os.path.join(folder, "model.pth"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(folder)
