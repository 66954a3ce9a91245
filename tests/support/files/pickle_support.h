/* tests/support/files/pickle_support.h: files of torch.save's as tests write them, in memory, under the name of x.pt. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_PICKLE_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_PICKLE_SUPPORT_H

#include "tests/support/files/archive_support.h"

/* torch.load of them. */
t_TensorDict *load_bytes(const void *bytes, size_t size);
t_TensorDict *load_pieces(const Piece *pieces, int count);
/* A pickle beside a storage of four float32, 1 to 4. */
t_TensorDict *load_pickle(const char *pickle, size_t size);

/* ---- instructions of a pickle's, as string literals ---- */

#define TEXT(length, text) "X" length "\0\0\0" text
#define STORAGE(name, numel) "(" TEXT("\7", "storage") "c" name "\n" TEXT("\1", "0") TEXT("\3", "cpu") numel "tQ"
#define FLOATS STORAGE("torch\nFloatStorage", "K\4")
#define HOOKS "ccollections\nOrderedDict\n)R"
#define TENSOR(storage, offset, sizes, strides) "ctorch._utils\n_rebuild_tensor_v2\n(" storage offset sizes strides "\x89" HOOKS "tR"
/* The whole of it, and its size. */
#define PICKLE(text) "\x80\2" text, sizeof("\x80\2" text) - 1

#endif
