/* examples/example.h: the two options that every tutorial's port takes.
 *
 *     --fixed        repairs the tutorial's mistakes; comments say where. Without it every line is as in the tutorial
 *     --plots DIR    also writes each picture into the folder DIR, as SVG
 *     --help         prints this */
#ifndef EXAMPLES_EXAMPLE_H
#define EXAMPLES_EXAMPLE_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/plot/plot.h"

typedef struct Example {
    bool fixed;
    const char *plots; /* a folder, or NULL */
} Example;

static inline Example example_options(int argc, char **argv, const char *about) {
    Example example = {false, NULL};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fixed") == 0) example.fixed = true;
        else if (strcmp(argv[i], "--plots") == 0 && i + 1 < argc) example.plots = argv[++i];
        else {
            bool asked = strcmp(argv[i], "--help") == 0;
            const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
            fprintf(asked ? stdout : stderr, "%s: %s\n  --fixed      with the tutorial's mistakes repaired\n"
                    "  --plots DIR  also write the pictures into DIR, as SVG\n", name, about);
            exit(asked ? EXIT_SUCCESS : EXIT_FAILURE);
        }
    }
    return example;
}

/* Reports a file that cannot be written before a long training, not after it. Saving writes a temporary file next to
 * the target first, so this creates one and removes it again; the target does not change. */
static inline bool check_can_write(const char *option, const char *path) {
    FILE *file = *path ? fopen(path, "r+b") : NULL;
    if (!*path) errno = ENOENT;
    char probe[4096];
    if (file || errno == ENOENT) {
        if (file) fclose(file);
        snprintf(probe, sizeof probe, "%s.writable", path);
        file = *path ? fopen(probe, "wbx") : NULL;
        if (file) {
            fclose(file);
            remove(probe);
            return true;
        }
        if (errno == EEXIST) return true;
    }
    t_fail("%s: cannot write %s: %s", option, path, strerror(errno));
    return false;
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
