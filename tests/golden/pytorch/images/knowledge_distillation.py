"""The Python side of examples/pytorch/images/knowledge_distillation.c: the knowledge distillation tutorial, with
smaller networks and images that the program makes."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset

from synthetic_images import synthetic_images


class DeepNN(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
            nn.Conv2d(16, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )
        self.classifier = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, num_classes))

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        x = self.classifier(x)
        return x


class LightNN(nn.Module):
    def __init__(self, num_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
            nn.Conv2d(8, 8, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(kernel_size=2, stride=2),
        )
        self.classifier = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, num_classes))

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        x = self.classifier(x)
        return x


def train(model, train_loader, epochs, learning_rate):
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.Adam(model.parameters(), lr=learning_rate)

    model.train()

    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()
            outputs = model(inputs)

            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()

            running_loss += loss.item()

        print(f"Epoch {epoch + 1}/{epochs}, Loss: {running_loss / len(train_loader):.4f}")


def test(model, test_loader):
    model.eval()

    correct = 0
    total = 0

    with torch.no_grad():
        for inputs, labels in test_loader:
            outputs = model(inputs)
            _, predicted = torch.max(outputs, 1)

            total += labels.size(0)
            correct += (predicted == labels).sum().item()

    accuracy = 100 * correct / total
    print(f"Test Accuracy: {accuracy:.2f}%")
    return accuracy


def train_knowledge_distillation(
    teacher, student, train_loader, epochs, learning_rate, T, soft_target_loss_weight, ce_loss_weight
):
    ce_loss = nn.CrossEntropyLoss()
    optimizer = optim.Adam(student.parameters(), lr=learning_rate)

    teacher.eval()
    student.train()

    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()

            with torch.no_grad():
                teacher_logits = teacher(inputs)

            student_logits = student(inputs)

            soft_targets = nn.functional.softmax(teacher_logits / T, dim=-1)
            soft_prob = nn.functional.log_softmax(student_logits / T, dim=-1)

            difference = soft_targets * (soft_targets.log() - soft_prob)
            soft_targets_loss = torch.sum(difference) / soft_prob.size()[0] * (T**2)

            label_loss = ce_loss(student_logits, labels)

            loss = soft_target_loss_weight * soft_targets_loss + ce_loss_weight * label_loss

            loss.backward()
            optimizer.step()

            running_loss += loss.item()

        print(f"Epoch {epoch + 1}/{epochs}, Loss: {running_loss / len(train_loader):.4f}")


class ModifiedDeepNNCosine(DeepNN):
    def forward(self, x):
        x = self.features(x)
        flattened_conv_output = torch.flatten(x, 1)
        x = self.classifier(flattened_conv_output)
        flattened_conv_output_after_pooling = nn.functional.avg_pool1d(flattened_conv_output, 2)
        return x, flattened_conv_output_after_pooling


class ModifiedLightNNCosine(LightNN):
    def forward(self, x):
        x = self.features(x)
        flattened_conv_output = torch.flatten(x, 1)
        x = self.classifier(flattened_conv_output)
        return x, flattened_conv_output


def train_cosine_loss(
    teacher, student, train_loader, epochs, learning_rate, hidden_rep_loss_weight, ce_loss_weight
):
    ce_loss = nn.CrossEntropyLoss()
    cosine_loss = nn.CosineEmbeddingLoss()
    optimizer = optim.Adam(student.parameters(), lr=learning_rate)

    teacher.eval()
    student.train()

    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()

            with torch.no_grad():
                _, teacher_hidden_representation = teacher(inputs)

            student_logits, student_hidden_representation = student(inputs)

            target = torch.ones(inputs.size(0))
            hidden_rep_loss = cosine_loss(student_hidden_representation, teacher_hidden_representation, target)

            label_loss = ce_loss(student_logits, labels)

            loss = hidden_rep_loss_weight * hidden_rep_loss + ce_loss_weight * label_loss

            loss.backward()
            optimizer.step()

            running_loss += loss.item()

        print(f"Epoch {epoch + 1}/{epochs}, Loss: {running_loss / len(train_loader):.4f}")


class ModifiedDeepNNRegressor(DeepNN):
    def forward(self, x):
        x = self.features(x)
        conv_feature_map = x
        x = torch.flatten(x, 1)
        x = self.classifier(x)
        return x, conv_feature_map


class ModifiedLightNNRegressor(LightNN):
    def __init__(self, num_classes=10):
        super().__init__(num_classes)
        self.regressor = nn.Sequential(nn.Conv2d(8, 16, kernel_size=3, padding=1))

    def forward(self, x):
        x = self.features(x)
        regressor_output = self.regressor(x)
        x = torch.flatten(x, 1)
        x = self.classifier(x)
        return x, regressor_output


def train_mse_loss(teacher, student, train_loader, epochs, learning_rate, feature_map_weight, ce_loss_weight):
    ce_loss = nn.CrossEntropyLoss()
    mse_loss = nn.MSELoss()
    optimizer = optim.Adam(student.parameters(), lr=learning_rate)

    teacher.eval()
    student.train()

    for epoch in range(epochs):
        running_loss = 0.0
        for inputs, labels in train_loader:
            optimizer.zero_grad()

            with torch.no_grad():
                _, teacher_feature_map = teacher(inputs)

            student_logits, regressor_feature_map = student(inputs)

            hidden_rep_loss = mse_loss(regressor_feature_map, teacher_feature_map)

            label_loss = ce_loss(student_logits, labels)

            loss = feature_map_weight * hidden_rep_loss + ce_loss_weight * label_loss

            loss.backward()
            optimizer.step()

            running_loss += loss.item()

        print(f"Epoch {epoch + 1}/{epochs}, Loss: {running_loss / len(train_loader):.4f}")


def test_multiple_outputs(model, test_loader):
    model.eval()

    correct = 0
    total = 0

    with torch.no_grad():
        for inputs, labels in test_loader:
            outputs, _ = model(inputs)
            _, predicted = torch.max(outputs, 1)

            total += labels.size(0)
            correct += (predicted == labels).sum().item()

    accuracy = 100 * correct / total
    print(f"Test Accuracy: {accuracy:.2f}%")
    return accuracy


def normalized_images(n):
    images, labels = synthetic_images(n, 3, 16, 0.75)
    return TensorDataset((images - 0.5) / 0.1, labels)


def run():
    train_loader = DataLoader(normalized_images(1200), batch_size=20, shuffle=True)
    test_loader = DataLoader(normalized_images(1000), batch_size=100)

    torch.manual_seed(42)
    nn_deep = DeepNN(num_classes=10)
    train(nn_deep, train_loader, epochs=5, learning_rate=0.001)
    test_accuracy_deep = test(nn_deep, test_loader)

    torch.manual_seed(42)
    nn_light = LightNN(num_classes=10)

    torch.manual_seed(42)
    new_nn_light = LightNN(num_classes=10)
    print(f"Norm of 1st layer of nn_light: {torch.norm(nn_light.features[0].weight).item():.6f}")
    print(f"Norm of 1st layer of new_nn_light: {torch.norm(new_nn_light.features[0].weight).item():.6f}")

    total_params_deep = sum(p.numel() for p in nn_deep.parameters())
    print(f"DeepNN parameters: {total_params_deep:,}")
    total_params_light = sum(p.numel() for p in nn_light.parameters())
    print(f"LightNN parameters: {total_params_light:,}")

    train(nn_light, train_loader, epochs=5, learning_rate=0.003)
    test_accuracy_light_ce = test(nn_light, test_loader)

    print(f"Teacher accuracy: {test_accuracy_deep:.2f}%")
    print(f"Student accuracy: {test_accuracy_light_ce:.2f}%")

    train_knowledge_distillation(nn_deep, new_nn_light, train_loader, 5, 0.003, 2, 0.25, 0.75)
    test_accuracy_light_ce_and_kd = test(new_nn_light, test_loader)

    torch.manual_seed(42)
    modified_nn_deep = ModifiedDeepNNCosine(num_classes=10)
    modified_nn_deep.load_state_dict(nn_deep.state_dict())
    print(f"Norm of 1st layer for deep_nn: {torch.norm(nn_deep.features[0].weight).item():.4f}")
    print(f"Norm of 1st layer for modified_nn_deep: {torch.norm(modified_nn_deep.features[0].weight).item():.4f}")

    torch.manual_seed(42)
    modified_nn_light = ModifiedLightNNCosine(num_classes=10)
    print(f"Norm of 1st layer: {torch.norm(modified_nn_light.features[0].weight).item():.6f}")

    sample_input = torch.randn(128, 3, 16, 16)

    logits, hidden_representation = modified_nn_light(sample_input)
    print("Student logits shape:", logits.shape)
    print("Student hidden representation shape:", hidden_representation.shape)

    logits, hidden_representation = modified_nn_deep(sample_input)
    print("Teacher logits shape:", logits.shape)
    print("Teacher hidden representation shape:", hidden_representation.shape)

    train_cosine_loss(modified_nn_deep, modified_nn_light, train_loader, 5, 0.003, 0.25, 0.75)
    test_accuracy_light_ce_and_cosine_loss = test_multiple_outputs(modified_nn_light, test_loader)

    convolutional_fe_output_student = nn_light.features(sample_input)
    convolutional_fe_output_teacher = nn_deep.features(sample_input)
    print("Student's feature extractor output shape:", convolutional_fe_output_student.shape)
    print("Teacher's feature extractor output shape:", convolutional_fe_output_teacher.shape)

    torch.manual_seed(42)
    modified_nn_light_reg = ModifiedLightNNRegressor(num_classes=10)

    torch.manual_seed(42)
    modified_nn_deep_reg = ModifiedDeepNNRegressor(num_classes=10)
    modified_nn_deep_reg.load_state_dict(nn_deep.state_dict())

    train_mse_loss(modified_nn_deep_reg, modified_nn_light_reg, train_loader, 5, 0.003, 0.02, 0.98)
    test_accuracy_light_ce_and_mse_loss = test_multiple_outputs(modified_nn_light_reg, test_loader)

    print(f"Teacher accuracy: {test_accuracy_deep:.2f}%")
    print(f"Student accuracy without teacher: {test_accuracy_light_ce:.2f}%")
    print(f"Student accuracy with CE + KD: {test_accuracy_light_ce_and_kd:.2f}%")
    print(f"Student accuracy with CE + CosineLoss: {test_accuracy_light_ce_and_cosine_loss:.2f}%")
    print(f"Student accuracy with CE + RegressorMSE: {test_accuracy_light_ce_and_mse_loss:.2f}%")


def main():
    torch.manual_seed(42)
    run()
