/* tests/bench/read_images.c: reads all images of a folder, each as RGB: seconds and pixels, for images.py, which does
 * the same with torchvision and Pillow: read_images FOLDER [REPEAT]. */
#include <stdio.h>
#include <stdlib.h>

#include "core/python/python.h"
#include "core/vision/vision.h"

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "read_images FOLDER [REPEAT]\n");
        return EXIT_FAILURE;
    }
    t_set_num_threads(1);
    const int repeat = argc > 2 ? atoi(argv[2]) : 1;
    for (int r = 0; r < repeat; r++) {
        char path[1000];
        int64_t pixels = 0;
        with_scope () {
            const os_Listing *files = os_listdir(argv[1]);
            const double begin = time_perf_counter();
            for (int64_t i = 0; i < files->len; i++)
                with_scope () {
                    snprintf(path, sizeof path, "%s/%s", argv[1], files->items[i]);
                    pixels += t_numel(io_read_image(path, .mode = ImageReadMode_RGB)) / 3;
                }
            printf("%.6f %lld\n", time_perf_counter() - begin, (long long)pixels);
        }
    }
    return EXIT_SUCCESS;
}
