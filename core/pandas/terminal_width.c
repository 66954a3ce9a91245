/* core/pandas/terminal_width.c: the width of the terminal. */
#include "core/pandas/terminal_width.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int64_t tg_terminal_width(void) {
    const char *columns = getenv("COLUMNS");
    const long given = columns ? strtol(columns, NULL, 10) : 0;
    if (given > 0) return given;
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
