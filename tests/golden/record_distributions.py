"""Writes what PyTorch's distributions give into distributions.txt, transforms.txt and kl.txt next to this file, for
tests/distributions/test_distributions.c, test_transforms.c and test_kl.c, which have constructors of the same names.

    python record_distributions.py          needs torch >= 2.15; make check never runs it

A case has parameters p0, p1, ... and a value for log_prob and cdf; icdf gets the numbers Q. Gradients are those of the
sum of the results, the i-th times 1 + i / 8. What PyTorch does not implement is written as none."""

import os

import torch
from torch import distributions as D

from rule import write_array

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 42
Q = [0.1, 0.5, 0.85]
MATRIX = [[0.5, -1.25, 2.0], [0.125, 0.75, -0.375]]
SCALES = [[0.75, 1.5, 0.25], [1.0, 2.0, 0.5]]
PROBS = [[0.25, 0.5, 0.875], [0.125, 0.75, 0.0625]]
SIGNED = [[-0.5, 1.0, 3.0], [0.25, -2.0, 0.125]]
POSITIVE = [[0.5, 1.0, 3.0], [0.25, 2.0, 0.125]]
BITS = [[0, 1, 1], [1, 0, 1]]
COUNTS = [[0, 1, 3], [2, 0, 5]]


# GeneralizedPareto's log_prob and cdf compare with a float32 zero, which fails for float64 in PyTorch 2.15.
isclose = torch.isclose
torch.isclose = lambda a, b, *rest, **options: isclose(a, b.to(a.dtype), *rest, **options)

