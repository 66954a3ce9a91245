/* core/tensorboard/hparams.c: add_hparams, as the messages of TensorBoard's hparams plugin
 * (tensorboard/plugins/hparams/api.proto, plugin_data.proto), and add_custom_scalars (custom_scalar/layout.proto). */
#include <stdlib.h>
#include <string.h>

#include "core/ops/creation.h"
#include "core/ops/tensor_info.h"
#include "core/tensor/str.h"
#include "core/tensorboard/event_internal.h"

enum { TYPE_STRING = 1, TYPE_FLOAT64 = 3 };

/* google.protobuf.Value */
static void put_number(tg_Output *out, uint32_t field, double number) {
    const size_t value = tg_proto_begin(out, field);
    tg_proto_double(out, 2, number);
    tg_proto_end(out, value);
}

static void put_text(tg_Output *out, uint32_t field, const char *text) {
    const size_t value = tg_proto_begin(out, field);
    tg_proto_text(out, 3, text);
    tg_proto_end(out, value);
}

/* The i-th item of a domain belongs to that hyperparameter: "lr", or a text's "optimizer.0". */
static bool is_domain_of(const t_DictItem *item, const char *name) {
    const size_t length = strlen(name);
    if (item->tensor) return strcmp(item->name, name) == 0;
    const char *dot = strrchr(item->name, '.');
    return dot && (size_t)(dot - item->name) == length && strncmp(item->name, name, length) == 0;
}

/* HParamInfo.domain_discrete, a ListValue; nothing if there is none. */
static void put_domain(tg_Output *out, const t_TensorDict *domains, const char *name) {
    size_t list = 0;
    for (int64_t i = 0; domains && i < domains->len; i++) {
        const t_DictItem *item = &domains->items[i];
        if (!is_domain_of(item, name)) continue;
        if (!list) list = tg_proto_begin(out, 5);
        if (item->text) {
            put_text(out, 1, item->text);
            continue;
        }
        const double *values = tg_data(item->tensor); /* check_domains made it contiguous and float64 */
        for (int64_t v = 0; v < tg_numel(item->tensor); v++) put_number(out, 1, values[v]);
    }
    if (list) tg_proto_end(out, list);
}

/* A Summary that is nothing but HParamsPluginData. */
static bool add_plugin_data(tg_EventFile *file, const char *tag, int64_t step, tg_Output *data) {
    size_t size = 0;
    void *content = tg_output_take(data, true, &size);
    if (!content) return false;
    tg_SummaryEvent event;
    tg_summary_begin(&event, tag, 0, step);
    tg_put_metadata(&event.out, "hparams", content, size);
    free(content);
    return tg_summary_add(file, &event);
}

static bool add_experiment(tg_EventFile *file, const t_TensorDict *hparams, const t_TensorDict *metrics,
                           const t_TensorDict *domains, int64_t step) {
    tg_Output data;
    tg_output_memory(&data);
    const size_t experiment = tg_proto_begin(&data, 2);
    for (int64_t i = 0; i < hparams->len; i++) {
        const size_t info = tg_proto_begin(&data, 4);
        tg_proto_text(&data, 1, hparams->items[i].name);
        tg_proto_varint(&data, 4, hparams->items[i].text ? TYPE_STRING : TYPE_FLOAT64);
        put_domain(&data, domains, hparams->items[i].name);
        tg_proto_end(&data, info);
    }
    for (int64_t i = 0; i < metrics->len; i++) {
        const size_t info = tg_proto_begin(&data, 5), name = tg_proto_begin(&data, 1);
        tg_proto_text(&data, 2, metrics->items[i].name);
        tg_proto_end(&data, name);
        tg_proto_end(&data, info);
    }
    tg_proto_end(&data, experiment);
    return add_plugin_data(file, "_hparams_/experiment", step, &data);
}

static bool add_session_start(tg_EventFile *file, const t_TensorDict *hparams, int64_t step) {
    tg_Output data;
    tg_output_memory(&data);
    const size_t start = tg_proto_begin(&data, 3);
    for (int64_t i = 0; i < hparams->len; i++) {
        const size_t entry = tg_proto_begin(&data, 1);
        tg_proto_text(&data, 1, hparams->items[i].name);
        if (hparams->items[i].text)
            put_text(&data, 2, hparams->items[i].text);
        else
            put_number(&data, 2, t_item(hparams->items[i].tensor));
        tg_proto_end(&data, entry);
    }
    tg_proto_end(&data, start);
    return add_plugin_data(file, "_hparams_/session_start_info", step, &data);
}

static bool add_session_end(tg_EventFile *file, int64_t step) {
    tg_Output data;
    tg_output_memory(&data);
    const size_t end = tg_proto_begin(&data, 4);
    tg_proto_varint(&data, 1, 1); /* STATUS_SUCCESS */
    tg_proto_end(&data, end);
    return add_plugin_data(file, "_hparams_/session_end_info", step, &data);
}

static bool check_hparams(const t_TensorDict *hparams, const t_TensorDict *metrics) {
    for (int64_t i = 0; i < hparams->len; i++)
        if (hparams->items[i].tensor && tg_numel(hparams->items[i].tensor) != 1)
            return tg_fail("value should be one of int, float, str, bool, or torch.Tensor of one element, but \"%s\" "
                           "has %lld",
                           hparams->items[i].name, (long long)tg_numel(hparams->items[i].tensor));
    for (int64_t i = 0; i < metrics->len; i++)
        if (!metrics->items[i].tensor || tg_numel(metrics->items[i].tensor) != 1)
            return tg_fail("the metric \"%s\" is not one number", metrics->items[i].name);
    return true;
}

