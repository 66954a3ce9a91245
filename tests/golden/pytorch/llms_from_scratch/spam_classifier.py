"""The Python side of examples/pytorch/llms_from_scratch/spam_classifier.c: chapter 6."""

import os
import random
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset

from llms_from_scratch.gpt_dataset import create_dataloader_v1
from llms_from_scratch.gpt_model import GPTModel, generate_text_simple
from llms_from_scratch.gpt_training import plot_losses, text_to_token_ids, token_ids_to_text, train_model_simple
from llms_from_scratch.messages import messages, messages_text
from llms_from_scratch.tokenizer import Tokenizer

BASE_CONFIG = {
    "vocab_size": 0,
    "context_length": 64,
    "emb_dim": 48,
    "n_heads": 4,
    "n_layers": 2,
    "drop_rate": 0.0,
    "qkv_bias": True,
}


def create_balanced_dataset(rows):
    num_spam = sum(row.label for row in rows)
    ham_left = num_spam
    balanced = []
    for row in rows:
        if row.label == 1:
            balanced.append(row)
        elif ham_left > 0:
            balanced.append(row)
            ham_left -= 1
    return balanced


def random_split(rows, train_frac, validation_frac):
    random.shuffle(rows)
    train_end = int(len(rows) * train_frac)
    validation_end = train_end + int(len(rows) * validation_frac)
    train_rows = rows[:train_end]
    validation_rows = rows[train_end:validation_end]
    test_rows = rows[validation_end:]
    return train_rows, validation_rows, test_rows


class SpamDataset(Dataset):
    def __init__(self, rows, tokenizer, max_length=None):
        self.rows = rows
        self.encoded_texts = []
        for row in rows:
            self.encoded_texts.append(torch.tensor(tokenizer.encode(row.text)))
        if max_length is None:
            self.max_length = self.longest_encoded_length()
        else:
            self.max_length = max_length
        for i, encoded_text in enumerate(self.encoded_texts):
            encoded_text = encoded_text[: self.max_length]
            padding = torch.full((self.max_length - len(encoded_text),), tokenizer.eot_token)
            self.encoded_texts[i] = torch.cat((encoded_text, padding))

    def __getitem__(self, index):
        x = self.encoded_texts[index]
        y = torch.tensor(self.rows[index].label)
        return x, y

    def __len__(self):
        return len(self.rows)

    def longest_encoded_length(self):
        max_length = 0
        for encoded_text in self.encoded_texts:
            encoded_length = len(encoded_text)
            if encoded_length > max_length:
                max_length = encoded_length
        return max_length


def calc_accuracy_loader(data_loader, model, num_batches=None):
    model.eval()
    correct_predictions = 0
    num_examples = 0
    if num_batches is None:
        num_batches = len(data_loader)
    else:
        num_batches = min(num_batches, len(data_loader))
    for i, (input_batch, target_batch) in enumerate(data_loader):
        if i < num_batches:
            with torch.no_grad():
                logits = model(input_batch)[:, -1, :]
            predicted_labels = torch.argmax(logits, dim=-1)
            num_examples += predicted_labels.shape[0]
            correct_predictions += (predicted_labels == target_batch).sum().item()
        else:
            break
    return correct_predictions / num_examples


def calc_loss_last_token(input_batch, target_batch, model):
    logits = model(input_batch)[:, -1, :]
    loss = torch.nn.functional.cross_entropy(logits, target_batch)
    return loss


def calc_loss_loader_last_token(data_loader, model, num_batches=None):
    total_loss = 0.0
    if len(data_loader) == 0:
        return float("nan")
    elif num_batches is None:
        num_batches = len(data_loader)
    else:
        num_batches = min(num_batches, len(data_loader))
    for i, (input_batch, target_batch) in enumerate(data_loader):
        if i < num_batches:
            loss = calc_loss_last_token(input_batch, target_batch, model)
            total_loss += loss.item()
        else:
            break
    return total_loss / num_batches