# name: (constructor of the parameters, the parameters, a value)
CASES = {
    "normal": (lambda a, b: D.Normal(a, b), [MATRIX, SCALES], SIGNED),
    "normal_broadcast": (lambda a, b: D.Normal(a, b), [MATRIX, 0.75], SIGNED),
    "log_normal": (lambda a, b: D.LogNormal(a, b), [MATRIX, SCALES], POSITIVE),
    "half_normal": (lambda a: D.HalfNormal(a), [SCALES], POSITIVE),
    "uniform": (lambda a, b: D.Uniform(a, b),
                [[[-1.0, 0.5, 0.0], [0.0, -3.0, 0.0]], [[1.0, 2.0, 4.0], [0.5, 1.0, 1.0]]],
                [[0.25, 1.0, 3.0], [0.25, -2.0, 0.125]]),
    "exponential": (lambda a: D.Exponential(a), [SCALES], POSITIVE),
    "laplace": (lambda a, b: D.Laplace(a, b), [MATRIX, SCALES], SIGNED),
    "cauchy": (lambda a, b: D.Cauchy(a, b), [MATRIX, SCALES], SIGNED),
    "gumbel": (lambda a, b: D.Gumbel(a, b), [MATRIX, SCALES], SIGNED),
    "bernoulli_probs": (lambda a: D.Bernoulli(probs=a), [PROBS], BITS),
    "bernoulli_logits": (lambda a: D.Bernoulli(logits=a), [MATRIX], BITS),
    "geometric_probs": (lambda a: D.Geometric(probs=a), [PROBS], COUNTS),
    "geometric_logits": (lambda a: D.Geometric(logits=a), [MATRIX], COUNTS),
    "categorical_probs": (lambda a: D.Categorical(probs=a), [POSITIVE], [2, 0]),
    "categorical_logits": (lambda a: D.Categorical(logits=a), [MATRIX], [1, 2]),
    "one_hot_categorical": (lambda a: D.OneHotCategorical(logits=a), [MATRIX], [[0, 1, 0], [1, 0, 0]]),
    "one_hot_straight_through": (lambda a: D.OneHotCategoricalStraightThrough(probs=a), [POSITIVE],
                                 [[0, 1, 0], [1, 0, 0]]),
    "independent": (lambda a, b: D.Independent(D.Normal(a, b), 1), [MATRIX, SCALES], SIGNED),
    "independent_bernoulli": (lambda a: D.Independent(D.Bernoulli(probs=a), 2), [PROBS], BITS),
    "transformed_affine_tanh": (lambda a, b: D.TransformedDistribution(
        D.Normal(a, b), [D.AffineTransform(0.5, 0.25), D.TanhTransform()]), [MATRIX, SCALES],
        [[0.5, -0.25, 0.125], [0.75, 0.5, -0.5]]),
    "transformed_decreasing": (lambda a, b: D.TransformedDistribution(
        D.Laplace(torch.zeros_like(a), torch.ones_like(a)), [D.AffineTransform(a, -b)]), [MATRIX, SCALES], SIGNED),
    "transformed_event": (lambda a, b: D.TransformedDistribution(
        D.Normal(a, b), [D.AffineTransform(torch.tensor([1.0, 2.0, 3.0]).to(a), torch.tensor([0.5, 1.0, 2.0]).to(a),
                                           event_dim=1)]), [MATRIX, SCALES], SIGNED),
    "transformed_sigmoid": (lambda a, b: D.TransformedDistribution(D.Normal(a, b), [D.SigmoidTransform()]),
                            [MATRIX, SCALES], PROBS),
    "transformed_logistic": (lambda a: D.TransformedDistribution(
        D.Uniform(torch.zeros_like(a), torch.ones_like(a)), [D.SigmoidTransform().inv, D.AffineTransform(a, 0.5)]),
        [MATRIX], SIGNED),
    "gamma": (lambda a, b: D.Gamma(a, b), [[[0.3, 1.0, 9.0], [2.5, 0.75, 12.0]], [[0.75, 1.5, 4.0], [1.0, 2.0, 8.0]]],
              POSITIVE),
    "chi2": (lambda a: D.Chi2(a), [SCALES], POSITIVE),
    "beta": (lambda a, b: D.Beta(a, b), [[[0.5, 1.25, 9.0], [2.5, 0.75, 10.0]], [[0.75, 2.0, 8.0], [1.5, 0.25, 7.0]]],
             PROBS),
    "dirichlet": (lambda a: D.Dirichlet(a), [[[0.5, 1.25, 9.0], [0.25, 0.75, 0.5]]],
                  [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]),
    "poisson": (lambda a: D.Poisson(a), [[[0.5, 3.5, 12.0], [1.0, 30.0, 150.0]]], COUNTS),
    "binomial_probs": (lambda a: D.Binomial(20, probs=a), [PROBS], COUNTS),
    "binomial_logits": (lambda a: D.Binomial(torch.tensor([5.0, 40.0, 90.0]).to(a), logits=a), [MATRIX], COUNTS),
    "binomial_large": (lambda a: D.Binomial(torch.tensor([1e3, 3e7, 1e6]).to(a), probs=a),
                       [[[0.01, 0.2, 0.51], [0.02, 0.99, 0.3]]], COUNTS),
    "multinomial": (lambda a: D.Multinomial(6, probs=a), [POSITIVE], [[1, 2, 3], [0, 6, 0]]),
    "multinomial_logits": (lambda a: D.Multinomial(4, logits=a), [MATRIX], [[1, 2, 1], [0, 0, 4]]),
    "student_t": (lambda a: D.StudentT(a), [[[0.75, 1.5, 2.5], [3.0, 5.0, 30.0]]], SIGNED),
    "student_t_scale": (lambda a, b, c: D.StudentT(a, b, c), [[[0.75, 1.5, 2.5], [3.0, 5.0, 30.0]], MATRIX, SCALES],
                        SIGNED),
    "relaxed_bernoulli": (lambda a, b: D.RelaxedBernoulli(b, probs=a), [PROBS, 0.75], PROBS),
    "relaxed_bernoulli_logits": (lambda a, b: D.RelaxedBernoulli(b, logits=a), [MATRIX, 0.5], PROBS),
    "relaxed_one_hot": (lambda a, b: D.RelaxedOneHotCategorical(b, logits=a), [MATRIX, 0.75],
                        [[0.25, 0.5, 0.25], [0.125, 0.75, 0.125]]),
    "mvn_covariance": (lambda a, b: D.MultivariateNormal(a, b @ b.mT + torch.eye(2).to(a)),
                       [[0.5, -1.25], [[1.0, 0.5], [-0.75, 2.0]]], [[0.25, 1.0], [-1.5, 0.5]]),
    "mvn_precision": (lambda a, b: D.MultivariateNormal(a, precision_matrix=b @ b.mT + torch.eye(2).to(a)),
                      [[[0.5, -1.25], [1.0, 0.0], [2.0, -0.5]], [[1.0, 0.5], [-0.75, 2.0]]],
                      [[0.25, 1.0], [-1.5, 0.5], [2.0, 0.0]]),
    "mvn_scale_tril": (lambda a, b: D.MultivariateNormal(a, scale_tril=b.tril()),
                       [[0.5, -1.25], [[[1.0, 9.0], [-0.75, 2.0]], [[0.5, 9.0], [0.25, 1.5]]]],
                       [[0.25, 1.0], [-1.5, 0.5]]),
    "mixture": (lambda a, b: D.MixtureSameFamily(D.Categorical(logits=torch.zeros_like(a)), D.Normal(a, b)),
                [MATRIX, SCALES], [0.5, -1.0]),
    "mixture_events": (lambda a, b: D.MixtureSameFamily(
        D.Categorical(probs=torch.tensor([0.25, 0.75]).to(a)), D.Independent(D.Laplace(a, b), 1)), [MATRIX, SCALES],
        [0.5, -1.0, 2.0]),
    "half_cauchy": (lambda a: D.HalfCauchy(a), [SCALES], POSITIVE),
    "inverse_gamma": (lambda a, b: D.InverseGamma(a, b),
                      [[[0.3, 1.0, 9.0], [2.5, 0.75, 12.0]], [[0.75, 1.5, 4.0], [1.0, 2.0, 8.0]]], POSITIVE),
    "pareto": (lambda a, b: D.Pareto(a, b), [[[0.25, 0.5, 1.5], [0.125, 1.0, 0.0625]], POSITIVE], POSITIVE),
    "generalized_pareto": (lambda a, b, c: D.GeneralizedPareto(a, b, c),
                           [[[-0.5, 0.25, 1.0], [0.0, -3.0, 0.0]], SCALES, [[0.25, 0.0, -0.5], [0.75, 1.5, -1.0]]],
                           [[0.5, 1.0, 1.25], [0.25, -2.0, 0.125]]),
    "weibull": (lambda a, b: D.Weibull(a, b), [SCALES, [[1.5, 2.0, 0.5], [1.0, 3.0, 7.0]]], POSITIVE),
    "kumaraswamy": (lambda a, b: D.Kumaraswamy(a, b), [SCALES, [[1.5, 2.0, 0.5], [1.0, 3.0, 7.0]]], PROBS),
    "fisher_snedecor": (lambda a, b: D.FisherSnedecor(a, b), [[[0.75, 1.5, 4.0], [3.0, 5.0, 30.0]],
                                                              [[0.5, 3.0, 6.0], [2.0, 5.0, 12.0]]], POSITIVE),
    "von_mises": (lambda a, b: D.VonMises(a, b), [MATRIX, [[0.5, 3.0, 12.0], [1e-6, 4.0, 150.0]]], SIGNED),
    "continuous_bernoulli": (lambda a: D.ContinuousBernoulli(probs=a), [[[0.25, 0.5, 0.875], [0.4995, 0.75, 0.0]]],
                             PROBS),
    "continuous_bernoulli_logits": (lambda a: D.ContinuousBernoulli(logits=a, lims=(0.4, 0.6)),
                                    [[[0.25, -1.25, 2.0], [0.125, 1.0, -1.5]]], PROBS),
    "negative_binomial": (lambda a, b: D.NegativeBinomial(a, probs=b), [[[0.75, 3.0, 10.0], [1.0, 5.0, 0.0]], PROBS],
                          [[0, 1, 3], [2, 0, 0]]),
    "negative_binomial_logits": (lambda a: D.NegativeBinomial(4, logits=a), [MATRIX], COUNTS),
    "low_rank": (lambda a, b, c: D.LowRankMultivariateNormal(a, b, c),
                 [MATRIX, [[1.0, 0.5], [-0.75, 2.0], [0.25, 0.0]], [0.5, 1.0, 0.25]], SIGNED),
    "low_rank_batch": (lambda a, b, c: D.LowRankMultivariateNormal(a, b, c),
                       [[0.5, -1.25], [[[1.0], [0.5]], [[-0.75], [2.0]], [[0.25], [0.0]]], [[0.5, 1.0]]],
                       [[0.25, 1.0], [-1.5, 0.5], [2.0, 0.0]]),
    "logistic_normal": (lambda a, b: D.LogisticNormal(a, b), [MATRIX, SCALES],
                        [[0.25, 0.5, 0.125, 0.125], [0.0625, 0.5, 0.1875, 0.25]]),
    "lkj_cholesky": (lambda a: D.LKJCholesky(3, a), [[0.5, 2.5]],
                     [[[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, -0.6, 0.8]],
                      [[1.0, 0.0, 0.0], [-0.8, 0.6, 0.0], [0.48, 0.6, 0.64]]]),
    "wishart_covariance": (lambda a, b: D.Wishart(a, b @ b.mT + torch.eye(2).to(a)),
                           [4.5, [[1.0, 0.5], [-0.75, 2.0]]], [[2.0, 0.5], [0.5, 3.0]]),
    "wishart_precision": (lambda a, b: D.Wishart(a, precision_matrix=b @ b.mT + torch.eye(2).to(a)),
                          [[3.5, 5.0, 2.0], [[1.0, 0.5], [-0.75, 2.0]]], [[2.0, 0.5], [0.5, 3.0]]),
    "wishart_scale_tril": (lambda a, b: D.Wishart(a, scale_tril=b.tril()),
                           [[2.5, 7.0], [[[1.0, 9.0], [-0.75, 2.0]], [[0.5, 9.0], [0.25, 1.5]]]],
                           [[[2.0, 0.5], [0.5, 3.0]], [[1.0, -0.5], [-0.5, 2.0]]]),
}

