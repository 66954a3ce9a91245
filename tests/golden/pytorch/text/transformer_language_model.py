"""The Python side of examples/pytorch/text/transformer_language_model.c: language modeling with nn.Transformer."""

import math

import torch
import torch.nn.functional as F
from torch import nn

ntokens = 20
bptt = 35


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=200):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, 1, d_model)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[: x.size(0)]
        return self.dropout(x)


class TransformerModel(nn.Module):
    def __init__(self, ntoken, d_model, nhead, d_hid, nlayers, dropout=0.5):
        super().__init__()
        self.pos_encoder = PositionalEncoding(d_model, dropout)
        encoder_layers = nn.TransformerEncoderLayer(d_model, nhead, d_hid, dropout)
        self.transformer_encoder = nn.TransformerEncoder(encoder_layers, nlayers)
        self.embedding = nn.Embedding(ntoken, d_model)
        self.d_model = d_model
        self.linear = nn.Linear(d_model, ntoken)
        self.init_weights()

    def init_weights(self):
        initrange = 0.1
        self.embedding.weight.data.uniform_(-initrange, initrange)
        self.linear.bias.data.zero_()
        self.linear.weight.data.uniform_(-initrange, initrange)

    def forward(self, src, src_mask):
        src = self.embedding(src) * math.sqrt(self.d_model)
        src = self.pos_encoder(src)
        output = self.transformer_encoder(src, src_mask)
        output = self.linear(output)
        return output


def make_text(length):
    steps = torch.randint(0, 3, (length,))
    text = torch.zeros(length, dtype=torch.long)
    token = 0
    for i in range(length):
        token = (3 * token + steps[i].item() + i // 2) % ntokens
        text[i] = token
    return text


def batchify(data, bsz):
    seq_len = data.size(0) // bsz
    data = data[: seq_len * bsz]
    data = data.view(bsz, seq_len).t().contiguous()
    return data


def get_batch(source, i):
    seq_len = min(bptt, len(source) - 1 - i)
    data = source[i : i + seq_len]
    target = source[i + 1 : i + 1 + seq_len].reshape(-1)
    return data, target


def train(model, train_data, optimizer, scheduler, epoch):
    model.train()
    total_loss = 0.0
    log_interval = 20

    num_batches = len(train_data) // bptt
    for i in range(0, train_data.size(0) - 1, bptt):
        batch = i // bptt
        data, targets = get_batch(train_data, i)
        src_mask = nn.Transformer.generate_square_subsequent_mask(data.size(0))
        output = model(data, src_mask)
        output_flat = output.view(-1, ntokens)
        loss = F.cross_entropy(output_flat, targets)

        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()

        total_loss += loss.item()
        if batch % log_interval == 0 and batch > 0:
            lr = scheduler.get_last_lr()[0]
            cur_loss = total_loss / log_interval
            ppl = math.exp(cur_loss)
            print(
                f"| epoch {epoch} | {batch}/{num_batches} batches | lr {lr:.2f} | "
                f"loss {cur_loss:.4f} | ppl {ppl:.3f}"
            )
            total_loss = 0


def evaluate(model, eval_data):
    model.eval()
    total_loss = 0.0
    with torch.no_grad():
        for i in range(0, eval_data.size(0) - 1, bptt):
            data, targets = get_batch(eval_data, i)
            seq_len = data.size(0)
            src_mask = nn.Transformer.generate_square_subsequent_mask(seq_len)
            output = model(data, src_mask)
            output_flat = output.view(-1, ntokens)
            total_loss += seq_len * F.cross_entropy(output_flat, targets).item()
    return total_loss / (len(eval_data) - 1)


def run():
    batch_size = 20
    eval_batch_size = 10
    train_data = batchify(make_text(44000), batch_size)
    val_data = batchify(make_text(4000), eval_batch_size)
    test_data = batchify(make_text(4000), eval_batch_size)

    model = TransformerModel(ntokens, 32, 2, 64, 2, 0.1)
    lr = 2.0
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.95)

    best_val_loss = math.inf
    best_epoch = 0
    for epoch in range(1, 5):
        train(model, train_data, optimizer, scheduler, epoch)
        val_loss = evaluate(model, val_data)
        val_ppl = math.exp(val_loss)
        print(f"| end of epoch {epoch} | valid loss {val_loss:.4f} | valid ppl {val_ppl:.3f}")

        if val_loss < best_val_loss:
            best_val_loss = val_loss
            best_epoch = epoch

        scheduler.step()

    test_loss = evaluate(model, test_data)
    test_ppl = math.exp(test_loss)
    print("best epoch:", best_epoch)
    print(f"| end of training | test loss {test_loss:.4f} | test ppl {test_ppl:.3f}")


def main():
    torch.manual_seed(0)
    run()
