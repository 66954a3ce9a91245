/* core/data/workers.c: the threads of a DataLoader with num_workers > 0.
 *
 * The thread that iterates takes the indices from the sampler and hands them out as tasks, to the workers in turn:
 * prefetch_factor tasks a worker at the beginning, and one more for each batch that it returns. A worker makes the
 * batches of its own tasks in order. So the samplers draw, and the workers' generators are used, as PyTorch's are, and
 * nothing depends on which worker is faster.
 *
 * Tensors, scopes, errors and generators belong to one thread. Therefore a task holds plain memory only: indices in,
 * and out a bundle of parcels (bundle.c) or the text of an error. Everything in `tasks` is guarded by `lock`; a worker
 * owns a task from the time it finds it until it sets is_done, the iterating thread at all other times. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/kernels/parallel.h"
#include "core/ops/creation/random_internal.h"

typedef struct Task {
    int64_t worker, epoch;
    bool is_done, has_ended; /* has_ended: the worker's IterableDataset has no more samples */
    int64_t *indices, count; /* of the samples; NULL: the next ones of an IterableDataset */
    tg_Bundle *bundle;
    int64_t size;            /* number of samples in it */
    char *error;
} Task;

typedef struct Worker {
    pthread_t thread;
    struct tg_Workers *all;
    data_WorkerInfo info;
    data_DataLoader loader;  /* a copy of the loader's fields, with the worker's own dataset */
    tg_DatasetIter *source;  /* of an IterableDataset, in the iteration number `epoch` */
    int64_t epoch, next;     /* next: the number of the first task that it has not looked at */
    char *init_error;        /* of worker_init_fn */
    bool has_ended;          /* the iterating thread has received its end of this iteration */
} Worker;

struct tg_Workers {
    t_Object object;
    pthread_mutex_t lock, calls; /* calls: held during the user's functions that share a context */
    pthread_cond_t sent, done;   /* a task was sent, or stop was set; a task was done */
    bool stop, shares_context;
    int64_t count, started;      /* number of workers; of threads */
    Worker *workers;
    int64_t capacity;            /* number of tasks at a time; those numbered received .. sent - 1 are out */
    Task *tasks;                 /* number i is in tasks[i % capacity] */
    int64_t received, sent_tasks, epoch, turn;
    double timeout;
};

static _Thread_local const data_WorkerInfo *worker_info;

const data_WorkerInfo *data_get_worker_info(void) {
    return worker_info;
}

/* ---- in a worker ---- */

/* The text of the pending error, for another thread. */
static char *take_error(void) {
    const char *text = t_error() ? t_error() : "the worker failed without an error";
    const size_t bytes = strlen(text) + 1;
    char *copy = tg_alloc_raw(bytes);
    if (copy) memcpy(copy, text, bytes);
    t_clear_error();
    return copy;
}

/* Errors in a worker are left pending, and go to the iterating thread with the task. */
static void leave_pending(const char *text, void *context) {
    (void)text, (void)context;
}

static int fetch(Worker *self, const Task *task, tg_Sample *made, int64_t *size) {
    if (!task->indices) return tg_loader_collate_next(&self->loader, self->source, made, size);
    Tensor *indices = tg_empty(&task->count, 1, t_int64);
    if (!indices) return -1;
    memcpy(tg_data(indices), task->indices, (size_t)task->count * sizeof *task->indices);
    *size = task->count;
    return tg_loader_collate(&self->loader, indices, made) ? 1 : -1;
}

/* A new iteration over an IterableDataset. */
static bool begin_epoch(Worker *self, int64_t epoch) {
    if (self->epoch == epoch || self->loader.index_sampler) return true;
    tg_dataset_iter_end(self->source);
    tg_dataset_iter(self->loader.dataset, &self->source);
    if (self->source) self->epoch = epoch;
    return self->source != NULL;
}

