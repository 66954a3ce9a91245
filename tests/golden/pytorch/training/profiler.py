"""The Python side of examples/pytorch/training/profiler.c: the PyTorch Profiler recipe, on a small network."""

import os

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

PATH = "/tmp/tapegrad_profiler_recipe.json"
SHOWN = ["model_inference", "aten::linear", "aten::relu", "ProfilerStep*"]
TRAINING = [
    "autograd::engine::evaluate_function: AddmmBackward0",
    "AddmmBackward0",
    "ReluBackward0",
    "torch::autograd::AccumulateGrad",
    "Optimizer.zero_grad#SGD.zero_grad",
    "Optimizer.step#SGD.step",
]


def contains(path, word):
    file = open(path)
    text = file.read()
    file.close()
    return word in text


def trace_handler(prof):
    print("step", prof.step_num)
    for event in prof.key_averages():
        if event.key in SHOWN:
            print(event.key, event.count)


def network():
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))


def execution_time():
    model = network()
    inputs = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
        with record_function("model_inference"):
            model(inputs)
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=10)
    print("Self CPU time total" in table)
    for event in prof.key_averages(group_by_input_shape=True):
        if event.key in SHOWN:
            print(event.key, event.count, event.input_shapes)


def memory_consumption():
    model = network()
    inputs = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, record_shapes=True) as prof:
        model(inputs)
    table = prof.key_averages().table(sort_by="self_cpu_memory_usage", row_limit=10)
    print("Self CPU Mem" in table)
    for event in prof.key_averages():
        if event.key in SHOWN:
            print(event.key, event.cpu_memory_usage)


def floating_point_operations():
    inputs = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as prof:
        torch.mm(inputs, inputs.t())
    for event in prof.key_averages():
        if event.key == "aten::mm":
            print(event.key, event.flops)


def tracing():
    model = network()
    inputs = torch.randn(32, 64)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        model(inputs)
    prof.export_chrome_trace(PATH)
    print(contains(PATH, "aten::relu"))
    os.remove(PATH)


def training_step():
    model = network()
    inputs = torch.randn(32, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        loss = model(inputs).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    averages = prof.key_averages()
    for key in TRAINING:
        for event in averages:
            if event.key == key:
                print(event.key, event.count)


def long_running_jobs():
    model = network()
    inputs = torch.randn(32, 64)
    my_schedule = schedule(wait=1, warmup=1, active=2, repeat=2)
    with profile(activities=[ProfilerActivity.CPU], schedule=my_schedule, on_trace_ready=trace_handler) as prof:
        for _idx in range(10):
            model(inputs)
            prof.step()


def main():
    torch.manual_seed(0)
    execution_time()
    memory_consumption()
    floating_point_operations()
    tracing()
    training_step()
    long_running_jobs()
