/* tests/interop/copy.c: reads a file of tensors of any format and writes it again, as .npy, .npz or safetensors by the
 * suffix: interop IN OUT, for interop.py, which writes IN and reads OUT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static bool ends_in(const char *path, const char *suffix) {
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcmp(path + n - m, suffix) == 0;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "interop IN OUT\n");
        return EXIT_FAILURE;
    }
    const t_TensorDict *dict = t_load(argv[1]);
    if (ends_in(argv[2], ".npy")) np_save(argv[2], dict->items[0].tensor);
    else if (ends_in(argv[2], ".npz")) np_savez(argv[2], dict);
    else t_save(dict, argv[2]);
    return EXIT_SUCCESS;
}