static void make_batch(Worker *self, Task *task) {
    tg_Sample made = {.tuple = NULL};
    int depth = tg_scope_open_around_callback();
    const int got = depth && begin_epoch(self, task->epoch) ? fetch(self, task, &made, &task->size) : -1;
    if (got == 1) task->bundle = tg_bundle_pack(&made);
    tg_scope_close(depth);
    task->has_ended = got == 0;
    if (task->bundle && !tg_bundle_seal(task->bundle)) {
        tg_bundle_free(task->bundle, true);
        task->bundle = NULL;
    }
    if (!task->bundle && !task->has_ended) task->error = take_error();
}

static void run_task(Worker *self, Task *task) {
    if (self->init_error) { /* raised once, for the first task */
        task->error = self->init_error;
        self->init_error = NULL;
        return;
    }
    if (self->all->shares_context) pthread_mutex_lock(&self->all->calls);
    make_batch(self, task);
    if (self->all->shares_context) pthread_mutex_unlock(&self->all->calls);
}

static void call_init(Worker *self) {
    if (!self->loader.worker_init_fn) return;
    pthread_mutex_lock(&self->all->calls);
    int depth = tg_scope_open_around_callback();
    if (!depth || !self->loader.worker_init_fn(self->loader.context, self->info.id)) self->init_error = take_error();
    tg_scope_close(depth);
    pthread_mutex_unlock(&self->all->calls);
}

/* The worker's next task, waiting for one; NULL: it shall stop. The lock is held. */
static Task *wait_for_task(Worker *self) {
    tg_Workers *all = self->all;
    while (!all->stop) {
        if (self->next < all->received) self->next = all->received;
        for (; self->next < all->sent_tasks; self->next++) {
            Task *task = &all->tasks[self->next % all->capacity];
            if (task->worker == self->info.id && !task->is_done) return task;
        }
        pthread_cond_wait(&all->sent, &all->lock);
    }
    return NULL;
}

static void *worker_main(void *worker) {
    Worker *self = worker;
    tg_Workers *all = self->all;
    worker_info = &self->info;
    t_set_error_handler(leave_pending, NULL);
    tg_parallel_on_this_thread();
    t_manual_seed(self->info.seed);
    call_init(self);
    pthread_mutex_lock(&all->lock);
    for (Task *task; (task = wait_for_task(self));) {
        self->next++;
        pthread_mutex_unlock(&all->lock);
        run_task(self, task);
        pthread_mutex_lock(&all->lock);
        task->is_done = true;
        pthread_cond_broadcast(&all->done);
    }
    pthread_mutex_unlock(&all->lock);
    pthread_mutex_lock(&all->calls);
    tg_dataset_iter_end(self->source);
    pthread_mutex_unlock(&all->calls);
    return NULL;
}

/* ---- start and stop ---- */

static void empty_task(Task *task) {
    tg_bundle_free(task->bundle, true);
    tg_free(task->indices, (size_t)task->count * sizeof *task->indices);
    if (task->error) tg_free(task->error, strlen(task->error) + 1);
    *task = (Task){.worker = -1};
}

static void stop_threads(tg_Workers *workers) {
    pthread_mutex_lock(&workers->lock);
    workers->stop = true;
    pthread_cond_broadcast(&workers->sent);
    pthread_mutex_unlock(&workers->lock);
    for (int64_t i = 0; i < workers->started; i++) pthread_join(workers->workers[i].thread, NULL);
    workers->started = 0;
}

static void workers_destroy(void *object) {
    tg_Workers *workers = object;
    stop_threads(workers);
    tg_object_dispose(&workers->object);
    for (int64_t i = 0; workers->tasks && i < workers->capacity; i++) empty_task(&workers->tasks[i]);
    for (int64_t i = 0; workers->workers && i < workers->count; i++) {
        Worker *worker = &workers->workers[i];
        t_release(worker->loader.dataset);
        if (worker->init_error) tg_free(worker->init_error, strlen(worker->init_error) + 1);
    }
    tg_free(workers->tasks, (size_t)workers->capacity * sizeof *workers->tasks);
    tg_free(workers->workers, (size_t)workers->count * sizeof *workers->workers);
    pthread_mutex_destroy(&workers->lock);
    pthread_mutex_destroy(&workers->calls);
    pthread_cond_destroy(&workers->sent);
    pthread_cond_destroy(&workers->done);
    tg_object_free(&workers->object, sizeof *workers);
}

