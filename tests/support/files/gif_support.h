/* tests/support/files/gif_support.h: a decoder of the animated GIF files that core/vision/io/gif_encode.c writes. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_GIF_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_GIF_SUPPORT_H

#include "core/vision/io/gif_encode.h"

/* The frames as RGB, malloced: as many and as large as f has, each shown for so many hundredths of a second. NULL if
 * the file is not that; *wrong says why. */
uint8_t *gif_decode(const tg_Bytes *file, const tg_GifFrames *f, int hundredths, const char **wrong);

#endif
