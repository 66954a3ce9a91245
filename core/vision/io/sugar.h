/* core/vision/io/sugar.h: the macros for torchvision.io (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_VISION_IO_SUGAR_H
#define TAPEGRAD_CORE_VISION_IO_SUGAR_H
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "core/vision/io/image.h"

#define IO_OPTIONS_(...) T_OPTIONS_(io_ImageOptions, t__o, .size = sizeof(io_ImageOptions), T_TAIL_(__VA_ARGS__))
#define io_read_file(path) T_BEGIN_("io_read_file(" #path ")") const char *t__p = (path); \
    T_END_(Tensor *, (io_read_file)(t__p))
#define io_write_file(filename, data) T_BEGIN_("io_write_file(" #filename ", " #data ")") \
    const char *t__p = (filename); T_TENSOR_(t__x, (data)) T_END_(bool, (io_write_file)(t__p, t__x))
/* io_read_image(path, .mode = ImageReadMode_RGB, .apply_exif_orientation = true) */
#define io_read_image(...) T_BEGIN_("io_read_image(" #__VA_ARGS__ ")") const char *t__p = T_HEAD_(__VA_ARGS__); \
    IO_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (io_read_image)(t__p, &t__o))
#define io_decode_image(...) T_BEGIN_("io_decode_image(" #__VA_ARGS__ ")") T_TENSOR_(t__x, T_HEAD_(__VA_ARGS__)) \
    IO_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (io_decode_image)(t__x, &t__o))
#define io_decode_png(...) T_BEGIN_("io_decode_png(" #__VA_ARGS__ ")") T_TENSOR_(t__x, T_HEAD_(__VA_ARGS__)) \
    IO_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (io_decode_png)(t__x, &t__o))
#define io_decode_jpeg(...) T_BEGIN_("io_decode_jpeg(" #__VA_ARGS__ ")") T_TENSOR_(t__x, T_HEAD_(__VA_ARGS__)) \
    IO_OPTIONS_(__VA_ARGS__) T_END_(Tensor *, (io_decode_jpeg)(t__x, &t__o))
#define IO_PNG_OPTIONS_(...) T_OPTIONS_(io_PngOptions, t__o, .size = sizeof(io_PngOptions), .compression_level = 6, \
    .size = sizeof(io_PngOptions), __VA_ARGS__)
#define io_encode_png(...) T_BEGIN_("io_encode_png(" #__VA_ARGS__ ")") T_TENSOR_(t__x, T_HEAD_(__VA_ARGS__)) \
    IO_PNG_OPTIONS_(T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (io_encode_png)(t__x, &t__o))
/* io_write_png(x, "x.png", .compression_level = 9) */
#define io_write_png(input, ...) T_BEGIN_("io_write_png(" #input ", " #__VA_ARGS__ ")") T_TENSOR_(t__x, (input)) \
    const char *t__p = T_HEAD_(__VA_ARGS__); IO_PNG_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (io_write_png)(t__x, t__p, &t__o))
#define io_write_ppm(input, filename) T_BEGIN_("io_write_ppm(" #input ", " #filename ")") T_TENSOR_(t__x, (input)) \
    const char *t__p = (filename); T_END_(bool, (io_write_ppm)(t__x, t__p))

#endif
