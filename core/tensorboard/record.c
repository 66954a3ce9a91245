/* core/tensorboard/record.c: CRC-32C, and event files. */
#include "core/tensorboard/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/io/protobuf.h"
#include "core/tensorboard/event_internal.h"

/* ---- checksums ---- */

/* Castagnoli's polynomial 0x1edc6f41, reflected; four bits at a time. */
uint32_t tg_crc32c(uint32_t crc, const void *bytes, size_t count) {
    static const uint32_t table[16] = {0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
                                       0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
                                       0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};
    const uint8_t *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* Rotated and shifted by a constant, since the CRC of bytes that contain their own CRC is degenerate. */
uint32_t tg_masked_crc32c(const void *bytes, size_t count) {
    const uint32_t crc = tg_crc32c(0, bytes, count);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put_little_endian(uint8_t *to, uint64_t value, int size) {
    for (int i = 0; i < size; i++) to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_little_endian(const uint8_t *from, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* ---- time ---- */

double tg_wall_time(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- writing ---- */

static char *copy_text(const char *text) {
    tg_Output out;
    tg_output_memory(&out);
    tg_output_text(&out, text);
    return tg_output_take_text(&out, true);
}

static char *new_path(const char *folder, const char *suffix) {
    static atomic_int writers;
    char host[256] = "localhost";
    if (gethostname(host, sizeof host) == 0) host[sizeof host - 1] = '\0';
    tg_Output out;
    tg_output_memory(&out);
    tg_output_print(&out, "%s%sevents.out.tfevents.%010lld.%s.%ld.%d%s", folder,
                    folder[strlen(folder) - 1] == '/' ? "" : "/", (long long)time(NULL), host, (long)getpid(),
                    atomic_fetch_add(&writers, 1), suffix);
    return tg_output_take_text(&out, true);
}

static void free_file(tg_EventFile *file) {
    size_t unused;
    if (file->fd >= 0) close(file->fd);
    free(file->folder);
    free(file->path);
    tg_output_take(&file->pending, false, &unused);
    tg_free(file, sizeof *file);
}

/* The first record: Event.file_version, and the writer in Event.source_metadata. */
static bool add_version(tg_EventFile *file) {
    tg_Output event;
    tg_event_begin(&event, 0, T_NONE);
    tg_proto_text(&event, EVENT_FILE_VERSION, "brain.Event:2");
    const size_t source = tg_proto_begin(&event, EVENT_SOURCE_METADATA);
    tg_proto_text(&event, 1, "tapegrad.core.tensorboard");
    tg_proto_end(&event, source);
    return tg_event_file_add(file, &event, true) && tg_event_file_flush(file);
}

tg_EventFile *tg_event_file_open(const char *folder, int64_t max_queue, double flush_secs, const char *suffix) {
    tg_EventFile *file = tg_alloc(sizeof *file);
    if (!file) return NULL;
    *file = (tg_EventFile){.fd = -1, .max_queue = max_queue, .flush_secs = flush_secs, .written_at = tg_wall_time()};
    tg_output_memory(&file->pending);
    file->folder = copy_text(folder);
    file->path = file->folder ? new_path(folder, suffix) : NULL;
    bool ok = file->path && tg_make_folders(folder);
    if (ok) file->fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (ok && file->fd < 0) ok = tg_fail("cannot write %s: %s", file->path, strerror(errno));
    if (ok && add_version(file)) return file;
    if (file->fd >= 0) unlink(file->path);
    free_file(file);
    return NULL;
}

bool tg_event_file_flush(tg_EventFile *file) {
    if (file->failed) return false;
    const uint8_t *from = file->pending.buffer;
    for (size_t done = 0; done < file->pending.used;) {
        const ssize_t n = tg_file_calls.write(file->fd, from + done, file->pending.used - done);
        if (n < 0 && errno == EINTR) continue;
        if (n > 0) {
            done += (size_t)n;
            continue;
        }
        const int reason = n == 0 ? ENOSPC : errno;
        file->failed = true;
        if (ftruncate(file->fd, (off_t)file->size) != 0) errno = reason; /* what cannot be cut is left as it is */
        return tg_fail("cannot write %s: %s; %" PRId64 " events are lost, and no more are written", file->path,
                       strerror(reason), file->waiting);
    }
    file->size += file->pending.used;
    file->pending.used = 0;
    file->waiting = 0;
    file->written_at = tg_wall_time();
    return true;
}

bool tg_event_file_add(tg_EventFile *file, tg_Output *event, bool ok) {
    enum { HEADER = 12, FOOTER = 4 };
    size_t size = 0;
    void *data = tg_output_take(event, ok, &size);
    if (!data || file->failed) {
        free(data);
        return false;
    }
    uint8_t header[HEADER], footer[FOOTER];
    put_little_endian(header, size, 8);
    put_little_endian(header + 8, tg_masked_crc32c(header, 8), 4);
    put_little_endian(footer, tg_masked_crc32c(data, size), FOOTER);
    const size_t before = file->pending.used;
    ok = tg_output_write(&file->pending, header, HEADER) && tg_output_write(&file->pending, data, size) &&
         tg_output_write(&file->pending, footer, FOOTER);
    free(data);
    if (!ok) { /* out of memory: without this record */
        file->pending.used = before;
        file->pending.failed = false;
        return false;
    }
    file->waiting++;
    const double since = tg_wall_time() - file->written_at;
    const bool is_due = file->waiting > file->max_queue || since >= file->flush_secs || since < 0;
    return !is_due || tg_event_file_flush(file);
}

bool tg_event_file_close(tg_EventFile *file) {
    if (!file) return true;
    const bool ok = tg_event_file_flush(file);
    free_file(file);
    return ok;
}

void tg_event_file_discard(tg_EventFile *file) {
    if (!file) return;
    unlink(file->path);
    free_file(file);
}

/* ---- reading ---- */

int tg_record_next(const tg_Input *in, uint64_t *at, uint64_t *data_at, uint64_t *size, bool *is_cut) {
    enum { HEADER = 12, FOOTER = 4 };
    uint8_t header[HEADER];
    const uint64_t left = in->size - *at;
    *is_cut = left > 0;
    if (left < HEADER) return 0;
    if (!tg_input_read(in, *at, header, HEADER)) return -1;
    if (tg_masked_crc32c(header, 8) != get_little_endian(header + 8, 4)) {
        tg_fail("%s: byte %" PRIu64 ": the size of a record has a wrong checksum", in->name, *at);
        return -1;
    }
    *size = get_little_endian(header, 8);
    if (left < HEADER + FOOTER || *size > left - HEADER - FOOTER) return 0;
    *is_cut = false;
    *data_at = *at + HEADER;
    *at += HEADER + *size + FOOTER;
    return 1;
}

bool tg_record_check(const tg_Input *in, uint64_t data_at, const void *data, uint64_t size) {
    uint8_t footer[4];
    if (!tg_input_read(in, data_at + size, footer, sizeof footer)) return false;
    if (tg_masked_crc32c(data, (size_t)size) == get_little_endian(footer, 4)) return true;
    return tg_fail("%s: byte %" PRIu64 ": the data of a record have a wrong checksum", in->name, data_at);
}
