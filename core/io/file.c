/* core/io/file.c: reads with bounds checks; atomic writes by a temporary file and rename. */
#include "core/io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/tensor/c_locale.h"

tg_FileCalls tg_file_calls = {write, fsync, rename, link, realloc, stat, flock, mkdir};

/* ---- reading ---- */

bool tg_input_open(tg_Input *in, const char *path) {
    *in = (tg_Input){.name = path, .fd = -1};
    if (!path) return t_error() ? false : tg_fail("the path is NULL") != NULL;
    /* O_NONBLOCK: open of a FIFO without a writer would block */
    in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (in->fd < 0) return tg_fail("cannot open %s: %s", path, strerror(errno));
    struct stat about;
    if (fstat(in->fd, &about) != 0) {
        const int reason = errno;
        tg_input_close(in);
        return tg_fail("cannot read %s: %s", path, strerror(reason));
    }
    if (S_ISREG(about.st_mode)) {
        in->size = (uint64_t)about.st_size;
        return true;
    }
    tg_input_close(in);
    return tg_fail("cannot read %s: it is %s", path, S_ISDIR(about.st_mode) ? "a folder" : "not a regular file");
}

/* The bytes of the file, which are in memory while they are unpacked. The size at the end of a gzip file, modulo 2^32
 * and of its last member, is a hint for the buffer's capacity. */
static bool gunzip(tg_Input *in, size_t limit) {
    enum { MOST_PER_BYTE = 1032 };
    const size_t size = (size_t)in->size;
    tg_Bytes packed = {0}, unpacked = {0};
    bool ok = tg_bytes_reserve(&packed, size) && tg_input_read(in, 0, packed.at, size);
    if (ok && size >= 18) {
        const uint8_t *end = packed.at + size;
        size_t hint = end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
        if (hint / MOST_PER_BYTE > size) hint = 0;
        ok = tg_bytes_reserve(&unpacked, hint < limit ? hint : limit);
    }
    ok = ok && tg_gzip_unpack(&(tg_Compressed){packed.at, size, in->name, 0, 0, false, false}, &unpacked, limit);
    tg_bytes_free(&packed);
    if (!ok) tg_bytes_free(&unpacked);
    const char *name = in->name;
    tg_input_close(in);
    if (!ok || !tg_input_memory(in, unpacked.at, unpacked.count, name)) return false;
    in->unpacked = unpacked;
    return true;
}

bool tg_input_open_gzip(tg_Input *in, const char *path, uint64_t limit) {
    uint8_t magic[2];
    if (!tg_input_open(in, path)) return false;
    if (in->size < sizeof magic) return true;
    if (tg_input_read(in, 0, magic, sizeof magic) &&
        (!tg_gzip_is(magic, sizeof magic) || gunzip(in, limit && limit < SIZE_MAX ? (size_t)limit : SIZE_MAX)))
        return true;
    tg_input_close(in);
    return false;
}

bool tg_input_memory(tg_Input *in, const void *bytes, size_t size, const char *name) {
    static const uint8_t none;
    *in = (tg_Input){.name = name, .fd = -1, .bytes = bytes ? bytes : &none, .size = size};
    return bytes || size == 0 || (!t_error() && tg_fail("the address of %zu bytes to read is NULL", size));
}

bool tg_input_read(const tg_Input *in, uint64_t at, void *to, size_t bytes) {
    if (at > in->size || bytes > in->size - at)
        return tg_fail("%s ends at byte %" PRIu64 ", but bytes %" PRIu64 " to %" PRIu64 " are needed", in->name,
                       in->size, at, bytes > UINT64_MAX - at ? UINT64_MAX : at + bytes);
    if (in->bytes && bytes) memcpy(to, in->bytes + at, bytes);
    for (size_t done = 0; !in->bytes && done < bytes;) {
        ssize_t n = pread(in->fd, (uint8_t *)to + done, bytes - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return tg_fail("cannot read %s: %s", in->name, strerror(errno));
        if (n == 0) return tg_fail("%s became shorter while it was read", in->name);
        done += (size_t)n;
    }
    return true;
}

void tg_input_close(tg_Input *in) {
    if (in->fd >= 0) close(in->fd);
    in->fd = -1;
    if (!in->unpacked.at) return;
    tg_bytes_free(&in->unpacked);
    in->bytes = NULL;
    in->size = 0;
}

/* ---- writing ---- */

enum { BUFFER = 1 << 16 };

static bool fail_output(tg_Output *out, const char *what) {
    int reason = errno;
    if (!out->failed) tg_fail("cannot %s %s: %s", what, out->name, strerror(reason));
    out->failed = true;
    return false;
}

/* The target of the symbolic link at path, as a path relative to the working directory, malloc'ed; NULL if it is not a
 * link, or on out of memory. */
static char *link_target(const char *path) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) return NULL;
    target[length] = '\0';
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    char *joined = malloc(folder + (size_t)length + 1);
    if (!joined) return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, target, (size_t)length + 1);
    return joined;
}

