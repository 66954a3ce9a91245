/* core/tensorboard/figure.c: add_figure: the current figure of core/plot as an image. */
#include <string.h>

#include "core/plot/pyplot.h"
#include "core/plot/raster/raster_canvas.h"
#include "core/tensorboard/event_internal.h"

bool tensorboard_add_figure(tensorboard_SummaryWriter *self, const char *tag,
                            const tensorboard_FigureOptions *options) {
    tensorboard_FigureOptions o = {TENSORBOARD_FIGURE_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_take_options(&o, options, sizeof o)) return false;
    Raster raster;
    bool ok = tg_raster_current_figure(&raster);
    if (ok) {
        const size_t count = (size_t)(raster.width * raster.height);
        for (size_t i = 0; i < count; i++) memmove(raster.pixels + 3 * i, raster.pixels + 4 * i, 3); /* RGBA to RGB */
        const tg_Picture picture = {tag, raster.height, raster.width, 3, o.walltime, o.global_step};
        ok = tg_add_pixels(file, &picture, raster.pixels);
    }
    tg_raster_end(&raster);
    return ok && (!o.close || plt_close(NULL));
}
