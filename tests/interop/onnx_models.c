/* tests/interop/onnx_models.c: the C side of onnx_models.py: `interop_onnx FOLDER` exports the models of
 * tests/support/models/onnx_cases.h to FOLDER/LABEL.onnx, prints a hash of its bytes and their number, and writes to
 * FOLDER/LABEL.safetensors inputs and outputs: of the sizes of the export, and with more elements along the dynamic
 * axis. `interop_onnx FOLDER MODEL` exports an image model of full size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/io/io.h"
#include "nn/models/models.h"
#include "nn/onnx/onnx.h"
#include "tests/support/models/onnx_cases.h"

static void write_case(const char *folder, const OnnxCase *of, void *module) {
    size_t size;
    unsigned char *bytes = onnx_case_bytes(of, module, &size);
    FILE *file = bytes ? fopen(t_format("%s/%s.onnx", folder, of->label), "wb") : NULL;
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; file && i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001B3u;
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) t_fail("%s is not written", of->label);
    free(bytes);
    if (size < 1000000) printf("%s %016llx %zu\n", of->label, (unsigned long long)hash, size);
    t_TensorDict *outputs = t_dict();
    for_range (more, 0, of->axis < 0 ? 1 : 3) {
        t_TensorList *x = onnx_inputs(of, more * more);
        for_range (i, x->len)
            t_dict_set(outputs, t_format("%d.%s", (int)more, i ? "b" : "a"), t_contiguous(x->items[i]));
        t_dict_set(outputs, t_format("%d.output", (int)more), t_contiguous(onnx_call(module, x)));
    }
    t_save(outputs, t_format("%s/%s.safetensors", folder, of->label));
}

static int failed;
static const char *label_of_case;
static void print_error(const char *text, void *context) {
    (void)context;
    fprintf(stderr, "%s: %s\n", label_of_case, text);
    failed++;
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    t_manual_seed(0);
    if (argc == 3) {
        const int64_t size = strncmp(argv[2], "vit", 3) == 0 ? 224 : 96;
        const OnnxCase of = {argv[2], NULL, t_format("R(1,3,%d,%d)", (int)size, (int)size), 0};
        nn_Module *model = strcmp(argv[2], "resnet18") == 0   ? (nn_Module *)models_resnet18()
                           : strcmp(argv[2], "resnet50") == 0 ? (nn_Module *)models_resnet50()
                           : strcmp(argv[2], "vgg11_bn") == 0 ? (nn_Module *)models_vgg11_bn()
                           : strcmp(argv[2], "vgg16") == 0    ? (nn_Module *)models_vgg16()
                           : strcmp(argv[2], "alexnet") == 0  ? (nn_Module *)models_alexnet()
                           : strcmp(argv[2], "vit_b_16") == 0 ? (nn_Module *)models_vit_b_16()
                           : strcmp(argv[2], "vit_b_32") == 0 ? (nn_Module *)models_vit_b_32()
                                                              : (nn_Module *)models_mobilenet_v2();
        onnx_perturb(model);
        write_case(argv[1], &of, model);
        return 0;
    }
    t_set_error_handler(print_error, NULL);
    for (const OnnxCase *of = onnx_cases; of->label; of++) {
        label_of_case = of->label;
        with_scope () {
            write_case(argv[1], of, onnx_module(of));
        }
        t_clear_error();
    }
    return failed > 0;
}