# Transforms: (constructor, x). Those of biject_to and transform_to of a constraint begin with "to_".
VECTOR = [[-1.5, -0.25, 0.5], [2.0, 0.125, -0.75]]
SQUARES = [[[-1.5, 0.25], [0.5, 0.75]], [[2.0, 0.125], [-0.75, -1.0]]]
T, C = D.transforms, D.constraints
TRANSFORMS = {
    "stick_breaking": (lambda: T.StickBreakingTransform(), VECTOR),
    "softmax": (lambda: T.SoftmaxTransform(), VECTOR),
    "lower_cholesky": (lambda: T.LowerCholeskyTransform(), SQUARES),
    "positive_definite": (lambda: T.PositiveDefiniteTransform(), SQUARES),
    "corr_cholesky": (lambda: T.CorrCholeskyTransform(), VECTOR),
    "reshape": (lambda: T.ReshapeTransform((2, 2), (4,)), SQUARES),
    "independent": (lambda: T.IndependentTransform(T.ExpTransform(), 1), VECTOR),
    "cat": (lambda: T.CatTransform([T.ExpTransform(), T.TanhTransform()], dim=-1, lengths=[2, 1]), VECTOR),
    "cat_events": (lambda: T.CatTransform([T.IndependentTransform(T.ExpTransform(), 1),
                                           T.AffineTransform(1, 2, event_dim=1)], dim=0), VECTOR),
    "stack": (lambda: T.StackTransform([T.ExpTransform(), T.identity_transform, T.AffineTransform(1, -2)], dim=1),
              VECTOR),
    "cdf": (lambda: T.CumulativeDistributionTransform(D.Normal(0.5, 2.0)), VECTOR),
    "to_positive": (lambda: D.biject_to(C.positive), VECTOR),
    "to_greater_than": (lambda: D.biject_to(C.greater_than(1.5)), VECTOR),
    "to_less_than": (lambda: D.transform_to(C.less_than(-1.5)), VECTOR),
    "to_unit_interval": (lambda: D.biject_to(C.unit_interval), VECTOR),
    "to_interval": (lambda: D.transform_to(C.interval(-1.0, 2.0)), VECTOR),
    "to_simplex": (lambda: D.biject_to(C.simplex), VECTOR),
    "to_simplex_softmax": (lambda: D.transform_to(C.simplex), VECTOR),
    "to_independent": (lambda: D.biject_to(C.independent(C.positive, 1)), VECTOR),
    "to_lower_cholesky": (lambda: D.transform_to(C.lower_cholesky), SQUARES),
    "to_positive_definite": (lambda: D.transform_to(C.positive_definite), SQUARES),
    "to_corr_cholesky": (lambda: D.biject_to(C.corr_cholesky), VECTOR),
    "to_cat": (lambda: D.biject_to(C.cat([C.positive, C.real], dim=1, lengths=[1, 2])), VECTOR),
    "to_stack": (lambda: D.biject_to(C.stack([C.positive, C.unit_interval], dim=0)), VECTOR),
}


