/* examples/pytorch/reinforcement/dqn.c: "Reinforcement learning (DQN) tutorial": a cart pole, with a memory of what
 * happened and a second network that follows the first slowly. In float64, as reinforce.c.
 *
 * Difficulty: ***     Read first: reinforce     Read next: learning/what_is_nn */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/python/python.h"
#include "examples/pytorch/reinforcement/cart_pole.h"
#include "nn/nn.h"
#include "optim/optim.h"

#define GAMMA 0.99
#define EPS_START 0.9
#define EPS_END 0.01
#define EPS_DECAY 200
#define TAU 0.005
#define LR 1e-3
enum { BATCH_SIZE = 128, CAPACITY = 10000, NUM_EPISODES = 80 };

/* ---- The replay memory ---- */

typedef struct Transition {
    Tensor *state, *action, *next_state, *reward; /* next_state NULL: the episode ended */
} Transition;

typedef struct ReplayMemory {
    int capacity, len;
    Transition memory[CAPACITY];
} ReplayMemory;

static void transition_release(const Transition *transition) {
    t_release(transition->state);
    t_release(transition->action);
    t_release(transition->next_state);
    t_release(transition->reward);
}

static void replay_memory(ReplayMemory *self, int capacity) {
    self->len = 0;
    self->capacity = capacity;
}

/* The memory holds its tensors, whichever scope they were made in; the oldest transition makes room for a new one. */
static void replay_memory_push(ReplayMemory *self, Tensor *state, Tensor *action, Tensor *next_state, Tensor *reward) {
    Transition transition = {t_retain(state), t_retain(action), t_retain(next_state), t_retain(reward)};
    if (self->len == self->capacity) {
        transition_release(&self->memory[0]);
        memmove(self->memory, self->memory + 1, (size_t)--self->len * sizeof transition);
    }
    self->memory[self->len++] = transition;
}

static bool replay_memory_sample(ReplayMemory *self, int batch_size, Transition *transitions) {
    return random_sample(self->memory, self->len, batch_size, transitions);
}

static int replay_memory_len(const ReplayMemory *self) {
    return self->len;
}

/* ---- The network and the agent ---- */

typedef struct DQN {
    nn_Module base;
    nn_Linear *layer1, *layer2, *layer3;
} DQN;

static Tensor *dqn_call(DQN *self, Tensor *x) {
    x = F_relu(nn_call(self->layer1, x));
    x = F_relu(nn_call(self->layer2, x));
    return nn_call(self->layer3, x);
}

static DQN *dqn(int64_t n_observations, int64_t n_actions) {
    DQN *self = nn_module(DQN, dqn_call);
    nn_set(self, layer1, nn_Linear(n_observations, 128));
    nn_set(self, layer2, nn_Linear(128, 128));
    nn_set(self, layer3, nn_Linear(128, n_actions));
    return self;
}

typedef struct Agent {
    DQN *policy_net, *target_net;
    optim_Optimizer *optimizer;
    ReplayMemory memory;
    int steps_done;
} Agent;

static void agent_new(Agent *self) {
    self->policy_net = nn_to(dqn(N_OBSERVATIONS, N_ACTIONS), t_float64);
    self->target_net = nn_to(dqn(N_OBSERVATIONS, N_ACTIONS), t_float64);
    nn_load_state_dict(self->target_net, nn_state_dict(self->policy_net));
    self->optimizer = optim_AdamW(nn_parameters(self->policy_net), .lr = LR, .amsgrad = true);
    replay_memory(&self->memory, CAPACITY);
    self->steps_done = 0;
}

static Tensor *select_action(Agent *agent, Tensor *state) {
    double sample = random_random();
    double eps_threshold = EPS_END + (EPS_START - EPS_END) * exp(-1.0 * agent->steps_done / EPS_DECAY);
    agent->steps_done += 1;
    if (sample > eps_threshold) {
        Tensor *action;
        with_no_grad() {
            t_max(nn_call(agent->policy_net, state), 1, .indices = &action);
        }
        return t_view(action, 1, 1);
    }
    return t_full((1, 1), random_randrange(N_ACTIONS));
}

