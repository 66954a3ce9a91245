/* core/data/sugar.h: the macros for datasets and loaders (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_DATA_SUGAR_H
#define TAPEGRAD_CORE_DATA_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/data/dataloader.h"
#include "core/sugar/sugar.h"

/* for_batch (batch, loader) { ... batch.x, batch.y, batch.index, batch.size ... }: for index, (x, y) in
 * enumerate(loader), with one scope an iteration. */
static inline data_Batch data_begin_(data_DataLoader *loader) {
    data_Batch batch;
    (data_iter)(loader, &batch);
    return batch;
}
#define for_batch(batch, loader) T_FOR_NAME_(#batch) \
    for (data_Batch batch __attribute__((cleanup(data_iter_end))) = \
             T_BEGIN_("for_batch (" #batch ", " #loader ")") data_DataLoader *t__l = (loader); \
             T_END_(data_Batch, data_begin_(t__l)); \
         T_BEGIN_("for_batch (" #batch ", " #loader ")") T_END_(bool, (data_iter_next)(&batch));)

#define data_iter(loader, batch) T_BEGIN_("data_iter(" #loader ", " #batch ")") data_DataLoader *t__l = (loader); \
    data_Batch *t__b = (batch); T_END_(bool, (data_iter)(t__l, t__b))
#define data_iter_next(batch) T_BEGIN_("data_iter_next(" #batch ")") data_Batch *t__b = (batch); \
    T_END_(bool, (data_iter_next)(t__b))

/* data_Batch batch = data_first(loader): x, y = next(iter(loader)) */
static inline data_Batch data_first_(data_DataLoader *loader) {
    data_Batch batch;
    (data_first)(loader, &batch);
    return batch;
}
#define data_first(loader) T_BEGIN_("data_first(" #loader ")") data_DataLoader *t__l = (loader); \
    T_END_(data_Batch, data_first_(t__l))

/* data_Dataset(my_len, my_get, .context = self), data_Dataset(my_len, my_items, .names = {"image", "mask", "label"}),
 * data_Dataset(my_len, my_dict) */
#define data_Dataset(len, ...) T_BEGIN_("data_Dataset(" #len ", " #__VA_ARGS__ ")") const data_Len t__len = (len); \
    __auto_type t__get = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_DatasetOptions, t__o, .size = sizeof(data_DatasetOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Dataset *, _Generic(t__get, data_GetItems: data_Dataset_of_items, \
    data_GetDict: data_Dataset_of_dicts, default: data_Dataset_new)(t__len, \
    t__get, &t__o))
/* data_TensorDataset(t_list(x, y)) */
#define data_TensorDataset(tensors) T_BEGIN_("data_TensorDataset(" #tensors ")") t_TensorList *t__a = (tensors); \
    T_END_(data_Dataset *, data_TensorDataset_new(t__a))
/* data_Subset(dataset, 0, 2, 4) */
#define data_Subset(dataset, ...) T_BEGIN_("data_Subset(" #dataset ", " #__VA_ARGS__ ")") \
    data_Dataset *t__a = (dataset); const int64_t t__i[] = {0, __VA_ARGS__}; \
    T_END_(data_Dataset *, data_Subset_new(t__a, t__i + 1, (int64_t)(sizeof t__i / sizeof *t__i) - 1))
/* data_random_split(dataset, (800, 200), &train, &val), data_random_split(dataset, (0.8, 0.2), &train, &val, .generator
 * = g), or of an array: data_random_split(dataset, lengths, 2, &train, &val) */
typedef struct data_SplitArguments_ {
    int first_; data_Dataset **to[32]; struct t_too_many_parts_ *rest_; t_Generator *generator;
} data_SplitArguments_;
static inline bool data_split_(data_Dataset *dataset, const int64_t *lengths, const double *fractions, int count,
    const data_SplitArguments_ *o) {
    data_Dataset *parts[32] = {NULL};
    int outputs = 0;
    while (outputs < 32 && o->to[outputs]) outputs++;
    if (outputs != count) return (t_fail)("%d lengths are given, but %d outputs", count, outputs) != NULL;
    const bool ok = lengths ? (data_random_split)(dataset, lengths, count, parts, o->generator)
                            : (data_random_split_fractions)(dataset, fractions, count, parts, o->generator);
    for (int i = 0; i < count; i++) *o->to[i] = parts[i];
    return ok;
}
#define data_random_split(dataset, ...) T_BEGIN_("data_random_split(" #dataset ", " #__VA_ARGS__ ")") \
    data_Dataset *t__a = (dataset); \
    T_PASTE_(DATA_SPLIT_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(__VA_ARGS__)
#define DATA_SPLIT_0(lengths, count, ...) const int64_t *t__l = (lengths); const int t__n = (int)(count); \
    T_OPTIONS_(data_SplitArguments_, t__o, .generator = NULL, .first_ = 0, __VA_ARGS__) \
    T_END_(bool, data_split_(t__a, t__l, NULL, t__n, &t__o))
#define DATA_SPLIT_1(lengths, ...) const double t__l[] = {T_UNTUPLE_ lengths}; \
    T_OPTIONS_(data_SplitArguments_, t__o, .generator = NULL, .first_ = 0, __VA_ARGS__) \
    T_END_(bool, data_split_(t__a, NULL, t__l, (int)(sizeof t__l / sizeof *t__l), &t__o))
/* data_IterableDataset(my_iter, my_next, .context = self, .close = free); my_next as the get of data_Dataset returns x
 * and y, a list or a dict */
#define data_IterableDataset(iter, ...) T_BEGIN_("data_IterableDataset(" #iter ", " #__VA_ARGS__ ")") \
    const data_Iter t__i = (iter); __auto_type t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_IterableDatasetOptions, t__o, .size = sizeof(data_IterableDatasetOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Dataset *, _Generic(t__n, data_NextItems: data_IterableDataset_of_items, \
    data_NextDict: data_IterableDataset_of_dicts, default: data_IterableDataset_new)(t__i, t__n, &t__o))
/* data_ConcatDataset(a, b), data_ChainDataset(a, b), data_StackDataset(a, b), data_StackDataset((a, b), .names =
 * {"image", "text"}) */
#define DATA_PARTS_(name, ...) T_BEGIN_(#name "(" #__VA_ARGS__ ")") data_Dataset *const t__a[] = {NULL, __VA_ARGS__}; \
    T_END_(data_Dataset *, name##_new(t__a + 1, (int64_t)(sizeof t__a / sizeof *t__a) - 1))
#define data_ConcatDataset(...) DATA_PARTS_(data_ConcatDataset, __VA_ARGS__)
#define data_ChainDataset(...) DATA_PARTS_(data_ChainDataset, __VA_ARGS__)
#define data_StackDataset(...) T_PASTE_(DATA_STACK_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(__VA_ARGS__)
#define DATA_STACK_0(...) T_BEGIN_("data_StackDataset(" #__VA_ARGS__ ")") \
    data_Dataset *const t__a[] = {NULL, __VA_ARGS__}; \
    T_END_(data_Dataset *, data_StackDataset_new(t__a + 1, (int64_t)(sizeof t__a / sizeof *t__a) - 1, NULL))
typedef struct data_NamesArguments_ { int first_; const char *names[DATA_MAX_NAMES]; } data_NamesArguments_;
#define DATA_STACK_1(datasets, ...) T_BEGIN_("data_StackDataset(" #datasets ", " #__VA_ARGS__ ")") \
    data_Dataset *const t__a[] = {NULL, T_UNTUPLE_ datasets}; \
    T_OPTIONS_(data_NamesArguments_, t__o, .names = {NULL}, .first_ = 0, __VA_ARGS__) \
    T_END_(data_Dataset *, data_StackDataset_new(t__a + 1, (int64_t)(sizeof t__a / sizeof *t__a) - 1, \
    t__o.names[0] ? t__o.names : NULL))
#define data_RepeatedTokenDataset(num_samples, seq_len, vocab_size) \
    T_BEGIN_("data_RepeatedTokenDataset(" #num_samples ", " #seq_len ", " #vocab_size ")") \
    const int64_t t__n = (num_samples), t__s = (seq_len), t__v = (vocab_size); \
    T_END_(data_Dataset *, data_RepeatedTokenDataset_new(t__n, t__s, t__v))
#define data_dataset_len(dataset) T_BEGIN_("data_dataset_len(" #dataset ")") data_Dataset *t__a = (dataset); \
    T_END_(int64_t, (data_dataset_len)(t__a))
#define data_dataset_get(dataset, index, x, y) T_BEGIN_("data_dataset_get(" #dataset ", " #index ", " #x ", " #y ")") \
    data_Dataset *t__a = (dataset); const int64_t t__i = (index); Tensor **t__x = (x), **t__y = (y); \
    T_END_(bool, (data_dataset_get)(t__a, t__i, t__x, t__y))
#define data_dataset_dict(dataset, index) T_BEGIN_("data_dataset_dict(" #dataset ", " #index ")") \
    data_Dataset *t__a = (dataset); const int64_t t__i = (index); \
    T_END_(t_TensorDict *, (data_dataset_dict)(t__a, t__i))
#define data_dataset_items(dataset, index) T_BEGIN_("data_dataset_items(" #dataset ", " #index ")") \
    data_Dataset *t__a = (dataset); const int64_t t__i = (index); \
    T_END_(t_TensorList *, (data_dataset_items)(t__a, t__i))
/* data_item(batch, "mask"): batch["mask"] */
#define data_item(batch, name) T_BEGIN_("data_item(" #batch ", " #name ")") const char *t__n = (name); \
    T_END_(Tensor *, (data_item)(&(batch), t__n))
/* data_text(batch, "text", 2): batch["text"][2] */
#define data_text(batch, name, index) T_BEGIN_("data_text(" #batch ", " #name ", " #index ")") \
    const char *t__n = (name); const int64_t t__i = (index); T_END_(const char *, (data_text)(&(batch), t__n, t__i))
#define data_batch_dict(batch) T_BEGIN_("data_batch_dict(" #batch ")") \
    T_END_(t_TensorDict *, (data_batch_dict)(&(batch)))
#define data_default_collate(samples) T_BEGIN_("data_default_collate(" #samples ")") \
    const data_Samples *t__a = (samples); T_END_(t_TensorList *, (data_default_collate)(t__a))
#define data_default_collate_dicts(samples) T_BEGIN_("data_default_collate_dicts(" #samples ")") \
    const data_Samples *t__a = (samples); T_END_(t_TensorDict *, (data_default_collate_dicts)(t__a))
#define data_tensors(dataset) T_BEGIN_("data_tensors(" #dataset ")") data_Dataset *t__a = (dataset); \
    T_END_(t_TensorList *, (data_tensors)(t__a))

/* ---- samplers ---- */

#define data_SequentialSampler(data_source) T_BEGIN_("data_SequentialSampler(" #data_source ")") \
    data_Dataset *t__a = (data_source); T_END_(data_Sampler *, data_SequentialSampler_new(t__a))
/* data_RandomSampler(dataset, .replacement = true, .num_samples = 100, .generator = g) */
#define data_RandomSampler(...) T_BEGIN_("data_RandomSampler(" #__VA_ARGS__ ")") \
    data_Dataset *t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_RandomSamplerOptions, t__o, DATA_RANDOM_SAMPLER_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Sampler *, data_RandomSampler_new(t__a, &t__o))
/* data_SubsetRandomSampler(t_arange(800), .generator = g) */
typedef struct data_GeneratorArguments_ { int first_; t_Generator *generator; } data_GeneratorArguments_;
#define data_SubsetRandomSampler(...) T_BEGIN_("data_SubsetRandomSampler(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(data_GeneratorArguments_, t__o, .generator = NULL, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Sampler *, data_SubsetRandomSampler_new(t__a, t__o.generator))
/* data_WeightedRandomSampler(weights, 100, .replacement = false) */
#define data_WeightedRandomSampler(weights, ...) \
    T_BEGIN_("data_WeightedRandomSampler(" #weights ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (weights)) \
    const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_WeightedRandomSamplerOptions, t__o, DATA_WEIGHTED_RANDOM_SAMPLER_DEFAULTS_, \
    T_TAIL_(__VA_ARGS__)) T_END_(data_Sampler *, data_WeightedRandomSampler_new(t__a, t__n, &t__o))
#define data_BatchSampler(sampler, batch_size, drop_last) \
    T_BEGIN_("data_BatchSampler(" #sampler ", " #batch_size ", " #drop_last ")") data_Sampler *t__a = (sampler); \
    const int64_t t__n = (batch_size); const bool t__d = (drop_last); \
    T_END_(data_Sampler *, data_BatchSampler_new(t__a, t__n, t__d))
/* data_DistributedSampler(dataset, num_replicas, rank, .shuffle = false) */
#define data_DistributedSampler(dataset, num_replicas, ...) \
    T_BEGIN_("data_DistributedSampler(" #dataset ", " #num_replicas ", " #__VA_ARGS__ ")") \
    data_Dataset *t__a = (dataset); const int64_t t__n = (num_replicas), t__r = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_DistributedSamplerOptions, t__o, DATA_DISTRIBUTED_SAMPLER_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Sampler *, data_DistributedSampler_new(t__a, t__n, t__r, &t__o))
#define data_set_epoch(sampler, epoch) T_BEGIN_("data_set_epoch(" #sampler ", " #epoch ")") \
    data_Sampler *t__a = (sampler); const int64_t t__e = (epoch); T_END_(bool, (data_set_epoch)(t__a, t__e))
/* data_Sampler(my_iter, .len = my_len, .context = self): class MySampler(Sampler); my_iter returns a tensor of indices,
 * or a list of such tensors, the batches of a batch sampler. */
#define data_Sampler(...) T_BEGIN_("data_Sampler(" #__VA_ARGS__ ")") __auto_type t__i = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_SamplerOptions, t__o, .size = sizeof(data_SamplerOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(data_Sampler *, _Generic(t__i, data_BatchesIter: data_Sampler_of_batches, \
    default: data_Sampler_new)(t__i, &t__o))
#define data_sampler_len(sampler) T_BEGIN_("data_sampler_len(" #sampler ")") data_Sampler *t__a = (sampler); \
    T_END_(int64_t, (data_sampler_len)(t__a))
#define data_sampler_list(sampler) T_BEGIN_("data_sampler_list(" #sampler ")") data_Sampler *t__a = (sampler); \
    T_END_(Tensor *, (data_sampler_list)(t__a))
#define data_sampler_batches(sampler) T_BEGIN_("data_sampler_batches(" #sampler ")") data_Sampler *t__a = (sampler); \
    T_END_(t_TensorList *, (data_sampler_batches)(t__a))

/* data_DataLoader(dataset, .batch_size = 32, .shuffle = true), or data_DataLoader(dataset, 32, true) as in Python */
#define data_DataLoader(...) T_BEGIN_("data_DataLoader(" #__VA_ARGS__ ")") data_Dataset *t__a = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(data_DataLoaderOptions, t__o, DATA_LOADER_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(data_DataLoader *, data_DataLoader_new(t__a, &t__o))
#define data_len(loader) T_BEGIN_("data_len(" #loader ")") data_DataLoader *t__l = (loader); \
    T_END_(int64_t, (data_len)(t__l))
#define data_dataset(loader) T_BEGIN_("data_dataset(" #loader ")") data_DataLoader *t__l = (loader); \
    T_END_(data_Dataset *, (data_dataset)(t__l))
#define data_state_dict(loader) T_BEGIN_("data_state_dict(" #loader ")") data_DataLoader *t__l = (loader); \
    T_END_(t_TensorDict *, (data_state_dict)(t__l))
#define data_load_state_dict(loader, dict) T_BEGIN_("data_load_state_dict(" #loader ", " #dict ")") \
    data_DataLoader *t__l = (loader); t_TensorDict *t__d = (dict); T_END_(bool, (data_load_state_dict)(t__l, t__d))
/* ---- tqdm ---- */

/* tqdm_tqdm(.total = 100, .desc = "reading"), tqdm_tqdm("reading", 100) */
#define tqdm_tqdm(...) T_BEGIN_("tqdm_tqdm(" #__VA_ARGS__ ")") \
    T_OPTIONS_(tqdm_Options, t__o, TQDM_DEFAULTS_, __VA_ARGS__) T_END_(tqdm_tqdm *, tqdm_tqdm_new(&t__o))
#define TQDM_CALL_(f, bar, ...) T_BEGIN_(#f "(" #bar ", " #__VA_ARGS__ ")") tqdm_tqdm *t__b = (bar); \
    T_END_(bool, (f)(t__b, __VA_ARGS__))
#define TQDM_CALL1_(f, bar) T_BEGIN_(#f "(" #bar ")") tqdm_tqdm *t__b = (bar); T_END_(bool, (f)(t__b))
#define tqdm_update(bar, n) TQDM_CALL_(tqdm_update, bar, n)
#define tqdm_close(bar) TQDM_CALL1_(tqdm_close, bar)
#define tqdm_refresh(bar) TQDM_CALL1_(tqdm_refresh, bar)
#define tqdm_clear(bar) TQDM_CALL1_(tqdm_clear, bar)
#define tqdm_reset(bar, total) TQDM_CALL_(tqdm_reset, bar, total)
#define tqdm_set_description(bar, desc) TQDM_CALL_(tqdm_set_description, bar, desc)
#define tqdm_set_description_str(bar, desc) TQDM_CALL_(tqdm_set_description_str, bar, desc)
#define tqdm_set_postfix(bar, dict) TQDM_CALL_(tqdm_set_postfix, bar, dict)
#define tqdm_set_postfix_str(bar, text) TQDM_CALL_(tqdm_set_postfix_str, bar, text)

/* for_trange (i, 100, .desc = "steps") { ... }: for i in trange(100, desc="steps"), with one scope per iteration; a bar
 * of a count from 0. for_tqdm (batch, loader, .desc = "epoch 1") is for_batch (batch, data_tqdm(loader, ...)). */
typedef struct tqdm_Range_ {
    tqdm_tqdm *bar;
    int depth; /* of the scope that has the bar */
    int64_t to;
    t_Loop_ loop;
} tqdm_Range_;
static inline tqdm_Range_ tqdm_range_begin_(int64_t to, const tqdm_Options *options) {
    tqdm_Range_ range = {NULL, (t_scope_open)(), to, {0, false, 0}};
    tqdm_Options o = *options;
    o.total = to > 0 ? (double)to : 0;
    range.bar = range.depth ? tqdm_tqdm_new(&o) : NULL;
    return range;
}
static inline void tqdm_range_end_(tqdm_Range_ *range) {
    t_scope_exit_(range->loop.depth);
    if (range->bar) (tqdm_close)(range->bar);
    t_scope_exit_(range->depth);
}
static inline bool tqdm_range_next_(tqdm_Range_ *range, int64_t i, const t_Site *site) {
    if (!range->bar) return false;
    const bool more = t_loop_next_(&range->loop, i, range->to, 1, site);
    if (i > 0) tqdm_step_(range->bar);
    return more;
}
#define for_trange(i, ...) TQDM_RANGE_(__COUNTER__, i, __VA_ARGS__)
#define TQDM_RANGE_(k, i, ...) T_FOR_NAME_(#i) \
    for (tqdm_Range_ T_GLUE_(t__range_, k) __attribute__((cleanup(tqdm_range_end_))) = \
             T_BEGIN_("for_trange (" #i ", " #__VA_ARGS__ ")") const int64_t t__n = T_HEAD_(__VA_ARGS__); \
             T_OPTIONS_(tqdm_Options, t__o, TQDM_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
             T_END_(tqdm_Range_, tqdm_range_begin_(t__n, &t__o)); \
         !T_GLUE_(t__range_, k).loop.done; T_GLUE_(t__range_, k).loop.done = true) \
    for (int64_t i = 0; tqdm_range_next_(&T_GLUE_(t__range_, k), i, \
             __extension__({ static const t_Site t__S = {__FILE__, __LINE__, "for_trange (" #i ")"}; &t__S; })); i++)
#define for_tqdm(batch, ...) for_batch(batch, data_tqdm(__VA_ARGS__))

/* for_batch (batch, data_tqdm(loader, .desc = "epoch 1")) { ... data_set_postfix(loader, "loss=%.3f", loss); } */
#define data_tqdm(...) T_BEGIN_("data_tqdm(" #__VA_ARGS__ ")") data_DataLoader *t__l = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(tqdm_Options, t__o, TQDM_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(data_DataLoader *, (data_tqdm)(t__l, &t__o))

#endif
#endif
