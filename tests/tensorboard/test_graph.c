/* tests/tensorboard/test_graph.c: add_graph: nodes, scopes and inputs of the GraphDef; what it restores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/io/protobuf.h"
#include "core/tensorboard/event_internal.h"
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
    const time_t before = time(NULL);
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
    /* versions { producer: 22 }, as torch.utils.tensorboard's */
    const tensorboard_Event *graph = &events->items[1];
    ck_assert_mem_eq((const char *)graph->bytes + graph->bytes_size - 4, "\x22\x02\x08\x16", 4);
    ck_assert(graph->wall_time >= (double)before && graph->wall_time <= (double)time(NULL) + 1);
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

typedef struct Odd {
    nn_Module base;
    Tensor *scale;
} Odd;

static Tensor *odd_call(Odd *self, Tensor *x) {
    Tensor *y = t_relu(t_relu(t_mul(x, self->scale)));
    return t_add(t_mul(y, t_ones(2)), t_relu(y));
}

static Tensor *same_call(Odd *self, Tensor *x) {
    (void)self;
    return x;
}

static const char *graph_nodes(void *model, Tensor *x) {
    const char *folder = t_format("%s/%s", test_folder, ((nn_Module *)model)->type);
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(folder);
    ck_assert_msg((tensorboard_add_graph)(writer, model, t_list(x)) && tensorboard_close(writer), "%s", t_error());
    return nodes_of(&tensorboard_load_events(folder)->items[1]);
}

