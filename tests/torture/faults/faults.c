/* tests/torture/faults/faults.c: allocations and I/O calls that fail.
 *
 * malloc and its kin are defined here, so that those of the C library (strdup, fopen, getline, opendir, pthread_create)
 * come here, too. The calls of the library and the tests to mmap, pthread_create, open, read, ... get here by the
 * linker's --wrap. */
#define _GNU_SOURCE
#include "tests/torture/faults/faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    _Atomic int kind;
    tt_Mode mode;
    int64_t n;
    int reason;
    _Atomic int64_t counted, failed;
    const char *_Atomic call;
    _Atomic bool rename_failed;
} faults;
static _Atomic int64_t live;

void tt_faults_begin(tt_Kind kind, tt_Mode mode, int64_t n, int reason) {
    faults.mode = mode;
    faults.n = n;
    faults.reason = reason;
    faults.counted = faults.failed = 0;
    faults.call = NULL;
    faults.rename_failed = false;
    faults.kind = (int)kind;
}

void tt_faults_end(void) {
    faults.kind = tt_none;
}

int64_t tt_failed(void) {
    return faults.failed;
}

int64_t tt_counted(void) {
    return faults.counted;
}

const char *tt_failed_call(void) {
    const char *call = faults.call;
    return call ? call : "nothing";
}

int64_t tt_live_blocks(void) {
    return live;
}

/* Whether this call is one of those that fail. */
static bool reached(tt_Kind kind, const char *call) {
    if (faults.kind != (int)kind) return false;
    const int64_t count = atomic_fetch_add(&faults.counted, 1) + 1;
    bool hit = count == faults.n;
    if (faults.mode == tt_twice)
        hit = hit || count == faults.n + 1;
    else if (faults.mode != tt_once)
        hit = count >= faults.n;
    if (!hit) return false;
    faults.failed++;
    faults.call = call;
    return true;
}

static bool fails(tt_Kind kind, const char *call) {
    if (kind == tt_io && faults.mode == tt_short) return false;
    if (!reached(kind, call)) return false;
    errno = kind == tt_allocations ? ENOMEM : faults.reason;
    return true;
}

/* ---- malloc and its kin ---- */

#if defined __SANITIZE_ADDRESS__
#define REAL(name) __interceptor_##name
#else
#define REAL(name) __libc_##name
#endif
void *REAL(malloc)(size_t bytes);
void *REAL(calloc)(size_t count, size_t bytes);
void *REAL(realloc)(void *block, size_t bytes);
void *REAL(memalign)(size_t alignment, size_t bytes);
void REAL(free)(void *block);

static void *given(void *block) {
    if (block) live++;
    return block;
}

void *malloc(size_t bytes) {
    return fails(tt_allocations, "malloc") ? NULL : given(REAL(malloc)(bytes));
}

void *calloc(size_t count, size_t bytes) {
    return fails(tt_allocations, "calloc") ? NULL : given(REAL(calloc)(count, bytes));
}

void *realloc(void *block, size_t bytes) {
    if (fails(tt_allocations, "realloc")) return NULL;
    void *larger = REAL(realloc)(block, bytes);
    if (!block)
        given(larger);
    else if (!larger && bytes == 0)
        live--;
    return larger;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails(tt_allocations, "aligned_alloc") ? NULL : given(REAL(memalign)(alignment, bytes));
}

void *memalign(size_t alignment, size_t bytes) {
    return fails(tt_allocations, "memalign") ? NULL : given(REAL(memalign)(alignment, bytes));
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    void *fresh = fails(tt_allocations, "posix_memalign") ? NULL : given(REAL(memalign)(alignment, bytes));
    if (!fresh) return ENOMEM;
    *block = fresh;
    return 0;
}

void free(void *block) {
    if (!block) return;
    live--;
    const int before = errno;
    REAL(free)(block);
    errno = before;
}

/* ---- other memory and threads ---- */

void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset) {
    if (fails(fd < 0 ? tt_allocations : tt_io, "mmap")) return MAP_FAILED;
    return __real_mmap(at, bytes, protection, flags, fd, offset);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    return fails(tt_allocations, "pthread_create") ? EAGAIN : __real_pthread_create(thread, how, run, with);
}

/* ---- I/O ---- */

#define WRAP(result, name, parameters, arguments, failure)              \
    result __real_##name parameters;                                    \
    result __wrap_##name parameters;                                    \
    result __wrap_##name parameters {                                   \
        return fails(tt_io, #name) ? failure : __real_##name arguments; \
    }
WRAP(int, access, (const char *path, int mode), (path, mode), -1)
WRAP(int, fstat, (int fd, struct stat *to), (fd, to), -1)
WRAP(int, stat, (const char *path, struct stat *to), (path, to), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, ftruncate, (int fd, off_t bytes), (fd, bytes), -1)
WRAP(int, link, (const char *from, const char *to), (from, to), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(struct dirent *, readdir, (DIR * folder), (folder), NULL)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(int, flock, (int fd, int how), (fd, how), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), -1)

/* What cannot be put back or removed stays: so of a call's renames only one fails, and unlink in the mode of single
 * calls only. */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
    if (faults.rename_failed || !fails(tt_io, "rename")) return __real_rename(from, to);
    faults.rename_failed = true;
    return -1;
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
    return faults.mode != tt_forever && fails(tt_io, "unlink") ? -1 : __real_unlink(path);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = flags & O_CREAT ? va_arg(more, int) : 0;
    va_end(more);
    return fails(tt_io, "open") ? -1 : __real_open(path, flags, mode);
}

/* A close that fails has closed. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    const bool fail = fails(tt_io, "close");
    const int reason = errno, result = __real_close(fd);
    if (fail) errno = reason;
    return fail ? -1 : result;
}

/* How many bytes a read or a write is given. */
static size_t taken(const char *call, size_t bytes) {
    if (faults.mode != tt_short || bytes < 2) return bytes;
    return reached(tt_io, call) ? (bytes > 4096 ? bytes / 2 : 1) : bytes;
}

ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes) {
    return fails(tt_io, "read") ? -1 : __real_read(fd, to, taken("read", bytes));
}

ssize_t __real_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t at) {
    return fails(tt_io, "pread") ? -1 : __real_pread(fd, to, taken("pread", bytes), at);
}

ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_write(int fd, const void *from, size_t bytes) {
    return fails(tt_io, "write") ? -1 : __real_write(fd, from, taken("write", bytes));
}
