/* tests/support/files/pickle_support.h: writes files like torch.save's in memory, for tests, under the name x.pt. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_PICKLE_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_PICKLE_SUPPORT_H

#include "tests/support/files/archive_support.h"

/* torch.load of these bytes. */
t_TensorDict *load_bytes(const void *bytes, size_t size);
t_TensorDict *load_pieces(const Piece *pieces, int count);
/* An archive of this pickle and a storage of four float32, 1 to 4. */
t_TensorDict *load_pickle(const char *pickle, size_t size);

/* ---- pickle opcodes as string literals ---- */

#define TEXT(length, text) "X" length "\0\0\0" text
#define STORAGE(name, numel) "(" TEXT("\7", "storage") "c" name "\n" TEXT("\1", "0") TEXT("\3", "cpu") numel "tQ"
#define FLOATS STORAGE("torch\nFloatStorage", "K\4")
#define HOOKS "ccollections\nOrderedDict\n)R"
#define TENSOR(storage, offset, sizes, strides) \
    "ctorch._utils\n_rebuild_tensor_v2\n(" storage offset sizes strides "\x89" HOOKS "tR"
/* The complete pickle, and its size. */
#define PICKLE(text) "\x80\2" text, sizeof("\x80\2" text) - 1

#endif
