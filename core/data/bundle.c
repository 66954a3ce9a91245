/* core/data/bundle.c: a batch on its way from the thread that made it to another one: the parcels of its tensors and
 * copies of its names and texts. */
#include <string.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"

typedef struct Item {
    tg_Parcel parcel; /* of a tensor */
    char *name, *text; /* name: of a dict's item; text: instead of a tensor */
} Item;

struct tg_Bundle {
    bool is_dict;
    int64_t len;
    Item *items;
    int64_t positions_len; /* of a dict with items by position: the index of each in `items`, -1 for texts */
    int64_t *positions;
    const char *const *names; /* of a tuple: the dataset's, see tg_Sample */
    int names_len;
};

static char *copy_text(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = tg_alloc_raw(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static void free_text(char *text) {
    if (text) tg_free(text, strlen(text) + 1);
}

void tg_bundle_free(tg_Bundle *bundle, bool is_sealed) {
    if (!bundle) return;
    for (int64_t i = 0; i < bundle->len; i++) {
        Item *item = &bundle->items[i];
        if (is_sealed || tg_parcel_seal(&item->parcel)) tg_parcel_drop(&item->parcel);
        free_text(item->name);
        free_text(item->text);
    }
    tg_free(bundle->items, (size_t)bundle->len * sizeof *bundle->items);
    tg_free(bundle->positions, (size_t)bundle->positions_len * sizeof *bundle->positions);
    tg_free(bundle, sizeof *bundle);
}

/* ---- pack ---- */

/* A tensor that is a part of its storage is copied first, so that the rest is not sent with it. */
static bool pack_tensor(Tensor *x, tg_Parcel *parcel) {
    const bool is_whole = tg_is_contiguous(x) && (size_t)tg_numel(x) * tg_itemsize(x->dtype) == x->storage->bytes;
    if (!is_whole && !x->record) x = t_clone(t_contiguous(t_detach(x)));
    return x && tg_parcel_pack(x, parcel);
}

static bool pack_positions(tg_Bundle *bundle, const tg_Sample *batch) {
    const t_TensorList *items = batch->items;
    if (!items) return true;
    bundle->positions = tg_alloc_raw((size_t)items->len * sizeof *bundle->positions);
    if (!bundle->positions) return false;
    bundle->positions_len = items->len;
    for (int64_t k = 0; k < items->len; k++) {
        int64_t i = 0;
        while (i < bundle->len && !(items->items[k] && batch->dict->items[i].tensor == items->items[k])) i++;
        bundle->positions[k] = i < bundle->len ? i : -1;
    }
    return true;
}

static bool pack_item(Item *item, Tensor *tensor, const char *name, const char *text) {
    if (name && !(item->name = copy_text(name))) return false;
    if (text && !(item->text = copy_text(text))) return false;
    return !tensor || pack_tensor(tensor, &item->parcel);
}

tg_Bundle *tg_bundle_pack(const tg_Sample *batch) {
    tg_Bundle *bundle = tg_alloc(sizeof *bundle);
    if (!bundle) return NULL;
    bundle->is_dict = batch->dict != NULL;
    bundle->names = batch->names;
    bundle->names_len = batch->names_len;
    const int64_t len = batch->dict ? batch->dict->len : batch->tuple->len;
    bundle->items = tg_alloc((size_t)len * sizeof *bundle->items);
    bool ok = bundle->items != NULL;
    if (ok) bundle->len = len;
    for (int64_t i = 0; ok && i < len; i++) {
        const t_DictItem *from = batch->dict ? &batch->dict->items[i] : NULL;
        ok = pack_item(&bundle->items[i], from ? from->tensor : batch->tuple->items[i], from ? from->name : NULL,
                       from ? from->text : NULL);
    }
    if (ok && (!bundle->is_dict || pack_positions(bundle, batch))) return bundle;
    tg_bundle_free(bundle, false);
    return NULL;
}

bool tg_bundle_seal(tg_Bundle *bundle) {
    bool ok = true;
    for (int64_t i = 0; i < bundle->len; i++)
        if (!tg_parcel_seal(&bundle->items[i].parcel)) ok = false;
    return ok;
}

/* ---- open ---- */

static bool open_tuple(tg_Bundle *bundle, tg_Sample *batch) {
    t_TensorList *list = batch->tuple ? batch->tuple : t_list_new(NULL, 0);
    *batch = (tg_Sample){.tuple = list, .names = bundle->names, .names_len = bundle->names_len};
    bool ok = list != NULL;
    for (int64_t i = 0; ok && i < bundle->len; i++) {
        Tensor *x = tg_parcel_open(&bundle->items[i].parcel);
        ok = x && t_list_append(list, x);
    }
    return ok;
}

static bool open_dict(tg_Bundle *bundle, tg_Sample *batch) {
    t_TensorDict *dict = t_dict_new();
    bool ok = dict != NULL;
    *batch = (tg_Sample){.dict = dict};
    for (int64_t i = 0; ok && i < bundle->len; i++) {
        Item *item = &bundle->items[i];
        if (item->text) {
            ok = t_dict_set_text(dict, item->name, item->text);
        } else {
            Tensor *x = tg_parcel_open(&item->parcel);
            ok = x && t_dict_set(dict, item->name, x);
        }
    }
    if (!ok || !bundle->positions) return ok;
    batch->items = tg_list_of_nulls(bundle->positions_len);
    for (int64_t k = 0; batch->items && k < bundle->positions_len; k++)
        if (bundle->positions[k] >= 0) batch->items->items[k] = t_retain(dict->items[bundle->positions[k]].tensor);
    return batch->items != NULL;
}

bool tg_bundle_open(tg_Bundle *bundle, tg_Sample *batch) {
    return (bundle->is_dict ? open_dict : open_tuple)(bundle, batch);
}