/* ---- Training ---- */

static void optimize_model(Agent *agent) {
    if (replay_memory_len(&agent->memory) < BATCH_SIZE) return;
    Transition transitions[BATCH_SIZE];
    replay_memory_sample(&agent->memory, BATCH_SIZE, transitions);
    t_TensorList *states = t_list(), *actions = t_list(), *rewards = t_list(), *next_states = t_list();
    bool non_final[BATCH_SIZE];
    for (int i = 0; i < BATCH_SIZE; i++) {
        const Transition *batch = &transitions[i];
        t_list_append(states, batch->state);
        t_list_append(actions, batch->action);
        t_list_append(rewards, batch->reward);
        non_final[i] = batch->next_state != NULL;
        if (non_final[i]) t_list_append(next_states, batch->next_state);
    }

    Tensor *non_final_mask = t_tensor(non_final);
    Tensor *non_final_next_states = t_cat(next_states);
    Tensor *state_batch = t_cat(states);
    Tensor *action_batch = t_cat(actions);
    Tensor *reward_batch = t_cat(rewards);

    Tensor *state_action_values = t_gather(nn_call(agent->policy_net, state_batch), 1, action_batch);

    Tensor *next_state_values = t_zeros(BATCH_SIZE, .dtype = t_float64);
    with_no_grad() {
        t_set(next_state_values, "{}", non_final_mask, t_max(nn_call(agent->target_net, non_final_next_states), 1));
    }
    Tensor *expected_state_action_values = t_add(t_mul(next_state_values, GAMMA), reward_batch);

    nn_SmoothL1Loss *criterion = nn_SmoothL1Loss();
    Tensor *loss = nn_call(criterion, state_action_values, t_unsqueeze(expected_state_action_values, 1));

    optim_zero_grad(agent->optimizer);
    t_backward(loss);
    nn_utils_clip_grad_value_(nn_parameters(agent->policy_net), 100);
    optim_step(agent->optimizer);
}

static void update_target(Agent *agent) {
    t_TensorDict *target_net_state_dict = nn_state_dict(agent->target_net);
    t_TensorDict *policy_net_state_dict = nn_state_dict(agent->policy_net);
    for_items (key, policy_net_state_dict)
        t_dict_set(target_net_state_dict, key->name,
                   t_add(t_mul(key->tensor, TAU),
                         t_mul(t_dict_get(target_net_state_dict, key->name), 1 - TAU)));
    nn_load_state_dict(agent->target_net, target_net_state_dict);
}

static Agent agent;

static void train(void) {
    CartPole env = cart_pole();
    agent_new(&agent);
    int total = 0;
    for_range (i_episode, NUM_EPISODES) {
        Tensor *state = t_unsqueeze(cart_pole_reset(&env), 0);
        for_range (t, 10000) {
            Tensor *action = select_action(&agent, state);
            double reward_value;
            bool terminated, truncated;
            Tensor *observation =
                cart_pole_step(&env, t_item_int64(action), &reward_value, &terminated, &truncated);
            Tensor *reward = t_full((1), reward_value, .dtype = t_float64);
            Tensor *next_state = terminated ? NULL : t_unsqueeze(observation, 0);

            replay_memory_push(&agent.memory, state, action, next_state, reward);

            state = next_state; /* the memory holds it */

            optimize_model(&agent);

            update_target(&agent);

            if (terminated || truncated) {
                total += (int)t + 1;
                break;
            }
        }
        if (i_episode % 20 == 19) {
            printf("episodes %d to %d: mean duration %.1f\n", (int)i_episode - 18, (int)i_episode + 1, total / 20.0);
            total = 0;
        }
    }
    t_print(t_detach(nn_call(agent.policy_net, t_zeros(1, N_OBSERVATIONS, .dtype = t_float64))));
    for (int i = 0; i < agent.memory.len; i++) transition_release(&agent.memory.memory[i]);
}

int main(void) {
    random_seed(0);
    t_manual_seed(0);
    train();
    return 0;
}
