/* tests/fuzz/writers.h: what writes files, for parsers.c: the first bytes of an input choose what is written, the
 * others are its data. What was written is read back and returned as a dict; they abort if it is something else. */
#ifndef TAPEGRAD_TESTS_FUZZ_WRITERS_H
#define TAPEGRAD_TESTS_FUZZ_WRITERS_H

#include "core/ops/dict.h"

t_TensorDict *fuzz_png_write(const uint8_t *data, size_t size);
t_TensorDict *fuzz_gif(const uint8_t *data, size_t size);
t_TensorDict *fuzz_pnm_write(const uint8_t *data, size_t size);
t_TensorDict *fuzz_savetxt(const uint8_t *data, size_t size);
t_TensorDict *fuzz_csv_logger(const uint8_t *data, size_t size);
t_TensorDict *fuzz_summary(const uint8_t *data, size_t size); /* SummaryWriter, and the reader of its folder */

/* ---- readers of files that are laid out in a folder ---- */

t_TensorDict *fuzz_folders(const uint8_t *data, size_t size);    /* torchvision's datasets of images */
t_TensorDict *fuzz_tokenizers(const uint8_t *data, size_t size); /* of tokenizers, transformers and tiktoken */
t_TensorDict *fuzz_torchtext(const uint8_t *data, size_t size);  /* WikiText, tokens and vocabularies */

#endif