/* Resolves symbolic links, so that the link's target is replaced, or created if it does not exist, as by Python's
 * open(path, "wb"). */
static char *real_path(const char *path) {
    enum { MOST_LINKS = 40 }; /* Linux's own limit */
    char *real = realpath(path, NULL);
    if (real) return real;
    real = strdup(path);
    for (int i = 0; real && i < MOST_LINKS; i++) {
        char *next = link_target(real);
        if (!next) break;
        free(real);
        real = next;
    }
    return real;
}

static bool is_named(int fd, const char *name) {
    struct stat open_one, named;
    return fstat(fd, &open_one) == 0 && stat(name, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

/* Writers lock their temporary file; the kernel releases a lock when its process ends. Not every file system supports
 * locks (ENOLCK, EOPNOTSUPP, ENOSYS). */
typedef enum Lock { lock_taken, lock_of_another, lock_unsupported } Lock;
static Lock take_lock(int fd) {
    if (tg_file_calls.flock(fd, LOCK_EX | LOCK_NB) == 0) return lock_taken;
    return errno == EWOULDBLOCK ? lock_of_another : lock_unsupported;
}

enum { WRITERS = 1000, LONGEST = 48 }; /* writers of one path; bytes that a name below has more than the path */

/* The name of a file in the folder of the path, which has room for LONGEST more bytes: ".tapegrad-", a hash of the
 * file's name (FNV-1a), the number of the writer, and what it is for. */
static void name_hidden(const char *path, char *name, int writer, const char *suffix) {
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    uint64_t h = 14695981039346656037u;
    for (const char *at = path + folder; *at; at++) h = (h ^ (unsigned char)*at) * 1099511628211u;
    snprintf(name, strlen(path) + LONGEST, "%.*s.tapegrad-%08" PRIx64 "-%d.%s", folder, path,
             (h ^ h >> 32) & UINT32_MAX, writer, suffix);
}

/* Creates and locks a new file. -1 with errno on an error; EEXIST also if another writer removed it as stale before it
 * was locked. The owner is not checked: on some file systems a new file belongs to another user. */
static int open_new(const char *name, mode_t mode) {
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0) return fd;
    const bool is_locked = take_lock(fd) == lock_of_another;
    errno = 0;
    if (!is_locked && is_named(fd, name)) return fd;
    const int reason = errno && errno != ENOENT ? errno : EEXIST;
    if (reason != EEXIST) unlink(name); /* the file that was just made cannot be examined */
    close(fd);
    errno = reason;
    return -1;
}

/* Removes the stale temporary file of a program that was killed. A file is not stale if it is locked or has been
 * renamed, if it has a second hard link or another owner, or if it is not a regular file. Without locks it may belong
 * to another writer, so it is kept. */
static bool remove_stale(const char *name) {
    struct stat about;
    int fd = open(name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool is_stale = fd >= 0 && take_lock(fd) == lock_taken && fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
                         about.st_nlink == 1 && about.st_uid == geteuid() && is_named(fd, name) && unlink(name) == 0;
    if (fd >= 0) close(fd);
    return is_stale;
}

/* Opens the temporary file with the first name that is free or stale. -1 with errno on an error. */
static int open_temporary(tg_Output *out, mode_t mode) {
    for (int writer = 1; writer <= WRITERS; writer++) {
        name_hidden(out->path, out->temporary, writer, "tmp");
        int fd = open_new(out->temporary, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
        if (!remove_stale(out->temporary)) continue;
        fd = open_new(out->temporary, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    errno = EBUSY;
    return -1;
}

/* Gives the new file the old one's owner, group and permissions, as far as permitted. If the group could not be set,
 * the group's permissions are restricted to those of others. */
static void copy_permissions(int fd, const struct stat *old) {
    struct stat now;
    mode_t mode = old->st_mode & 0777;
    if (fchown(fd, old->st_uid, old->st_gid) != 0) (void)!fchown(fd, (uid_t)-1, old->st_gid);
    if (fstat(fd, &now) != 0 || now.st_gid != old->st_gid) mode &= 0707 | (mode & 7) << 3;
    (void)!fchmod(fd, mode);
}

bool tg_output_open(tg_Output *out, const char *path) {
    *out = (tg_Output){.fd = -1, .failed = true};
    if (!path) return t_error() ? false : tg_fail("the path is NULL") != NULL;
    if (!*path) return tg_fail("the path is empty");
    struct stat old;
    const bool is_there = tg_file_calls.stat(path, &old) == 0;
    if (!is_there && errno != ENOENT) return tg_fail("cannot write %s: %s", path, strerror(errno));
    if (is_there && !S_ISREG(old.st_mode))
        return tg_fail("cannot write %s: it is %s", path, S_ISDIR(old.st_mode) ? "a folder" : "not a regular file");
    if (is_there && access(path, W_OK) != 0) return tg_fail("cannot write %s: %s", path, strerror(errno));
    out->name = path;
    out->path = real_path(path);
    out->temporary = out->path ? tg_file_calls.realloc(NULL, strlen(out->path) + LONGEST) : NULL;
    out->buffer = out->temporary ? tg_file_calls.realloc(NULL, BUFFER) : NULL;
    out->capacity = BUFFER;
    if (!out->buffer) {
        tg_output_commit(out, false);
        return tg_fail("out of memory for writing %s", path);
    }
    out->failed = false;
    out->fd = open_temporary(out, is_there ? 0600 : 0666);
    if (out->fd < 0) {
        fail_output(out, "write");
        return tg_output_commit(out, false);
    }
    if (is_there) copy_permissions(out->fd, &old);
    return true;
}

void tg_output_memory(tg_Output *out) {
    *out = (tg_Output){.fd = -1};
}

static bool write_all(tg_Output *out, const uint8_t *from, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = tg_file_calls.write(out->fd, from, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) return fail_output(out, "write");
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

static bool flush(tg_Output *out) {
    size_t used = out->used;
    out->used = 0;
    return write_all(out, out->buffer, used);
}

static bool grow(tg_Output *out, size_t bytes) {
    size_t capacity = out->capacity ? out->capacity : 256;
    while (capacity - out->used < bytes && capacity <= SIZE_MAX / 2) capacity *= 2;
    uint8_t *larger = capacity - out->used < bytes ? NULL : tg_file_calls.realloc(out->buffer, capacity);
    if (!larger) {
        out->failed = true;
        return tg_fail("out of memory for %" PRIu64 " bytes that were to be written", out->written + bytes);
    }
    out->buffer = larger;
    out->capacity = capacity;
    return true;
}

bool tg_output_write(tg_Output *out, const void *from, size_t bytes) {
    if (out->failed) return false;
    if (bytes > out->capacity - out->used) {
        if (!out->path) {
            if (!grow(out, bytes)) return false;
        } else if (!flush(out)) {
            return false;
        }
    }
    out->written += bytes;
    if (bytes > out->capacity) return write_all(out, from, bytes);
    if (bytes) memcpy(out->buffer + out->used, from, bytes);
    out->used += bytes;
    return true;
}

bool tg_output_text(tg_Output *out, const char *text) {
    return tg_output_write(out, text, strlen(text));
}

bool tg_output_print(tg_Output *out, const char *format, ...) {
    enum { CAPACITY = 256 };
    char buffer[CAPACITY], *text = buffer;
    va_list values, again;
    if (out->failed) return false;
    va_start(values, format);
    va_copy(again, values);
    const int length = tg_c_vsnprintf(buffer, CAPACITY, format, values);
    va_end(values);
    if (length >= CAPACITY) text = tg_file_calls.realloc(NULL, (size_t)length + 1);
    if (text && text != buffer) tg_c_vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (length < 0 || !text) {
        out->failed = true;
        return tg_fail("out of memory for %d bytes that were to be written", length);
    }
    const bool ok = tg_output_write(out, text, (size_t)length);
    if (text != buffer) free(text);
    return ok;
}

/* fsync of the folder, so that the rename is on the disk too. Errors are ignored: not all file systems support it. */
static void sync_folder(const char *path) {
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

static bool flush_to_disk(const tg_Output *out) {
    int result;
    do result = tg_file_calls.fsync(out->fd);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

bool tg_output_commit(tg_Output *out, bool ok) {
    return tg_outputs_commit(out, 1, ok);
}

static bool finish_writing(tg_Output *out) {
    return !out->failed && flush(out) && (flush_to_disk(out) || fail_output(out, "write"));
}

/* Gives the old file at the path a second name, from which it can be put back; where the file system has no hard links
 * it is moved there. out->old stays NULL if there is no old file. */
static bool keep_old(tg_Output *out) {
    char *old = tg_file_calls.realloc(NULL, strlen(out->path) + LONGEST);
    if (!old) return tg_fail("out of memory for writing %s", out->name);
    bool ok = false;
    errno = EEXIST;
    for (int writer = 1; !ok && errno == EEXIST && writer <= WRITERS; writer++) {
        name_hidden(out->path, old, writer, "old");
        ok = tg_file_calls.link(out->path, old) == 0;
    }
    if (!ok && errno != EEXIST && errno != ENOENT) ok = tg_file_calls.rename(out->path, old) == 0;
    if (ok)
        out->old = old;
    else
        ok = errno == ENOENT || fail_output(out, "replace");
    if (!out->old) free(old);
    return ok;
}

/* As it was before keep_old and put_in_place. */
static void put_back(tg_Output *out, bool is_placed) {
    if (!out->old) {
        if (is_placed) unlink(out->path);
    } else if (tg_file_calls.rename(out->old, out->path) != 0) {
        tg_fail("%s; the file that was there before is %s", t_error_message(), out->old);
    } else {
        unlink(out->old); /* rename does nothing if both are names of one file */
    }
}

static bool put_in_place(tg_Output *out) {
    return tg_file_calls.rename(out->temporary, out->path) == 0 || fail_output(out, "put in place");
}

static void release_output(tg_Output *out) {
    if (out->fd >= 0) close(out->fd); /* releases the lock, so it comes after the rename; the data were synced before */
    free(out->path);
    free(out->temporary);
    free(out->old);
    free(out->buffer);
    *out = (tg_Output){.fd = -1, .failed = true};
}

bool tg_outputs_commit(tg_Output *outs, int count, bool ok) {
    int kept = 0, placed = 0;
    for (int i = 0; ok && i < count; i++) ok = finish_writing(&outs[i]);
    for (; ok && kept < count - 1; kept += ok) ok = keep_old(&outs[kept]); /* the last one is never put back */
    for (; ok && placed < count; placed += ok) ok = put_in_place(&outs[placed]);
    for (int i = 0; i < count; i++) {
        tg_Output *out = &outs[i];
        if (!ok && i < kept) put_back(out, i < placed);
        if (i >= placed && out->fd >= 0) unlink(out->temporary);
        if (ok && out->old) unlink(out->old);
        if (ok) sync_folder(out->path);
        release_output(out);
    }
    return ok;
}

void *tg_output_take(tg_Output *out, bool ok, size_t *size) {
    void *bytes = NULL;
    if (ok && !out->failed && (out->buffer || grow(out, 1))) {
        bytes = out->buffer;
        out->buffer = NULL;
        *size = out->used;
    }
    free(out->buffer);
    *out = (tg_Output){.fd = -1, .failed = true};
    return bytes;
}

char *tg_output_take_text(tg_Output *out, bool ok) {
    size_t size;
    return tg_output_take(out, ok && tg_output_write(out, "", 1), &size);
}

/* ---- folders ---- */

bool tg_make_folders(const char *path) {
    char part[PATH_MAX];
    const size_t length = strlen(path);
    if (length == 0) return tg_fail("the path of a folder is empty");
    if (length >= sizeof part) return tg_fail("cannot create the folder %s: %s", path, strerror(ENAMETOOLONG));
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0') continue;
        memcpy(part, path, end);
        part[end] = '\0';
        struct stat about;
        if (tg_file_calls.mkdir(part, 0777) == 0) continue;
        const int refused = errno, is_there = stat(part, &about) == 0;
        if (is_there && S_ISDIR(about.st_mode)) continue;
        const int reason = refused != EEXIST ? refused : is_there ? ENOTDIR : errno;
        return tg_fail("cannot create the folder %s: %s: %s", path, part, strerror(reason));
    }
    return true;
}
