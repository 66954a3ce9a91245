/* tests/fuzz/table_writers.c: numpy.savetxt: numbers that were written with all their digits are the same numbers when
 * they are read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/io/io.h"
#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"

/* As loadtxt reads them: two dims, NaN where there was one. */
static bool is_same(Tensor *x, Tensor *y) {
    Tensor *wide = (t_to)(x, t_float64), *as_read = wide ? (t_reshape)(wide, y->shape, y->ndim) : NULL;
    if (!as_read || !(as_read = (t_contiguous)(as_read))) return false;
    const double *a = tg_data(as_read), *b = tg_data(y);
    for (int64_t i = 0; i < tg_numel(y); i++)
        if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return false;
    return true;
}

/* Through a file, which has the same text. */
static t_TensorDict *save_file(Tensor *x, const char *name, const np_SavetxtOptions *o) {
    fuzz_folder();
    const char *path = fuzz_path_of(name);
    size_t length;
    char *text = NULL;
    uint8_t *read = NULL;
    tg_Input in = {.fd = -1};
    const bool ok = np_savetxt(path, x, o);
    if (ok && (text = np_savetxt_bytes(x, &length, o)) && tg_input_open_gzip(&in, path, 0)) {
        demand(in.size == length && (read = malloc(length + 1)), "another size of the file");
        demand(read && tg_input_read(&in, 0, read, length), "the file cannot be read");
        demand(read && memcmp(read, text, length) == 0, "another text in the file");
    }
    demand(!ok || read, "the file that was written cannot be read");
    tg_input_close(&in);
    free(read);
    free(text);
    fuzz_remove();
    return ok ? dict_of(x) : NULL;
}

t_TensorDict *fuzz_savetxt(const uint8_t *data, size_t size) {
    static const t_DType dtypes[] = {t_float64, t_int64, t_float32, t_uint8, t_bool, t_float16, t_int32, t_bfloat16};
    static const char *const exact[] = {"%.18e", "%.17g", "%.16E", "%25.17g", "%-30.17G", "%+.17e", "%s"};
    static const char *const delimiters[] = {" ", ",", ";", "", "\t ", "%"};
    static const char *const newlines[] = {"\n", "\r\n", "\r", ""};
    static char texts[3][200];
    Choices c = {data, size};
    np_SavetxtOptions o = {NP_SAVETXT_DEFAULTS_};
    const t_DType dtype = dtypes[choose(&c, 8)];
    const int formats = choose(&c, 16), marks = choose(&c, 24), flags = choose(&c, 32);
    const int64_t columns = 1 + choose(&c, 5);
    o.delimiter = delimiters[marks % 6];
    o.newline = newlines[marks / 6];
    o.fmt[0] = formats < 7 ? exact[formats] : next_text(&c, texts[0], sizeof texts[0]);
    for (int i = 1; formats > 13 && i < columns; i++) o.fmt[i] = i % 2 ? "%5d|" : "%#08x";
    if (flags & 1) o.header = next_text(&c, texts[1], sizeof texts[1]);
    if (flags & 2) o.footer = next_text(&c, texts[2], sizeof texts[2]);
    const int64_t item = (int64_t)tg_itemsize(dtype), rows = (int64_t)c.left / (item * columns);
    Tensor *x = tg_empty((const int64_t[]){rows, columns}, 2, dtype);
    if (x && rows) memcpy(tg_data(x), c.at, (size_t)(rows * columns * item));
    if (x && rows && dtype == t_bool)
        for (int64_t i = 0; i < rows * columns; i++) ((uint8_t *)tg_data(x))[i] &= 1;
    Tensor *as_given = x;
    if (x && flags & 4) as_given = columns == 1 ? (t_squeeze)(x, 1) : (t_transpose)(x, 0, 1);
    if (as_given && flags & 8) return save_file(as_given, flags & 16 ? "x.txt.gz" : "x.txt", &o);
    size_t length;
    char *text = as_given ? np_savetxt_bytes(as_given, &length, &o) : NULL;
    const bool is_read_back = text && rows && formats < 7 && dtype != t_bool && marks % 6 < 3 && marks / 6 < 3 &&
                              !(flags & 3) && !(formats == 6 && dtype != t_float64 && dtype != t_int32);
    if (is_read_back) {
        np_LoadtxtOptions read = {NP_LOADTXT_DEFAULTS_};
        if (*o.delimiter != ' ') read.delimiter = o.delimiter;
        read.ndmin = 2;
        Tensor *again = np_loadtxt_bytes(text, length, &read);
        demand(again, "what was written cannot be read");
        demand(!again || tg_numel(again) == rows * columns, "what was written has another shape");
        demand(!again || is_same(as_given, again) || t_error(), "what was written are other numbers");
    }
    free(text);
    return text ? dict_of(x) : NULL;
}