/* Ops of one name have numbers; constants are no inputs; a buffer is one; the output may be the input. */
START_TEST(ops_of_one_name_have_numbers) {
    Odd *odd = nn_module(Odd, odd_call), *same = nn_module(Odd, same_call);
    odd->scale = t_tensor("[1.0, 2.0]");
    nn_register_buffer(odd, scale, odd->scale);
    same->base.type = "Same";
    ck_assert_str_eq(graph_nodes(odd, t_ones(2)), "input/input.1 IO Node\n"
                                                  "Odd/scale Buffer\n"
                                                  "Odd/mul aten::mul < input/input.1 < Odd/scale\n"
                                                  "Odd/relu aten::relu < Odd/mul\n"
                                                  "Odd/relu_1 aten::relu < Odd/relu\n"
                                                  "Odd/mul_1 aten::mul < Odd/relu_1\n"
                                                  "Odd/relu_2 aten::relu < Odd/relu_1\n"
                                                  "Odd/add aten::add < Odd/mul_1 < Odd/relu_2\n"
                                                  "output/output.1 IO Node < Odd/add\n");
    odd->base.type = "Before"; /* with an op that ran before the call */
    odd->scale = t_mul(t_tensor("[1.0, 2.0]", .requires_grad = true), 2);
    ck_assert_ptr_nonnull(strstr(graph_nodes(odd, t_ones(2)), "Before/mul_1 aten::mul < input/input.1 < Before/mul\n"));
    ck_assert_str_eq(graph_nodes(same, t_ones(2)), "input/input.1 IO Node\noutput/output.1 IO Node < input/input.1\n");
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

/* The GraphDef of a model with every kind of attribute, byte for byte (record_onnx_graph.py). */
START_TEST(onnx_graphs_are_those_of_pytorch) {
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(test_folder);
    ck_assert(tensorboard_add_onnx_graph(writer, "tests/golden/onnx_graph.onnx.bin"));
    ck_assert(tensorboard_close(writer));
    const tensorboard_Events *events = tensorboard_load_events(test_folder);
    ck_assert_int_eq(events->len, 2);
    static uint8_t expected[1 << 14];
    FILE *file = fopen("tests/golden/onnx_graph_def.bin", "rb");
    const size_t size = fread(expected, 1, sizeof expected, file);
    fclose(file);
    ck_assert_uint_eq(events->items[1].bytes_size, size);
    ck_assert_mem_eq(events->items[1].bytes, expected, size);
}
END_TEST

/* The texts in a model's GraphDef, which is printable but for lengths; NULL on an error. */
static const char *graph_of(const uint8_t *model, size_t size) {
    static char text[400];
    tg_Proto message = tg_proto_of("model.onnx", model, size, 0);
    tg_Output out;
    size_t bytes = 0;
    tg_output_memory(&out);
    uint8_t *graph = tg_output_take(&out, tg_put_onnx_graph(&out, &message), &bytes);
    if (!graph) return NULL;
    ck_assert_uint_lt(bytes, sizeof text);
    for (size_t i = 0; i < bytes; i++) text[i] = graph[i] ? (char)graph[i] : ' ';
    text[bytes] = '\0';
    free(graph);
    return text;
}

/* A file that ends anywhere is an error or a smaller graph. */
START_TEST(an_onnx_file_may_be_broken) {
    static uint8_t model[1 << 14];
    FILE *file = fopen("tests/golden/onnx_graph.onnx.bin", "rb");
    const size_t size = fread(model, 1, sizeof model, file);
    fclose(file);
    int failures = 0;
    for (size_t n = 0; n < size; n++) {
        tg_Proto message = tg_proto_of("model.onnx", model, n, 0);
        tg_Output out;
        tg_output_memory(&out);
        free(tg_output_take(&out, tg_put_onnx_graph(&out, &message), &(size_t){0})); /* of any size */
        failures += t_error() != NULL;
        t_clear_error();
        clear_errors();
    }
    ck_assert_int_gt(failures, (int)size / 2);
    tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter(test_folder);
    expect_refusal(!(tensorboard_add_onnx_graph)(writer, NULL), "argument 2 is NULL where a path is expected");
    /* a graph with a node without outputs, and one whose output is no text */
    const uint8_t bare[] = {0x3a, 0x04, 0x0a, 0x02, 0x0a, 0x00};
    const uint8_t no_text[] = {0x3a, 0x06, 0x0a, 0x04, 0x12, 2, 'y', 0xff};
    expect_refusal(!graph_of(bare, sizeof bare),
                   "model.onnx: byte 4: a node has no output: list index (0) out of range");
    expect_refusal(!graph_of(no_text, sizeof no_text), "model.onnx: byte 7: the text of field 2 is not UTF-8");
    /* the rest of a character is the next field, or behind the file */
    const uint8_t half[] = {0x3a, 0x09, 0x0a, 0x07, 0x12, 2, 'y', 0xc3, 0x82, 0x01, 0x00};
    expect_refusal(!graph_of(half, sizeof half), "model.onnx: byte 7: the text of field 2 is not UTF-8");
    uint8_t *last = memcpy(malloc(8), (const uint8_t[]){0x3a, 0x06, 0x0a, 0x04, 0x12, 2, 'y', 0xf4}, 8);
    expect_refusal(!graph_of(last, 8), "model.onnx: byte 7: the text of field 2 is not UTF-8");
    free(last);
}
END_TEST

/* What torch.utils.tensorboard makes of texts that are no UTF-8, of values that are not packed, and of fields that
 * occur twice. */
START_TEST(onnx_files_need_not_be_as_onnx_writes_them) {
    static const struct {
        uint8_t bytes[20];
        const char *text;
    } attributes[] = {
        {{0x0a, 5, 0xc3, 0xa9, 0xff, '"', 1}, "b'\\xc3\\xa9\\xff\"\\x01'"},
        {{0x32, 9, 0x12, 7, 0xc3, 0xa9, 0xff, '"', 0x7f, 'z', 0xc3}, "name: \"\303\251\\377\\\"\\177z\\303\"\n"},
        {{0x5a, 4, 0x12, 2, 0xff, 'a'}, "[GraphProto('b'\\xffa'')]"},
        {{0x40, 5, 0x40, 6, 0x42, 0, 0x42, 2, 7, 8}, "[5, 6, 7, 8]"},
        {{0x18, 1, 0x18, 2, 0x42, 0}, "2"},
        {{0x18, 1, 0x0a, 1, 'n'}, "n = 1"},
        {{0xa0, 1, 64, 0xa0, 1, 2, 0xa0, 1, 63, 0x18, 7}, "7 = 2"}, /* AttributeType has neither 64 nor 63 */
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const uint8_t *bytes = attributes[i].bytes;
        uint8_t size = sizeof attributes[i].bytes, model[40] = {0x3a, 0, 0x0a, 0, 0x12, 1, 'y', 0x2a, 0};
        while (bytes[size - 1] == 0 && !(size >= 2 && bytes[size - 2] == 0x42)) size--;
        memcpy(model + 9, bytes, size);
        model[8] = size;
        model[3] = (uint8_t)(size + 5);
        model[1] = (uint8_t)(size + 7);
        const char *graph = graph_of(model, 9u + size);
        ck_assert_msg(graph && strstr(graph, attributes[i].text), "%zu: %s, expected %s", i,
                      graph ? graph : t_error_message(), attributes[i].text);
    }
}
END_TEST

Suite *graph_suite(void);
Suite *graph_suite(void) {
    Suite *suite = suite_create("graph");
    TCase *tests = tcase_create("graph");
    tcase_add_checked_fixture(tests, folder_setup, folder_teardown);
    tcase_add_test(tests, ops_are_in_the_scopes_of_their_modules);
    tcase_add_test(tests, ops_of_one_name_have_numbers);
    tcase_add_test(tests, onnx_graphs_are_those_of_pytorch);
    tcase_add_test(tests, an_onnx_file_may_be_broken);
    tcase_add_test(tests, onnx_files_need_not_be_as_onnx_writes_them);
    tcase_add_test(tests, an_error_of_the_model_restores_it_too);
    suite_add_tcase(suite, tests);
    return suite;
}