static const t_Class workers_class = {"DataLoader's workers", workers_destroy};

static bool is_alive(const tg_Workers *workers) {
    return workers->object.is_a == &workers_class;
}

void tg_workers_end(tg_Workers *workers) {
    if (is_alive(workers)) t_release(tg_take_from_scope(workers));
}

/* The context of a dataset of the user's, under Subsets. */
static void *context_of(const data_Dataset *dataset) {
    while (!dataset->user.context && dataset->count == 1) dataset = dataset->parts[0];
    return dataset->user.context;
}

static bool start_worker(tg_Workers *workers, int64_t id, const data_DataLoader *loader, int64_t base_seed) {
    Worker *worker = &workers->workers[id];
    int depth = tg_scope_open_around_callback(); /* copies may be made by functions of the user */
    worker->all = workers;
    worker->loader = *loader;
    worker->loader.dataset = depth ? t_retain(tg_dataset_copy(loader->dataset)) : NULL;
    tg_scope_close(depth);
    if (!worker->loader.dataset) return false;
    worker->info = (data_WorkerInfo){.id = id, .num_workers = workers->count, .dataset = worker->loader.dataset,
                                     .seed = (int64_t)((uint64_t)base_seed + (uint64_t)id),
                                     .context = context_of(worker->loader.dataset)};
    const int status = pthread_create(&worker->thread, NULL, worker_main, worker);
    if (status != 0) return tg_fail("a worker of the DataLoader cannot be started: %s", strerror(status));
    workers->started++;
    return true;
}

tg_Workers *tg_workers_start(const data_DataLoader *loader, int64_t base_seed) {
    tg_Workers *workers = tg_alloc(sizeof *workers);
    if (!workers) return NULL;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_mutex_init(&workers->calls, NULL);
    pthread_cond_init(&workers->sent, NULL);
    pthread_cond_init(&workers->done, NULL);
    tg_object_init(&workers->object, &workers_class);
    workers->count = loader->num_workers;
    workers->capacity = loader->num_workers * loader->prefetch_factor;
    workers->timeout = loader->timeout;
    workers->shares_context = tg_dataset_shares_context(loader->dataset) ||
                              (loader->context && (loader->collate_fn || loader->collate_samples ||
                                                   loader->collate_dicts));
    workers->workers = tg_alloc((size_t)workers->count * sizeof *workers->workers);
    workers->tasks = workers->workers ? tg_alloc((size_t)workers->capacity * sizeof *workers->tasks) : NULL;
    bool ok = workers->tasks != NULL;
    for (int64_t i = 0; ok && i < workers->count; i++) ok = start_worker(workers, i, loader, base_seed);
    if (ok) return workers;
    t_release(tg_take_from_scope(workers));
    return NULL;
}

/* ---- in the iterating thread ---- */

/* The worker whose turn it is; -1: all have ended. */
static int64_t next_worker(tg_Workers *workers) {
    for (int64_t i = 0; i < workers->count; i++) {
        const int64_t id = workers->turn++ % workers->count;
        if (!workers->workers[id].has_ended) return id;
    }
    return -1;
}

static bool copy_indices(Task *task, const Tensor *indices) {
    task->count = tg_numel(indices);
    task->indices = tg_alloc_raw((size_t)task->count * sizeof *task->indices);
    if (!task->indices) return false;
    memcpy(task->indices, tg_data(indices), (size_t)task->count * sizeof *task->indices);
    return true;
}

