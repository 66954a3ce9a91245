/* core/kernels/image/jpeg_kernels.c: dispatch; jpeg_kernels.inc has the loops. */
#include "core/kernels/image/jpeg_kernels.h"

#include <string.h>

#include "core/kernels/isa.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/image/jpeg_kernels.inc"
#include "core/kernels/dispatch.inc"

const tg_JpegKernels *tg_jpeg_kernels(void) {
    return TG_PICK_UP_TO_AVX2(jpeg_kernels_f32);
}
