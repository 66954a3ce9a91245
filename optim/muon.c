/* optim/muon.c: torch.optim.Muon, for the matrices of hidden layers.
 *
 *     m = m + (1 - momentum) (g - m)
 *     u = nesterov ? g + momentum (m - g) : m
 *     X = u / max(|u|, eps), then ns_steps times
 *         X = a X + (b X X^T + c (X X^T)^2) X            (a, b, c) = ns_coefficients
 *     p = p (1 - lr weight_decay) - lr s X                s: depends on the shape of p, by adjust_lr_fn
 *
 * The iteration, a quintic Newton-Schulz, moves the singular values of u to about 1: X is nearly the orthogonal matrix
 * next to u. Jordan, "Muon: an optimizer for hidden layers in neural networks", 2024; s: Liu et al., "Muon is scalable
 * for LLM training", 2025.
 *
 * X is computed in bfloat16, as in PyTorch. A sum of products that the two add in another order may round to the next
 * bfloat16, so that X agrees with PyTorch's to within about 2^-8, not to the bit. */
#include <string.h>

#include "optim/named_state.h"

static Tensor *newton_schulz(const optim_ParamGroup *group, Tensor *u) {
    const double a = optim_group_get(group, "ns_coefficients.0"), b = optim_group_get(group, "ns_coefficients.1");
    const double c = optim_group_get(group, "ns_coefficients.2"), steps = optim_group_get(group, "ns_steps");
    const bool is_tall = u->shape[0] > u->shape[1];
    Tensor *x = t_to(is_tall ? t_t(u) : u, t_bfloat16);
    x = t_div(x, t_clamp_min(linalg_vector_norm(x, 2, NULL, 0, false, 0), N(group->eps)));
    for (int i = 0; i < steps && x; i++) {
        Tensor *gram = t_matmul(x, t_t(x)), *update = t_addmm(gram, gram, gram, b, c);
        x = t_addmm(x, update, x, a, 1);
    }
    return is_tall ? t_t(x) : x;
}

const char *tg_adjust_lr_fn(const char *name) {
    static const char *const values[] = {"original", "match_rms_adamw", "spectral_unclamped"};
    for (int i = 0; i < 3 && name; i++)
        if (strcmp(name, values[i]) == 0) return values[i];
    return NULL;
}

/* How much lr is scaled: "original" (None) keeps the update's root mean square, "match_rms_adamw" makes it that of
 * AdamW. */
static double adjusted_lr(const optim_ParamGroup *group, const Tensor *p) {
    const double A = (double)p->shape[0], B = (double)p->shape[1];
    const char *by = group->adjust_lr_fn;
    if (!by || strcmp(by, "original") == 0) return group->lr * sqrt(fmax(1, A / B));
    return group->lr * (strcmp(by, "match_rms_adamw") == 0 ? 0.2 * sqrt(fmax(A, B)) : sqrt(A / B));
}

static bool muon_update(const optim_ParamGroup *group, Tensor *p, Tensor *grad, tg_NamedState *state) {
    Tensor *m = tg_state_get(state, "momentum_buffer");
    if (!m) m = tg_state_set(state, "momentum_buffer", t_zeros_like(grad));
    if (!t_lerp_(m, grad, N(1 - group->momentum))) return false;
    Tensor *u = group->nesterov ? t_lerp(grad, m, N(group->momentum)) : m, *x = u ? newton_schulz(group, u) : NULL;
    return x && t_mul_(p, N(1 - group->lr * group->weight_decay)) && t_add_alpha_(p, x, -adjusted_lr(group, p));
}

static bool muon_step(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss) {
    return tg_step_by_ops(optimizer, closure, loss, muon_update);
}

/* ---- the optimizer ---- */

static bool muon_check(const optim_ParamGroup *group) {
    const char *by = group->adjust_lr_fn;
    if (!(group->lr >= 0)) return tg_fail("Learning rate should be >= 0 but is: %s", tg_number_text(group->lr));
    if (!(group->momentum >= 0)) return tg_fail("momentum should be >= 0 but is: %s", tg_number_text(group->momentum));
    if (!(group->weight_decay >= 0))
        return tg_fail("weight decay should be >= 0 but is: %s", tg_number_text(group->weight_decay));
    if (by && !tg_adjust_lr_fn(by))
        return tg_fail("Adjust learning rate function %s is not supported", by);
    if (optim_group_get(group, "ns_steps") >= 100)
        return tg_fail("Number of steps must be less than 100 for computational efficiency");
    for (int64_t i = 0; group->params && i < group->params->len; i++)
        if (group->params->items[i]->ndim != 2)
            return tg_fail("Muon only supports 2D parameters whereas we found a parameter with size: torch.Size(%s)",
                           tg_shape_of(group->params->items[i]));
    return true;
}

static const tg_Algorithm muon = {.name = "Muon", .momentum = tg_momentum, .check = muon_check,
                                  .states = tg_no_states, .step = muon_step, .kind = TG_MUON};

const optim_MuonOptions optim_MuonDefaults = {OPTIM_MUON_DEFAULTS_};

/* optim.Muon(params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315),
 * eps=1e-7, ns_steps=5, adjust_lr_fn=None): "original" (None), "match_rms_adamw" or "spectral_unclamped". Errors: those
 * of PyTorch; that for ns_steps from 100 on comes here, not in the first step. */
optim_Optimizer *optim_Muon_new(const t_TensorList *params, const optim_MuonOptions *options) {
    optim_MuonOptions o = optim_MuonDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const char *own = tg_adjust_lr_fn(o.adjust_lr_fn); /* the caller's text may not last */
    optim_ParamGroup group = {.lr = o.lr, .weight_decay = o.weight_decay, .momentum = o.momentum,
                              .nesterov = o.nesterov, .eps = o.eps, .adjust_lr_fn = own ? own : o.adjust_lr_fn,
                              .own = {{"ns_coefficients.0", o.ns_coefficients[0]},
                                      {"ns_coefficients.1", o.ns_coefficients[1]},
                                      {"ns_coefficients.2", o.ns_coefficients[2]},
                                      {"ns_steps", (double)o.ns_steps}}};
    return tg_optimizer_new(&muon, params, &group);
}
