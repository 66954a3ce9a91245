/* core/tensorboard/mesh.c: add_mesh, as the messages of TensorBoard's mesh plugin
 * (tensorboard/plugins/mesh/plugin_data.proto). */
#include <stdlib.h>
#include <string.h>

#include "core/io/json.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

/* MeshPluginData.ContentType */
enum { VERTEX = 1, FACE = 2, COLOR = 3, KINDS = 4 };

/* A Value with the tensor, float32, under the tag "TAG_VERTEX". */
static bool put_part(tg_Output *out, const char *tag, int kind, unsigned components, Tensor *x, const char *config) {
    static const char *const names[] = {[VERTEX] = "VERTEX", [FACE] = "FACE", [COLOR] = "COLOR"};
    tg_Output data;
    size_t size = 0;
    Tensor *values = tg_values_as(x, t_float32);
    const char *name = values ? t_format("%s_%s", tag, names[kind]) : NULL;
    if (!name) return false;
    tg_output_memory(&data);
    if (*tag) tg_proto_text(&data, 2, tag);
    tg_proto_varint(&data, 3, (uint64_t)kind);
    if (*config) tg_proto_text(&data, 5, config);
    tg_proto_packed_varints(&data, 6, x->shape, 3);
    tg_proto_varint(&data, 7, components);
    void *content = tg_output_take(&data, true, &size);
    if (!content) return false;
    const size_t value = tg_proto_begin(out, 1);
    tg_proto_text(out, VALUE_TAG, name);
    tg_put_float_tensor(out, tg_data(values), x->shape, 3);
    tg_put_metadata(out, "mesh", content, size);
    tg_proto_end(out, value);
    free(content);
    return true;
}

static bool check_config(const char *config) {
    char *text = (char *)t_format("%s", config); /* which the parser writes to */
    if (!text) return false;
    tg_Json json = tg_json_of("config_dict", text, strlen(text), 0);
    tg_json_skip(&json);
    return tg_json_end(&json);
}

bool tensorboard_add_mesh(tensorboard_SummaryWriter *self, const char *tag, Tensor *vertices,
                          const tensorboard_MeshOptions *options) {
    tensorboard_MeshOptions o = {TENSORBOARD_MESH_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(vertices, 3) ||
        !tg_take_options(&o, options, sizeof o) || !tg_check_any_optional(o.colors, 4) ||
        !tg_check_any_optional(o.faces, 5))
        return false;
    Tensor *const parts[KINDS] = {[VERTEX] = vertices, [FACE] = o.faces, [COLOR] = o.colors};
    unsigned components = 0;
    for (int kind = VERTEX; kind < KINDS; kind++) {
        if (!parts[kind]) continue;
        if (parts[kind]->ndim != 3)
            return tg_fail("Tensor shape should be of shape BxNx3, but got %s.", tg_shape_of(parts[kind]));
        components |= 1u << kind;
    }
    const char *config = o.config_dict ? o.config_dict : "{}";
    const int depth = t_scope_open();
    if (!depth || !check_config(config)) {
        t_scope_close(depth);
        return false;
    }
    tg_Output event;
    tg_event_begin(&event, o.walltime, o.global_step);
    const size_t summary = tg_proto_begin(&event, EVENT_SUMMARY);
    bool ok = true;
    for (int kind = VERTEX; ok && kind < KINDS; kind++)
        ok = !parts[kind] || put_part(&event, tag, kind, components, parts[kind], config);
    tg_proto_end(&event, summary);
    ok = tg_event_file_add(file, &event, ok);
    t_scope_close(depth);
    return ok;
}
