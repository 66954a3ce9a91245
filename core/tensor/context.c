/* core/tensor/context.c: the thread-local context (started at first use, freed at thread end), errors, warnings,
 * options. */
#include "core/tensor/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/gemm/gemm.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/generator.h"
#include "core/tensor/profiler_hooks.h"
#include "core/tensor/tensor.h"

_Thread_local Context tg_thread;
const tg_ProfilerHooks *tg_profiler_hooks;

/* ---- start and end ---- */

static pthread_key_t at_thread_end;

void tg_clear_casts(void) {
    tg_Casts *casts = tg_thread.casts;
    tg_thread.casts = NULL;
    if (!casts) return;
    for (int64_t i = 0; i < casts->count; i++) {
        t_release(casts->items[i].cast);
        t_release(casts->items[i].x);
    }
    tg_free(casts, sizeof *casts + (size_t)casts->capacity * sizeof *casts->items);
}

void tg_drop_cast(const Tensor *x) {
    tg_Casts *casts = tg_thread.casts;
    for (int64_t i = 0; casts && i < casts->count; i++) {
        if (casts->items[i].x != x) continue;
        t_release(casts->items[i].cast);
        casts->items[i].cast = NULL;
    }
}

/* At the end of a thread: releases the objects of its root scope, then frees its caches. */
static void drain(void *unused) {
    (void)unused;
    if (!tg_thread.started) return;
    tg_clear_casts();
    tg_scope_close(1);
    if (tg_profiler()) tg_profiler()->thread_end();
    t_release(tg_thread.generator);
    tg_thread.generator = NULL;
    t_release(tg_thread.module_hooks);
    tg_thread.module_hooks = NULL;
    tg_tensor_drain();
    tg_gemm_drain();
    tg_object_drain();
    tg_cache_drain();
    for (int i = 0; i < THREAD_BUFFERS; i++) {
        free(tg_thread.buffers[i]);
        tg_thread.buffers[i] = NULL;
    }
    free(tg_thread.long_error);
    tg_thread.long_error = NULL;
    tg_thread.error_pending = false; /* its text was freed */
    tg_thread.started = false;
}

static void drain_main(void) {
    drain(NULL);
    pthread_key_delete(at_thread_end); /* after dlclose no thread may call a destructor in unmapped code */
}

static void register_drain(void) {
    pthread_key_create(&at_thread_end, drain);
    atexit(drain_main); /* the main thread ends in exit(), which runs no key destructors */
    tg_profile_program();
}

Context *tg_start_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Context *thread = &tg_thread;
    thread->started = true;
    thread->grad_enabled = true;
    const char *teach = getenv("TAPEGRAD_TEACH");
    thread->teaching = teach && strcmp(teach, "1") == 0;
    thread->root.depth = 1;
    thread->scope = &thread->root;
    pthread_once(&once, register_drain);
    pthread_setspecific(at_thread_end, thread);
    return thread;
}

void *tg_thread_buffer(ThreadBuffer which, size_t bytes) {
    void **slot = &tg_context()->buffers[which];
    if (!*slot) *slot = calloc(1, bytes);
    return *slot;
}

const char *t_version(void) {
    return TAPEGRAD_VERSION;
}

/* ---- errors ---- */

/* The length of the part of an expression that the user wrote: where a user's macro contains an op, the text has
 * kilobytes of macro expansion, which begins at the first __extension__. At most 200. */
static int readable_length(const char *text) {
    const char *expansion = strstr(text, "__extension__");
    size_t length = expansion ? (size_t)(expansion - text) : strlen(text);
    return length > 200 ? 200 : (int)length;
}

/* The frame is off the list meanwhile: a user's extra_repr that fails does not print again. */
void tg_print_module(bool with_class, char *to, size_t size) {
    const tg_ModuleFrame *frame = tg_thread.module_frame;
    *to = '\0';
    if (!frame) return;
    tg_thread.module_frame = NULL;
    frame->print(frame, with_class, to, size);
    tg_thread.module_frame = frame;
}

enum { ERROR_CAPACITY = 1024, MODULE_CAPACITY = 400 };