def weighted(y):
    weights = 1 + torch.arange(y.numel(), dtype=torch.float64).to(y.dtype) / 8
    return (y.reshape(-1) * weights).sum()


def write(file, name, f, leaves=()):
    """f(), and the gradients of the leaves as name.d0, name.d1, ..."""
    try:
        y = f()
    except NotImplementedError:
        y = None
    write_array(file, name, y, "-")
    if y is not None and torch.is_tensor(y) and y.requires_grad:
        try:
            grads = torch.autograd.grad(weighted(y), leaves, allow_unused=True)
        except NotImplementedError:  # of igamma with respect to its first argument
            write_array(file, f"{name}.refused", None)
            return
        except RuntimeError as error:  # Wishart.rsample changes what it has saved
            assert "modified by an inplace operation" in str(error)
            write_array(file, f"{name}.fails", None)
            return
        for i, grad in enumerate(grads):
            write_array(file, f"{name}.d{i}", grad)


def record(file, name, make, parameters, value, dtype):
    file.write(f"= {name} {'f' if dtype == torch.float32 else 'd'}\n")
    p = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in parameters]
    v = torch.tensor(value)
    if not isinstance(make(*p), D.Categorical):
        v = torch.tensor(value, dtype=dtype, requires_grad=True)
    for i, x in enumerate(p):
        write_array(file, f"p{i}", x)
    write_array(file, "value", v)
    m = make(*p)
    leaves = p + [v] if v.requires_grad else p
    torch.manual_seed(SEED)
    write(file, "sample", lambda: make(*p).sample((2,)))
    write_array(file, "sample.next", torch.rand(2))
    torch.manual_seed(SEED)
    write(file, "rsample", lambda: make(*p).rsample((2,)), p)
    write(file, "log_prob", lambda: make(*p).log_prob(v), leaves)
    write(file, "cdf", lambda: make(*p).cdf(v), leaves)
    q = torch.tensor(Q, dtype=dtype)
    write(file, "icdf", lambda: make(*p).icdf(q), p)
    write(file, "entropy", lambda: make(*p).entropy(), p)
    write(file, "perplexity", lambda: make(*p).perplexity(), p)
    for attribute in ("mean", "mode", "variance", "stddev"):
        write(file, attribute, lambda: getattr(make(*p), attribute), p)
    write(file, "enumerate", lambda: make(*p).enumerate_support())
    write(file, "enumerate_small", lambda: make(*p).enumerate_support(expand=False))
    write_array(file, "batch_shape", torch.tensor(list(m.batch_shape), dtype=torch.int64))
    write_array(file, "event_shape", torch.tensor(list(m.event_shape), dtype=torch.int64))
    expanded = make(*p).expand((2,) + tuple(m.batch_shape))
    torch.manual_seed(SEED)
    write_array(file, "expanded", expanded.sample())
    write_array(file, "expanded.log_prob", expanded.log_prob(v.detach()))


