/* tests/support/golden.c: reading the files of tests/golden.
 *
 * A file is a list of cases: a line "= key", then one line per array: "name dtype (sizes) grad_fn value value ...", or
 * "name none" where PyTorch had None. golden/record.py writes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/dtype_convert.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

struct Golden {
    struct Golden *next;
    char name[64], *text;
    int64_t count;
    char **keys; /* sorted; each points into text, where its arrays follow it */
};

static Golden *files;

static int by_key(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Cuts the text at the ends of the key lines and collects the keys. */
static void find_cases(Golden *golden) {
    int64_t capacity = 0;
    for (char *line = golden->text; line && *line;) {
        char *end = strchr(line, '\n');
        if (line[0] == '=' && line[1] == ' ' && end) {
            if (golden->count == capacity)
                golden->keys =
                    realloc(golden->keys, (size_t)(capacity = 2 * capacity + 64) * sizeof *golden->keys);
            golden->keys[golden->count++] = line + 2;
            *end = '\0';
        }
        line = end ? end + 1 : NULL;
    }
    if (golden->count) qsort(golden->keys, (size_t)golden->count, sizeof *golden->keys, by_key);
}

static void free_files(void) {
    for (Golden *next; files; files = next) {
        next = files->next;
        free(files->keys);
        free(files->text);
        free(files);
    }
}

const Golden *golden_file(const char *name) {
    char path[128];
    for (Golden *file = files; file; file = file->next)
        if (strcmp(file->name, name) == 0) return file;
    snprintf(path, sizeof path, "tests/golden/%s", name);
    char *text = file_bytes(path, NULL);
    if (!text) return NULL;
    if (!files) atexit(free_files);
    Golden *golden = calloc(1, sizeof *golden);
    snprintf(golden->name, sizeof golden->name, "%s", name);
    golden->text = text;
    golden->next = files;
    find_cases(golden);
    return files = golden;
}

const char *golden_case(const Golden *golden, const char *key) {
    if (!golden || !golden->count) return NULL;
    char **found = bsearch(&key, golden->keys, (size_t)golden->count, sizeof *golden->keys, by_key);
    return found ? *found + strlen(*found) + 1 : NULL;
}

static const char *find_line(const char *section, const char *name) {
    size_t length = strlen(name);
    for (const char *line = section; *line && *line != '='; line = strchr(line, '\n') + 1) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ') return line + length + 1;
        if (!strchr(line, '\n')) break;
    }
    return NULL;
}

static t_DType dtype_of_letter(char letter) {
    static const char letters[] = "?buchniegfd"; /* in the order of t_DType */
    const char *at = strchr(letters, letter);
    return at ? (t_DType)(at - letters) : t_float64;
}

bool golden_array(const char *section, const char *name, GoldenArray *out) {
    *out = (GoldenArray){.present = false};
    const char *at = section ? find_line(section, name) : NULL;
    char *end;
    if (!at) return false;
    if (strncmp(at, "none", 4) == 0) return true;
    out->present = true;
    out->dtype = dtype_of_letter(*at);
    out->count = 1;
    for (at += 3; *at != ')'; at = end + (*end == ',')) {
        out->shape[out->ndim] = strtoll(at, &end, 10);
        out->count *= out->shape[out->ndim++];
    }
    sscanf(at + 1, "%47s", out->grad_fn);
    at += 2 + strlen(out->grad_fn);
    out->values = malloc((size_t)(out->count ? out->count : 1) * sizeof *out->values);
    for (int64_t i = 0; i < out->count; i++, at = end) {
        out->values[i] = out->dtype == t_float32 ? (double)strtof(at, &end) : strtod(at, &end);
        ck_assert_msg(end != at, "too few values in %s", name);
        if (tg_is_half(out->dtype)) { /* a short text, which only rounds to the value */
            uint16_t element;
            tg_set_element(out->dtype, &element, out->values[i]);
            out->values[i] = tg_element_as_double(out->dtype, &element);
        }
    }
    return true;
}