/* A buffer of that size for an error text: the thread's fixed one, or a larger one (for example for the missing keys of
 * a state dict). The fixed one, in which the text is cut, where the larger one cannot be allocated. */
static char *error_block(size_t bytes) {
    char *text = tg_thread_buffer(buffer_error, ERROR_CAPACITY);
    if (bytes <= ERROR_CAPACITY) return text;
    char *larger = malloc(bytes);
    return larger ? larger : text;
}

/* The text in the thread's buffer becomes the error's, and a larger one that the last error had is freed. */
static void replace_error(char *text) {
    Context *thread = &tg_thread;
    if (text != thread->buffers[buffer_error]) {
        free(thread->long_error);
        thread->long_error = text;
    }
    thread->error_text = text;
}

/* Writes "in model.2, Linear(4, 2): " before the sentence that begins there, and returns its length. The sentence is
 * printed first, because its arguments may be texts that printing a module overwrites. */
static int insert_module(char *sentence, size_t capacity) {
    char path[MODULE_CAPACITY - 5], prefix[MODULE_CAPACITY];
    tg_print_module(true, path, sizeof path);
    const size_t length = (size_t)snprintf(prefix, sizeof prefix, "in %s: ", path), kept = strlen(sentence);
    if (length + 1 >= capacity) return 0;
    memmove(sentence + length, sentence, kept + length < capacity ? kept + 1 : capacity - length);
    sentence[capacity - 1] = '\0';
    memcpy(sentence, prefix, length);
    return (int)length;
}

static void *set_error(const char *format, va_list arguments) {
    enum { HALF = ERROR_CAPACITY / 2 };
    Context *thread = tg_context();
    char site[HALF] = "", local[ERROR_CAPACITY]; /* the pending error's text may be among the arguments */
    int at = 0;
    va_list again;
    va_copy(again, arguments);
    thread->error_site = thread->site ? *thread->site : (t_Site){NULL, 0, NULL};
    if (thread->site)
        at = snprintf(site, HALF, "%s:%d: %.*s: ", thread->site->file, thread->site->line,
                      readable_length(thread->site->text), thread->site->text);
    if (at > HALF - 1) at = HALF - 1;
    const tg_CLocale locale = tg_c_locale_begin();
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length <= 0) length = (int)strlen(format = "(no text)");
    const size_t length_of_module = thread->module_frame ? MODULE_CAPACITY : 0;
    const size_t bytes = (size_t)at + length_of_module + (size_t)length + 1;
    char *text = error_block(bytes);
    if (text) {
        const bool fixed = text == thread->buffers[buffer_error];
        char *to = fixed ? local : text;
        const size_t capacity = fixed ? (size_t)ERROR_CAPACITY : bytes;
        memcpy(to, site, (size_t)at);
        vsnprintf(to + at, capacity - (size_t)at, format, arguments);
        if (thread->module_frame) at += insert_module(to + at, capacity - (size_t)at);
        if (fixed) memcpy(text, local, strlen(local) + 1);
        replace_error(text);
    } else {
        thread->error_text = "out of memory, for the text of an error too";
    }
    tg_c_locale_end(locale);
    thread->error_sentence = thread->error_text + (text ? at : 0);
    thread->error_pending = true;
    thread->failures++;
    return NULL;
}

void *t_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(format ? format : "(no text)", arguments);
    va_end(arguments);
    return NULL;
}

void tg_error_save(tg_SavedError *to) {
    const Context *thread = &tg_thread;
    const size_t bytes = strlen(thread->error_text) + 1;
    *to = (tg_SavedError){malloc(bytes), (size_t)(thread->error_sentence - thread->error_text), thread->error_site,
                          thread->failures, thread->failures_reported};
    if (to->text) memcpy(to->text, thread->error_text, bytes);
}

