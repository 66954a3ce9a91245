/* tests/programs/no_memory_text.c: an error without memory for its text: t_error and t_error_message still give a
 * complete message. This program replaces calloc and realloc by versions that fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

static bool refuses;

void *calloc(size_t count, size_t size) {
    static void *(*real)(size_t, size_t);
    static char early[4096]; /* dlsym itself may allocate */
    static bool is_asking;
    if (is_asking) return early;
    is_asking = true;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "calloc");
    is_asking = false;
    return refuses ? NULL : real(count, size);
}

int main(void) {
    t_is_grad_enabled(); /* starts the thread's state */
    refuses = true;
    (t_matmul)(NULL, NULL);
    refuses = false;
    const char *text = t_error(), *sentence = t_error_message();
    const char *expected = "out of memory, for the text of an error too";
    bool ok = text && sentence && strcmp(text, expected) == 0 && strcmp(sentence, expected) == 0;
    /* The same inside a macro's frame, where the text begins with the user's line. */
    static const t_Site site = {"tests/programs/no_memory_text.c", 1, "t_matmul(NULL, NULL)"};
    t_set_error_handler(NULL, NULL);
    t_clear_error();
    const t_Site *before = t_enter_(&site);
    refuses = true;
    (t_matmul)(NULL, NULL);
    refuses = false;
    text = t_error(), sentence = t_error_message();
    ok = ok && text && sentence && strcmp(text, expected) == 0 && strcmp(sentence, expected) == 0;
    t_clear_error();
    t_leave_(before);
    printf("no_memory_text: %s\n", ok ? "the message is complete" : "the message is NOT complete");
    return !ok;
}
