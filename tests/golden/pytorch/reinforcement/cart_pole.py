"""examples/pytorch/reinforcement/cart_pole.h in Python: gymnasium's CartPole-v1."""

import math
import random

import torch

GRAVITY = 9.8
MASS_CART = 1.0
MASS_POLE = 0.1
TOTAL_MASS = MASS_CART + MASS_POLE
LENGTH = 0.5
POLE_MASS_LENGTH = MASS_POLE * LENGTH
FORCE_MAG = 10.0
SECONDS_PER_STEP = 0.02
THETA_THRESHOLD = 12 * 2 * math.pi / 360
X_THRESHOLD = 2.4
MAX_STEPS = 500
N_ACTIONS = 2
N_OBSERVATIONS = 4


class CartPole:
    def observation(self):
        return torch.tensor([self.x, self.x_dot, self.theta, self.theta_dot], dtype=torch.float64)

    def reset(self):
        self.x = random.uniform(-0.05, 0.05)
        self.x_dot = random.uniform(-0.05, 0.05)
        self.theta = random.uniform(-0.05, 0.05)
        self.theta_dot = random.uniform(-0.05, 0.05)
        self.steps = 0
        return self.observation()

    def step(self, action):
        force = FORCE_MAG if action == 1 else -FORCE_MAG
        costheta = math.cos(self.theta)
        sintheta = math.sin(self.theta)
        temp = (force + POLE_MASS_LENGTH * self.theta_dot * self.theta_dot * sintheta) / TOTAL_MASS
        thetaacc = (GRAVITY * sintheta - costheta * temp) / (
            LENGTH * (4.0 / 3.0 - MASS_POLE * costheta * costheta / TOTAL_MASS)
        )
        xacc = temp - POLE_MASS_LENGTH * thetaacc * costheta / TOTAL_MASS
        self.x = self.x + SECONDS_PER_STEP * self.x_dot
        self.x_dot = self.x_dot + SECONDS_PER_STEP * xacc
        self.theta = self.theta + SECONDS_PER_STEP * self.theta_dot
        self.theta_dot = self.theta_dot + SECONDS_PER_STEP * thetaacc
        self.steps += 1
        terminated = abs(self.x) > X_THRESHOLD or abs(self.theta) > THETA_THRESHOLD
        truncated = self.steps >= MAX_STEPS
        return self.observation(), 1.0, terminated, truncated