void tg_error_restore(tg_SavedError *from) {
    Context *thread = &tg_thread;
    const bool unchanged = thread->failures == from->failures && thread->error_pending;
    char *text = from->text && !unchanged ? error_block(strlen(from->text) + 1) : NULL;
    if (text) {
        const bool fixed = text == thread->buffers[buffer_error];
        snprintf(text, fixed ? (size_t)ERROR_CAPACITY : strlen(from->text) + 1, "%s", from->text);
        replace_error(text);
        thread->error_sentence = text + from->sentence;
        thread->error_site = from->site;
        thread->error_pending = true;
        thread->failures_reported = thread->failures - (from->failures - from->reported);
    }
    free(from->text);
}

/* Once per thread and warning, like Python's once per line; TAPEGRAD_WARNINGS=off is
 * warnings.filterwarnings("ignore"). */
void tg_warn(bool *warned, const char *format, ...) {
    const t_Site *site = tg_thread.site;
    if (*warned) return;
    const char *word = getenv("TAPEGRAD_WARNINGS");
    if (word && strcmp(word, "off") == 0) return;
    *warned = true;
    if (site) fprintf(stderr, "%s:%d: ", site->file, site->line);
    va_list arguments;
    va_start(arguments, format);
    fputs("UserWarning: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

/* The lists are shared by the threads; the lock is on a cold path. */
bool tg_first_at_site(WarnedSites *warned) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const t_Site *site = tg_thread.site;
    pthread_mutex_lock(&lock);
    bool first = warned->count < TG_WARNED_SITES;
    for (int i = 0; first && i < warned->count; i++) first = warned->sites[i] != site;
    if (first) warned->sites[warned->count++] = site;
    pthread_mutex_unlock(&lock);
    return first;
}

const char *t_error(void) {
    return tg_thread.error_pending ? tg_thread.error_text : NULL;
}

const char *t_error_message(void) {
    return tg_thread.error_pending ? tg_thread.error_sentence : NULL;
}

void t_clear_error(void) {
    tg_thread.error_pending = false;
    tg_thread.failures_reported = tg_thread.failures;
    tg_thread.reported_out_of_memory = false;
}

void t_set_error_handler(t_ErrorHandler handler, void *context) {
    Context *thread = tg_context();
    thread->handler = handler;
    thread->handler_context = context;
    thread->reported_out_of_memory = false;
}

bool tg_take_options(void *to, const void *given, size_t size) {
    if (!given) return true;
    uint32_t known = *(const uint32_t *)given;
    if (known < sizeof known) return tg_fail("the options' first field, size, is not set");
    memcpy(to, given, known < size ? known : size);
    return true;
}

const t_Site *t_enter_(const t_Site *site) {
    Context *thread = &tg_thread;
    const t_Site *before = thread->site;
    thread->site = site;
    /* Errors of plain calls before the outermost macro are not reported to the handler. Errors of plain calls inside a
     * macro's frame (in a forward or a hook) are, by the next macro that ends. */
    if (!before) thread->failures_reported = thread->failures;
    const tg_ProfilerHooks *hooks = tg_profiler();
    if (hooks) hooks->enter(before);
    return before;
}

/* On out of memory every argument of nn_Sequential(nn_Linear(2, 8), nn_Tanh()) fails with the same error; the handler
 * is called for the first only. */
static bool is_out_of_memory(const char *sentence) {
    static const char start[] = "out of memory";
    return strncmp(sentence, start, sizeof start - 1) == 0;
}

/* In a scope of its own, so that it cannot close its caller's, unless there may be no memory for one. */
static void call_handler(Context *thread) {
    const int depth = is_out_of_memory(thread->error_sentence) ? 0 : tg_scope_open_around_callback();
    thread->handler(thread->error_text, thread->handler_context);
    tg_scope_close(depth);
}

void t_leave_(const t_Site *before) {
    Context *thread = &tg_thread;
    const tg_ProfilerHooks *hooks = tg_profiler();
    if (hooks) hooks->leave(before);
    thread->site = before;
    if (thread->failures_reported == thread->failures) return;
    thread->failures_reported = thread->failures; /* reported once: the enclosing frames do not report it again */
    if (thread->handler) {
        const bool again = thread->reported_out_of_memory && is_out_of_memory(thread->error_sentence);
        thread->reported_out_of_memory = is_out_of_memory(thread->error_sentence);
        if (!again) call_handler(thread);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", thread->error_text);
    exit(1);
}