def evaluate_classifier(model, train_loader, val_loader, eval_iter):
    model.eval()
    with torch.no_grad():
        train_loss = calc_loss_loader_last_token(train_loader, model, num_batches=eval_iter)
        val_loss = calc_loss_loader_last_token(val_loader, model, num_batches=eval_iter)
    model.train()
    return train_loss, val_loss


def train_classifier_simple(model, train_loader, val_loader, optimizer, num_epochs, eval_freq, eval_iter):
    train_losses, val_losses = [], []
    examples_seen = 0
    global_step = -1

    for epoch in range(num_epochs):
        model.train()
        for input_batch, target_batch in train_loader:
            optimizer.zero_grad()
            loss = calc_loss_last_token(input_batch, target_batch, model)
            loss.backward()
            optimizer.step()
            examples_seen += input_batch.shape[0]
            global_step += 1

            if global_step % eval_freq == 0:
                train_loss, val_loss = evaluate_classifier(model, train_loader, val_loader, eval_iter)
                train_losses.append(train_loss)
                val_losses.append(val_loss)
                print(
                    f"Ep {epoch + 1} (Step {global_step:06d}): Train loss {train_loss:.3f}, Val loss {val_loss:.3f}"
                )

        train_accuracy = calc_accuracy_loader(train_loader, model, num_batches=eval_iter)
        val_accuracy = calc_accuracy_loader(val_loader, model, num_batches=eval_iter)
        print(f"Training accuracy: {train_accuracy * 100:.2f}% | Validation accuracy: {val_accuracy * 100:.2f}%")

    print("Examples seen:", examples_seen)
    return train_losses, val_losses


def classify_review(text, model, tokenizer, max_length):
    model.eval()
    input_ids = torch.tensor(tokenizer.encode(text))
    supported_context_length = model.pos_emb.weight.shape[0]
    input_ids = input_ids[: min(max_length, supported_context_length)]
    padding = torch.full((max_length - len(input_ids),), tokenizer.eot_token)
    input_tensor = torch.cat((input_ids, padding)).unsqueeze(0)
    with torch.no_grad():
        logits = model(input_tensor)[:, -1, :]
    predicted_label = torch.argmax(logits, dim=-1).item()
    return "spam" if predicted_label == 1 else "not spam"


def pretrain(rows, tokenizer):
    txt = messages_text(rows, "\n") + "\n"
    torch.manual_seed(123)
    train_loader = create_dataloader_v1(txt, tokenizer, 8, BASE_CONFIG["context_length"], 64, True, True)
    model = GPTModel(BASE_CONFIG)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003)
    train_model_simple(model, train_loader, train_loader, optimizer, 4, 10, 2, "See you", tokenizer)
    return model


def replace_head(model, tokenizer):
    text = "Is the following message spam? Answer with yes or no: You have won a phone!"
    token_ids = generate_text_simple(
        model=model, idx=text_to_token_ids(text, tokenizer), max_new_tokens=10, context_size=64
    )
    print(token_ids_to_text(token_ids, tokenizer))

    for param in model.parameters():
        param.requires_grad = False
    torch.manual_seed(123)
    num_classes = 2
    model.out_head = torch.nn.Linear(BASE_CONFIG["emb_dim"], num_classes)
    for param in model.trf_blocks[-1].parameters():
        param.requires_grad = True
    for param in model.final_norm.parameters():
        param.requires_grad = True
    print(model)
    print("Trainable parameters:", sum(p.numel() for p in model.parameters() if p.requires_grad))

    inputs = tokenizer.encode("Do you")
    inputs = torch.tensor(inputs).unsqueeze(0)
    print("Inputs:", inputs)
    with torch.no_grad():
        outputs = model(inputs)
    print("Outputs:\n", outputs)
    print("Last output token:", outputs[:, -1, :])
    probas = torch.softmax(outputs[:, -1, :], dim=-1)
    label = torch.argmax(probas)
    print("Class label:", label.item())