/* A copy of the domains with contiguous float64 tensors. NULL on an error; an empty dict for NULL. */
static t_TensorDict *check_domains(const t_TensorDict *domains, const t_TensorDict *hparams) {
    t_TensorDict *copy = t_dict_new();
    for (int64_t i = 0; copy && domains && i < domains->len; i++) {
        const t_DictItem *item = &domains->items[i], *hparam = NULL;
        for (int64_t k = 0; !hparam && k < hparams->len; k++)
            if (is_domain_of(item, hparams->items[k].name)) hparam = &hparams->items[k];
        if (!hparam || !hparam->text != !item->text)
            return tg_fail("parameter: hparam_domain_discrete[%s] should be a list of same type as hparam_dict[%s].",
                           item->name, item->name);
        Tensor *values = item->tensor ? tg_values_as(item->tensor, t_float64) : NULL;
        const bool ok =
            item->text ? t_dict_set_text(copy, item->name, item->text) : values && t_dict_set(copy, item->name, values);
        if (!ok) return NULL;
    }
    return copy;
}

bool tensorboard_add_hparams(tensorboard_SummaryWriter *self, const t_TensorDict *hparams, const t_TensorDict *metrics,
                             const tensorboard_HparamsOptions *options) {
    tensorboard_HparamsOptions o = {TENSORBOARD_HPARAMS_DEFAULTS_};
    if (!tg_writer_file(self) || !tg_check_dict(hparams, 2) || !tg_check_dict(metrics, 3) ||
        !tg_take_options(&o, options, sizeof o) ||
        (o.hparam_domain_discrete && !tg_check_dict(o.hparam_domain_discrete, 4)) || !check_hparams(hparams, metrics))
        return false;
    const int depth = t_scope_open();
    if (!depth) return false;
    t_TensorDict *domains = check_domains(o.hparam_domain_discrete, hparams);
    const char *name = !domains ? NULL : o.run_name && *o.run_name ? o.run_name : t_format("%.7f", tg_wall_time());
    const char *folder = name ? t_format("%s/%s", self->log_dir, name) : NULL;
    tg_EventFile *file = folder ? tg_event_file_open(folder, 10, 120, "") : NULL;
    bool ok = file && add_experiment(file, hparams, metrics, domains, o.global_step) &&
              add_session_start(file, hparams, o.global_step) && add_session_end(file, o.global_step);
    for (int64_t i = 0; ok && i < metrics->len; i++) {
        tg_SummaryEvent event;
        tg_summary_begin(&event, metrics->items[i].name, 0, o.global_step);
        tg_proto_float(&event.out, VALUE_SIMPLE_VALUE, (float)t_item(metrics->items[i].tensor));
        ok = tg_summary_add(file, &event);
    }
    ok = ok && tg_event_file_flush(file);
    if (ok)
        tg_event_file_close(file);
    else
        tg_event_file_discard(file);
    t_scope_close(depth);
    return ok;
}

/* ---- custom scalars ---- */

static int count_tags(const tensorboard_Chart *chart) {
    int count = 0;
    while (count < TENSORBOARD_MAX_TAGS && chart->tags[count]) count++;
    return count;
}

static void put_chart(tg_Output *out, const tensorboard_Chart *chart) {
    const size_t begin = tg_proto_begin(out, 2);
    if (*chart->title) tg_proto_text(out, 1, chart->title);
    if (strcmp(chart->type, "Margin") == 0) {
        const size_t margin = tg_proto_begin(out, 3), series = tg_proto_begin(out, 1);
        for (int i = 0; i < 3; i++) tg_proto_text(out, (uint32_t)i + 1, chart->tags[i]);
        tg_proto_end(out, series);
        tg_proto_end(out, margin);
    } else {
        const size_t lines = tg_proto_begin(out, 2);
        for (int i = 0; i < count_tags(chart); i++) tg_proto_text(out, 1, chart->tags[i]);
        tg_proto_end(out, lines);
    }
    tg_proto_end(out, begin);
}

bool tensorboard_add_custom_scalars(tensorboard_SummaryWriter *self, const tensorboard_Chart *layout, int64_t count) {
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_array(layout, count, 2, "charts")) return false;
    for (int64_t i = 0; i < count; i++) {
        if (!layout[i].category || !layout[i].title || !layout[i].type)
            return tg_fail("chart %lld has no category, title or type", (long long)i);
        if (strcmp(layout[i].type, "Margin") == 0 && count_tags(&layout[i]) != 3)
            return tg_fail("a Margin has 3 tags, but \"%s\" has %d", layout[i].title, count_tags(&layout[i]));
    }
    tg_Output data;
    tg_output_memory(&data);
    for (int64_t i = 0; i < count;) {
        const char *category = layout[i].category;
        const size_t begin = tg_proto_begin(&data, 2);
        if (*category) tg_proto_text(&data, 1, category);
        for (; i < count && strcmp(layout[i].category, category) == 0; i++) put_chart(&data, &layout[i]);
        tg_proto_end(&data, begin);
    }
    size_t size = 0;
    void *bytes = tg_output_take(&data, true, &size);
    if (!bytes) return false;
    tg_SummaryEvent event;
    tg_summary_begin(&event, "custom_scalars__config__", 0, T_NONE);
    tg_put_string_tensor(&event.out, bytes, size, 0);
    tg_put_metadata(&event.out, "custom_scalars", NULL, 0);
    free(bytes);
    return tg_summary_add(file, &event);
}
