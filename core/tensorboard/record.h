/* core/tensorboard/record.h: event files: records of TensorFlow's TFRecord format, appended whole (internal).
 *
 *     8 bytes  size of the data, little-endian        4 bytes  masked CRC-32C of these 8 bytes
 *     the data: a serialized Event                    4 bytes  masked CRC-32C of the data
 *
 * Source: https://www.tensorflow.org/tutorials/load_data/tfrecord. */
#ifndef TAPEGRAD_CORE_TENSORBOARD_RECORD_H
#define TAPEGRAD_CORE_TENSORBOARD_RECORD_H

#include "core/io/file.h"

uint32_t tg_crc32c(uint32_t crc, const void *bytes, size_t count); /* crc: of the previous bytes, 0 at the beginning */
uint32_t tg_masked_crc32c(const void *bytes, size_t count);

/* ---- writing ----
 * Records wait in memory until there are more than max_queue of them, flush_secs have passed since the last write, or
 * tg_event_file_flush is called; then they are written at once, so that a crash loses at most what waits. If that
 * fails, the file is cut after its last whole record and the error is set, once: from then on nothing is written and
 * all calls return false. */
typedef struct tg_EventFile {
    char *folder, *path; /* malloc'ed */
    int fd;
    bool failed;
    tg_Output pending; /* in memory */
    int64_t waiting;   /* number of records in it */
    uint64_t size;     /* of the file */
    int64_t max_queue;
    double flush_secs, written_at;
} tg_EventFile;

/* Creates the folder, with those above it, and events.out.tfevents.TIME.HOST.PROCESS.NUMBER + suffix in it, whose first
 * record names the version of the format. NULL with an error. */
tg_EventFile *tg_event_file_open(const char *folder, int64_t max_queue, double flush_secs, const char *suffix);
/* The serialized Event, of which the file takes ownership as tg_output_take does (ok: as there). */
bool tg_event_file_add(tg_EventFile *file, tg_Output *event, bool ok);
bool tg_event_file_flush(tg_EventFile *file);
bool tg_event_file_close(tg_EventFile *file); /* flushes and frees it; NULL is allowed */
void tg_event_file_discard(tg_EventFile *file); /* deletes and frees it */

double tg_wall_time(void); /* time.time() */

/* ---- reading ---- */

/* The record at *at, whose data are *size bytes at *data_at; *at becomes the next record's. 1; 0 at the end of the file
 * or where it ends within a record (*is_cut: a program is still writing, or was killed), -1 on an error: a wrong
 * checksum. */
int tg_record_next(const tg_Input *in, uint64_t *at, uint64_t *data_at, uint64_t *size, bool *is_cut);
/* Whether the data, which were read into memory, have the record's checksum; otherwise an error. */
bool tg_record_check(const tg_Input *in, uint64_t data_at, const void *data, uint64_t size);

#endif
