/* tests/interop/copy.c: reads a file of tensors of whatever kind and writes it again, as .npy, .npz or safetensors by
 * the suffix: interop IN OUT, for interop.py, which makes the one and reads the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static bool ends_in(const char *path, const char *suffix) {
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && strcmp(path + n - m, suffix) == 0;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "interop IN OUT\n");
        return EXIT_FAILURE;
    }
    const t_TensorDict *dict = t_load(words[1]);
    if (ends_in(words[2], ".npy")) np_save(words[2], dict->items[0].tensor);
    else if (ends_in(words[2], ".npz")) np_savez(words[2], dict);
    else t_save(dict, words[2]);
    return EXIT_SUCCESS;
}
