/* core/tensorboard/tensorboard.h: from torch.utils.tensorboard import SummaryWriter (public).
 *
 *     tensorboard_SummaryWriter *writer = tensorboard_SummaryWriter("runs/first");
 *     for_range (step, 0, 100) {
 *         ...
 *         tensorboard_add_scalar(writer, "Loss/train", loss, step);
 *     }
 *     tensorboard_close(writer);
 *
 * writer.add_scalar(...) of Python is tensorboard_add_scalar(writer, ...), with the same arguments, keywords and
 * defaults. The files are those that TensorBoard reads: `tensorboard --logdir runs`, then http://localhost:6006.
 *
 * A writer belongs to its scope like a tensor, and is closed with it. Events wait in memory, at most max_queue of them
 * and, while the program goes on adding, for at most flush_secs seconds; a crash loses no more than these, and never
 * leaves half of an event. (In PyTorch a thread writes them; here the call does that makes one too many.) The first
 * write that fails, on a full disk for example, is an error; after it nothing is written, and the calls return false
 * without another error.
 *
 * This folder may include core/tensor, core/io, core/python, core/vision, core/plot and the public headers of core/ops.
 * add_graph, which needs modules, is in nn/tensorboard/graph.h. */
#ifndef TAPEGRAD_CORE_TENSORBOARD_TENSORBOARD_H
#define TAPEGRAD_CORE_TENSORBOARD_TENSORBOARD_H

#include "core/tensorboard/event_reader.h"
#include "core/tensorboard/summary_writer.h"
#ifndef __cplusplus
#include "core/tensorboard/sugar.h"
#endif

#endif
