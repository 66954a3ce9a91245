/* core/tensor/context.c: the thread's state, from its first use to the thread's end, and the pending error. */
#include "core/tensor/context.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/gemm/gemm.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/generator.h"
#include "core/tensor/tensor.h"

_Thread_local Context tg_thread;

/* ---- start and end ---- */

static pthread_key_t at_thread_end;

/* The end of a thread: what its root scope owns goes, then what its cache holds. */
static void drain(void *unused) {
    (void)unused;
    if (!tg_thread.started) return;
    tg_scope_close(1);
    t_release(tg_thread.generator);
    tg_thread.generator = NULL;
    tg_tensor_drain();
    tg_gemm_drain();
    tg_object_drain();
    tg_cache_drain();
    for (int i = 0; i < BULKS; i++) {
        free(tg_thread.bulk[i]);
        tg_thread.bulk[i] = NULL;
    }
    free(tg_thread.long_error);
    tg_thread.long_error = NULL;
    tg_thread.error_pending = false; /* its text went with the rest */
    tg_thread.started = false;
}

static void drain_main(void) {
    drain(NULL);
    pthread_key_delete(at_thread_end); /* at dlclose, too: nobody may jump into what was unmapped */
}

static void prepare_for_ends(void) {
    pthread_key_create(&at_thread_end, drain);
    atexit(drain_main); /* the main thread leaves by exit, which runs no key destructors */
}

Context *tg_start_thread(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    Context *thread = &tg_thread;
    thread->started = true;
    thread->grad_enabled = true;
    thread->root.depth = 1;
    thread->scope = &thread->root;
    pthread_once(&once, prepare_for_ends);
    pthread_setspecific(at_thread_end, thread);
    return thread;
}

void *tg_bulk(Bulk which, size_t bytes) {
    void **slot = &tg_context()->bulk[which];
    if (!*slot) *slot = calloc(1, bytes);
    return *slot;
}

const char *t_version(void) {
    return TAPEGRAD_VERSION;
}

/* ---- errors ---- */

/* The length of an expression as the user would recognise it: a macro of the user's own around an op expands to
 * kilobytes of this library's text, which starts at the first statement expression. */
static int readable_length(const char *text) {
    const char *expansion = strstr(text, "__extension__");
    size_t length = expansion ? (size_t)(expansion - text) : strlen(text);
    return length > 200 ? 200 : (int)length;
}

enum { ERROR_ROOM = 1024 };

/* A block for a text that needs more (the names that a state dict lacks), or the usual one, where that is cut. */
static char *error_block(size_t bytes) {
    char *text = tg_bulk(bulk_error, ERROR_ROOM);
    if (bytes <= ERROR_ROOM) return text;
    char *larger = realloc(tg_thread.long_error, bytes);
    if (larger) tg_thread.long_error = larger;
    return larger ? larger : text;
}

static void *set_error(const char *format, va_list arguments) {
    enum { HALF = ERROR_ROOM / 2 };
    Context *thread = tg_context();
    char site[HALF] = "";
    int at = 0;
    va_list again;
    va_copy(again, arguments);
    thread->error_site = thread->site ? *thread->site : (t_Site){NULL, 0, NULL};
    if (thread->site)
        at = snprintf(site, HALF, "%s:%d: %.*s: ", thread->site->file, thread->site->line, readable_length(thread->site->text),
                      thread->site->text);
    if (at > HALF - 1) at = HALF - 1;
    const tg_Point point = tg_point_begin();
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    const size_t bytes = (size_t)at + (size_t)(length < 0 ? 0 : length) + 1;
    char *text = error_block(bytes);
    if (text) {
        memcpy(text, site, (size_t)at);
        vsnprintf(text + at, (text == thread->long_error ? bytes : (size_t)ERROR_ROOM) - (size_t)at, format, arguments);
    }
    tg_point_end(point);
    thread->error_text = text ? text : "out of memory, for the text of an error too";
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

/* Each once a thread, as Python warns once for a line; TAPEGRAD_WARNINGS=off is warnings.filterwarnings("ignore"). */
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

const char *t_error(void) {
    return tg_thread.error_pending ? tg_thread.error_text : NULL;
}

const char *t_error_message(void) {
    return tg_thread.error_pending ? tg_thread.error_sentence : NULL;
}

void t_clear_error(void) {
    tg_thread.error_pending = false;
    tg_thread.told = tg_thread.failures;
    tg_thread.told_of_memory = false;
}

void t_set_error_handler(t_ErrorHandler handler, void *context) {
    Context *thread = tg_context();
    thread->handler = handler;
    thread->handler_context = context;
    thread->told_of_memory = false;
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
    /* An error of a plain call from before the outermost frame is not the macros' to tell. One from inside a frame, of a plain
     * call in a forward or a hook, is: the next macro that ends tells it. */
    if (!before) thread->told = thread->failures;
    return before;
}

/* Where there is no memory, each argument of nn_Sequential(nn_Linear(2, 8), nn_Tanh()) fails by itself, for the same reason:
 * the handler is told of the first. */
static bool is_of_memory(const char *sentence) {
    static const char start[] = "out of memory";
    return strncmp(sentence, start, sizeof start - 1) == 0;
}

void t_leave_(const t_Site *before) {
    Context *thread = &tg_thread;
    thread->site = before;
    if (thread->told == thread->failures) return;
    thread->told = thread->failures; /* once: the frames around this one stay silent */
    if (thread->handler) {
        const bool again = thread->told_of_memory && is_of_memory(thread->error_sentence);
        thread->told_of_memory = is_of_memory(thread->error_sentence);
        if (!again) thread->handler(thread->error_text, thread->handler_context);
        return;
    }
    fflush(stdout);
    fprintf(stderr, "%s\n", thread->error_text);
    exit(1);
}
