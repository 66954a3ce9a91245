/* core/io/npz.c: .npz files: several arrays in a ZIP archive, as numpy.savez and numpy.savez_compressed write them. */
#include <stdlib.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/io/convert.h"
#include "core/io/npy.h"
#include "core/io/npy_internal.h"
#include "core/io/utf8.h"
#include "core/ops/ops.h"

/* ---- reading ---- */

bool tg_npy_is_name(const char *name) {
    const size_t n = strlen(name);
    return n >= 4 && strcmp(name + n - 4, ".npy") == 0;
}

/* Whether it is an array, 1 or 0 (-1 if it cannot be read), and not a folder or another file: with the suffix .npy, or
 * stored and with NumPy's magic bytes. */
static int is_array(const tg_Zip *zip, const tg_ZipEntry *entry) {
    if (tg_npy_is_name(entry->name)) return 1;
    return entry->method == 0 ? tg_npy_begins(zip->in, entry->at, entry->packed) : 0;
}

/* numpy.load's name of an entry: without the .npy. NULL on out of memory. */
static char *array_name(const char *name) {
    size_t n = strlen(name);
    if (tg_npy_is_name(name)) n -= 4;
    char *text = tg_alloc_raw(n + 1);
    if (text) memcpy(text, name, n), text[n] = '\0';
    return text;
}

static bool read_array(const tg_Zip *zip, const tg_ZipEntry *entry, t_TensorDict *arrays) {
    char *name = array_name(entry->name);
    if (!name) return false;
    int64_t before = arrays->len;
    tg_ZipContents c;
    Tensor *x = tg_zip_open_entry(&c, zip, entry, true)
        ? tg_npy_read(&(tg_Part){c.in, c.at, c.size, c.name}, name) : NULL;
    tg_zip_close_entry(&c);
    bool ok = x && (t_dict_set)(arrays, name, x);
    if (ok && arrays->len == before) ok = tg_fail("%s: '%s' and '%s.npy' are one name", zip->in->name, name, name);
    if (x) t_release(tg_take_from_scope(x));
    tg_free(name, strlen(name) + 1);
    return ok;
}

t_TensorDict *tg_npz_read(const tg_Input *in) {
    tg_Zip zip = {0};
    t_TensorDict *arrays = NULL;
    const int is_npy = tg_npy_is(in);
    if (is_npy < 0) return NULL;
    if (is_npy) return tg_fail("%s is a single array, as .npy files are: np_load reads it", in->name);
    bool ok = tg_zip_open(&zip, in) && (arrays = t_dict_new()) != NULL;
    for (uint64_t i = 0; ok && i < zip.count; i++) {
        const int is = is_array(&zip, &zip.entries[i]);
        ok = is == 0 || (is == 1 && read_array(&zip, &zip.entries[i], arrays));
    }
    tg_zip_close(&zip);
    if (!ok && arrays) {
        t_release(tg_take_from_scope(arrays));
        arrays = NULL;
    }
    return arrays;
}

t_TensorDict *np_load_npz(const char *file) {
    tg_Input in;
    t_TensorDict *arrays = tg_input_open(&in, file) ? tg_npz_read(&in) : NULL;
    tg_input_close(&in);
    return arrays;
}

t_TensorDict *np_load_npz_bytes(const void *bytes, size_t size) {
    tg_Input in;
    return tg_input_memory(&in, bytes, size, "the archive in memory") ? tg_npz_read(&in) : NULL;
}

/* ---- writing ---- */

/* The CRC-32 of a contiguous tensor's elements, little-endian as tg_write_elements writes them. */
static uint32_t crc_of(uint32_t crc, const Tensor *x) {
    const size_t size = tg_itemsize(x->dtype), bytes = (size_t)tg_numel(x) * size;
    const uint8_t *from = tg_data(x);
    if (__BYTE_ORDER__ != __ORDER_BIG_ENDIAN__ || size == 1) return tg_crc32(crc, from, bytes);
    for (size_t i = 0; i < bytes; i++) crc = tg_crc32(crc, from + i / size * size + (size - 1 - i % size), 1);
    return crc;
}

