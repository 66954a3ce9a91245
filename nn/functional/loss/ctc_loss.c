/* nn/functional/loss/ctc_loss.c: F.ctc_loss, connectionist temporal classification (Graves et al., 2006): the negative
 * logarithm of the probability of a target sequence, summed over all alignments of it to the steps of the input.
 *
 * The extended target of length 2 S + 1 has a blank before, between and after the S labels. alpha[t][s] is the
 * log-probability of all alignments of steps 0 to t that end at its position s, beta[t][s] that of steps t to T - 1
 * that begin there; both contain step t. All of it is computed in float64. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/tensor/size_arithmetic.h"
#include "nn/functional/loss/loss_internal.h"

static const char *const check = "(while checking arguments for ctc_loss_allocate_outputs)";

/* Contiguous arrays. Sample b has T[b] steps and S[b] labels, the first at labels[at[b]]. */
typedef struct Ctc {
    int64_t steps, batch, classes, positions, blank; /* positions: of the longest extended target */
    const double *log_probs;                         /* (steps, batch, classes) */
    const int64_t *labels, *at, *T, *S;
} Ctc;

/* The sizes that a record keeps. */
typedef struct CtcSizes {
    int64_t blank, positions;
    bool zero_infinity;
} CtcSizes;

/* ---- one sample ---- */

static double log_add(double a, double b) {
    const double larger = a > b ? a : b;
    return larger == -(double)INFINITY ? larger : larger + log(exp(a - larger) + exp(b - larger));
}

/* The label at a position of sample b's extended target. */
static int64_t label_at(const Ctc *ctc, int64_t b, int64_t s) {
    return s % 2 ? ctc->labels[ctc->at[b] + s / 2] : ctc->blank;
}

static double log_prob(const Ctc *ctc, int64_t t, int64_t b, int64_t c) {
    return ctc->log_probs[(t * ctc->batch + b) * ctc->classes + c];
}

/* An alignment may go from position s to s + 2, past the blank between two different labels. */
static bool may_skip(const Ctc *ctc, int64_t b, int64_t s) {
    return s % 2 && s + 2 < 2 * ctc->S[b] + 1 && label_at(ctc, b, s) != label_at(ctc, b, s + 2);
}

/* alpha: (steps, positions); returns the loss. */
static double forward_sample(const Ctc *ctc, int64_t b, double *alpha) {
    const int64_t T = ctc->T[b], L = 2 * ctc->S[b] + 1, P = ctc->positions;
    for (int64_t i = 0; i < ctc->steps * P; i++) alpha[i] = -(double)INFINITY;
    if (T == 0) return ctc->S[b] == 0 ? -0.0 : (double)INFINITY;
    for (int64_t s = 0; s < L && s < 2; s++) alpha[s] = log_prob(ctc, 0, b, label_at(ctc, b, s));
    for (int64_t t = 1; t < T; t++) {
        const double *before = alpha + (t - 1) * P;
        for (int64_t s = 0; s < L; s++) {
            double sum = before[s];
            if (s > 0) sum = log_add(sum, before[s - 1]);
            if (s > 1 && may_skip(ctc, b, s - 2)) sum = log_add(sum, before[s - 2]);
            alpha[t * P + s] = sum + log_prob(ctc, t, b, label_at(ctc, b, s));
        }
    }
    const double *last = alpha + (T - 1) * P;
    return -(L > 1 ? log_add(last[L - 1], last[L - 2]) : last[0]);
}

/* dx[t][b][c] += dy (exp(x) - exp(the log-sum over the positions s of label c of alpha + beta, plus loss, minus x)),
 * which is the gradient if the exp(x) of a step add up to 1, as after a log_softmax. dx starts at zero; beta, next: two
 * rows of `positions`, sums: a row of `classes`. */
