/* core/tensorboard/event_reader.h: reading event files (public; part of core/tensorboard/tensorboard.h). */
#ifndef TAPEGRAD_CORE_TENSORBOARD_EVENT_READER_H
#define TAPEGRAD_CORE_TENSORBOARD_EVENT_READER_H

#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef enum tensorboard_Kind {
    tensorboard_file_version, /* text: the version */
    tensorboard_scalar,       /* value */
    tensorboard_histogram,    /* min to bucket */
    tensorboard_image,        /* height, width, channels; bytes: the file, as a rule a PNG */
    tensorboard_audio,        /* bytes: the file, as a rule a WAV */
    tensorboard_tensor,       /* tensor; of strings the first one as bytes, of the plugin "text" as text too */
    tensorboard_metadata,     /* a plugin's data only, as those of hparams: content */
    tensorboard_graph,        /* bytes: a serialized GraphDef */
    tensorboard_run_metadata, /* tag; bytes: a serialized RunMetadata */
    tensorboard_session_log,  /* value: its status, 1 for START */
    tensorboard_other         /* an event without any of these */
} tensorboard_Kind;

/* A value of an event. Fields that its kind does not have are 0 and NULL. */
typedef struct tensorboard_Event {
    tensorboard_Kind kind;
    double wall_time;
    int64_t step;
    char *tag, *plugin, *text; /* plugin: "text", "hparams", ... */
    double value;
    double min, max, num, sum, sum_squares;
    Tensor *bucket_limit, *bucket; /* float64 */
    Tensor *tensor;
    int64_t height, width, channels;
    uint8_t *bytes, *content; /* content: of the plugin */
    size_t bytes_size, content_size;
} tensorboard_Event;

/* Owned by the scope. */
typedef struct tensorboard_Events {
    t_Object object;
    int64_t len, capacity;
    tensorboard_Event *items;
    bool is_cut; /* a file ends within a record: its program is still writing, or was killed */
} tensorboard_Events;

/* The events of a file, or of each file of a folder whose name contains "tfevents", in the order of their names.
 * tensorboard's EventAccumulator(path).Reload(). Errors: the system's; no such file in a folder; what is not an event
 * file, with its byte. */
T_API tensorboard_Events *tensorboard_load_events(const char *path);
/* The same of bytes in memory; name: for errors. */
T_API tensorboard_Events *tensorboard_load_events_bytes(const void *bytes, size_t size, const char *name);
/* The curve of a tag, whether written in the old or the new style: steps int64 and values float64, to plot for example.
 * KeyError if there is no scalar of that tag. */
T_API bool tensorboard_scalars(const tensorboard_Events *events, const char *tag, Tensor **steps, Tensor **values);

T_END_DECLS
#endif
