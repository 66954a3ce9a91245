"""Writes models_convs.txt: what PyTorch gives for the layers of image models, and for the classic convolutional net.

    python record_convs.py         needs torch and numpy; make check never runs it

Each layer: the bits of its initial values, then with hashed parameters (float32 and float64) one forward and backward
in training mode, its buffers after that, and its outputs in evaluation mode. "repr": all of them printed. "net": the
net of PyTorch's classification tutorial (two convolutions with pooling, three linear layers) after 20 steps of SGD."""

import os

import torch
import torch.nn.functional as F
from torch import nn

import rule
from record_models import DROPOUT_SEED, HERE, INIT_SEED, fill_hashed, write_bits, write_some, write_all

MODULES = [
    ("conv1d", lambda: nn.Conv1d(3, 4, 3), "r(2,3,6)"),
    ("conv1d_options", lambda: nn.Conv1d(4, 6, 3, 2, 1, 2, 2, False), "r(2,4,9)"),
    ("conv2d", lambda: nn.Conv2d(3, 4, 3), "r(2,3,5,6)"),
    ("conv2d_unbatched", lambda: nn.Conv2d(3, 4, (3, 2)), "r(3,5,6)"),
    ("conv2d_options", lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), 1, 2, False), "r(2,4,5,5)"),
    ("conv2d_same", lambda: nn.Conv2d(2, 3, (2, 3), padding="same"), "r(2,2,4,5)"),
    ("conv2d_valid", lambda: nn.Conv2d(2, 3, 2, padding="valid"), "r(2,2,4,4)"),
    ("conv2d_reflect", lambda: nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="reflect"), "r(2,2,4,5)"),
    ("conv2d_replicate", lambda: nn.Conv2d(2, 3, (2, 4), padding="same", padding_mode="replicate"), "r(2,2,4,5)"),
    ("conv1d_circular", lambda: nn.Conv1d(2, 3, 3, padding=2, padding_mode="circular"), "r(2,2,5)"),
    ("conv2d_empty", lambda: nn.Conv2d(2, 3, 3), "r(0,2,4,4)"),
    ("conv_transpose1d", lambda: nn.ConvTranspose1d(3, 4, 3, 2, 1, 1), "r(2,3,5)"),
    ("conv_transpose2d", lambda: nn.ConvTranspose2d(4, 6, 3, 2, 1, 1, 2, False, 1), "r(2,4,3,4)"),
    ("unfold", lambda: nn.Unfold((2, 3), padding=1), "r(2,2,4,5)"),
    ("fold", lambda: nn.Fold((4, 5), (2, 2)), "r(2,8,12)"),
    ("rms_norm", lambda: nn.RMSNorm(5), "r(2,3,5)"),
    ("rms_norm_eps", lambda: nn.RMSNorm(5, eps=1e-2, elementwise_affine=False), "r(2,3,5)"),
    ("group_norm", lambda: nn.GroupNorm(2, 4), "r(2,4,3)"),
    ("group_norm_plain", lambda: nn.GroupNorm(2, 4, eps=0.5, affine=False), "r(2,4,3,2)"),
    ("batch_norm1d", lambda: nn.BatchNorm1d(3), "r(6,3)"),
    ("batch_norm1d_none", lambda: nn.BatchNorm1d(3, momentum=None), "r(4,3,5)"),
    ("batch_norm2d", lambda: nn.BatchNorm2d(3, momentum=0.3), "r(2,3,4,5)"),
    ("batch_norm2d_plain", lambda: nn.BatchNorm2d(3, affine=False), "r(2,3,4,5)"),
    ("batch_norm2d_untracked", lambda: nn.BatchNorm2d(3, track_running_stats=False, bias=False), "r(2,3,4,5)"),
    ("instance_norm1d", lambda: nn.InstanceNorm1d(3), "r(2,3,5)"),
    ("instance_norm2d", lambda: nn.InstanceNorm2d(3, affine=True, track_running_stats=True), "r(2,3,3,4)"),
    ("instance_norm2d_unbatched", lambda: nn.InstanceNorm2d(3), "r(3,3,4)"),
    ("max_pool1d", lambda: nn.MaxPool1d(3, 2), "s(2,2,8)"),
    ("max_pool2d", lambda: nn.MaxPool2d(2), "s(2,2,5,6)"),
    ("max_pool2d_options", lambda: nn.MaxPool2d((2, 3), (2, 1), 1, 1, ceil_mode=True), "s(2,2,5,6)"),
    ("avg_pool1d", lambda: nn.AvgPool1d(3, 2, 1), "r(2,2,8)"),
    ("avg_pool2d", lambda: nn.AvgPool2d((2, 3), 2, 1, True, False), "r(2,2,5,6)"),
    ("avg_pool2d_divisor", lambda: nn.AvgPool2d(2, divisor_override=3), "r(2,2,4,4)"),
    ("adaptive_avg_pool1d", lambda: nn.AdaptiveAvgPool1d(3), "r(2,2,8)"),
    ("adaptive_avg_pool2d", lambda: nn.AdaptiveAvgPool2d((None, 2)), "r(2,2,4,5)"),
    ("adaptive_avg_pool2d_one", lambda: nn.AdaptiveAvgPool2d(1), "r(2,2,4,5)"),
    ("adaptive_max_pool1d", lambda: nn.AdaptiveMaxPool1d(3), "s(2,2,8)"),
    ("adaptive_max_pool2d", lambda: nn.AdaptiveMaxPool2d((3, 2)), "s(2,2,4,5)"),
    ("zero_pad1d", lambda: nn.ZeroPad1d(2), "r(2,3)"),
    ("zero_pad2d", lambda: nn.ZeroPad2d((1, 0, 2, -1)), "r(2,3,3)"),
    ("constant_pad1d", lambda: nn.ConstantPad1d((1, 2), 3.5), "r(2,3)"),
    ("constant_pad2d", lambda: nn.ConstantPad2d(1, -0.25), "r(2,2,3)"),
    ("reflection_pad1d", lambda: nn.ReflectionPad1d(2), "r(2,2,4)"),
    ("reflection_pad2d", lambda: nn.ReflectionPad2d((1, 2, 0, 1)), "r(2,3,3)"),
    ("replication_pad1d", lambda: nn.ReplicationPad1d((2, 0)), "r(2,2,4)"),
    ("replication_pad2d", lambda: nn.ReplicationPad2d(1), "r(2,3,3)"),
    ("circular_pad1d", lambda: nn.CircularPad1d(2), "r(2,2,4)"),
    ("circular_pad2d", lambda: nn.CircularPad2d((1, 2, 1, 0)), "r(2,3,3)"),
    ("zero_pad3d", lambda: nn.ZeroPad3d((1, 0, 2, -1, 0, 1)), "r(2,2,3,2)"),
    ("constant_pad3d", lambda: nn.ConstantPad3d(1, -0.25), "r(1,2,2,2,2)"),
    ("reflection_pad3d", lambda: nn.ReflectionPad3d((1, 2, 0, 1, 1, 0)), "r(2,2,3,3)"),
    ("replication_pad3d", lambda: nn.ReplicationPad3d(1), "r(1,2,2,3,2)"),
    ("circular_pad3d", lambda: nn.CircularPad3d((1, 2, 1, 0, 0, 1)), "r(2,2,2,3)"),
    ("batch_norm3d", lambda: nn.BatchNorm3d(3), "r(2,3,2,2,3)"),
    ("instance_norm3d", lambda: nn.InstanceNorm3d(3, affine=True), "r(2,3,2,2,3)"),
    ("instance_norm3d_unbatched", lambda: nn.InstanceNorm3d(3), "r(3,2,2,3)"),
    ("dropout3d", lambda: nn.Dropout3d(), "r(3,4,2,1,2)"),
    ("dropout3d_unbatched", lambda: nn.Dropout3d(0.3), "r(4,2,2,2)"),
    ("conv3d", lambda: nn.Conv3d(2, 3, 2), "r(2,2,3,2,3)"),
    (
        "conv3d_options",
        lambda: nn.Conv3d(4, 2, (1, 2, 3), (2, 1, 1), (0, 1, 1), (1, 2, 1), 2, False),
        "r(1,4,2,4,3)",
    ),
    ("conv3d_reflect", lambda: nn.Conv3d(2, 2, 3, padding=(1, 1, 0), padding_mode="reflect"), "r(1,2,2,3,3)"),
    ("conv3d_same", lambda: nn.Conv3d(2, 2, (3, 1, 3), padding="same"), "r(1,2,2,2,3)"),
    ("conv_transpose3d", lambda: nn.ConvTranspose3d(2, 3, 2, 2, 1, (1, 0, 1)), "r(1,2,2,3,2)"),
    ("max_pool3d", lambda: nn.MaxPool3d(2), "s(1,2,4,3,4)"),
    ("max_pool3d_options", lambda: nn.MaxPool3d((2, 1, 2), 1, 0, (1, 2, 2), ceil_mode=True), "s(2,3,4,4)"),
    ("avg_pool3d", lambda: nn.AvgPool3d((1, 2, 2), 2, (0, 1, 1), True, False), "r(1,2,3,4,3)"),
    ("adaptive_avg_pool3d", lambda: nn.AdaptiveAvgPool3d((2, None, 1)), "r(1,2,4,3,2)"),
    ("adaptive_max_pool3d", lambda: nn.AdaptiveMaxPool3d(2), "s(1,2,4,3,3)"),
    ("lp_pool3d", lambda: nn.LPPool3d(2, (1, 2, 2), 2), "p(1,2,3,4,3)"),
    ("flatten", lambda: nn.Flatten(), "r(2,3,2,2)"),
    ("flatten_all", lambda: nn.Flatten(0, -2), "r(2,3,2,2)"),
    ("unflatten", lambda: nn.Unflatten(1, (2, -1)), "r(2,6,2)"),
    ("dropout1d", lambda: nn.Dropout1d(), "r(3,4,2)"),
    ("dropout2d", lambda: nn.Dropout2d(0.2), "r(3,4,2,2)"),
    ("alpha_dropout", lambda: nn.AlphaDropout(0.3), "r(3,7)"),
    ("pixel_shuffle", lambda: nn.PixelShuffle(2), "r(1,8,2,2)"),
    ("pixel_unshuffle", lambda: nn.PixelUnshuffle(2), "r(1,2,4,2)"),
    ("upsample", lambda: nn.Upsample(scale_factor=2), "r(1,2,2,3)"),
    ("upsample_bilinear", lambda: nn.Upsample((3, 5), mode="bilinear", align_corners=True), "r(1,2,2,3)"),
    ("upsample_factors", lambda: nn.Upsample(scale_factor=(1.5, 2), mode="bilinear"), "r(1,2,2,3)"),
    ("upsample_trilinear", lambda: nn.Upsample((3, 4, 5), mode="trilinear"), "r(1,2,2,3,3)"),
    ("upsample_volume", lambda: nn.Upsample(scale_factor=(2, 1.5, 1), mode="nearest-exact"), "r(1,1,2,4,3)"),
    (
        "upsample_bicubic",
        lambda: nn.Upsample(scale_factor=1.7, mode="bicubic", recompute_scale_factor=True),
        "r(1,2,3,4)",
    ),
    ("upsample_area", lambda: nn.Upsample(2, mode="area"), "r(1,2,3,4,3)"),
    ("fractional_max_pool2d", lambda: nn.FractionalMaxPool2d((2, 3), (4, 2)), "s(2,2,7,6)"),
    ("fractional_max_pool2d_ratio", lambda: nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.7)), "s(2,6,7)"),
    ("fractional_max_pool3d", lambda: nn.FractionalMaxPool3d(2, (2, 3, 2)), "s(2,1,4,6,5)"),
    ("fractional_max_pool3d_ratio", lambda: nn.FractionalMaxPool3d(1, output_ratio=0.6), "s(2,4,5,5)"),
    ("local_response_norm", lambda: nn.LocalResponseNorm(3, k=2.0), "r(2,4,2,2)"),
    (
        "sequential",
        lambda: nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Dropout2d(0.3),
            nn.Flatten(),
            nn.Linear(16, 3),
        ),
        "r(3,1,4,4)",
    ),
]