static void backward_sample(const Ctc *ctc, int64_t b, const double *alpha, double loss, double dy, double *dx,
                            double *beta, double *next, double *sums) {
    const int64_t L = 2 * ctc->S[b] + 1, P = ctc->positions;
    for (int64_t t = ctc->T[b] - 1; t >= 0; t--) {
        for (int64_t c = 0; c < ctc->classes; c++) sums[c] = -(double)INFINITY;
        for (int64_t s = 0; s < L; s++) {
            const int64_t label = label_at(ctc, b, s);
            double sum = t == ctc->T[b] - 1 ? (s >= L - 2 ? 0 : -(double)INFINITY) : next[s];
            if (t < ctc->T[b] - 1 && s + 1 < L) sum = log_add(sum, next[s + 1]);
            if (t < ctc->T[b] - 1 && may_skip(ctc, b, s)) sum = log_add(sum, next[s + 2]);
            beta[s] = sum + log_prob(ctc, t, b, label);
            sums[label] = log_add(sums[label], alpha[t * P + s] + beta[s]);
        }
        for (int64_t c = 0; c < ctc->classes; c++) {
            const double x = log_prob(ctc, t, b, c);
            dx[(t * ctc->batch + b) * ctc->classes + c] = dy * (exp(x) - exp(sums[c] + loss - x));
        }
        double *other = beta;
        beta = next;
        next = other;
    }
}

/* ---- the op ---- */

static Tensor *zeros(const int64_t *shape, int ndim) {
    return t_zeros(shape, ndim, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = t_float64});
}

/* in: log_probs, labels, at, T, S, of which the last four are contiguous already. */
static bool open_arrays(Ctc *ctc, Tensor *const *in, const CtcSizes *sizes) {
    Tensor *x = t_contiguous(t_to(t_detach(in[0]), t_float64));
    if (!x) return false;
    *ctc = (Ctc){.steps = x->shape[0], .batch = x->shape[1], .classes = x->shape[2], .positions = sizes->positions,
                 .blank = sizes->blank, .log_probs = tg_data(x), .labels = tg_data(in[1]), .at = tg_data(in[2]),
                 .T = tg_data(in[3]), .S = tg_data(in[4])};
    return true;
}

enum { CTC_INPUTS = 5, CTC_ALPHA = CTC_INPUTS, CTC_LOSSES, CTC_SAVES };

static void ctc_backward(Record *r, Tensor *dy, Tensor **dx) {
    const CtcSizes *sizes = r->attributes;
    Tensor *saved[CTC_SAVES];
    for (int i = 0; i < CTC_SAVES; i++)
        if (!(saved[i] = tg_saved(r, i))) return;
    Ctc ctc;
    Tensor *from = t_contiguous(t_to(t_detach(dy), t_float64)), *grad = zeros(r->edges[0].shape, 3);
    if (!from || !grad || !open_arrays(&ctc, saved, sizes)) return;
    Tensor *rows = tg_empty((int64_t[]){2 * ctc.positions + ctc.classes}, 1, t_float64);
    if (!rows) return;
    double *beta = tg_data(rows), *next = beta + ctc.positions, *sums = next + ctc.positions;
    const double *alpha = tg_data(saved[CTC_ALPHA]), *losses = tg_data(saved[CTC_LOSSES]), *dys = tg_data(from);
    for (int64_t b = 0; b < ctc.batch; b++) {
        if (sizes->zero_infinity && losses[b] == (double)INFINITY) continue;
        backward_sample(&ctc, b, alpha + b * ctc.steps * ctc.positions, losses[b], dys[b], tg_data(grad), beta, next,
                        sums);
    }
    dx[0] = t_to(grad, r->edges[0].dtype);
}
static const Op ctc_op = {"ctc_loss", "CtcLossBackward0", ctc_backward, true};

