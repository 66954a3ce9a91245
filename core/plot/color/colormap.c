/* core/plot/color/colormap.c: the colormaps, 256 colours each.
 *
 * A map is stored completely, or as a few colours that are interpolated linearly. The colours are truncated to 8 bits,
 * not rounded, as in matplotlib. A complete map is stored as second differences: the step from one colour to the next
 * changes little, and each letter changes it by -1, 0 or 1 in every channel.
 *
 * Sources: viridis, plasma, inferno and magma are by N. Smith, S. van der Walt and E. Firing (CC0), cividis by J.
 * Nunez, C. Anderton and R. Renslow (2018); rocket and mako by M. Waskom, of seaborn (BSD); coolwarm is K. Moreland's
 * diverging map (2009). Blues to RdBu: colors from www.ColorBrewer.org by Cynthia A. Brewer, Geography, Pennsylvania
 * State University, Copyright (c) 2002 Cynthia Brewer, Mark Harrower, and The Pennsylvania State University (Apache
 * License 2.0). Reds is stored completely because its last anchor in matplotlib is a little less than its colour. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "core/plot/color/color.h"
#include "core/tensor/context.h"

#include "colormaps.inc"

enum { ENTRIES = 256 };

typedef struct Knot {
    double at, value; /* of one channel, both in 0 to 1 */
} Knot;

/* The channels of hot: red rises first, then green, then blue. */
static const Knot hot_channels[3][4] = {{{0, 0.0416}, {0.365079, 1}, {1, 1}},
                                        {{0, 0}, {0.365079, 0}, {0.746032, 1}, {1, 1}},
                                        {{0, 0}, {0.746032, 0}, {1, 1}}};

struct Colormap {
    char name[12];
    bool reversed, complete;
    /* complete: the first colour and the letters; else colours at equal distances, six hexadecimal digits each */
    const char *colors;
    const Knot (*channels)[4]; /* where there are no colors */
};

#define BOTH(name, ...) {name, false, __VA_ARGS__}, {name "_r", true, __VA_ARGS__},
static const Colormap maps[] = {
    BOTH("viridis", true, viridis_second_differences, NULL)
    BOTH("plasma", true, plasma_second_differences, NULL)
    BOTH("inferno", true, inferno_second_differences, NULL)
    BOTH("magma", true, magma_second_differences, NULL)
    BOTH("cividis", true, cividis_second_differences, NULL)
    BOTH("rocket", true, rocket_second_differences, NULL)
    BOTH("mako", true, mako_second_differences, NULL)
    BOTH("Blues", false, "f7fbffdeebf7c6dbef9ecae16baed64292c62171b508519c08306b", NULL)
    BOTH("Reds", true, Reds_second_differences, NULL)
    BOTH("Greens", false, "f7fcf5e5f5e0c7e9c0a1d99b74c47641ab5d238b45006d2c00441b", NULL)
    BOTH("Greys", false, "fffffff0f0f0d9d9d9bdbdbd969696737373525252252525000000", NULL)
    BOTH("Oranges", false, "fff5ebfee6cefdd0a2fdae6bfd8d3cf16913d94801a636037f2704", NULL)
    BOTH("Purples", false, "fcfbfdefedf5dadaebbcbddc9e9ac8807dba6a51a354278f3f007d", NULL)
    BOTH("YlGnBu", false, "ffffd9edf8b1c7e9b47fcdbb41b6c41d91c0225ea8253494081d58", NULL)
    BOTH("YlOrRd", false, "ffffccffeda0fed976feb24cfd8d3cfc4e2ae31a1cbd0026800026", NULL)
    BOTH("RdBu", false, "67001fb2182bd6604df4a582fddbc7f7f7f7d1e5f092c5de4393c32166ac053061", NULL)
    BOTH("coolwarm", true, coolwarm_second_differences, NULL)
    BOTH("gray", false, "000000ffffff", NULL)
    BOTH("hot", false, NULL, hot_channels)
};
enum { MAPS = sizeof maps / sizeof *maps };

