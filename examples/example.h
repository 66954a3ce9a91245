/* examples/example.h: the two options that every tutorial's port takes.
 *
 *     --fixed        repairs what the tutorial gets wrong; each place says so. Without it every line is as the tutorial has it
 *     --plots DIR    also writes each picture into the folder DIR, as SVG
 *     --help         says so */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plot/plot.h"

typedef struct Example {
    bool fixed;
    const char *plots; /* a folder, or NULL */
} Example;

static inline Example example_options(int count, char **words, const char *about) {
    Example example = {false, NULL};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--fixed") == 0) example.fixed = true;
        else if (strcmp(words[i], "--plots") == 0 && i + 1 < count) example.plots = words[++i];
        else {
            bool asked = strcmp(words[i], "--help") == 0;
            fprintf(asked ? stdout : stderr, "%s: %s\n  --fixed      with the tutorial's mistakes repaired\n"
                    "  --plots DIR  also write the pictures into DIR, as SVG\n", words[0], about);
            exit(asked ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    return example;
}

/* The path of a picture in a folder; good until the next call. */
static inline const char *plot_path(const char *folder, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* plt.savefig into the folder of --plots, where there is one. */
static inline void save_plot(const char *folder, const char *name) {
    if (folder) plt_savefig(plot_path(folder, name));
}

#endif