/* The losses, (batch), in log_probs' dtype. */
static Tensor *ctc_losses(Tensor *const *in, const CtcSizes *sizes) {
    Ctc ctc;
    if (!open_arrays(&ctc, in, sizes)) return NULL;
    Tensor *alphas = tg_empty((int64_t[]){ctc.batch, ctc.steps, ctc.positions}, 3, t_float64);
    Tensor *losses = tg_empty(&ctc.batch, 1, t_float64);
    if (!alphas || !losses) return NULL;
    for (int64_t b = 0; b < ctc.batch; b++)
        ((double *)tg_data(losses))[b] =
            forward_sample(&ctc, b, (double *)tg_data(alphas) + b * ctc.steps * ctc.positions);
    Tensor *y = in[0]->dtype == t_float64 ? t_clone(losses) : t_to(losses, in[0]->dtype);
    return tg_record(&ctc_op, y, INPUTS(in[0]), SAVED(in[0], in[1], in[2], in[3], in[4], alphas, losses),
                     ATTRIBUTES(*sizes));
}

/* ---- checks ---- */

static bool check_length(const Tensor *lengths, int64_t batch, const char *name) {
    if (tg_is_floating(lengths->dtype)) return tg_fail("%s must be integral", name);
    return tg_numel(lengths) == batch || tg_fail("%s must be of size batch_size", name);
}

/* log_probs: (T, B, C); targets: (B, S), or (all labels) */
static bool check_ctc(const Tensor *x, const Tensor *targets, const Tensor *T, const Tensor *S, int64_t blank) {
    if (tg_numel(x) == 0) return tg_fail("log_probs tensor must not be empty");
    if (x->ndim != 3)
        return tg_fail("Expected 3-dimensional tensor, but got %d-dimensional tensor for argument #1 'log_probs' %s",
                       x->ndim, check);
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("ctc_loss_cpu", x->dtype) != NULL;
    if (targets->ndim < 1 || targets->ndim > 2)
        return tg_fail("Expected 1 to 2 dimensions, but got %d-dimensional tensor for argument #2 'targets' %s",
                       targets->ndim, check);
    if (blank < 0 || blank >= x->shape[2]) return tg_fail("blank must be in label range");
    return check_length(T, x->shape[1], "input_lengths") && check_length(S, x->shape[1], "target_lengths");
}

static bool check_length_values(const int64_t *lengths, int64_t batch, int64_t most, const char *name) {
    for (int64_t b = 0; b < batch; b++) {
        if (lengths[b] < 0)
            return tg_fail("Expected %s to have value at least 0, but got value %" PRId64 " %s", name, lengths[b],
                           check);
        if (lengths[b] > most)
            return tg_fail("Expected %s to have value at most %" PRId64 ", but got value %" PRId64 " %s", name, most,
                           lengths[b], check);
    }
    return true;
}

static bool check_target_size(const Tensor *targets, int64_t batch, int64_t total, int64_t longest) {
    const bool rows = targets->ndim == 2;
    const int64_t want = rows ? batch : total;
    if (targets->shape[0] != want)
        return tg_fail("Expected tensor to have size %" PRId64 " at dimension 0, but got size %" PRId64
                       " for argument #2 'targets' %s",
                       want, targets->shape[0], check);
    if (rows && targets->shape[1] < longest)
        return tg_fail("Expected tensor to have size at least %" PRId64 " at dimension 1, but got size %" PRId64
                       " for argument #2 'targets' %s",
                       longest, targets->shape[1], check);
    return true;
}

static bool check_labels(const Tensor *labels, const int64_t *at, const int64_t *S, int64_t batch, int64_t classes) {
    for (int64_t b = 0; b < batch; b++)
        for (int64_t s = 0; s < S[b]; s++) {
            const int64_t label = ((const int64_t *)tg_data(labels))[at[b] + s];
            if (label < 0 || label >= classes)
                return tg_fail("the label %" PRId64 " is not one of the %" PRId64 " classes", label, classes);
        }
    return true;
}

/* ---- the function ---- */