def run(picture, path):
    rows = messages(600)
    tokenizer = Tokenizer(messages_text(rows, " "))
    BASE_CONFIG["vocab_size"] = tokenizer.n_vocab
    for row in rows[:8]:
        print("spam" if row.label == 1 else "ham ", row.text)
    balanced = create_balanced_dataset(rows)
    print(len(rows), "messages, balanced", len(balanced))
    train_rows, validation_rows, test_rows = random_split(balanced, 0.7, 0.1)

    train_dataset = SpamDataset(train_rows, tokenizer)
    print("Longest:", train_dataset.max_length)
    val_dataset = SpamDataset(validation_rows, tokenizer, max_length=train_dataset.max_length)
    test_dataset = SpamDataset(test_rows, tokenizer, max_length=train_dataset.max_length)
    torch.manual_seed(123)
    train_loader = DataLoader(train_dataset, batch_size=8, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_dataset, batch_size=8)
    test_loader = DataLoader(test_dataset, batch_size=8)
    input_batch, target_batch = next(iter(train_loader))
    print("Input batch dimensions:", input_batch.shape)
    print("Label batch dimensions", target_batch.shape)
    print(f"{len(train_loader)} training batches")
    print(f"{len(val_loader)} validation batches")
    print(f"{len(test_loader)} test batches")

    model = pretrain(train_rows, tokenizer)
    model.eval()
    replace_head(model, tokenizer)

    torch.manual_seed(123)
    train_accuracy = calc_accuracy_loader(train_loader, model, num_batches=10)
    val_accuracy = calc_accuracy_loader(val_loader, model, num_batches=10)
    test_accuracy = calc_accuracy_loader(test_loader, model, num_batches=10)
    print(f"Training accuracy: {train_accuracy * 100:.2f}%")
    print(f"Validation accuracy: {val_accuracy * 100:.2f}%")
    print(f"Test accuracy: {test_accuracy * 100:.2f}%")
    with torch.no_grad():
        train_loss = calc_loss_loader_last_token(train_loader, model, num_batches=5)
        val_loss = calc_loss_loader_last_token(val_loader, model, num_batches=5)
        test_loss = calc_loss_loader_last_token(test_loader, model, num_batches=5)
    print(f"Training loss: {train_loss:.3f}")
    print(f"Validation loss: {val_loss:.3f}")
    print(f"Test loss: {test_loss:.3f}")

    torch.manual_seed(123)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.1)
    num_epochs = 5
    train_losses, val_losses = train_classifier_simple(
        model, train_loader, val_loader, optimizer, num_epochs, eval_freq=10, eval_iter=5
    )
    epochs_tensor = torch.linspace(0, num_epochs, len(train_losses))
    plot_losses(epochs_tensor, train_losses, val_losses, picture)

    train_accuracy = calc_accuracy_loader(train_loader, model)
    val_accuracy = calc_accuracy_loader(val_loader, model)
    test_accuracy = calc_accuracy_loader(test_loader, model)
    print(f"Training accuracy: {train_accuracy * 100:.2f}%")
    print(f"Validation accuracy: {val_accuracy * 100:.2f}%")
    print(f"Test accuracy: {test_accuracy * 100:.2f}%")

    text_1 = "You are a winner! Your free cruise waits, text LUCKY to 4711."
    print(classify_review(text_1, model, tokenizer, max_length=train_dataset.max_length))
    text_2 = "Are you at the bakery tonight? I have your umbrella."
    print(classify_review(text_2, model, tokenizer, max_length=train_dataset.max_length))

    torch.save(model.state_dict(), path)
    model_state_dict = torch.load(path)
    model.load_state_dict(model_state_dict)
    print(classify_review(text_1, model, tokenizer, max_length=train_dataset.max_length))


def main():
    random.seed(123)
    with tempfile.TemporaryDirectory() as folder:
        run(os.path.join(folder, "loss.svg"), os.path.join(folder, "review_classifier.pth"))
