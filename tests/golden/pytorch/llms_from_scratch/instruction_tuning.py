"""The Python side of examples/pytorch/llms_from_scratch/instruction_tuning.c: chapter 7."""

import os
import random
import tempfile
from functools import partial

import torch
from torch.utils.data import DataLoader, Dataset

from llms_from_scratch.gpt_model import GPTModel
from llms_from_scratch.gpt_training import (
    calc_loss_loader,
    generate,
    plot_losses,
    text_to_token_ids,
    token_ids_to_text,
    train_model_simple,
)
from llms_from_scratch.instructions import instructions
from llms_from_scratch.tokenizer import Tokenizer

BASE_CONFIG = {
    "vocab_size": 0,
    "context_length": 80,
    "emb_dim": 96,
    "n_heads": 4,
    "n_layers": 2,
    "drop_rate": 0.0,
    "qkv_bias": True,
}


def format_input(entry):
    instruction_text = f"Answer the request.\n\n### Instruction:\n{entry['instruction']}"
    input_text = f"\n\n### Input:\n{entry['input']}" if entry["input"] else ""
    return instruction_text + input_text


def format_response(entry):
    return f"\n\n### Response:\n{entry['output']}"


class InstructionDataset(Dataset):
    def __init__(self, data, tokenizer):
        self.data = data
        self.encoded_texts = []
        for entry in data:
            instruction_plus_input = format_input(entry)
            response_text = format_response(entry)
            full_text = instruction_plus_input + response_text
            self.encoded_texts.append(torch.tensor(tokenizer.encode(full_text)))

    def __getitem__(self, index):
        x = self.encoded_texts[index]
        return x

    def __len__(self):
        return len(self.data)


def longest(batch):
    length = 0
    for item in batch:
        length = max(length, len(item))
    return length


def custom_collate_draft_1(batch, pad_token_id):
    batch_max_length = longest(batch) + 1
    inputs_lst = []
    for item in batch:
        padding = torch.full((batch_max_length - len(item),), pad_token_id)
        padded = torch.cat((item, padding))
        inputs = padded[:-1]
        inputs_lst.append(inputs)
    inputs_tensor = torch.stack(inputs_lst)
    return inputs_tensor


def custom_collate_draft_2(batch, pad_token_id):
    batch_max_length = longest(batch) + 1
    inputs_lst = []
    targets_lst = []
    for item in batch:
        padding = torch.full((batch_max_length - len(item),), pad_token_id)
        padded = torch.cat((item, padding))
        inputs = padded[:-1]
        targets = padded[1:]
        inputs_lst.append(inputs)
        targets_lst.append(targets)
    inputs_tensor = torch.stack(inputs_lst)
    targets_tensor = torch.stack(targets_lst)
    return inputs_tensor, targets_tensor


def custom_collate_fn(batch, pad_token_id, ignore_index=-100, allowed_max_length=None):
    batch_max_length = longest(batch) + 1
    inputs_lst = []
    targets_lst = []
    for item in batch:
        padding = torch.full((batch_max_length - len(item),), pad_token_id)
        padded = torch.cat((item, padding))
        inputs = padded[:-1]
        targets = padded[1:].clone()

        mask = targets == pad_token_id
        indices = torch.nonzero(mask).squeeze(1)
        if indices.numel() > 1:
            targets[indices[1:]] = ignore_index
        if allowed_max_length is not None:
            inputs = inputs[:allowed_max_length]
            targets = targets[:allowed_max_length]
        inputs_lst.append(inputs)
        targets_lst.append(targets)
    inputs_tensor = torch.stack(inputs_lst)
    targets_tensor = torch.stack(targets_lst)
    return inputs_tensor, targets_tensor


def collating():
    inputs_1 = torch.tensor([0, 1, 2, 3, 4])
    inputs_2 = torch.tensor([5, 6])
    inputs_3 = torch.tensor([7, 8, 9])
    batch = [inputs_1, inputs_2, inputs_3]
    print(custom_collate_draft_1(batch, 99))
    inputs, targets = custom_collate_draft_2(batch, 99)
    print(inputs)
    print(targets)
    inputs, targets = custom_collate_fn(batch, 99)
    print(inputs)
    print(targets)

    logits_1 = torch.tensor([[-1.0, 1.0], [-0.5, 1.5]])
    targets_1 = torch.tensor([0, 1])
    loss_1 = torch.nn.functional.cross_entropy(logits_1, targets_1)
    print(loss_1)
    logits_2 = torch.tensor([[-1.0, 1.0], [-0.5, 1.5], [-0.5, 1.5]])
    targets_2 = torch.tensor([0, 1, 1])
    loss_2 = torch.nn.functional.cross_entropy(logits_2, targets_2)
    print(loss_2)
    targets_3 = torch.tensor([0, 1, -100])
    loss_3 = torch.nn.functional.cross_entropy(logits_2, targets_3)
    print(loss_3)
    print("loss_1 == loss_3:", loss_1 == loss_3)