def record_layer(file, label, make, text):
    key = f"{label} {text}"
    file.write(f"= {key}\n")
    torch.manual_seed(INIT_SEED)
    module = make()
    write_all(file, "init.next", torch.rand(2))
    for name, p in module.named_parameters():
        write_bits(file, "init:" + name, p)
    for run, real in (("32", torch.float32), ("64", torch.float64)):
        module = make().to(real)
        fill_hashed(key, module.named_parameters())
        x = rule.make_inputs(text, rule.seed_of(key), real)[0]
        torch.manual_seed(DROPOUT_SEED)
        y = module(x)
        write_some(file, run + ".y", y, 40, 32)
        write_all(file, run + ".next", torch.rand(2))
        y.backward(rule.hashed_tensor("R", y.shape, rule.seed_of(key), 100, real))
        for name, p in module.named_parameters():
            write_some(file, f"{run}.g:{name}", p.grad, 40, 32)
        write_some(file, run + ".x", x.grad, 40, 32)
        for name, b in module.named_buffers():
            write_all(file, f"{run}.b:{name}", b)
        write_some(file, run + ".eval", module.eval()(x), 40, 32)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = self.pool(F.relu(self.conv1(x)))
        x = self.pool(F.relu(self.conv2(x)))
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def record_net(file, real):
    torch.manual_seed(INIT_SEED)
    net = Net()
    if real == torch.float32:
        for name, p in net.named_parameters():
            write_bits(file, name, p)
    net = net.to(real)
    optimizer, losses = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9), []
    for step in range(20):
        x = rule.hashed_tensor("R", (4, 3, 32, 32), step, 0, real)
        y = rule.hashed_tensor("k10", (4,), step, 1, real)
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    write_all(file, "losses", torch.stack(losses))
    if real == torch.float64:
        for name, p in net.named_parameters():
            write_some(file, name, p, all_up_to=16, samples=32)


def main():
    torch.set_num_threads(1)
    with open(os.path.join(HERE, "models_convs.txt"), "w") as file:
        for label, make, text in MODULES:
            record_layer(file, label, make, text)
        file.write("= repr\n" + repr(nn.Sequential(*(make() for _, make, _ in MODULES))) + "\n")
        for key, real in (("net, float32", torch.float32), ("net, float64", torch.float64)):
            file.write(f"= {key}\n")
            record_net(file, real)


if __name__ == "__main__":
    main()
