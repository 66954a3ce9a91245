/* core/text/text.h: texts, under the names of the packages that tutorials use (public): tiktoken, tokenizers,
 * torchtext. */
#ifndef TAPEGRAD_CORE_TEXT_TEXT_H
#define TAPEGRAD_CORE_TEXT_TEXT_H

#include "core/text/string_list.h"
#include "core/text/tiktoken.h"
#include "core/text/tokenizers.h"
#include "core/text/torchtext.h"
#ifndef __cplusplus
#include "core/text/sugar.h"
#endif

#endif
