/* examples/pytorch/reinforcement/cart_pole.h: gymnasium's CartPole-v1: a cart on a rail balances a pole.
 *
 * Its equations, constants and limits, in float64 (Barto, Sutton and Anderson, "Neuronlike adaptive elements that can
 * solve difficult learning control problems", 1983); the random numbers of a reset are those of Python's random. */
#ifndef TAPEGRAD_EXAMPLES_PYTORCH_CART_POLE_H
#define TAPEGRAD_EXAMPLES_PYTORCH_CART_POLE_H

#include <math.h>

#include "core/core.h"
#include "core/python/python.h"

#define PI 3.14159265358979323846
#define GRAVITY 9.8
#define MASS_CART 1.0
#define MASS_POLE 0.1
#define TOTAL_MASS (MASS_CART + MASS_POLE)
#define LENGTH 0.5
#define POLE_MASS_LENGTH (MASS_POLE * LENGTH)
#define FORCE_MAG 10.0
#define SECONDS_PER_STEP 0.02
#define THETA_THRESHOLD (12 * 2 * PI / 360)
#define X_THRESHOLD 2.4
enum { MAX_STEPS = 500, N_ACTIONS = 2, N_OBSERVATIONS = 4 };

typedef struct CartPole {
    double x, x_dot, theta, theta_dot;
    int steps;
} CartPole;

static inline CartPole cart_pole(void) {
    return (CartPole){.steps = 0};
}

static inline Tensor *cart_pole_observation(const CartPole *self) {
    const double state[] = {self->x, self->x_dot, self->theta, self->theta_dot};
    return t_tensor(state, .dtype = t_float64);
}

static inline Tensor *cart_pole_reset(CartPole *self) {
    self->x = random_uniform(-0.05, 0.05);
    self->x_dot = random_uniform(-0.05, 0.05);
    self->theta = random_uniform(-0.05, 0.05);
    self->theta_dot = random_uniform(-0.05, 0.05);
    self->steps = 0;
    return cart_pole_observation(self);
}

/* One step with a push to the left (0) or to the right (1): the observation, with a reward of 1. */
static inline Tensor *cart_pole_step(CartPole *self, int64_t action, double *reward, bool *terminated,
                                     bool *truncated) {
    const double force = action == 1 ? FORCE_MAG : -FORCE_MAG;
    const double costheta = cos(self->theta), sintheta = sin(self->theta);
    const double temp = (force + POLE_MASS_LENGTH * self->theta_dot * self->theta_dot * sintheta) / TOTAL_MASS;
    const double thetaacc = (GRAVITY * sintheta - costheta * temp) /
                            (LENGTH * (4.0 / 3.0 - MASS_POLE * costheta * costheta / TOTAL_MASS));
    const double xacc = temp - POLE_MASS_LENGTH * thetaacc * costheta / TOTAL_MASS;
    self->x = self->x + SECONDS_PER_STEP * self->x_dot;
    self->x_dot = self->x_dot + SECONDS_PER_STEP * xacc;
    self->theta = self->theta + SECONDS_PER_STEP * self->theta_dot;
    self->theta_dot = self->theta_dot + SECONDS_PER_STEP * thetaacc;
    self->steps++;
    *reward = 1.0;
    *terminated = fabs(self->x) > X_THRESHOLD || fabs(self->theta) > THETA_THRESHOLD;
    *truncated = self->steps >= MAX_STEPS;
    return cart_pole_observation(self);
}

#endif
