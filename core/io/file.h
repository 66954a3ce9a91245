/* core/io/file.h: files: reads at offsets, atomic writes (internal).
 *
 * The input is a regular file or bytes in memory; every read is checked against the size. The output is written to a
 * temporary file in the folder of the path, which is renamed to the path after fsync: an error or a crash leaves the
 * old file unchanged. */
#ifndef TAPEGRAD_CORE_IO_FILE_H
#define TAPEGRAD_CORE_IO_FILE_H

#include <sys/types.h>

#include "core/io/zlib/zlib.h"

/* ---- reading ---- */

typedef struct tg_Input {
    const char *name;     /* the path, for messages */
    const uint8_t *bytes; /* the bytes in memory; NULL for a file */
    int fd;               /* -1 for bytes in memory */
    uint64_t size;
    tg_Bytes unpacked;    /* the bytes in memory, if they were unpacked from a compressed file */
} tg_Input;

bool tg_input_open(tg_Input *in, const char *path); /* errors: the system's; not a regular file */
/* The same, and a gzip file (it begins with 1f 8b, whatever its name) is unpacked into memory: Python's gzip.open for
 * reading. Errors: the file is broken, or longer than `limit` bytes when unpacked; 0 is no limit. */
bool tg_input_open_gzip(tg_Input *in, const char *path, uint64_t limit);
bool tg_input_memory(tg_Input *in, const void *bytes, size_t size, const char *name);
/* Error: the range is not within the file (also if the file was truncated meanwhile). */
bool tg_input_read(const tg_Input *in, uint64_t at, void *to, size_t bytes);
void tg_input_close(tg_Input *in); /* may be called repeatedly */

/* ---- writing ---- */

typedef struct tg_Output {
    const char *name;    /* the path as given, for messages */
    char *path, *temporary; /* the final path and the temporary file's; NULL for an output in memory */
    int fd;
    bool failed;         /* after an error all calls fail without a new error */
    char *old;           /* a second name of the file that was at the path before, until all files are in place */
    uint8_t *buffer;
    size_t used, capacity;
    uint64_t written;    /* total bytes */
} tg_Output;

bool tg_output_open(tg_Output *out, const char *path);
void tg_output_memory(tg_Output *out); /* a growing buffer, which tg_output_take returns */
bool tg_output_write(tg_Output *out, const void *from, size_t bytes);
/* Like fputs and fprintf, but in the C locale. Errors, also out of memory, are kept until tg_output_commit or
 * tg_output_take (memory streams of the C library may lose text without an error). */
bool tg_output_text(tg_Output *out, const char *text);
bool tg_output_print(tg_Output *out, const char *format, ...) T_PRINTF(2, 3);
/* ok: fsync and rename to the path; otherwise deletes the temporary file. Returns ok, or false on an error. */
bool tg_output_commit(tg_Output *out, bool ok);
/* The same for several files: none is put in place before all are on the disk. If one cannot be put in place, the old
 * files are put back. */
bool tg_outputs_commit(tg_Output *outs, int count, bool ok);
/* The bytes written to memory, a malloc'ed block that the caller frees with free(). NULL after an error, or if not
 * ok. */
void *tg_output_take(tg_Output *out, bool ok, size_t *size);
char *tg_output_take_text(tg_Output *out, bool ok); /* the same, zero-terminated */

/* ---- folders ---- */

bool tg_make_folders(const char *path); /* os.makedirs(path, exist_ok=True) */

/* ---- system calls, which tests replace to simulate errors ---- */

struct stat;
typedef struct tg_FileCalls {
    ssize_t (*write)(int fd, const void *from, size_t bytes);
    int (*fsync)(int fd);
    int (*rename)(const char *from, const char *to);
    int (*link)(const char *from, const char *to);
    void *(*realloc)(void *block, size_t bytes); /* for buffers, which the caller of tg_output_take frees with free() */
    int (*stat)(const char *path, struct stat *about);
    int (*flock)(int fd, int operation);
    int (*mkdir)(const char *path, mode_t mode);
} tg_FileCalls;
extern tg_FileCalls tg_file_calls;

#endif
