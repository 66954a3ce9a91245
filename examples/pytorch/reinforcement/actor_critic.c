/* examples/pytorch/reinforcement/actor_critic.c: actor-critic on a cart pole (of PyTorch's examples). In float64, as
 * reinforce.c.
 *
 * Difficulty: **     Read first: reinforce     Read next: dqn */
#include <stdio.h>

#include "core/core.h"
#include "core/distributions/distributions.h"
#include "core/python/python.h"
#include "examples/pytorch/reinforcement/cart_pole.h"
#include "nn/nn.h"
#include "optim/optim.h"

#define GAMMA 0.99
#define REWARD_THRESHOLD 475.0
enum { LOG_INTERVAL = 10, EPISODES = 100 };

typedef struct Policy {
    nn_Module base;
    nn_Linear *affine1, *action_head, *value_head;
    t_TensorList *log_probs, *values;
    double rewards[MAX_STEPS];
    int len;
} Policy;

static Tensor *policy_call(Policy *self, Tensor *x, Tensor **state_values) {
    x = F_relu(nn_call(self->affine1, x));

    Tensor *action_prob = F_softmax(nn_call(self->action_head, x), -1);

    *state_values = nn_call(self->value_head, x);
    return action_prob;
}

static Policy *policy(void) {
    Policy *self = nn_module(Policy, NULL);
    nn_set(self, affine1, nn_Linear(4, 128));

    nn_set(self, action_head, nn_Linear(128, 2));

    nn_set(self, value_head, nn_Linear(128, 1));

    self->log_probs = t_list();
    self->values = t_list();
    self->len = 0;
    return self;
}

static int64_t select_action(Policy *model, Tensor *state) {
    Tensor *state_value, *probs = policy_call(model, state, &state_value);

    distributions_Distribution *m = distributions_Categorical(probs);
    Tensor *action = distributions_sample(m);

    t_list_append(model->log_probs, distributions_log_prob(m, action));
    t_list_append(model->values, state_value);
    return t_item_int64(action);
}

static void finish_episode(Policy *model, optim_Optimizer *optimizer) {
    double eps = t_finfo(t_float32)->eps;
    double R = 0.0;
    t_TensorList *policy_losses = t_list();
    t_TensorList *value_losses = t_list();
    Tensor *returns = t_zeros(model->len, .dtype = t_float64);

    for (int i = model->len - 1; i >= 0; i--) {
        R = model->rewards[i] + GAMMA * R;
        t_set(returns, "{}", i, R);
    }
    returns = t_div(t_sub(returns, t_mean(returns)), t_add(t_std(returns), eps));

    for (int i = 0; i < model->len; i++) {
        Tensor *log_prob = t_list_get(model->log_probs, i);
        Tensor *value = t_list_get(model->values, i);
        Tensor *advantage = t_sub(t_at(returns, "{}", i), t_item(value));
        t_list_append(policy_losses, t_mul(t_neg(log_prob), advantage));
        t_list_append(value_losses, F_smooth_l1_loss(value, t_view(t_at(returns, "{}", i), 1)));
    }

    optim_zero_grad(optimizer);
    Tensor *loss = t_add(t_sum(t_stack(policy_losses)), t_sum(t_stack(value_losses)));
    t_backward(loss);
    optim_step(optimizer);

    model->len = 0;
    t_keep_as(&model->log_probs, t_list());
    t_keep_as(&model->values, t_list());
}

static void train(void) {
    CartPole env = cart_pole();
    Policy *model = nn_to(policy(), t_float64);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 3e-2);
    double running_reward = 10.0;
    for_range (i_episode, 1, EPISODES + 1) {
        Tensor *state = cart_pole_reset(&env);
        double ep_reward = 0.0;
        for (int t = 1; t < 10000; t++) {
            int64_t action = select_action(model, state);
            double reward;
            bool terminated, truncated;
            state = cart_pole_step(&env, action, &reward, &terminated, &truncated);
            model->rewards[model->len++] = reward;
            ep_reward += reward;
            if (terminated || truncated) break;
        }

        running_reward = 0.05 * ep_reward + (1 - 0.05) * running_reward;
        finish_episode(model, optimizer);
        if (i_episode % LOG_INTERVAL == 0)
            printf("Episode %d\tLast reward: %.2f\tAverage reward: %.2f\n", (int)i_episode, ep_reward, running_reward);
        if (running_reward > REWARD_THRESHOLD) {
            printf("Solved! Running reward is now %.2f\n", running_reward);
            break;
        }
    }
}

int main(void) {
    random_seed(543);
    t_manual_seed(543);
    train();
    return 0;
}