/* The array as it is in a file, header and elements, and then deflated. */
static bool add_deflated(tg_ZipWriter *zip, const char *name, const uint8_t *header, size_t length, Tensor *x,
                         uint32_t crc) {
    tg_Output whole;
    tg_Bytes packed = {0};
    size_t size = 0;
    tg_output_memory(&whole);
    uint8_t *bytes = tg_output_take(&whole, tg_output_write(&whole, header, length) && tg_write_elements(&whole, x),
                                    &size);
    const bool ok = bytes && tg_deflate(bytes, size, TG_DEFLATE_DEFAULT, &packed) &&
                    tg_zip_add_deflated(zip, name, packed.count, size, crc) &&
                    tg_output_write(zip->out, packed.at, packed.count);
    free(bytes);
    tg_bytes_free(&packed);
    return ok;
}

/* The entry's header has the CRC-32 of the elements, so they are made contiguous first. */
static bool add_array(tg_ZipWriter *zip, const char *name, Tensor *x, bool compressed) {
    uint8_t header[TG_NPY_HEADER];
    bool fortran;
    Tensor *y = tg_npy_order(x, &fortran);
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *dense = y ? (t_contiguous)(y) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (!dense) return false;
    size_t length = tg_npy_header(x, fortran, header), bytes = (size_t)tg_numel(x) * tg_itemsize(x->dtype);
    uint32_t crc = crc_of(tg_crc32(0, header, length), dense);
    if (compressed) return add_deflated(zip, name, header, length, dense, crc);
    return tg_zip_add(zip, name, length + bytes, crc) && tg_output_write(zip->out, header, length) &&
           tg_write_elements(zip->out, dense);
}

static bool write_item(tg_ZipWriter *zip, const t_DictItem *item, bool compressed) {
    const size_t length = strlen(item->name), valid = tg_utf8_valid(item->name, length);
    if (valid < length)
        return tg_fail("byte %zu of '%s' is not UTF-8 (0x%02x)", valid, item->name, (unsigned char)item->name[valid]);
    char *name = item->tensor ? tg_alloc_raw(length + sizeof ".npy") : NULL;
    if (!item->tensor) return tg_fail("'%s' is a string, but an .npz file contains only arrays", item->name);
    int depth = name ? t_scope_open() : 0;
    bool ok = depth && tg_npy_check(item->tensor);
    if (ok) {
        memcpy(name, item->name, length);
        memcpy(name + length, ".npy", sizeof ".npy");
        ok = add_array(zip, name, item->tensor, compressed);
    }
    t_scope_close(depth);
    tg_free(name, length + sizeof ".npy");
    return ok;
}

static bool write_archive(tg_Output *out, const t_TensorDict *arrays, bool compressed) {
    tg_ZipWriter zip;
    tg_zip_begin(&zip, out);
    bool ok = true;
    for (int64_t i = 0; ok && i < arrays->len; i++) ok = write_item(&zip, &arrays->items[i], compressed);
    return tg_zip_end(&zip, ok);
}

static bool write_file(const char *file, const t_TensorDict *arrays, bool compressed) {
    tg_Output out;
    return tg_check_dict(arrays, 2) && tg_output_open(&out, file) &&
           tg_output_commit(&out, write_archive(&out, arrays, compressed));
}

bool np_savez(const char *file, const t_TensorDict *arrays) {
    return write_file(file, arrays, false);
}

bool np_savez_compressed(const char *file, const t_TensorDict *arrays) {
    return write_file(file, arrays, true);
}

void *np_savez_bytes(const t_TensorDict *arrays, size_t *size) {
    tg_Output out;
    if (!tg_check_dict(arrays, 1)) return NULL;
    if (!size) return tg_fail("argument 2 is NULL where the address of a size is expected");
    tg_output_memory(&out);
    return tg_output_take(&out, write_archive(&out, arrays, false), size);
}