/* Sends the next task, unless the sampler, or all streams, have ended. False on an error. */
static bool send_task(tg_Workers *workers, data_Batch *batch) {
    Task task = {.worker = -1};
    int got = 1;
    if (batch->indices) {
        int depth = tg_scope_open_around_callback();
        Tensor *indices = NULL;
        got = depth ? tg_next_indices(batch, &indices) : -1;
        if (got == 1 && !copy_indices(&task, indices)) got = -1;
        tg_scope_close(depth);
    }
    if (got != 1) return got == 0;
    if ((task.worker = next_worker(workers)) < 0) {
        empty_task(&task);
        return true;
    }
    task.epoch = workers->epoch;
    pthread_mutex_lock(&workers->lock);
    workers->tasks[workers->sent_tasks++ % workers->capacity] = task;
    pthread_cond_broadcast(&workers->sent);
    pthread_mutex_unlock(&workers->lock);
    return true;
}

/* Waits until the oldest task is done, for at most the timeout, and takes it over. */
static bool receive_task(tg_Workers *workers, Task *received) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const double seconds = (double)until.tv_nsec * 1e-9 + workers->timeout;
    until.tv_sec += (time_t)seconds;
    until.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
    Task *task = &workers->tasks[workers->received % workers->capacity];
    int status = 0;
    pthread_mutex_lock(&workers->lock);
    while (!task->is_done && status != ETIMEDOUT)
        status = workers->timeout > 0 ? pthread_cond_timedwait(&workers->done, &workers->lock, &until)
                                      : pthread_cond_wait(&workers->done, &workers->lock);
    const bool is_done = task->is_done;
    if (is_done) {
        *received = *task;
        *task = (Task){.worker = -1};
        workers->received++;
    }
    pthread_mutex_unlock(&workers->lock);
    if (!is_done) tg_fail("DataLoader timed out after %g seconds", workers->timeout);
    return is_done;
}

static bool begin_sending(tg_Workers *workers, data_Batch *batch) {
    workers->epoch++;
    workers->turn = 0;
    for (int64_t i = 0; i < workers->count; i++) workers->workers[i].has_ended = false;
    bool ok = true;
    for (int64_t i = 0; ok && i < workers->capacity; i++) ok = send_task(workers, batch);
    return ok;
}

bool tg_workers_begin(tg_Workers *workers, data_Batch *batch) {
    for (Task task; workers->received < workers->sent_tasks; empty_task(&task))
        if (!receive_task(workers, &task)) return false;
    batch->epoch = workers->epoch + 1;
    return begin_sending(workers, batch);
}

/* Turns a task's result into the batch. */
static int open_task(const Task *task, tg_Sample *made, int64_t *size) {
    if (!task->bundle) {
        tg_fail("in DataLoader worker %lld: %s", (long long)task->worker, task->error ? task->error : "out of memory");
        return -1;
    }
    *size = task->size;
    return tg_bundle_open(task->bundle, made) ? 1 : -1;
}

int tg_workers_next(tg_Workers *workers, data_Batch *batch, tg_Sample *made, int64_t *size) {
    if (!is_alive(workers)) {
        tg_fail("the workers of this iteration ended with the scope in which it began");
        return -1;
    }
    /* persistent workers may have begun another iteration: this one has ended */
    while (batch->epoch == workers->epoch && workers->received < workers->sent_tasks) {
        Task task;
        if (!receive_task(workers, &task)) return -1;
        Worker *worker = &workers->workers[task.worker];
        const bool was_waited_for = !task.has_ended || !worker->has_ended; /* the end of a worker is counted once */
        worker->has_ended |= task.has_ended;
        int got = was_waited_for && !send_task(workers, batch) ? -1 : 0;
        if (got == 0 && !task.has_ended) got = open_task(&task, made, size);
        empty_task(&task);
        if (got != 0) return got;
    }
    return 0;
}