KL_CASES = {
    "normal": lambda a, b, u: D.Normal(a, b),
    "log_normal": lambda a, b, u: D.LogNormal(a, b),
    "half_normal": lambda a, b, u: D.HalfNormal(b),
    "uniform": lambda a, b, u: D.Uniform(a, a + b),
    "exponential": lambda a, b, u: D.Exponential(b),
    "laplace": lambda a, b, u: D.Laplace(a, b),
    "cauchy": lambda a, b, u: D.Cauchy(a, b),
    "gumbel": lambda a, b, u: D.Gumbel(a, b),
    "bernoulli": lambda a, b, u: D.Bernoulli(u),
    "geometric": lambda a, b, u: D.Geometric(u),
    "categorical": lambda a, b, u: D.Categorical(logits=a),
    "one_hot_categorical": lambda a, b, u: D.OneHotCategorical(probs=b),
    "independent": lambda a, b, u: D.Independent(D.Laplace(a, b), 1),
    "gamma": lambda a, b, u: D.Gamma(b, u),
    "chi2": lambda a, b, u: D.Chi2(b),
    "beta": lambda a, b, u: D.Beta(b, u),
    "dirichlet": lambda a, b, u: D.Dirichlet(b),
    "poisson": lambda a, b, u: D.Poisson(b),
    "binomial": lambda a, b, u: D.Binomial(torch.tensor([3.0, 5.0, 9.0]).to(u), u),
    "multivariate_normal": lambda a, b, u: D.MultivariateNormal(a, torch.diag_embed(b) + 0.125),
    "unit_uniform": lambda a, b, u: D.Uniform(u / 4, u / 2),
    "half_cauchy": lambda a, b, u: D.HalfCauchy(b),
    "inverse_gamma": lambda a, b, u: D.InverseGamma(b, u),
    "pareto": lambda a, b, u: D.Pareto(u, b * 2),
    "continuous_bernoulli": lambda a, b, u: D.ContinuousBernoulli(probs=u),
    "continuous_bernoulli_logits": lambda a, b, u: D.ContinuousBernoulli(logits=b),
    "von_mises": lambda a, b, u: D.VonMises(a, b),
    "low_rank": lambda a, b, u: D.LowRankMultivariateNormal(a, b.unsqueeze(-1), u),
    "wishart": lambda a, b, u: D.Wishart(3.5 + u[0, 0], torch.diag_embed(b[0]) + 0.125),
}
KL_P = [[[0.25, 1.0, -0.5], [0.75, 0.0625, 2.0]], [[0.5, 1.25, 2.0], [0.75, 0.375, 1.0]],
        [[0.25, 0.5, 0.875], [0.125, 0.75, 0.0625]]]