/* Where each sample's labels begin, and the largest length in *longest; NULL where the targets do not fit. */
static Tensor *label_starts(const Tensor *targets, const int64_t *S, int64_t batch, int64_t *longest) {
    int64_t total = 0;
    Tensor *starts = tg_empty(&batch, 1, t_int64);
    if (!starts || !check_length_values(S, batch, INT64_MAX, "target_lengths")) return NULL;
    *longest = 0;
    for (int64_t b = 0; b < batch; b++) {
        ((int64_t *)tg_data(starts))[b] = targets->ndim == 2 ? b * targets->shape[1] : total;
        total = tg_size_add(total, S[b]);
        if (S[b] > *longest) *longest = S[b];
    }
    return check_target_size(targets, batch, total, *longest) ? starts : NULL;
}

/* log_probs with a batch dim. */
static Tensor *ctc_loss(Tensor *x, Tensor *targets, Tensor *T, Tensor *S, int64_t blank, bool zero_infinity) {
    if (!x || !targets || !check_ctc(x, targets, T, S, blank)) return NULL;
    const int64_t batch = x->shape[1];
    int64_t longest;
    Tensor *labels = t_contiguous(t_to(targets, t_int64));
    T = t_contiguous(t_to(T, t_int64));
    S = t_contiguous(t_to(S, t_int64));
    Tensor *starts = labels && T && S ? label_starts(targets, tg_data(S), batch, &longest) : NULL;
    if (!starts || !check_length_values(tg_data(T), batch, x->shape[0], "input_lengths") ||
        !check_labels(labels, tg_data(starts), tg_data(S), batch, x->shape[2]))
        return NULL;
    Tensor *in[] = {x, labels, starts, T, S};
    return ctc_losses(in, &(CtcSizes){blank, 2 * longest + 1, zero_infinity});
}

/* F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity). log_probs: (T, B, C),
 * or (T, C) of one sample: the logarithms of probabilities, floating; targets: (B, S) or all labels of all samples in
 * one vector, each from 0 to C - 1; the lengths: (B), int64, of each sample's steps and labels. "none" returns (B), or
 * () of one sample; "mean" divides each loss by its target's length, at least 1, and takes the mean; "sum" the sum. A
 * target that is too long for its input has an infinite loss and a gradient of NaN, with zero_infinity both are 0. The
 * gradient is PyTorch's, which assumes that log_probs come from a log_softmax; it cannot be differentiated again.
 * Errors: sizes and lengths that do not fit, a blank or (PyTorch reads other memory) a label out of range. */
Tensor *F_ctc_loss(Tensor *log_probs, Tensor *targets, Tensor *input_lengths, Tensor *target_lengths, int64_t blank,
                   const char *reduction_word, bool zero_infinity) {
    TG_COMPOSITE("ctc_loss");
    TG_AUTOCAST_FLOAT32(log_probs);
    LossReduction reduction = TO_MEAN;
    if (!tg_check(log_probs, 1) || !tg_check_any(targets, 2) || !tg_check_any(input_lengths, 3) ||
        !tg_check_any(target_lengths, 4) || !tg_parse_reduction(reduction_word, &reduction))
        return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool batched = log_probs->ndim == 3;
    Tensor *each = ctc_loss(batched ? log_probs : t_unsqueeze(log_probs, log_probs->ndim > 1), targets, input_lengths,
                            target_lengths, blank, zero_infinity);
    if (zero_infinity) each = t_where(t_eq(each, N((double)INFINITY)), N(0), each);
    if (reduction == TO_MEAN) {
        Tensor *lengths = t_clamp(t_reshape(t_to(target_lengths, t_int64), (int64_t[]){-1}, 1), t_integer(1), NULL);
        each = each && lengths ? t_div(each, t_to(lengths, each->dtype)) : NULL;
    }
    if (reduction == NO_REDUCTION && !batched) each = t_squeeze(each, 0);
    return tg_scope_return(depth, tg_reduce(each, reduction));
}
