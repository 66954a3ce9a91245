/* tests/support/files/event_support.h: what tests/golden/tensorboard_events.py writes with torch.utils.tensorboard. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_EVENT_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_EVENT_SUPPORT_H

#include "core/core.h"
#include "core/tensorboard/tensorboard.h"

/* x[i] = (37 * i mod 101) / 50 - 1, of that shape. */
Tensor *event_values(const int64_t *shape, int ndim);
/* The same events as write_events of the script: with these times and steps. */
bool write_events(tensorboard_SummaryWriter *writer);
/* Those with pictures, whose files need not be the same bytes. */
bool write_pictures(tensorboard_SummaryWriter *writer);
/* What opens files of its own: add_scalars, add_hparams, add_embedding. */
bool write_folders(tensorboard_SummaryWriter *writer);

#endif
