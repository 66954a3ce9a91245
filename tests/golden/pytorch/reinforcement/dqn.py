"""The Python side of examples/pytorch/reinforcement/dqn.c: Reinforcement learning (DQN)."""

import math
import random
from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

from cart_pole import CartPole, N_ACTIONS, N_OBSERVATIONS

BATCH_SIZE = 128
GAMMA = 0.99
EPS_START = 0.9
EPS_END = 0.01
EPS_DECAY = 200
TAU = 0.005
LR = 1e-3
CAPACITY = 10000
NUM_EPISODES = 80

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        transition = Transition(*args)
        self.memory.append(transition)

    def sample(self, batch_size):
        return random.sample(list(self.memory), batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


class Agent:
    def __init__(self):
        self.policy_net = DQN(N_OBSERVATIONS, N_ACTIONS).double()
        self.target_net = DQN(N_OBSERVATIONS, N_ACTIONS).double()
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.optimizer = optim.AdamW(self.policy_net.parameters(), lr=LR, amsgrad=True)
        self.memory = ReplayMemory(CAPACITY)
        self.steps_done = 0


def select_action(agent, state):
    sample = random.random()
    eps_threshold = EPS_END + (EPS_START - EPS_END) * math.exp(-1.0 * agent.steps_done / EPS_DECAY)
    agent.steps_done += 1
    if sample > eps_threshold:
        with torch.no_grad():
            return agent.policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(N_ACTIONS)]])


def optimize_model(agent):
    if len(agent.memory) < BATCH_SIZE:
        return
    transitions = agent.memory.sample(BATCH_SIZE)
    states, actions, rewards, next_states = [], [], [], []
    non_final = [False] * BATCH_SIZE
    for i in range(BATCH_SIZE):
        batch = transitions[i]
        states.append(batch.state)
        actions.append(batch.action)
        rewards.append(batch.reward)
        non_final[i] = batch.next_state is not None
        if non_final[i]:
            next_states.append(batch.next_state)

    non_final_mask = torch.tensor(non_final)
    non_final_next_states = torch.cat(next_states)
    state_batch = torch.cat(states)
    action_batch = torch.cat(actions)
    reward_batch = torch.cat(rewards)

    state_action_values = agent.policy_net(state_batch).gather(1, action_batch)

    next_state_values = torch.zeros(BATCH_SIZE, dtype=torch.float64)
    with torch.no_grad():
        next_state_values[non_final_mask] = agent.target_net(non_final_next_states).max(1).values
    expected_state_action_values = (next_state_values * GAMMA) + reward_batch

    criterion = nn.SmoothL1Loss()
    loss = criterion(state_action_values, expected_state_action_values.unsqueeze(1))

    agent.optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(agent.policy_net.parameters(), 100)
    agent.optimizer.step()


def update_target(agent):
    target_net_state_dict = agent.target_net.state_dict()
    policy_net_state_dict = agent.policy_net.state_dict()
    for key in policy_net_state_dict:
        target_net_state_dict[key] = policy_net_state_dict[key] * TAU + target_net_state_dict[key] * (1 - TAU)
    agent.target_net.load_state_dict(target_net_state_dict)


def train():
    env = CartPole()
    agent = Agent()
    total = 0
    for i_episode in range(NUM_EPISODES):
        state = env.reset().unsqueeze(0)
        for t in range(10000):
            action = select_action(agent, state)
            observation, reward, terminated, truncated = env.step(action.item())
            reward = torch.tensor([reward], dtype=torch.float64)
            next_state = None if terminated else observation.unsqueeze(0)

            agent.memory.push(state, action, next_state, reward)

            state = next_state

            optimize_model(agent)

            update_target(agent)

            if terminated or truncated:
                total += t + 1
                break
        if i_episode % 20 == 19:
            print(f"episodes {i_episode - 18} to {i_episode + 1}: mean duration {total / 20:.1f}")
            total = 0
    print(agent.policy_net(torch.zeros(1, N_OBSERVATIONS, dtype=torch.float64)).detach())


def main():
    random.seed(0)
    torch.manual_seed(0)
    train()
