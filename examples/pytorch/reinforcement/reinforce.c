/* examples/pytorch/reinforcement/reinforce.c: REINFORCE on a cart pole (of PyTorch's examples).
 *
 * In float64: in float32 a last bit that differs would sooner or later be another action, and from there on another
 * run.
 *
 * Difficulty: **     Read first: basics/optimization     Read next: actor_critic */
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
    nn_Linear *affine1;
    nn_Dropout *dropout;
    nn_Linear *affine2;
    t_TensorList *saved_log_probs;
    double rewards[MAX_STEPS];
    int len;
} Policy;

static Tensor *policy_call(Policy *self, Tensor *x) {
    x = nn_call(self->affine1, x);
    x = nn_call(self->dropout, x);
    x = F_relu(x);
    Tensor *action_scores = nn_call(self->affine2, x);
    return F_softmax(action_scores, 1);
}

static Policy *policy(void) {
    Policy *self = nn_module(Policy, policy_call);
    nn_set(self, affine1, nn_Linear(4, 128));
    nn_set(self, dropout, nn_Dropout(.p = 0.6));
    nn_set(self, affine2, nn_Linear(128, 2));

    self->saved_log_probs = t_list();
    self->len = 0;
    return self;
}

static int64_t select_action(Policy *policy, Tensor *state) {
    state = t_unsqueeze(state, 0);
    Tensor *probs = nn_call(policy, state);
    distributions_Distribution *m = distributions_Categorical(probs);
    Tensor *action = distributions_sample(m);
    t_list_append(policy->saved_log_probs, distributions_log_prob(m, action));
    return t_item_int64(action);
}

static void finish_episode(Policy *policy, optim_Optimizer *optimizer) {
    double eps = t_finfo(t_float32)->eps;
    double R = 0.0;
    t_TensorList *policy_losses = t_list();
    Tensor *returns = t_zeros(policy->len, .dtype = t_float64);
    for (int i = policy->len - 1; i >= 0; i--) {
        R = policy->rewards[i] + GAMMA * R;
        t_set(returns, "{}", i, R);
    }
    returns = t_div(t_sub(returns, t_mean(returns)), t_add(t_std(returns), eps));
    for (int i = 0; i < policy->len; i++)
        t_list_append(policy_losses,
                      t_mul(t_neg(t_list_get(policy->saved_log_probs, i)), t_at(returns, "{}", i)));
    optim_zero_grad(optimizer);
    Tensor *policy_loss = t_sum(t_cat(policy_losses));
    t_backward(policy_loss);
    optim_step(optimizer);
    policy->len = 0;
    t_keep_as(&policy->saved_log_probs, t_list());
}

static void train(void) {
    CartPole env = cart_pole();
    Policy *model = nn_to(policy(), t_float64);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-2);
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
