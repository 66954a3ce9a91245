/* nn/module/checkpoint_sequential.c: torch.utils.checkpoint.checkpoint_sequential. */
#include "nn/module/checkpoint_sequential.h"

#include "core/func/checkpoint.h"
#include "nn/module/module_internal.h"

/* The modules from..to of a container. */
typedef struct Segment {
    nn_Module *container;
    int64_t from, to;
} Segment;

static Tensor *run_segment(const Segment *segment, Tensor *x) {
    int64_t i = 0;
    for (nn_Entry *entry = tg_child(segment->container->first); x && entry; entry = tg_child(entry->next), i++)
        if (i >= segment->from && i < segment->to) x = nn_call(entry->value, x);
    return x;
}

static t_TensorList *call_segment(t_TensorList *inputs, void *segment) {
    Tensor *y = run_segment(segment, inputs->items[0]);
    return y ? t_list_new(&y, 1) : NULL;
}

Tensor *t_checkpoint_sequential(void *functions, int64_t segments, Tensor *input, bool preserve_rng_state) {
    if (!tg_check_module(functions, 1) || !tg_check(input, 3)) return NULL;
    Segment segment = {.container = functions};
    int64_t count = 0;
    for (nn_Entry *entry = tg_child(segment.container->first); entry; entry = tg_child(entry->next)) count++;
    if (segments < 1 || segments > count)
        return tg_fail("checkpoint_sequential: segments must be from 1 to the number of modules, %lld, not %lld",
                       (long long)count, (long long)segments);
    const int depth = t_scope_open();
    Tensor *x = depth ? input : NULL;
    const t_CheckpointOptions options = {sizeof options, preserve_rng_state, "default", sizeof segment, functions};
    for (int64_t s = 0, length = count / segments; x && s < segments - 1; s++) {
        segment.from = s * length;
        segment.to = segment.from + length;
        t_TensorList *args = t_list_new(&x, 1);
        t_TensorList *outputs = args ? t_checkpoint(call_segment, args, &segment, &options) : NULL;
        x = outputs ? outputs->items[0] : NULL;
    }
    segment.from = segment.to;
    segment.to = count;
    return tg_scope_return(depth, x ? run_segment(&segment, x) : NULL);
}
