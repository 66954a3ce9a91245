"""Writes what PyTorch gives where a gradient is differentiated again, into double_backward.txt next to this file:
products of the encoder classifier's Hessian with a vector, and trainings whose loss has a gradient penalty.

    python record_double_backward.py        needs torch >= 2.7 and numpy; make check never runs it

Parameters and data are hashed from names (rule.py). test_double_backward.c is the other side of it."""

import os

import torch
from torch import nn
from torch.nn.functional import cross_entropy

import rule
from record_models import HERE, load_hashed, write_some, write_all
from reference_models import Encoder, EncoderClassifier

STEPS = 6


def model(activation, key, real):
    encoder = Encoder(2, 16, 2, 32, 12, 9, 0.1, activation, norm_first=True)
    made = EncoderClassifier(encoder, 2, 16, 0.1).to(real).eval()
    load_hashed(made, key)
    return made


def batch(key, real):
    return rule.make_inputs("k12(4,7) k2(4)", rule.seed_of(key), real)


def record_product(file, activation):
    key = f"product {activation}"
    file.write(f"= {key}\n")
    for run, real in (("32", torch.float32), ("64", torch.float64)):
        m, (ids, labels) = model(activation, key, real), batch(key, real)
        names, parameters = zip(*m.named_parameters())
        loss = cross_entropy(m(ids)[0], labels)
        gradients = torch.autograd.grad(loss, parameters, create_graph=True)
        along = 0
        for name, g in zip(names, gradients):
            along = along + (g * rule.hashed_tensor("R", g.shape, rule.seed_of(f"{key} {name}"), 1, real)).sum()
        write_all(file, run + ".loss", loss)
        write_all(file, run + ".along", along)
        for name, product in zip(names, torch.autograd.grad(along, parameters)):
            write_some(file, f"{run}.{name}", product)


def from_embeddings(m, x):
    """The classifier behind its embedding."""
    x = m.encoder.positional_encoding(x)
    for layer in m.encoder.layers:
        x = layer(x)[0]
    return m.classifier(m.encoder.final_norm(x).mean(1))


def record_penalised_classifier(file):
    key = "penalised classifier"
    file.write(f"= {key}\n")
    for run, real in (("32", torch.float32), ("64", torch.float64)):
        m, (ids, labels) = model("gelu", key, real), batch(key, real)
        optimizer, losses = torch.optim.Adam(m.parameters(), lr=0.001), []
        for _ in range(STEPS):
            x = m.encoder.embedding(ids) * m.encoder.scale
            loss = cross_entropy(from_embeddings(m, x), labels)
            (dx,) = torch.autograd.grad(loss, x, create_graph=True)
            penalised = loss + 50 * (dx * dx).sum()
            optimizer.zero_grad()
            penalised.backward()
            optimizer.step()
            losses += [loss.detach(), penalised.detach()]
        write_all(file, run + ".losses", torch.stack(losses))
        if real == torch.float64:
            for name, p in m.named_parameters():
                write_some(file, name, p, all_up_to=16)


def record_critic(file):
    """The critic of a WGAN-GP: its gradient's norm is drawn to 1 between real and false points."""
    key = "critic"
    file.write(f"= {key}\n")
    for run, real in (("32", torch.float32), ("64", torch.float64)):
        critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 1)).to(real)
        load_hashed(critic, key)
        true, false, share = rule.make_inputs("R(10,3) R(10,3) Q(10,1)", rule.seed_of(key), real)
        optimizer, losses = torch.optim.Adam(critic.parameters(), lr=0.01, betas=(0.0, 0.9)), []
        for _ in range(STEPS):
            between = (share * true + (1 - share) * false).requires_grad_()
            score = critic(between)
            (g,) = torch.autograd.grad(score, between, torch.ones_like(score), create_graph=True)
            penalty = ((g * g).sum(1).sqrt() - 1).square().mean()
            loss = critic(false).mean() - critic(true).mean() + 10 * penalty
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses += [loss.detach(), penalty.detach()]
        write_all(file, run + ".losses", torch.stack(losses))
        if real == torch.float64:
            for name, p in critic.named_parameters():
                write_some(file, name, p)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "double_backward.txt"), "w") as file:
        record_product(file, "relu")
        record_product(file, "gelu")
        record_penalised_classifier(file)
        record_critic(file)


if __name__ == "__main__":
    main()
