"""The Python side of examples/pytorch/reinforcement/actor_critic.c: actor-critic on a cart pole (of PyTorch's
examples)."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

from cart_pole import CartPole

GAMMA = 0.99
LOG_INTERVAL = 10
EPISODES = 100
REWARD_THRESHOLD = 475.0


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 128)

        self.action_head = nn.Linear(128, 2)

        self.value_head = nn.Linear(128, 1)

        self.log_probs = []
        self.values = []
        self.rewards = []

    def forward(self, x):
        x = F.relu(self.affine1(x))

        action_prob = F.softmax(self.action_head(x), dim=-1)

        state_values = self.value_head(x)
        return action_prob, state_values


def select_action(model, state):
    probs, state_value = model(state)

    m = Categorical(probs)
    action = m.sample()

    model.log_probs.append(m.log_prob(action))
    model.values.append(state_value)
    return action.item()


def finish_episode(model, optimizer):
    eps = torch.finfo(torch.float32).eps
    R = 0.0
    policy_losses = []
    value_losses = []
    returns = torch.zeros(len(model.rewards), dtype=torch.float64)

    for i in range(len(model.rewards) - 1, -1, -1):
        R = model.rewards[i] + GAMMA * R
        returns[i] = R
    returns = (returns - returns.mean()) / (returns.std() + eps)

    for i in range(len(model.rewards)):
        log_prob = model.log_probs[i]
        value = model.values[i]
        advantage = returns[i] - value.item()
        policy_losses.append(-log_prob * advantage)
        value_losses.append(F.smooth_l1_loss(value, returns[i].view(1)))

    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()

    model.rewards = []
    model.log_probs = []
    model.values = []


def train():
    env = CartPole()
    model = Policy().double()
    optimizer = optim.Adam(model.parameters(), lr=3e-2)
    running_reward = 10.0
    for i_episode in range(1, EPISODES + 1):
        state = env.reset()
        ep_reward = 0.0
        for t in range(1, 10000):
            action = select_action(model, state)
            state, reward, terminated, truncated = env.step(action)
            model.rewards.append(reward)
            ep_reward += reward
            if terminated or truncated:
                break

        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
        finish_episode(model, optimizer)
        if i_episode % LOG_INTERVAL == 0:
            print(f"Episode {i_episode}\tLast reward: {ep_reward:.2f}\tAverage reward: {running_reward:.2f}")
        if running_reward > REWARD_THRESHOLD:
            print(f"Solved! Running reward is now {running_reward:.2f}")
            break


def main():
    random.seed(543)
    torch.manual_seed(543)
    train()