static int hex_at(const char *colors, int64_t color, int channel) {
    int value = 0;
    for (int i = 0; i < 2; i++) {
        char digit = colors[6 * color + 2 * channel + i];
        value = 16 * value + (digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return value;
}

/* The colours of the maps that are stored completely, decoded when the first map is used. */
static uint8_t decoded[MAPS / 2][ENTRIES][3];

/* A letter is '@' plus 9, 3 and 1 times (change of the step + 1) of the three channels; a lower-case one is followed by
 * another letter for the same step. */
static void decode(const char *colors, uint8_t out[ENTRIES][3]) {
    static const int power_of_3[3] = {9, 3, 1};
    for (int channel = 0; channel < 3; channel++) {
        int value = hex_at(colors, 0, channel), step = 0, i = 0;
        out[i++][channel] = (uint8_t)value;
        for (const char *letter = colors + 6; *letter; letter++) {
            step += (*letter & 31) / power_of_3[channel] % 3 - 1;
            if (*letter < '`') out[i++][channel] = (uint8_t)(value += step);
        }
    }
}

static void decode_all(void) {
    for (int i = 0; i < MAPS; i += 2)
        if (maps[i].complete) decode(maps[i].colors, decoded[i / 2]);
}

const Colormap *tg_colormap(const char *name) {
    if (!name) return t_error() ? NULL : tg_fail("a colormap's name is NULL");
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, decode_all);
    for (int i = 0; i < MAPS; i++)
        if (strcmp(maps[i].name, name) == 0) return &maps[i];
    char known[512] = "";
    for (int i = 0; i < MAPS; i += 2) strcat(strcat(known, i ? ", " : ""), maps[i].name);
    return tg_fail("'%s' is not a valid value for cmap; supported values are %s, each also with _r", name, known);
}

/* ---- a colour of a map ---- */

/* The knots of a channel, in the order of the map. Returns their number. */
static int channel_knots(const Colormap *map, int channel, Knot knots[16]) {
    int count = 0;
    if (map->channels) {
        do knots[count] = map->channels[channel][count];
        while (knots[count++].at < 1);
    } else {
        count = (int)strlen(map->colors) / 6;
        for (int i = 0; i < count; i++)
            knots[i] = (Knot){i == count - 1 ? 1 : i * (1.0 / (count - 1)), hex_at(map->colors, i, channel) / 255.0};
    }
    for (int i = 0; map->reversed && 2 * i < count; i++) {
        Knot low = knots[i], high = knots[count - 1 - i];
        knots[i] = (Knot){1 - high.at, high.value};
        knots[count - 1 - i] = (Knot){1 - low.at, low.value};
    }
    return count;
}

/* The channel at entry i: linear interpolation between the two knots around it. */
static double interpolate(const Knot *knots, int count, int i) {
    const double last = ENTRIES - 1;
    if (i == 0) return knots[0].value;
    if (i == ENTRIES - 1) return knots[count - 1].value;
    double at = last * (i * (1 / last));
    int k = 1;
    while (k < count - 1 && knots[k].at * last < at) k++;
    double low = knots[k - 1].at * last, high = knots[k].at * last;
    double value = (at - low) / (high - low) * (knots[k].value - knots[k - 1].value) + knots[k - 1].value;
    return fmin(fmax(value, 0), 1);
}

/* The channels at t, 0 to 255, before truncation to integers. For maps stored as integers 0.5 is added. */
static void channels_at(const Colormap *map, double t, double channels[3]) {
    int i = t >= 1 ? ENTRIES - 1 : t > 0 ? (int)(t * ENTRIES) : 0;
    for (int channel = 0; channel < 3; channel++) {
        Knot knots[16];
        if (map->complete)
            channels[channel] = decoded[(map - maps) / 2][map->reversed ? ENTRIES - 1 - i : i][channel] + 0.5;
        else channels[channel] = 255 * interpolate(knots, channel_knots(map, channel, knots), i);
    }
}

void tg_colormap_at(const Colormap *map, double t, uint8_t rgb[3]) {
    double channels[3];
    channels_at(map, t, channels);
    for (int i = 0; i < 3; i++) rgb[i] = (uint8_t)channels[i];
}

/* ---- luminance ---- */

static double linear(double c) {
    return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(const double channels[3]) {
    return 0.2126 * linear(channels[0] / 255) + 0.7152 * linear(channels[1] / 255) + 0.0722 * linear(channels[2] / 255);
}

double tg_luminance(const uint8_t rgb[3]) {
    return luminance((double[]){rgb[0], rgb[1], rgb[2]});
}

double tg_colormap_luminance(const Colormap *map, double t) {
    double channels[3];
    channels_at(map, t, channels);
    return luminance(channels);
}
