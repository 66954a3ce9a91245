"""The Python side of examples/pytorch/reinforcement/reinforce.c: REINFORCE on a cart pole (of PyTorch's examples)."""

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
        self.dropout = nn.Dropout(p=0.6)
        self.affine2 = nn.Linear(128, 2)

        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        x = self.affine1(x)
        x = self.dropout(x)
        x = F.relu(x)
        action_scores = self.affine2(x)
        return F.softmax(action_scores, dim=1)


def select_action(policy, state):
    state = state.unsqueeze(0)
    probs = policy(state)
    m = Categorical(probs)
    action = m.sample()
    policy.saved_log_probs.append(m.log_prob(action))
    return action.item()


def finish_episode(policy, optimizer):
    eps = torch.finfo(torch.float32).eps
    R = 0.0
    policy_losses = []
    returns = torch.zeros(len(policy.rewards), dtype=torch.float64)
    for i in range(len(policy.rewards) - 1, -1, -1):
        R = policy.rewards[i] + GAMMA * R
        returns[i] = R
    returns = (returns - returns.mean()) / (returns.std() + eps)
    for i in range(len(policy.rewards)):
        policy_losses.append(-policy.saved_log_probs[i] * returns[i])
    optimizer.zero_grad()
    policy_loss = torch.cat(policy_losses).sum()
    policy_loss.backward()
    optimizer.step()
    policy.rewards = []
    policy.saved_log_probs = []


def train():
    env = CartPole()
    policy = Policy().double()
    optimizer = optim.Adam(policy.parameters(), lr=1e-2)
    running_reward = 10.0
    for i_episode in range(1, EPISODES + 1):
        state = env.reset()
        ep_reward = 0.0
        for t in range(1, 10000):
            action = select_action(policy, state)
            state, reward, terminated, truncated = env.step(action)
            policy.rewards.append(reward)
            ep_reward += reward
            if terminated or truncated:
                break

        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward
        finish_episode(policy, optimizer)
        if i_episode % LOG_INTERVAL == 0:
            print(f"Episode {i_episode}\tLast reward: {ep_reward:.2f}\tAverage reward: {running_reward:.2f}")
        if running_reward > REWARD_THRESHOLD:
            print(f"Solved! Running reward is now {running_reward:.2f}")
            break


def main():
    random.seed(543)
    torch.manual_seed(543)
    train()
