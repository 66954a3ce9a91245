"""tests/golden/profiler.py: records torch.profiler's tables of given events in tests/golden/profiler.txt.

The events are made here, by a rule, as FunctionEvents; their tables are those of torch.autograd.profiler_util. The
file has the events, one a line with its fields separated by tabs:

    event name start end thread depth bytes flops shapes stack annotation     (times in microseconds; stack: lines
                                                                               separated by "|")

and after them the tables: "table", its name, the number of its lines; the lines.

    python tests/golden/profiler.py > tests/golden/profiler.txt
"""
import random

from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent

NAMES = ["aten::linear", "aten::addmm", "aten::mul", "aten::scaled_dot_product_attention", "MulBackward0",
         "autograd::engine::evaluate_function: ScaledDotProductFlashAttentionForCpuBackward0", "aten::relu",
         "Optimizer.step#AdamW.step"]
SHAPES = [[], [[2, 3]], [[128, 64], [256, 64], [256]], [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8],
          [1000, 1000, 1000], [1000, 1000, 1000], [5]]]
STACKS = [[], ["train.c(31): nn_call(model, x)"],
          ["a/very/long/path/of/folders/and/more/folders/layer.c(1024): t_matmul(t_softmax(scores, -1), values)",
           "train.c(31): nn_call(model, x)", "train.c(12): main"]]


def make(count, seed):
    """Events that are nested: (name, start, end, thread, depth, bytes, flops, shapes, stack, annotation)."""
    draw, events = random.Random(seed), []

    def fill(start, end, thread, depth, parent=None):
        at = start
        while len(events) < count:
            at += draw.choice([0, 1, 250, 1000, 20000])
            stop = at + draw.choice([0, 3, 125, 999, 1500, 100000, 2500000])
            if stop > end:
                return
            annotation = depth == 0 and draw.random() < 0.3
            # (PyTorch drops the only child of an event of the same name.)
            name = "forward" if annotation else draw.choice([name for name in NAMES if name != parent])
            flops = draw.choice([0, 0, 800, 5000000, 42000000000])
            size = draw.choice([0, 512, -2048, 5 << 20, -(3 << 30), 7 << 30])
            events.append((name, at, stop, thread, depth, size, flops, draw.choice(SHAPES), draw.choice(STACKS),
                           annotation))
            if depth < 3 and draw.random() < 0.6:
                fill(at, stop, thread, depth + 1, name)
            at = stop + 1
    for thread in (1, 2):
        fill(0, 20_000_000, thread, 0)
    return sorted(events, key=lambda e: (e[1], e[3], e[4]))


def torch_events(events, **shows):
    made = []
    for i, (name, start, end, thread, depth, size, flops, shapes, stack, annotation) in enumerate(events):
        made.append(FunctionEvent(i, name, thread, start, end, input_shapes=shapes, stack=stack, flops=flops,
                                  cpu_memory_usage=size, use_device=None, device_type=DeviceType.CPU,
                                  is_user_annotation=annotation))
    result = EventList(made, use_device=None, **shows)
    result._build_tree()
    return result


def main():
    events = make(60, 7)
    for name, start, end, thread, depth, size, flops, shapes, stack, annotation in events:
        print("event", name, start, end, thread, depth, size, flops, shapes, "|".join(stack), int(annotation), sep="\t")

    def table(name, text):
        lines = text.split("\n")
        print("table", name, len(lines), sep="\t")
        for line in lines:
            print(line)
    plain, memory = torch_events(events), torch_events(events, profile_memory=True)
    flops = torch_events(events, profile_memory=True, with_flops=True)
    table("plain", plain.key_averages().table())
    for key in ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count", "cpu_memory_usage",
                "self_cpu_memory_usage"):
        table(key, memory.key_averages().table(sort_by=key, row_limit=5))
    table("flops", flops.key_averages().table(sort_by="flops", row_limit=-1))
    table("shapes", plain.key_averages(group_by_input_shapes=True).table(sort_by="cpu_time_total"))
    table("narrow", plain.key_averages(group_by_input_shapes=True).table(
        sort_by="cpu_time_total", max_name_column_width=20, max_shapes_column_width=30, header="a header"))
    table("stack", memory.key_averages(group_by_stack_n=2).table(sort_by="cpu_time_total", max_src_column_width=40))
    for unit in ("s", "ms", "us"):
        table(unit, plain.key_averages().table(sort_by="cpu_time_total", time_unit=unit))
    table("events", plain.table(top_level_events_only=True, row_limit=12, max_src_column_width=30))
    table("top_level", plain.key_averages().table(sort_by="cpu_time_total", top_level_events_only=True))
    total = plain.total_average()
    table("total", "%.3f %.3f %d" % (total.cpu_time_total, total.self_cpu_time_total, total.count))


main()