KL_Q = [[[0.125, -1.0, -1.0], [0.5, 1.0, 0.25]], [[1.5, 4.0, 5.0], [2.0, 0.625, 3.0]],
        [[0.5, 0.25, 0.75], [0.25, 0.625, 0.5]]]


def record_kl(file, dtype):
    for p_name, make_p in KL_CASES.items():
        for q_name, make_q in KL_CASES.items():
            p = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in KL_P]
            q = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in KL_Q]
            file.write(f"= {p_name} {q_name} {'f' if dtype == torch.float32 else 'd'}\n")
            write(file, "kl", lambda: D.kl_divergence(make_p(*p), make_q(*q)), p + q)


def record_transform(file, name, make, value, dtype):
    file.write(f"= {name} {'f' if dtype == torch.float32 else 'd'}\n")
    transform = make()
    x = torch.tensor(value, dtype=dtype, requires_grad=True)
    y = transform(x)
    write_array(file, "x", x)
    write(file, "y", lambda: transform(x), [x])
    write(file, "inverse", lambda: transform.inv(y.detach()))
    write(file, "jacobian", lambda: transform.log_abs_det_jacobian(x, transform(x)), [x])
    write_array(file, "valid", transform.codomain.check(y))
    shapes = transform.forward_shape(x.shape), transform.inverse_shape(y.shape)
    assert name in ("cat_events", "to_cat", "to_stack") or shapes == (y.shape, x.shape)


def main():
    with open(os.path.join(HERE, "distributions.txt"), "w") as file:
        for name, (make, parameters, value) in CASES.items():
            for dtype in (torch.float32, torch.float64):
                record(file, name, make, parameters, value, dtype)
    with open(os.path.join(HERE, "transforms.txt"), "w") as file:
        for name, (make, value) in TRANSFORMS.items():
            for dtype in (torch.float32, torch.float64):
                record_transform(file, name, make, value, dtype)
    with open(os.path.join(HERE, "kl.txt"), "w") as file:
        file.write("= inputs\n")
        for side, values in (("p", KL_P), ("q", KL_Q)):
            for i, x in enumerate(values):
                write_array(file, f"{side}{i}", torch.tensor(x, dtype=torch.float64))
        for dtype in (torch.float32, torch.float64):
            record_kl(file, dtype)


if __name__ == "__main__":
    main()
