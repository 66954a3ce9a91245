/* tests/torture/api/scalar_values.c: arguments that are integers, floating-point values, texts and paths. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/torture/api/arguments.h"

#include "core/core.h"

static char file_names[64][64];
static int file_count;

void index_files(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder)) && file_count < 64;)
        if (e->d_name[0] != '.') snprintf(file_names[file_count++], 64, "%.60s", e->d_name);
    if (folder) closedir(folder);
    for (int i = 1; i < file_count; i++) /* sorted: a seed gives the same name everywhere */
        for (int j = i; j > 0 && strcmp(file_names[j], file_names[j - 1]) < 0; j--) {
            char name[64];
            strcpy(name, file_names[j]), strcpy(file_names[j], file_names[j - 1]), strcpy(file_names[j - 1], name);
        }
}

/* The bytes of one of the files, in a block of their size. */
void *make_file_contents(uint64_t *s, int64_t *count, char *text) {
    char path[100];
    *count = 0;
    strcpy(text, "NULL");
    if (!file_count) return NULL;
    const char *name = file_names[draw(s, (uint64_t)file_count)];
    snprintf(path, sizeof path, "%s", name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    static char bytes[1 << 16];
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    void *made = block(n);
    if (made) memcpy(made, bytes, n), *count = (int64_t)n;
    snprintf(text, EXPRESSION, "contents_of(\"%s\")", path);
    return made;
}

bool has_word(const char *name, const char *words) {
    char list[300];
    snprintf(list, sizeof list, "%s", words);
    for (char *w = strtok(list, " "); w; w = strtok(NULL, " "))
        if (strstr(name, w)) return true;
    return false;
}

static int64_t base_integer(const Param *p, uint64_t *s) {
    if (has_word(p->name, "depth")) return 0;
    static const int64_t small[] = {1, 2, 0, 3, 1, 2, 4, -1, 8, 5};
    const uint64_t k = draw(s, 14);
    if (k < 10) return small[k];
    return k == 10                          ? making.theme.a
           : k == 11                        ? making.theme.b
           : k == 12                        ? making.theme.c
           : p->sub == 8 && !p->is_unsigned ? T_NONE
                                            : 6;
}

static int64_t hostile_integer(uint64_t *s, bool bounded) {
    static const int64_t values[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     -2,
                                     -3,
                                     4,
                                     5,
                                     6,
                                     7,
                                     8,
                                     -8,
                                     9,
                                     -9,
                                     10,
                                     16,
                                     17,
                                     64,
                                     65,
                                     100,
                                     255,
                                     1000,
                                     INT64_MIN,
                                     INT64_MIN + 1,
                                     INT64_MIN + 2,
                                     INT64_MIN + 3,
                                     INT64_MAX,
                                     INT64_MAX - 1,
                                     INT32_MAX,
                                     INT32_MIN,
                                     (int64_t)1 << 31,
                                     (int64_t)1 << 32,
                                     (int64_t)1 << 40,
                                     (int64_t)1 << 61,
                                     (int64_t)1 << 62,
                                     -((int64_t)1 << 62),
                                     (int64_t)3 << 61,
                                     -((int64_t)1 << 31) - 1,
                                     (int64_t)1 << 33,
                                     (((int64_t)1 << 32) + 1)};
    return values[draw(s, bounded ? 6 : sizeof values / sizeof *values)];
}

static const char *base_text(const Param *p, uint64_t *s) {
    static const char *const words[] = {"a", "mean", "weight", "0", "b", "sum", "none", "bias"};
    if (has_word(p->name, "path file fname root folder dir") && file_count && draw(s, 4))
        return file_names[draw(s, (uint64_t)file_count)];
    int count = 0;
    while (making.function->texts[count]) count++;
    const uint64_t k = draw(s, 8);
    if (k == 0) return NULL;
    if (k < 6 && count) {
        const char *text = making.function->texts[draw(s, (uint64_t)count)];
        if (text[0] != '/' && !strstr(text, "..")) return text;
    }
    return words[draw(s, 8)];
}

static const char *hostile_text(const Param *p, uint64_t *s) {
    static const char *const texts[] = {NULL,  "",    "\xff\xfe", "%s%n%d",           "a.b", "a[0]",  "\n",
                                        "-1",  "nan", "\xc3\xa9", "no such file",     " ",   "a/b/c", "\xed\xa0\x80",
                                        "-",   ".",   "1e400",    "\xf0\x9f\x98\x80", "{",   "(",     "i,j->",
                                        "...", "0x"};
    const uint64_t k = draw(s, sizeof texts / sizeof *texts + 4);
    if (k < sizeof texts / sizeof *texts) return texts[k];
    if (k == sizeof texts / sizeof *texts) {
        const size_t n = draw(s, 2) ? 4000 : 70000;
        char *text = block(n + 1);
        if (text) memset(text, 'x', n);
        return text;
    }
    return base_text(p, s);
}

static double hostile_double(uint64_t *s) {
    static const double values[] = {
        0,        -0.0,      1,   -1,   0.5,  2,     -0.5,         1.5,    1e-320,   1e-45, 1e300, -1e300,
        INFINITY, -INFINITY, NAN, 1e18, 1e19, -1e19, 2147483648.0, 3.5e38, 0.999999, 1e-8,  100,   9007199254740993.0};
    return values[draw(s, sizeof values / sizeof *values)];
}

void make_integer(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    if (p->spec && !hostile)
        v->i = strtoll(p->spec, NULL, 0);
    else if (p->most)
        v->i = (int64_t)draw(s, (uint64_t)p->most + 1);
    else
        v->i = hostile ? hostile_integer(s, (making.function->flags & f_bounded) != 0) : base_integer(p, s);
    if (p->sub == 4) v->i = p->is_unsigned ? (int64_t)(uint32_t)v->i : (int64_t)(int32_t)v->i;
    if (p->sub == 1) v->i = p->is_unsigned ? (int64_t)(uint8_t)v->i : (int64_t)(int8_t)v->i;
    if (p->is_unsigned && p->sub == 8 && v->i < 0 && (!hostile || making.function->flags & f_bounded)) v->i = 1;
    quote_integer(v->i, text);
}

void make_double(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    static const double values[] = {0.5, 1, 0, 2, 0.1, -1, 0.9, NAN, 3, 1e-5};
    v->d = p->spec && !hostile ? strtod(p->spec, NULL) : hostile ? hostile_double(s) : values[draw(s, 10)];
    if (isnan(v->d))
        strcpy(text, "NAN");
    else if (isinf(v->d))
        strcpy(text, v->d > 0 ? "INFINITY" : "-INFINITY");
    else
        snprintf(text, EXPRESSION, "%.17g", v->d);
}

void make_long_double(bool hostile, uint64_t *s, long double *wide, char *text) {
    *wide = hostile ? (long double)hostile_double(s) : (long double)draw(s, 5);
    snprintf(text, EXPRESSION, "%.20Lg", *wide);
}

void make_enum(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    const Enum *e = &api_enums[p->sub];
    static const int strange[] = {-1, 0, 99, INT32_MAX, INT32_MIN, 11};
    const bool dtype = !strcmp(e->name, "t_DType");
    if (p->spec && !hostile)
        v->i = atoi(p->spec);
    else if (hostile && draw(s, 2))
        v->i = strange[draw(s, 6)];
    else if (dtype && !hostile && draw(s, 2))
        v->i = draw(s, 2) ? 0 : t_float32;
    else
        v->i = e->values[draw(s, (uint64_t)e->count)];
    snprintf(text, EXPRESSION, "(%s)%lld", e->name, (long long)v->i);
}

void make_text(const Param *p, bool hostile, uint64_t *s, Value *v, char *text) {
    if (p->spec && !hostile)
        v->text = strcmp(p->spec, "NULL") ? p->spec : NULL;
    else
        v->text = hostile ? hostile_text(p, s) : base_text(p, s);
    if (v->text) quote(v->text, text);
}
