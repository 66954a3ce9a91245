/* examples/char_gpt/checkpoint.c: everything that a run needs to go on as if nothing had happened, in one file. */
#include "char_gpt.h"

/* ---- the model's sizes and characters ---- */

static void set_config(t_TensorDict *to, const GPTConfig *config) {
    t_dict_set(to, "config.vocab_size", config->vocab_size);
    t_dict_set(to, "config.n_positions", config->n_positions);
    t_dict_set(to, "config.n_embd", config->n_embd);
    t_dict_set(to, "config.n_layer", config->n_layer);
    t_dict_set(to, "config.n_head", config->n_head);
    t_dict_set(to, "config.dropout", config->dropout);
}

GPTConfig checkpoint_config(t_TensorDict *checkpoint) {
    return (GPTConfig){
        t_dict_get_integer(checkpoint, "config.vocab_size"), t_dict_get_integer(checkpoint, "config.n_positions"),
        t_dict_get_integer(checkpoint, "config.n_embd"),     t_dict_get_integer(checkpoint, "config.n_layer"),
        t_dict_get_integer(checkpoint, "config.n_head"),     t_dict_get_number(checkpoint, "config.dropout")};
}

/* As numbers: a character of a text in Latin-1, say, is no text in a file of UTF-8. */
static Tensor *codes_of(const Vocabulary *v) {
    int64_t codes[256];
    for (int64_t i = 0; i < v->size; i++) codes[i] = (unsigned char)v->characters[i];
    return t_tensor(codes, v->size);
}

/* ---- the file ---- */

bool save_checkpoint(const Training *self, const Vocabulary *vocabulary, const char *path) {
    bool ok = false;
    with_scope() {
        t_TensorDict *checkpoint = t_dict();
        set_config(checkpoint, &self->model->config);
        t_dict_set(checkpoint, "vocabulary", codes_of(vocabulary));
        t_dict_set(checkpoint, "step", self->step);
        t_dict_set(checkpoint, "curves", t_at(self->curves, ":{}", self->points));
        t_dict_set(checkpoint, "model", nn_state_dict(self->model));
        t_dict_set(checkpoint, "optimizer", optim_state_dict(self->optimizer));
        t_dict_set(checkpoint, "scheduler", optim_scheduler_state_dict(self->scheduler));
        t_dict_set(checkpoint, "rng_state", t_get_rng_state());
        ok = t_save(checkpoint, path);
    }
    return ok;
}

bool load_checkpoint(Training *self, const Vocabulary *vocabulary, t_TensorDict *checkpoint) {
    bool ok = false;
    with_scope() {
        Tensor *curves = t_dict_get(checkpoint, "curves");
        if (!t_equal(t_dict_get(checkpoint, "vocabulary"), codes_of(vocabulary)))
            return t_fail("the checkpoint was trained on other characters than this text has");
        self->step = t_dict_get_integer(checkpoint, "step");
        self->points = t_size(curves, 0);
        t_set(self->curves, ":{}", self->points, curves);
        ok = nn_load_state_dict(self->model, t_dict_get_dict(checkpoint, "model")) &&
             optim_load_state_dict(self->optimizer, t_dict_get_dict(checkpoint, "optimizer")) &&
             optim_scheduler_load_state_dict(self->scheduler, t_dict_get_dict(checkpoint, "scheduler")) &&
             t_set_rng_state(t_dict_get(checkpoint, "rng_state"));
    }
    return ok;
}
