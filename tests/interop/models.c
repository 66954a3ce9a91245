/* tests/interop/models.c: the C side of models.py: `interop_models NAME FOLDER` constructs a model from the seed 42,
 * prints its text, the keys of its state dict and a checksum of their bits, then loads FOLDER/weights.pth, which
 * torch.save wrote, and writes the outputs for FOLDER/x.npy in evaluation mode to FOLDER/y.npy. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/io/io.h"
#include "nn/models/models.h"

#define MODELS(X)                                                                                                 \
    X(resnet18) X(resnet34) X(resnet50) X(resnet101) X(resnet152) X(resnext50_32x4d) X(resnext101_32x8d)          \
    X(resnext101_64x4d) X(wide_resnet50_2) X(wide_resnet101_2) X(vgg11) X(vgg11_bn) X(vgg13) X(vgg13_bn) X(vgg16) \
    X(vgg16_bn) X(vgg19) X(vgg19_bn) X(alexnet) X(mobilenet_v2) X(vit_b_16) X(vit_b_32) X(vit_l_16) X(vit_l_32)   \
    X(vit_h_14)

static nn_Module *make(const char *name) {
#define MAKE(model) if (strcmp(name, #model) == 0) return (nn_Module *)models_##model();
    MODELS(MAKE)
    return t_fail("no model %s", name);
}

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    t_manual_seed(42);
    nn_Module *model = make(argv[1]);
    nn_print(model);
    uint64_t sum = 0, i = 0;
    for_items (item, nn_state_dict(model)) {
        puts(item->name);
        const unsigned char *bytes = t_data_ptr(item->tensor);
        const int64_t words = t_numel(item->tensor) * t_element_size(item->tensor) / 4;
        for (int64_t w = 0; w < words; w++, i++) {
            uint32_t word;
            memcpy(&word, bytes + 4 * w, sizeof word);
            sum += (2 * i + 1) * word;
        }
    }
    printf("%" PRIu64 "\n", sum);
    nn_load_state_dict(model, t_load(t_format("%s/weights.pth", argv[2])));
    nn_eval(model);
    with_no_grad () {
        np_save(t_format("%s/y.npy", argv[2]), nn_call(model, np_load(t_format("%s/x.npy", argv[2]))));
    }
    return 0;
}
