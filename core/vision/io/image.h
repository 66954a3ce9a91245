/* core/vision/io/image.h: torchvision.io: images from files, as tensors of shape (channels, height, width) (public).
 *
 *     Tensor *image = io_read_image("cat.png", .mode = ImageReadMode_RGB);
 *     io_write_png(image, "copy.png");
 *
 * Formats, recognised by their first bytes: JPEG (baseline, extended and progressive Huffman coding, 8 bits; ITU-T
 * T.81; libjpeg-turbo's pixels bit for bit), PNG (every colour type, depth and interlacing; RFC 2083), and Netpbm's P1
 * to P6 (.pbm .pgm .ppm), which torchvision does not read. Values are uint8, 0 to 255; those of images of 16 bits are 0
 * to 65535 in int32, where torchvision has uint16, and of Netpbm images scaled to that range. The tensor has
 * torchvision's strides: the channels of a pixel are next to each other in memory.
 *
 * As in torchvision a transparent colour of a PNG without alpha (its tRNS chunk) is only seen in palettes, gamma and
 * colour profiles are ignored, and a file that ends after its pixels is read. Errors name the file, the byte and the
 * reason, in zlib's words where the compressed data are broken. Differences: the alpha of an opaque image is 255 also
 * if the file has fewer than 8 bits, or a palette; without a mode a palette of 1, 2 or 4 bits gives one index a pixel,
 * as it does with 8 (torchvision's are wrong there, for example 15 and neighbouring pixels). Colours of a file with a
 * gamma become gray as those of others. */
#ifndef TAPEGRAD_CORE_VISION_IO_IMAGE_H
#define TAPEGRAD_CORE_VISION_IO_IMAGE_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* torchvision.io.ImageReadMode: the channels of the result. Colours become gray as 0.2989 R + 0.587 G + 0.114 B. */
typedef enum ImageReadMode {
    ImageReadMode_UNCHANGED, /* as in the file: 1 (gray, or an index of the palette), 2, 3 or 4 channels */
    ImageReadMode_GRAY,
    ImageReadMode_GRAY_ALPHA,
    ImageReadMode_RGB,
    ImageReadMode_RGB_ALPHA,
    ImageReadMode_RGBA = ImageReadMode_RGB_ALPHA
} ImageReadMode;

typedef struct io_ImageOptions {
    uint32_t size;
    ImageReadMode mode;
    bool apply_exif_orientation; /* false; of JPEG and PNG files: turns the picture as its camera was held */
} io_ImageOptions;

T_API Tensor *io_read_file(const char *path);                 /* torchvision.io.read_file: the bytes, 1-D uint8 */
T_API bool io_write_file(const char *filename, Tensor *data); /* torchvision.io.write_file: 1-D uint8 */
/* torchvision.io.read_image(path), and decode_image(path). Errors: the file is of no known format, or is broken. */
T_API Tensor *io_read_image(const char *path, const io_ImageOptions *options);
T_API Tensor *io_decode_image(Tensor *input, const io_ImageOptions *options); /* of a file's bytes, 1-D uint8 */
T_API Tensor *io_decode_png(Tensor *input, const io_ImageOptions *options);   /* the same, which must be PNG */
/* torchvision.io.decode_jpeg(input): the same, which must be JPEG, in the modes UNCHANGED, GRAY and RGB. CMYK stays as
 * it is in the file when UNCHANGED, and becomes RGB or gray as in torchvision. Broken data give the pixels that
 * libjpeg makes of them: where a marker comes before they are complete the rest is gray. A file that ends within the
 * data, or between the scans of a progressive one, is an error. */
T_API Tensor *io_decode_jpeg(Tensor *input, const io_ImageOptions *options);

typedef struct io_PngOptions {
    uint32_t size;
    int compression_level; /* 6; 0: none, to 9: smallest */
} io_PngOptions;
/* torchvision.io.encode_png(x): the file's bytes, of uint8 (channels, height, width) with 1 or 3 channels */
T_API Tensor *io_encode_png(Tensor *input, const io_PngOptions *options);
T_API bool io_write_png(Tensor *input, const char *filename, const io_PngOptions *options); /* ... write_png(x, file) */
/* The image as a Netpbm file, P5 (1 channel) or P6 (3): of uint8, or of int32 with 16 bits, 0 to 65535. */
T_API bool io_write_ppm(Tensor *input, const char *filename);

T_END_DECLS
#endif
