/* tests/support/files/pickle_support.c: writes files like torch.save's in memory, for tests. */
#include "tests/support/files/pickle_support.h"

#include <stdlib.h>

#include "core/io/load_internal.h"

t_TensorDict *load_bytes(const void *bytes, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "x.pt") ? tg_load(&in) : NULL;
}

t_TensorDict *load_pieces(const Piece *pieces, int count) {
    size_t size;
    void *bytes = archive_of(pieces, count, &size);
    t_TensorDict *dict = load_bytes(bytes, size);
    free(bytes);
    return dict;
}

t_TensorDict *load_pickle(const char *pickle, size_t size) {
    const Piece pieces[] = {{"x/data.pkl", pickle, size},
                            PIECE("x/data/0", "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40"),
                            PIECE("x/version", "3\n")};
    return load_pieces(pieces, 3);
}
