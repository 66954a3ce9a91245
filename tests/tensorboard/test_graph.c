/* tests/tensorboard/test_graph.c: add_graph: nodes, scopes and inputs of the GraphDef; what it restores. */
#include <string.h>

#include "core/io/protobuf.h"
#include "core/tensorboard/tensorboard.h"
#include "nn/nn.h"
#include "tests/support/files/file_support.h"

typedef struct Net {
    nn_Module base;
    nn_Embedding *words;
    nn_Sequential *head;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    Tensor *y = nn_call(self->words, x);
    return nn_call(self->head, t_add(y, y));
}

static Net *net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, words, nn_Embedding(5, 3));
    nn_set(self, head, nn_Sequential(nn_Linear(3, 4), nn_ReLU(), nn_Dropout(0.5), nn_Linear(4, 2)));
    return self;
}

/* "name op < input input\n" for each node. */
static const char *nodes_of(const tensorboard_Event *event) {
    const char *text = t_format("%s", "");
    tg_Proto graph = tg_proto_of("graph", event->bytes, event->bytes_size, 0);
    for (tg_ProtoField f; tg_proto_next(&graph, &f);) {
        if (f.number != 1) continue;
        tg_Proto node = tg_proto_message(&graph, &f);
        for (tg_ProtoField g; tg_proto_next(&node, &g);)
            if (g.number <= 3)
                text = t_format("%s%s%.*s", text,
                                g.number == 1   ? ""
                                : g.number == 2 ? " "
                                                : " < ",
                                (int)g.size, (const char *)g.bytes);
        text = t_format("%s\n", text);
    }
    ck_assert(!graph.failed);
    return text;
}

START_TEST(ops_are_in_the_scopes_of_their_modules) {
    Net *model = net();
    t_requires_grad_(model->words->weight, false);
    nn_eval(nn_get_submodule(model, "head.2"));
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(test_folder);
    ck_assert(tensorboard_add_graph(writer, model, t_tensor("[[1, 2], [3, 4]]")) && tensorboard_close(writer));
    ck_assert(!t_requires_grad(model->words->weight) &&
              t_requires_grad(((nn_Linear *)nn_get_submodule(model, "head.0"))->weight));
    ck_assert(model->base.training && !((nn_Module *)nn_get_submodule(model, "head.2"))->training);
    ck_assert(t_is_grad_enabled() && !t_set_tape_values(false));
    const tensorboard_Events *events = tensorboard_load_events(test_folder);
    ck_assert_int_eq(events->len, 3);
    ck_assert(events->items[1].kind == tensorboard_graph && events->items[2].kind == tensorboard_run_metadata);
    ck_assert_str_eq(events->items[2].tag, "step1");
    ck_assert_str_eq(nodes_of(&events->items[1]),
                     "input/input.1 IO Node\n"
                     "Net/Embedding[words]/weight Parameter\n"
                     "Net/Sequential[head]/Linear[0]/weight Parameter\n"
                     "Net/Sequential[head]/Linear[0]/bias Parameter\n"
                     "Net/Sequential[head]/Linear[3]/weight Parameter\n"
                     "Net/Sequential[head]/Linear[3]/bias Parameter\n"
                     "Net/Embedding[words]/embedding aten::embedding < Net/Embedding[words]/weight < input/input.1\n"
                     "Net/add aten::add < Net/Embedding[words]/embedding < Net/Embedding[words]/embedding\n"
                     "Net/Sequential[head]/Linear[0]/linear aten::linear < Net/add < "
                     "Net/Sequential[head]/Linear[0]/weight < Net/Sequential[head]/Linear[0]/bias\n"
                     "Net/Sequential[head]/ReLU[1]/relu aten::relu < Net/Sequential[head]/Linear[0]/linear\n"
                     "Net/Sequential[head]/Linear[3]/linear aten::linear < Net/Sequential[head]/ReLU[1]/relu < "
                     "Net/Sequential[head]/Linear[3]/weight < Net/Sequential[head]/Linear[3]/bias\n"
                     "output/output.1 IO Node < Net/Sequential[head]/Linear[3]/linear\n");
}
END_TEST

START_TEST(an_error_of_the_model_restores_it_too) {
    Net *model = net();
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(test_folder);
    Tensor *x = t_zeros(2, 2);
    ck_assert(!(tensorboard_add_graph)(writer, model, t_list(x)) && t_error());
    t_clear_error();
    clear_errors();
    ck_assert(model->base.training && t_is_grad_enabled());
    expect_refusal(!(tensorboard_add_graph)(writer, model, t_list(x, x, x)),
                   "add_graph calls the model with one or two inputs, not 3");
    ck_assert(tensorboard_close(writer));
    ck_assert_int_eq(tensorboard_load_events(test_folder)->len, 1);
}
END_TEST

Suite *graph_suite(void);
Suite *graph_suite(void) {
    Suite *suite = suite_create("graph");
    TCase *tests = tcase_create("graph");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, ops_are_in_the_scopes_of_their_modules);
    tcase_add_test(tests, an_error_of_the_model_restores_it_too);
    suite_add_tcase(suite, tests);
    return suite;
}
