/* core/vision/io/gif_encode.h: animated GIF files (internal). */
#ifndef TAPEGRAD_CORE_VISION_IO_GIF_ENCODE_H
#define TAPEGRAD_CORE_VISION_IO_GIF_ENCODE_H

#include "core/io/zlib/zlib.h"

typedef struct tg_GifFrames {
    const uint8_t *pixels; /* (count, height, width, channels), contiguous; channels: 1 gray, 3 RGB */
    int64_t count, height, width;
    int channels;
    double fps; /* frames a second */
} tg_GifFrames;

/* Appends the file, which repeats for ever, to `to`, which the caller frees, also after an error: no pixels, more than
 * 65535 in a direction, fps that is not positive, out of memory. A frame of at most 256 colours is exact; another one
 * gets the 256 of a median cut. */
bool tg_gif_pack(const tg_GifFrames *frames, tg_Bytes *to);

#endif
