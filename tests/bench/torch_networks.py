"""The workloads of networks.c in PyTorch, for torch_side.py: each function builds one and returns a function that runs
it once."""

import torch
from torch import nn
from torch.nn import functional as F


def training_step(model, optimizer, loss_of):
    def step():
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()

    return step


class BasicBlock(nn.Module):
    def __init__(self, n_in, n_out, stride):
        super().__init__()
        self.residual = nn.Sequential(
            nn.Conv2d(n_in, n_out, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(n_out),
            nn.ReLU(),
            nn.Conv2d(n_out, n_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(n_out),
        )
        self.shortcut = None
        if stride != 1 or n_in != n_out:
            self.shortcut = nn.Sequential(nn.Conv2d(n_in, n_out, 1, stride=stride, bias=False), nn.BatchNorm2d(n_out))

    def forward(self, x):
        return F.relu(self.residual(x) + (self.shortcut(x) if self.shortcut else x))


def resnet(optimizer_of):
    model = nn.Sequential(
        *[nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()],
        *[BasicBlock(16, 16, 1), BasicBlock(16, 32, 2), BasicBlock(32, 64, 2)],
        *[nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10)],
    )
    x, y = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
    optimizer = optimizer_of(torch.optim.SGD, model.parameters(), lr=0.01, momentum=0.9)
    return training_step(model, optimizer, lambda model: F.cross_entropy(model(x), y))


class LanguageModel(nn.Module):
    def __init__(self, vocab, embedding, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocab, embedding)
        self.lstm = nn.LSTM(embedding, hidden, num_layers=2, dropout=0.2)
        self.dropout = nn.Dropout(0.2)
        self.decoder = nn.Linear(hidden, vocab)

    def forward(self, ids):
        return self.decoder(self.dropout(self.lstm(self.dropout(self.embedding(ids)))[0]))


def lstm(optimizer_of):
    model = LanguageModel(1000, 128, 256)
    ids, target = torch.randint(0, 1000, (35, 20)), torch.randint(0, 1000, (35, 20))
    optimizer = optimizer_of(torch.optim.SGD, model.parameters(), lr=0.1)
    return training_step(model, optimizer, lambda model: F.cross_entropy(model(ids).view(-1, 1000), target.view(-1)))


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(784, 400), nn.ReLU(), nn.Linear(400, 2 * 20))
        self.decoder = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784))

    def loss(self, x):
        mu, logvar = self.encoder(x).chunk(2, -1)
        z = mu + (logvar * 0.5).exp() * torch.randn_like(mu)
        bce = F.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum")
        return bce + (logvar + 1 - mu.square() - logvar.exp()).sum() * -0.5


def vae(optimizer_of):
    model, x = VAE(), torch.rand(128, 784)
    return training_step(model, optimizer_of(torch.optim.Adam, model.parameters()), lambda model: model.loss(x))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))

    def forward(self, x, keys, values, start):
        B, T, C = x.shape
        end = start + T
        q, k, v = (each.view(B, T, keys.size(1), -1).transpose(1, 2) for each in self.c_attn(self.ln_1(x)).chunk(3, -1))
        keys[:, :, start:end], values[:, :, start:end] = k, v
        y = F.scaled_dot_product_attention(q, keys[:, :, :end], values[:, :, :end], is_causal=start == 0)
        x = x + self.c_proj(y.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    VOCAB, WIDTH, HEADS, LAYERS, BATCH, PROMPT, LENGTH = 65, 128, 4, 4, 4, 8, 64

    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(self.VOCAB, self.WIDTH), nn.Embedding(self.LENGTH, self.WIDTH)
        self.blocks = nn.ModuleList(Block(self.WIDTH) for _ in range(self.LAYERS))
        self.ln_f = nn.LayerNorm(self.WIDTH)
        shape = (self.LAYERS, self.BATCH, self.HEADS, self.LENGTH, self.WIDTH // self.HEADS)
        self.keys, self.values = torch.zeros(shape), torch.zeros(shape)

    def next_logits(self, ids, start):
        x = self.wte(ids) + self.wpe(torch.arange(start, start + ids.size(1)))
        for layer, block in enumerate(self.blocks):
            x = block(x, self.keys[layer], self.values[layer], start)
        return F.linear(self.ln_f(x)[:, -1], self.wte.weight)


def gpt_sample(optimizer_of):
    model, prompt = GPT().eval(), torch.randint(0, GPT.VOCAB, (GPT.BATCH, GPT.PROMPT))

    @torch.no_grad()
    def sample():
        ids, start = prompt, 0
        while start + ids.size(1) < GPT.LENGTH:
            logits = model.next_logits(ids, start)
            start += ids.size(1)
            ids = logits.softmax(-1).multinomial(1)

    return sample


NETWORKS = {"resnet": resnet, "lstm": lstm, "vae": vae, "gpt_sample": gpt_sample}
