/* core/tensorboard/video.c: add_video: the frames of several videos side by side, as an animated GIF. */
#include <string.h>

#include "core/ops/creation.h"
#include "core/tensorboard/event_internal.h"
#include "core/vision/io/gif_encode.h"

static int bit_length(int64_t n) {
    int bits = 0;
    while (n >> bits) bits++;
    return bits;
}

/* PyTorch's grid: B videos, and black ones until there are a power of two, in 2^((bits of B - 1) / 2) rows. */
static void grid_size(int64_t videos, int64_t *rows, int64_t *columns) {
    const bool is_power = (videos & (videos - 1)) == 0;
    *rows = (int64_t)1 << (bit_length(videos) - 1) / 2;
    *columns = (is_power ? videos : (int64_t)1 << bit_length(videos)) / *rows;
}

/* Frame t of the grid: the frames (C, H, W) of float32 or bytes, which PyTorch scales to [0, 1] and back. */
static void put_frame(uint8_t *to, const Tensor *x, int64_t t, int64_t columns) {
    const int64_t videos = x->shape[0], T = x->shape[1], C = x->shape[2], H = x->shape[3], W = x->shape[4];
    const bool is_bytes = x->dtype == t_uint8;
    for (int64_t b = 0; b < videos; b++)
        for (int64_t c = 0; c < C; c++)
            for (int64_t i = 0; i < H; i++)
                for (int64_t k = 0; k < W; k++) {
                    const int64_t from = (((b * T + t) * C + c) * H + i) * W + k;
                    const int64_t row = b / columns * H + i, column = b % columns * W + k;
                    const float value = is_bytes ? (float)((const uint8_t *)tg_data(x))[from] / 255.0f * 255.0f
                                                 : ((const float *)tg_data(x))[from] * 255.0f;
                    to[(row * columns * W + column) * C + c] = (uint8_t)(value > 255 ? 255 : value > 0 ? value : 0);
                }
}

bool tensorboard_add_video(tensorboard_SummaryWriter *self, const char *tag, Tensor *x,
                           const tensorboard_VideoOptions *options) {
    enum { MOST = 1 << 30 };
    tensorboard_VideoOptions o = {TENSORBOARD_VIDEO_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(x, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    if (x->ndim != 5) return tg_fail("a video has the dims (N, T, C, H, W), but its shape is %s", tg_shape_of(x));
    if (x->shape[2] != 1 && x->shape[2] != 3)
        return tg_fail("a video has 1 or 3 channels, but \"%s\" has %lld", tag, (long long)x->shape[2]);
    if (tg_numel(x) == 0 || tg_numel(x) > MOST)
        return tg_fail("a video of the shape %s cannot be written", tg_shape_of(x));
    int64_t rows, columns;
    grid_size(x->shape[0], &rows, &columns);
    const tg_Picture picture = {tag,        rows * x->shape[3], columns * x->shape[4], (int)x->shape[2],
                                o.walltime, o.global_step};
    const size_t frame = (size_t)(picture.height * picture.width * picture.channels);
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *values = t_contiguous(x->dtype == t_uint8 ? t_detach(x) : tg_values_as(x, t_float32));
    uint8_t *pixels = values ? tg_alloc(frame * (size_t)x->shape[1]) : NULL;
    bool ok = pixels != NULL;
    tg_Bytes gif = {0};
    if (ok) {
        memset(pixels, 0, frame * (size_t)x->shape[1]);
        for (int64_t t = 0; t < x->shape[1]; t++) put_frame(pixels + (size_t)t * frame, values, t, columns);
        const tg_GifFrames frames = {pixels, x->shape[1], picture.height, picture.width, picture.channels, o.fps};
        ok = tg_gif_pack(&frames, &gif) && tg_add_picture(file, &picture, &gif);
        tg_bytes_free(&gif);
        tg_free(pixels, frame * (size_t)x->shape[1]);
    }
    t_scope_close(depth);
    return ok;
}
