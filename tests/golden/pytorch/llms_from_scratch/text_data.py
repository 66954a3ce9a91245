"""The Python side of examples/pytorch/llms_from_scratch/text_data.c: chapter 2."""

import re

import torch

from llms_from_scratch.gpt_dataset import create_dataloader_v1
from llms_from_scratch.story import STORY
from llms_from_scratch.tokenizer import Tokenizer

SEPARATORS = r'([,.:;?_!"()\']|--|\s)'


def split_words(text):
    parts = re.split(SEPARATORS, text)
    return [part.strip() for part in parts if part.strip()]


class SimpleTokenizerV1:
    def __init__(self, vocab):
        self.str_to_int = vocab
        self.int_to_str = {i: s for s, i in vocab.items()}

    def encode(self, text):
        preprocessed = split_words(text)
        ids = [self.str_to_int[s] for s in preprocessed]
        return ids

    def decode(self, ids):
        text = " ".join(self.int_to_str[i] for i in ids)
        text = re.sub(r'\s+([,.:;?!"()\'])', r"\1", text)
        return text


class SimpleTokenizerV2:
    def __init__(self, vocab):
        self.str_to_int = vocab
        self.int_to_str = {i: s for s, i in vocab.items()}

    def encode(self, text):
        preprocessed = split_words(text)
        ids = [self.str_to_int.get(s, self.str_to_int["<|unk|>"]) for s in preprocessed]
        return ids

    def decode(self, ids):
        text = " ".join(self.int_to_str[i] for i in ids)
        text = re.sub(r'\s+([,.:;?!"()\'])', r"\1", text)
        return text


def splitting():
    text = "Hello, clock. This, is a test."
    result = re.split(r"(\s)", text)
    print(result)
    result = re.split(r"([,.]|\s)", text)
    print(result)
    result = [item for item in result if item.strip()]
    print(result)
    text = "Hello, clock. Is this-- a test?"
    result = split_words(text)
    print(result)


def vocabulary(raw_text):
    preprocessed = split_words(raw_text)
    print(len(preprocessed))
    print(preprocessed[:30])
    all_words = sorted(set(preprocessed))
    vocab_size = len(all_words)
    print(vocab_size)
    vocab = {token: integer for integer, token in enumerate(all_words)}
    for item in list(vocab.items())[:20]:
        print(item)

    tokenizer = SimpleTokenizerV1(vocab)
    text = '"A clock is never late," said the boy; it was cold.'
    ids = tokenizer.encode(text)
    print(ids)
    print(tokenizer.decode(ids))

    all_words.extend(["<|endoftext|>", "<|unk|>"])
    vocab = {token: integer for integer, token in enumerate(all_words)}
    print(len(vocab))
    for item in list(vocab.items())[-5:]:
        print(item)
    tokenizer = SimpleTokenizerV2(vocab)
    text1 = "Hello, do you like soup?"
    text2 = "In the rain of the summer."
    text = " <|endoftext|> ".join((text1, text2))
    print(text)
    print(tokenizer.encode(text))
    print(tokenizer.decode(tokenizer.encode(text)))


def sub_words():
    tokenizer = Tokenizer(STORY)
    text = "Hello, do you like soup? <|endoftext|> In the rain of the summer, someunknownPlace."
    integers = tokenizer.encode(text)
    print(integers)
    strings = tokenizer.decode(integers)
    print(strings)
    return tokenizer


def sliding_window(raw_text, tokenizer):
    enc_text = tokenizer.encode(raw_text)
    print(len(enc_text))
    enc_sample = enc_text[50:]
    context_size = 4
    x = enc_sample[:context_size]
    y = enc_sample[1 : context_size + 1]
    print(f"x: {x}")
    print(f"y:      {y}")
    for i in range(1, context_size + 1):
        context = enc_sample[:i]
        desired = enc_sample[i]
        print(context, "---->", desired)
    for i in range(1, context_size + 1):
        context = enc_sample[:i]
        desired = enc_sample[i]
        print(tokenizer.decode(context), "---->", tokenizer.decode([desired]))


def data_loading(raw_text, tokenizer):
    dataloader = create_dataloader_v1(raw_text, tokenizer, batch_size=1, max_length=4, stride=1, shuffle=False)
    data_iter = iter(dataloader)
    batch = next(data_iter)
    print(batch)
    batch = next(data_iter)
    print(batch)

    dataloader = create_dataloader_v1(raw_text, tokenizer, batch_size=8, max_length=4, stride=4, shuffle=False)
    data_iter = iter(dataloader)
    inputs, targets = next(data_iter)
    print("Inputs:\n", inputs)
    print("\nTargets:\n", targets)


def embeddings(raw_text, tokenizer):
    input_ids = torch.tensor([2, 3, 5, 1])
    vocab_size = 6
    output_dim = 3
    torch.manual_seed(123)
    embedding_layer = torch.nn.Embedding(vocab_size, output_dim)
    print(embedding_layer.weight)
    print(embedding_layer(torch.tensor([3])))
    print(embedding_layer(input_ids))

    output_dim = 256
    token_embedding_layer = torch.nn.Embedding(tokenizer.n_vocab, output_dim)
    max_length = 4
    dataloader = create_dataloader_v1(
        raw_text, tokenizer, batch_size=8, max_length=max_length, stride=max_length, shuffle=False
    )
    data_iter = iter(dataloader)
    inputs, targets = next(data_iter)
    print("Token IDs:\n", inputs)
    print("\nInputs shape:\n", inputs.shape)
    token_embeddings = token_embedding_layer(inputs)
    print(token_embeddings.shape)
    context_length = max_length
    pos_embedding_layer = torch.nn.Embedding(context_length, output_dim)
    pos_embeddings = pos_embedding_layer(torch.arange(max_length))
    print(pos_embeddings.shape)
    input_embeddings = token_embeddings + pos_embeddings
    print(input_embeddings.shape)
    print(input_embeddings[0])


def main():
    raw_text = STORY
    print("Total number of character:", len(raw_text))
    print(raw_text[:99])
    splitting()
    vocabulary(raw_text)
    tokenizer = sub_words()
    sliding_window(raw_text, tokenizer)
    data_loading(raw_text, tokenizer)
    embeddings(raw_text, tokenizer)
