"""The Python side of examples/pytorch/text/seq2seq_translation.c: translation with a sequence to sequence network and
attention."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, TensorDataset

SOS_token = 0
EOS_token = 1
MAX_LENGTH = 8

SUBJECTS = [("je ne suis", "i am"), ("tu n es", "you are"), ("il n est", "he is"), ("elle n est", "she is"),
            ("on n est", "we are")]  # fmt: skip
DEGREES = [("", ""), ("tres", "very"), ("trop", "too"), ("assez", "rather")]
ADJECTIVES = [("calme", "calm"), ("jeune", "young"), ("libre", "free"), ("malade", "sick"), ("riche", "rich"),
              ("sage", "wise"), ("timide", "shy"), ("triste", "sad")]  # fmt: skip


class Lang:
    def __init__(self, name):
        self.name = name
        self.word2index = {}
        self.index2word = ["SOS", "EOS"]
        self.n_words = 2

    def add_sentence(self, sentence):
        for word in sentence.split():
            self.add_word(word)

    def add_word(self, word):
        if word not in self.word2index:
            self.word2index[word] = self.n_words
            self.index2word.append(word)
            self.n_words += 1


def read_langs():
    pairs = []
    for subject in SUBJECTS:
        for degree in DEGREES:
            for adjective in ADJECTIVES:
                french = f"{subject[0]} pas {degree[0]} {adjective[0]}"
                english = f"{subject[1]} not {degree[1]} {adjective[1]}"
                pairs.append((french, english))
    return pairs


def prepare_data(input_lang, output_lang):
    pairs = read_langs()
    print(f"read {len(pairs)} sentence pairs")
    for pair in pairs:
        input_lang.add_sentence(pair[0])
        output_lang.add_sentence(pair[1])
    print("counted words:")
    print(input_lang.name, input_lang.n_words)
    print(output_lang.name, output_lang.n_words)
    return pairs


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super().__init__()
        self.hidden_size = hidden_size

        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        embedded = self.dropout(self.embedding(input))
        output, hidden = self.gru(embedded)
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)

        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)

        return context, weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.full((batch_size, 1), SOS_token)
        decoder_hidden = encoder_hidden
        output_list = []
        attention_list = []

        for i in range(MAX_LENGTH):
            decoder_output, decoder_hidden, attn_weights = self.forward_step(
                decoder_input, decoder_hidden, encoder_outputs
            )
            output_list.append(decoder_output)
            attention_list.append(attn_weights)

            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                _, topi = decoder_output.topk(1)
                decoder_input = topi.squeeze(-1).detach()

        decoder_outputs = torch.cat(output_list, dim=1)
        decoder_outputs = F.log_softmax(decoder_outputs, dim=-1)
        attentions = torch.cat(attention_list, dim=1)

        return decoder_outputs, attentions

    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input))

        query = hidden.permute(1, 0, 2)
        context, attn_weights = self.attention(query, encoder_outputs)
        input_gru = torch.cat([embedded, context], dim=2)

        output, hidden = self.gru(input_gru, hidden)
        output = self.out(output)

        return output, hidden, attn_weights


def tensor_from_sentence(lang, sentence):
    indexes = torch.zeros(MAX_LENGTH, dtype=torch.int64)
    n = 0
    for word in sentence.split():
        indexes[n] = lang.word2index[word]
        n += 1
    indexes[n] = EOS_token
    return indexes


def get_dataloader(input_lang, output_lang, pairs, batch_size):
    input_ids = []
    target_ids = []
    for pair in pairs:
        input_ids.append(tensor_from_sentence(input_lang, pair[0]))
        target_ids.append(tensor_from_sentence(output_lang, pair[1]))

    train_data = TensorDataset(torch.stack(input_ids), torch.stack(target_ids))
    train_dataloader = DataLoader(train_data, batch_size=batch_size, shuffle=True)
    return train_dataloader


def train_epoch(dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion):
    total_loss = 0
    for input_tensor, target_tensor in dataloader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()

        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)

        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))
        loss.backward()

        encoder_optimizer.step()
        decoder_optimizer.step()

        total_loss += loss.item()

    return total_loss / len(dataloader)


def train(train_dataloader, encoder, decoder, n_epochs, learning_rate=0.001, print_every=100):
    print_loss_total = 0

    encoder_optimizer = optim.Adam(encoder.parameters(), lr=learning_rate)
    decoder_optimizer = optim.Adam(decoder.parameters(), lr=learning_rate)
    criterion = nn.NLLLoss()

    for epoch in range(1, n_epochs + 1):
        loss = train_epoch(train_dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion)
        print_loss_total += loss

        if epoch % print_every == 0:
            print_loss_avg = print_loss_total / print_every
            print_loss_total = 0
            print(f"({epoch} {epoch / n_epochs * 100:.0f}%) {print_loss_avg:.4f}")


def evaluate(encoder, decoder, sentence, input_lang, output_lang):
    decoded_words = ""
    with torch.no_grad():
        input_tensor = tensor_from_sentence(input_lang, sentence).unsqueeze(0)

        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, decoder_attn = decoder(encoder_outputs, encoder_hidden)

        _, topi = decoder_outputs.topk(1)
        decoded_ids = topi.squeeze()

        for i in range(decoded_ids.size(0)):
            idx = decoded_ids[i].item()
            if idx == EOS_token:
                decoded_words += "<EOS>"
                break
            decoded_words += output_lang.index2word[idx] + " "
    return decoded_words, decoder_attn


def evaluate_randomly(encoder, decoder, pairs, input_lang, output_lang, n=10):
    for i in range(n):
        pair = pairs[random.randint(0, len(pairs) - 1)]
        print(">", pair[0])
        print("=", pair[1])
        output_words, _ = evaluate(encoder, decoder, pair[0], input_lang, output_lang)
        print("<", output_words)


def run():
    input_lang = Lang("fra")
    output_lang = Lang("eng")
    pairs = prepare_data(input_lang, output_lang)
    train_dataloader = get_dataloader(input_lang, output_lang, pairs, 32)

    hidden_size = 64
    encoder = EncoderRNN(input_lang.n_words, hidden_size)
    decoder = AttnDecoderRNN(hidden_size, output_lang.n_words)
    train(train_dataloader, encoder, decoder, 60, print_every=6)

    encoder.eval()
    decoder.eval()
    evaluate_randomly(encoder, decoder, pairs, input_lang, output_lang)

    output_words, attentions = evaluate(encoder, decoder, "il n est pas tres sage", input_lang, output_lang)
    print(output_words)
    print(attentions[0, :6, :7])


def main():
    random.seed(1)
    torch.manual_seed(1)
    run()
