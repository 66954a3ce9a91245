"""examples/tabular/main.c in Python: pandas, scikit-learn and PyTorch. It reads what the C program wrote."""

import sys

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

seed = 42


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        mean = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return mean


df = pd.read_csv(sys.argv[1] if len(sys.argv) > 1 else "build/passengers.csv")
print(df.drop(columns=["Name", "Ticket"]).head())
missing = df.isna().sum()
print(missing[missing > 0])
print(df.groupby("Sex")["Survived"].mean())

df = df.drop(columns=["PassengerId", "Name", "Ticket", "Cabin"])
df["Age"] = df["Age"].fillna(df["Age"].median())
df["Embarked"] = df["Embarked"].fillna(df["Embarked"].mode()[0])
df = pd.get_dummies(df, columns=["Sex", "Embarked"], drop_first=True)

x = df.drop(columns=["Survived"]).to_numpy(np.float32)
y = df["Survived"].to_numpy()
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=seed, stratify=y)
scaler = StandardScaler()
x_train = scaler.fit_transform(x_train)
x_test = scaler.transform(x_test)
print(f"{len(x_train)} rows to train on, {len(x_test)} to test, {x_train.shape[1]} columns")
x_train, x_test, y_train, y_test = map(torch.from_numpy, (x_train, x_test, y_train, y_test))

torch.manual_seed(seed)
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(x_train.shape[1], 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2))
optimizer = optim.Adam(model.parameters(), lr=0.002)
for epoch in range(40):
    total = 0
    for a, b in loader:
        loss = F.cross_entropy(model(a), b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(b)
    if (epoch + 1) % 10 == 0:
        train = accuracy(model, x_train, y_train)
        print(f"epoch {epoch + 1}  loss {total / len(y_train):.3f}  training accuracy {train:.3f}")
print(f"always the more frequent: {1 - y_test.float().mean().item():.3f}")
print(f"test accuracy: {accuracy(model, x_test, y_test):.3f}")
