/* core/pandas/terminal_width.h: the width that printed frames are cut to (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_TERMINAL_WIDTH_H
#define TAPEGRAD_CORE_PANDAS_TERMINAL_WIDTH_H

#include <stdint.h>

int64_t tg_terminal_width(void); /* as Python's shutil.get_terminal_size: COLUMNS, the terminal's, or 80 */

#endif