def generate_response(entry, model, tokenizer):
    input_text = format_input(entry)
    token_ids = generate(
        model=model,
        idx=text_to_token_ids(input_text + "\n\n### Response:\n", tokenizer),
        max_new_tokens=30,
        context_size=BASE_CONFIG["context_length"],
        eos_id=tokenizer.eot_token,
    )
    generated_text = token_ids_to_text(token_ids, tokenizer)
    response_text = generated_text[len(input_text) :].replace("### Response:", "").strip()
    return response_text


def count_right(data, model, tokenizer):
    right = 0
    for entry in data:
        if generate_response(entry, model, tokenizer) == entry["output"]:
            right += 1
    return right


def all_text(data):
    text = ""
    for entry in data:
        text += format_input(entry) + " " + entry["output"] + " "
    return text


def run(picture, path):
    data = instructions()
    tokenizer = Tokenizer(all_text(data))
    BASE_CONFIG["vocab_size"] = tokenizer.n_vocab
    random.shuffle(data)
    print("Number of entries:", len(data))
    print(format_input(data[0]) + format_response(data[0]))
    train_portion = int(len(data) * 0.85)
    test_portion = int(len(data) * 0.1)
    train_data = data[:train_portion]
    test_data = data[train_portion : train_portion + test_portion]
    val_data = data[train_portion + test_portion :]
    print("Training set length:", len(train_data))
    print("Validation set length:", len(val_data))
    print("Test set length:", len(test_data))
    collating()

    customized_collate_fn = partial(custom_collate_fn, pad_token_id=tokenizer.eot_token, allowed_max_length=80)
    torch.manual_seed(123)
    train_dataset = InstructionDataset(train_data, tokenizer)
    train_loader = DataLoader(
        train_dataset, batch_size=8, collate_fn=customized_collate_fn, shuffle=True, drop_last=True
    )
    val_dataset = InstructionDataset(val_data, tokenizer)
    val_loader = DataLoader(val_dataset, batch_size=8, collate_fn=customized_collate_fn)
    print("Train loader:")
    for inputs, targets in train_loader:
        print(inputs.shape, targets.shape)
    print(inputs[0])
    print(targets[0])

    torch.manual_seed(123)
    model = GPTModel(BASE_CONFIG)
    model.eval()
    print("Before the training:", generate_response(val_data[0], model, tokenizer)[:60])
    with torch.no_grad():
        train_loss = calc_loss_loader(train_loader, model, num_batches=5)
        val_loss = calc_loss_loader(val_loader, model, num_batches=5)
    print(f"Training loss: {train_loss:.4f}")
    print(f"Validation loss: {val_loss:.4f}")

    torch.manual_seed(123)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.0015, weight_decay=0.1)
    num_epochs = 40
    train_losses, val_losses, tokens_seen = train_model_simple(
        model, train_loader, val_loader, optimizer, num_epochs, 40, 5, format_input(val_data[0]), tokenizer
    )
    epochs_tensor = torch.linspace(0, num_epochs, len(train_losses))
    plot_losses(epochs_tensor, train_losses, val_losses, picture)

    model.eval()
    for entry in test_data[:3]:
        print(format_input(entry))
        print("Correct response:", entry["output"])
        print("Model response:", generate_response(entry, model, tokenizer))
        print("-------------------------------------")
    print("Right in the training set:", count_right(train_data, model, tokenizer), "of", len(train_data))
    print("Right in the test set:", count_right(test_data, model, tokenizer), "of", len(test_data))
    torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path))
    print("After loading:", generate_response(train_data[0], model, tokenizer))


def main():
    random.seed(123)
    with tempfile.TemporaryDirectory() as folder:
        run(os.path.join(folder, "loss.svg"), os.path.join(folder, "gpt-sft.pth"))
