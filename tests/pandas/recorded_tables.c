/* tests/pandas/recorded_tables.c: what pandas printed, from tests/golden/pandas.txt. */
#include "tests/pandas/recorded_tables.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/support.h"

static const char *refusal(void) {
    static const char name[] = "the text in memory: ";
    const char *message = t_error_message() ? t_error_message() : "none";
    if (strncmp(message, name, sizeof name - 1) == 0) message += sizeof name - 1;
    const char *text = t_format("error: %s", message);
    t_clear_error();
    return text;
}

const char *frame_text(const pd_DataFrame *df) {
    char dtypes[500] = "";
    if (!df) return refusal();
    for (int64_t i = 0; i < df->width; i++)
        snprintf(dtypes + strlen(dtypes), sizeof dtypes - strlen(dtypes), "%s%s", i ? " " : "",
                 pd_Series_dtype(pd_getitem(pd_iloc(df, t_format(":, %d", (int)i)), pd_column_name(df, i))));
    return t_format("%s\n%s", pd_str(df), dtypes);
}

const char *series_text(const pd_Series *s) {
    return s ? pd_str(s) : refusal();
}

/* The third line of a case, without the quotes and escapes of a JSON text. */
static void result_of(const char *key, char *to, size_t size) {
    const char *at = golden_case(golden_file("pandas.txt"), key);
    ck_assert_msg(at != NULL, "%s is not recorded", key);
    for (int line = 0; line < 2; line++) at = strchr(at, '\n') + 1;
    ck_assert(strcspn(at, "\n") < size);
    char *out = to;
    for (at += *at == '"'; *at != '\n' && !(*at == '"' && at[1] == '\n'); at++) {
        if (*at == '\\') at++;
        *out++ = *at == 'n' && at[-1] == '\\' ? '\n' : *at;
    }
    *out = '\0';
}

void expect_recorded(const char *kind, int number, const char *got) {
    char key[40], want[8000];
    snprintf(key, sizeof key, "%s %d", kind, number);
    result_of(key, want, sizeof want);
    if (strcmp(got, want) != 0) note("%s:\n%s\ninstead of\n%s", key, got, want);
}
