"""The Python side of examples/pytorch/images/neural_style.c: the neural transfer tutorial, with a small network of
random weights in place of VGG-19."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from synthetic_images import synthetic_images

imsize = 48


class VGG(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.features = nn.Sequential()
        in_channels = 3
        for v in cfg:
            if v == 0:
                self.features.append(nn.MaxPool2d(kernel_size=2, stride=2))
            else:
                self.features.append(nn.Conv2d(in_channels, v, kernel_size=3, padding=1))
                self.features.append(nn.ReLU(inplace=True))
                in_channels = v
        self.apply(init_weights)

    def forward(self, x):
        return self.features(x)


def init_weights(m):
    if isinstance(m, nn.Conv2d):
        nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        nn.init.constant_(m.bias, 0)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


def gram_matrix(input):
    a, b, c, d = input.size()

    features = input.view(a * b, c * d)

    G = torch.mm(features, features.t())

    return G.div(a * b * c * d)


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        G = gram_matrix(input)
        self.loss = F.mse_loss(G, self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = mean.clone().detach().view(-1, 1, 1)
        self.std = std.clone().detach().view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


content_layers_default = ["conv_4"]
style_layers_default = ["conv_1", "conv_2", "conv_3", "conv_4", "conv_5"]


def get_style_model_and_losses(cnn, mean, std, style_img, content_img):
    normalization = Normalization(mean, std)

    content_losses = []
    style_losses = []

    model = nn.Sequential(normalization)

    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = f"conv_{i}"
        elif isinstance(layer, nn.ReLU):
            name = f"relu_{i}"
            layer = nn.ReLU(inplace=False)
        elif isinstance(layer, nn.MaxPool2d):
            name = f"pool_{i}"
        else:
            raise RuntimeError(f"Unrecognized layer: {layer.__class__.__name__}")

        model.add_module(name, layer)

        if name in content_layers_default:
            target = model(content_img).detach()
            content_loss = ContentLoss(target)
            model.add_module(f"content_loss_{i}", content_loss)
            content_losses.append(content_loss)

        if name in style_layers_default:
            target_feature = model(style_img).detach()
            style_loss = StyleLoss(target_feature)
            model.add_module(f"style_loss_{i}", style_loss)
            style_losses.append(style_loss)

    i = len(model) - 1
    while not isinstance(model[i], (ContentLoss, StyleLoss)):
        i -= 1

    model = model[: (i + 1)]

    return model, style_losses, content_losses


def get_input_optimizer(input_img):
    optimizer = optim.LBFGS([input_img])
    return optimizer


def run_style_transfer(
    cnn, mean, std, content_img, style_img, input_img, num_steps=20, style_weight=1000000, content_weight=1
):
    print("Building the style transfer model..")
    model, style_losses, content_losses = get_style_model_and_losses(cnn, mean, std, style_img, content_img)
    print(model)

    input_img.requires_grad_(True)
    model.eval()
    model.requires_grad_(False)

    optimizer = get_input_optimizer(input_img)

    print("Optimizing..")
    run = [0]
    while run[0] <= num_steps:

        def closure():
            with torch.no_grad():
                input_img.clamp_(0, 1)

            optimizer.zero_grad()
            model(input_img)
            style_score = 0
            content_score = 0

            for sl in style_losses:
                style_score += sl.loss
            for cl in content_losses:
                content_score += cl.loss

            style_score *= style_weight
            content_score *= content_weight

            loss = style_score + content_score
            loss.backward()

            run[0] += 1
            if run[0] <= 5 or run[0] % 10 == 0:
                print(f"run {run[0]}: Style Loss: {style_score.item():.2f} Content Loss: {content_score.item():.4f}")

            return style_score + content_score

        optimizer.step(closure)

    with torch.no_grad():
        input_img.clamp_(0, 1)

    return input_img


def transfer():
    cnn = VGG([8, 8, 0, 16, 16, 0, 32, 32]).features.eval()
    normalization_mean = torch.tensor([0.485, 0.456, 0.406])
    normalization_std = torch.tensor([0.229, 0.224, 0.225])

    style_img, _ = synthetic_images(1, 3, imsize, 0.1)
    content_img, _ = synthetic_images(1, 3, imsize, 0.1)
    input_img = content_img.clone()

    output = run_style_transfer(cnn, normalization_mean, normalization_std, content_img, style_img, input_img)
    print(f"output from {output.min():.4f} to {output.max():.4f}, mean {output.mean():.4f}")


def main():
    torch.manual_seed(0)
    transfer()
