/* core/tensorboard/summary_writer.c: SummaryWriter and its files. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

const tensorboard_SummaryWriterOptions tensorboard_SummaryWriterDefaults = {TENSORBOARD_SUMMARY_WRITER_DEFAULTS_};

/* False with the first error; all files are closed. */
static bool close_files(tensorboard_SummaryWriter *self) {
    bool ok = true;
    for (int64_t i = 0; i < self->file_count; i++) {
        const bool had_failed = self->files[i]->failed; /* and was reported then */
        ok = (tg_event_file_close(self->files[i]) || had_failed) && ok;
    }
    self->file_count = 0;
    return ok;
}

/* No call is there to return an error to, so it is a warning. */
static void writer_destroy(void *object) {
    static _Thread_local bool warned;
    tensorboard_SummaryWriter *self = object;
    tg_object_dispose(&self->object);
    tg_SavedError before;
    size_t unused;
    const bool had_error = t_error() != NULL;
    if (had_error) tg_error_save(&before);
    if (!close_files(self) && t_error_message()) {
        tg_warn(&warned, "%s", t_error_message());
        t_clear_error();
    }
    if (had_error) tg_error_restore(&before);
    free(self->log_dir);
    free(self->filename_suffix);
    tg_free(self->files, (size_t)self->file_capacity * sizeof *self->files);
    tg_output_take(&self->projector, false, &unused);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class writer_class = {"SummaryWriter", writer_destroy};

static bool check_writer(const tensorboard_SummaryWriter *self) {
    if (!tg_check_given(self != NULL, 1, "a SummaryWriter")) return false;
    return self->object.is_a == &writer_class || tg_fail("argument 1 is not a SummaryWriter, or was released");
}

tg_EventFile *tg_writer_file_of(tensorboard_SummaryWriter *self, const char *folder) {
    for (int64_t i = 0; i < self->file_count; i++)
        if (strcmp(self->files[i]->folder, folder) == 0) return self->files[i];
    if (self->file_count == self->file_capacity) {
        const int64_t capacity = self->file_capacity ? 2 * self->file_capacity : 4;
        tg_EventFile **files = tg_alloc((size_t)capacity * sizeof *files);
        if (!files) return NULL;
        if (self->file_count) memcpy(files, self->files, (size_t)self->file_count * sizeof *files);
        tg_free(self->files, (size_t)self->file_capacity * sizeof *files);
        self->files = files;
        self->file_capacity = capacity;
    }
    tg_EventFile *file = tg_event_file_open(folder, self->max_queue, self->flush_secs, self->filename_suffix);
    if (file) self->files[self->file_count++] = file;
    return file;
}

/* Two events tell TensorBoard that the run was begun again at purge_step. */
static bool add_restart(tensorboard_SummaryWriter *self, tg_EventFile *file) {
    tg_Output event;
    tg_event_begin(&event, 0, self->purge_step);
    tg_proto_text(&event, EVENT_FILE_VERSION, "brain.Event:2");
    if (!tg_event_file_add(file, &event, true)) return false;
    tg_event_begin(&event, 0, self->purge_step);
    const size_t log = tg_proto_begin(&event, EVENT_SESSION_LOG);
    tg_proto_varint(&event, 1, 1); /* START */
    tg_proto_end(&event, log);
    return tg_event_file_add(file, &event, true);
}

tg_EventFile *tg_writer_file(tensorboard_SummaryWriter *self) {
    if (!check_writer(self)) return NULL;
    const bool is_open = self->file_count > 0;
    tg_EventFile *file = tg_writer_file_of(self, self->log_dir);
    if (file && !is_open && self->purge_step != T_NONE) {
        if (!add_restart(self, file)) return NULL;
        self->purge_step = T_NONE;
    }
    return file;
}

/* "runs/May04_22-14-54_host" and the comment */
static const char *default_folder(const char *comment) {
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char host[256] = "localhost";
    if (gethostname(host, sizeof host) == 0) host[sizeof host - 1] = '\0';
    const time_t now = time(NULL);
    struct tm t = {0};
    localtime_r(&now, &t);
    return t_format("runs/%s%02d_%02d-%02d-%02d_%s%s", months[t.tm_mon], t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, host,
                    comment ? comment : "");
}

static char *copy_text(const char *text) {
    tg_Output out;
    tg_output_memory(&out);
    if (text) tg_output_text(&out, text);
    return tg_output_take_text(&out, text != NULL);
}

tensorboard_SummaryWriter *tensorboard_SummaryWriter_new(const tensorboard_SummaryWriterOptions *options) {
    tensorboard_SummaryWriterOptions o = tensorboard_SummaryWriterDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.max_queue < 0) return tg_fail("max_queue is %lld, but must not be negative", (long long)o.max_queue);
    if (!(o.flush_secs >= 0)) return tg_fail("flush_secs is %g, but must not be negative", o.flush_secs);
    const int depth = t_scope_open();
    tensorboard_SummaryWriter *self = depth ? tg_alloc(sizeof *self) : NULL;
    if (!self) {
        t_scope_close(depth);
        return NULL;
    }
    *self =
        (tensorboard_SummaryWriter){.purge_step = o.purge_step, .max_queue = o.max_queue, .flush_secs = o.flush_secs};
    tg_output_memory(&self->projector);
    tg_object_init(&self->object, &writer_class);
    self->log_dir = copy_text(o.log_dir && *o.log_dir ? o.log_dir : default_folder(o.comment));
    self->filename_suffix = self->log_dir ? copy_text(o.filename_suffix ? o.filename_suffix : "") : NULL;
    const bool ok = self->filename_suffix && tg_writer_file(self);
    while (!ok && self->file_count) tg_event_file_discard(self->files[--self->file_count]);
    return tg_scope_return(depth, ok ? self : NULL);
}

const char *tensorboard_get_logdir(const tensorboard_SummaryWriter *self) {
    return check_writer(self) ? self->log_dir : NULL;
}

bool tensorboard_flush(tensorboard_SummaryWriter *self) {
    if (!check_writer(self)) return false;
    bool ok = true;
    for (int64_t i = 0; i < self->file_count; i++) ok = tg_event_file_flush(self->files[i]) && ok;
    return ok;
}

bool tensorboard_close(tensorboard_SummaryWriter *self) {
    return check_writer(self) && close_files(self);
}
