/* core/plot/text/font.h: text metrics of DejaVu Sans (internal). */
#ifndef TAPEGRAD_CORE_PLOT_TEXT_FONT_H
#define TAPEGRAD_CORE_PLOT_TEXT_FONT_H

#include <stdint.h>

typedef struct TextSize {
    double width, ascent, descent;
} TextSize;

/* One line of text at a font size, all in points, as matplotlib lays it out: the width is that of the characters'
 * advances, kerned and not rounded to pixels, with spaces at the ends; ascent (above the baseline) and descent (below
 * it, positive) are those of the font, 0.760 and 0.240 of the size, or of a character that is higher, such as an
 * accented capital. Differences: only pairs of ASCII characters are kerned, and letters next to the ligatures ff, fi
 * and fl as next to the single letters. Characters of East Asia, which DejaVu Sans has not, are as wide as the font
 * size; others that the table does not know (it has those of European scripts, punctuation, arrows, mathematics) are
 * 0.600 of it wide, as the box drawn for them. */
TextSize tg_text_size(const char *utf8, double points);

/* The advance of one character, in units of the font size; *x is moved by the kerning with the one before it (0 for
 * none). */
double tg_glyph_advance(uint32_t before, uint32_t point, double *x);

#endif
