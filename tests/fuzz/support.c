/* tests/fuzz/support.c */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "tests/fuzz/support.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/file.h"
#include "core/tensor/error.h"

const char *next_text(Choices *c, char *to, size_t size) {
    size_t length = 0;
    for (; c->left && *c->at != 255; c->at++, c->left--)
        if (length + 1 < size && *c->at) to[length++] = (char)*c->at;
    if (c->left) c->at++, c->left--;
    to[length] = '\0';
    return to;
}

const char *next_utf8(Choices *c, char to[40]) {
    int length = 0;
    for (int n = choose(c, 16); n > 0; n--) {
        const int byte = choose(c, 256);
        if (byte >= 128)
            to[length++] = (char)(0xc0 | byte >> 6), to[length++] = (char)(0x80 | (byte & 63));
        else if (byte)
            to[length++] = (char)byte;
    }
    to[length] = '\0';
    return to;
}

bool is_out_of_memory(void) {
    return t_error_message() && strstr(t_error_message(), "out of memory");
}

void clear_refusal(void) {
    if (!is_out_of_memory()) t_clear_error();
}

void demand(bool holds, const char *what) {
    must(holds || is_out_of_memory(), what);
}

void must(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s (error: %s)\n", what, t_error_message() ? t_error_message() : "none");
    abort();
}

t_TensorDict *dict_of(Tensor *x) {
    t_TensorDict *dict = x && !t_error() ? t_dict_new() : NULL;
    return dict && (t_dict_set)(dict, "x", x) ? dict : NULL;
}

/* ---- files ---- */

static char root[300];

/* In memory if possible: writers wait for a disk. */
const char *fuzz_folder(void) {
    const char *in = getenv("TMPDIR");
    if (!in) in = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(root, sizeof root, "%.200s/tapegrad_fuzz_XXXXXX", in);
    if (mkdtemp(root)) return root;
    perror(root);
    abort();
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk) {
    (void)about, (void)kind, (void)walk;
    return remove(path);
}

void fuzz_remove(void) {
    if (nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0) perror(root), abort();
}

const char *fuzz_path_of(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

void fuzz_put_file(const char *name, const void *contents, size_t size) {
    char path[600];
    snprintf(path, sizeof path, "%s", fuzz_path_of(name));
    char *const slash = strrchr(path, '/');
    *slash = '\0';
    if (!tg_make_folders(path)) { /* a file is where a folder should be */
        clear_refusal();
        return;
    }
    *slash = '/';
    FILE *file = slash[1] ? fopen(path, "wb") : NULL; /* where a folder is already, it stays */
    if (!file) return;
    demand(size == 0 || fwrite(contents, 1, size, file) == size, "no space for the files");
    demand(fclose(file) == 0, "no space for the files");
}
