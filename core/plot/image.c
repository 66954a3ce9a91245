/* core/plot/image.c: plt.imshow and plt.colorbar. */
#include <string.h>

#include "core/plot/figure/figure.h"

/* ---- common to images and heat maps ---- */

Artist *tg_new_matrix(Arena *arena, ArtistKind kind, const Tensor *x, const char *cmap, double vmin, double vmax) {
    Artist *image = tg_new_artist(arena, kind, NULL);
    if (!image || !(image->map = tg_colormap(cmap)) || !(image->values = tg_doubles_of(arena, x))) return NULL;
    image->rows = x->shape[0];
    image->columns = x->shape[1];
    double low = kind == ARTIST_IMAGE ? -0.5 : 0;
    for (int i = 0; i < 2; i++) {
        image->limits[i][0] = image->sticky[i][0] = low;
        image->limits[i][1] = image->sticky[i][1] = low + (double)(i == X ? image->columns : image->rows);
    }
    return tg_set_clim(image, image->values, image->rows * image->columns, vmin, vmax) ? image : NULL;
}

bool tg_check_matrix(const Tensor *x) {
    if (!tg_check(x, 1)) return false;
    if (x->ndim != 2)
        return tg_fail("Invalid shape %s for image data: its rank must be 2", tg_numpy_shape_text(x->shape, x->ndim));
    return tg_numel(x) > 0 ||
           tg_fail("Invalid shape %s for image data: it has no elements", tg_numpy_shape_text(x->shape, x->ndim));
}

/* ---- imshow ---- */

static const plt_ImshowOptions imshow_defaults = {sizeof imshow_defaults, "viridis", "equal", NAN, NAN, "upper"};

/* plt.imshow(x): element (r, c) is a rectangle around (c, r) in the colour of cmap between vmin and vmax; NaN is white.
 * The view is the image. Errors: another rank than 2, no elements, unknown words, vmin above vmax. */
bool plt_imshow(Tensor *x, const plt_ImshowOptions *options) {
    plt_ImshowOptions o = imshow_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_matrix(x)) return false;
    const char *aspect = o.aspect ? o.aspect : "equal", *origin = o.origin ? o.origin : "upper";
    bool equal = strcmp(aspect, "equal") == 0, upper = strcmp(origin, "upper") == 0;
    if (!equal && strcmp(aspect, "auto") != 0)
        return tg_fail("'%s' is not a valid value for aspect. Supported values are 'equal', 'auto'", aspect);
    if (!upper && strcmp(origin, "lower") != 0)
        return tg_fail("'%s' is not a valid value for origin. Supported values are 'upper', 'lower'", origin);
    Arena arena = {NULL};
    Artist *image = tg_new_matrix(&arena, ARTIST_IMAGE, x, o.cmap ? o.cmap : "viridis", o.vmin, o.vmax);
    Axes *axes = image ? tg_gca() : NULL;
    if (!axes) {
        tg_arena_free(&arena);
        return false;
    }
    tg_add_artist(axes, image);
    axes->equal = equal;
    for (int i = 0; i < 2; i++) {
        Axis *axis = &axes->axis[i];
        bool down = i == Y && upper;
        axis->stale = false;
        if (axis->fixed) continue;
        axis->view[0] = image->limits[i][down];
        axis->view[1] = image->limits[i][!down];
    }
    tg_arena_join(&axes->figure->arena, &arena);
    return true;
}

/* ---- colorbar ---- */

/* Splits the space of the axes: 80 % remain, 15 % at the right are for the colorbar. */
void tg_add_colorbar(Axes *axes, Artist *mappable, Axes *bar, double shrink) {
    const double fraction = 0.15;
    Box all = axes->spec.part;
    double width = all.x1 - all.x0, height = all.y1 - all.y0, middle = (all.y0 + all.y1) / 2;
    axes->spec.part.x1 = all.x0 + TG_COLORBAR_PARENT_FRACTION * width;
    axes->anchor = 1;
    bar->spec.part = (Box){all.x1 - fraction * width, middle - shrink * height / 2, all.x1,
                            middle + shrink * height / 2};
    bar->anchor = 0;
    bar->colorbar_of = mappable;
    bar->outline = 0.8;
    if (mappable->vmin == mappable->vmax) tg_nonsingular(&mappable->vmin, &mappable->vmax, 0.1);
    bar->axis[Y].view[0] = mappable->vmin;
    bar->axis[Y].view[1] = mappable->vmax;
    bar->axis[Y].fixed = bar->axis[Y].right = true;
    tg_add_axes(axes->figure, bar);
}

/* plt.colorbar(): the colours of the current axes' last image, heat map or scatter with c, next to them. Errors: there
 * is none; a shrink that is not in (0, 1]. */
bool plt_colorbar(const plt_ColorbarOptions *options) {
    plt_ColorbarOptions o = {sizeof o, NULL, 1};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!(o.shrink > 0 && o.shrink <= 1)) return tg_fail("shrink must be above 0 and at most 1, but is %g", o.shrink);
    PyplotState *plots = tg_pyplot_state();
    Figure *figure = plots ? plots->figure : NULL;
    Axes *axes = figure ? figure->current : NULL;
    if (!plots) return false;
    if (!axes || !axes->mappable)
        return tg_fail("No mappable was found to use for colorbar creation. First define a mappable such as an image "
                       "(with imshow).");
    Arena arena = {NULL};
    Axes *bar = tg_new_axes(&arena, figure, axes->spec);
    if (!bar || (o.label && !(bar->axis[Y].label = tg_arena_text(&arena, o.label)))) {
        tg_arena_free(&arena);
        return false;
    }
    tg_add_colorbar(axes, axes->mappable, bar, o.shrink);
    tg_arena_join(&figure->arena, &arena);
    return true;
}
