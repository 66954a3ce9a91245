/* core/io/file.h: files, read in pieces and written whole (internal).
 *
 * What is read is either a regular file or bytes in memory; readers see offsets and sizes only, and every read is checked
 * against the end. What is written goes into a file of another name beside the path, which takes the path's place when all
 * of it is on the disk: whatever happens before leaves the old file whole. */
#ifndef TAPEGRAD_CORE_IO_FILE_H
#define TAPEGRAD_CORE_IO_FILE_H

#include <sys/types.h>

#include "core/tensor/context.h"

/* ---- reading ---- */

typedef struct tg_Input {
    const char *name;     /* the path, for messages */
    const uint8_t *bytes; /* of what is in memory; NULL for a file */
    int fd;               /* -1 for what is in memory */
    uint64_t size;
} tg_Input;

bool tg_input_open(tg_Input *in, const char *path); /* errors: what the system says; anything but a regular file */
bool tg_input_memory(tg_Input *in, const void *bytes, size_t size, const char *name);
/* Error: the range is not within the file (also where the file became shorter). */
bool tg_input_read(const tg_Input *in, uint64_t at, void *to, size_t bytes);
void tg_input_close(tg_Input *in); /* at any time, twice too */

/* ---- writing ---- */

typedef struct tg_Output {
    const char *name;    /* the path as it was given, for messages */
    char *path, *beside; /* where it is to stand in the end, and where it is meanwhile; NULL for what stays in memory */
    int fd;
    bool failed;         /* everything after that fails in silence */
    uint8_t *buffer;
    size_t used, room;
    uint64_t written;    /* in all */
} tg_Output;

bool tg_output_open(tg_Output *out, const char *path);
void tg_output_memory(tg_Output *out); /* the buffer grows, and is the caller's to take: tg_output_take */
bool tg_output_write(tg_Output *out, const void *from, size_t bytes);
/* As fputs and fprintf, but in no locale. A memory stream of the C library may lose text silently when memory runs out;
 * the errors of these last until tg_output_commit or tg_output_take. */
bool tg_output_text(tg_Output *out, const char *text);
bool tg_output_print(tg_Output *out, const char *format, ...) T_PRINTF(2, 3);
bool tg_output_commit(tg_Output *out, bool ok); /* ok: to the disk and in place of the path; else away with it. Returns ok or false */
/* What was written to memory, a malloc'ed block that its caller frees with free(). NULL where anything failed, or not ok. */
void *tg_output_take(tg_Output *out, bool ok, size_t *size);
char *tg_output_take_text(tg_Output *out, bool ok); /* the same, with a zero behind it */

/* ---- the system's calls, which tests replace in order to let any of them fail ---- */

struct stat;
typedef struct tg_FileCalls {
    ssize_t (*write)(int fd, const void *from, size_t bytes);
    int (*fsync)(int fd);
    int (*rename)(const char *from, const char *to);
    void *(*realloc)(void *block, size_t bytes); /* a buffer's: what was written to memory is the caller's to free() */
    int (*stat)(const char *path, struct stat *about);
    int (*flock)(int fd, int operation);
} tg_FileCalls;
extern tg_FileCalls tg_file_calls;

#endif
