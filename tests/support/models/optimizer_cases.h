/* tests/support/models/optimizer_cases.h: optimizers with each of their options, the same in Python and in C.
 * golden/record_optimizers.py reads the Python texts from here; tests/optim/test_optimizers.c runs the C.
 *
 * X(name, Python, options of the second group in Python, C, the same options in C); p are the parameters of the first
 * group. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_OPTIMIZER_CASES_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_OPTIMIZER_CASES_H

#define OPTIMIZER_CASES(X)                                                                                          \
    X(sgd, "SGD(p, 0.1)", "weight_decay=0.1, maximize=True", optim_SGD(p, 0.1), .weight_decay = 0.1,                \
      .maximize = true)                                                                                             \
    X(sgd_momentum, "SGD(p, 0.1, momentum=0.9)", "dampening=0.3, weight_decay=0.1",                                 \
      optim_SGD(p, 0.1, .momentum = 0.9), .dampening = 0.3, .weight_decay = 0.1)                                    \
    X(sgd_nesterov, "SGD(p, 0.1, momentum=0.9, nesterov=True)", "lr=0.03",                                          \
      optim_SGD(p, 0.1, .momentum = 0.9, .nesterov = true), .lr = 0.03)                                             \
    X(adam, "Adam(p)", "lr=0.1, weight_decay=0.1", optim_Adam(p), .lr = 0.1, .weight_decay = 0.1)                   \
    X(adam_amsgrad, "Adam(p, 0.1, amsgrad=True)", "betas=(0.4, 0.9), eps=0.01, maximize=True",                      \
      optim_Adam(p, 0.1, .amsgrad = true), .betas = {0.4, 0.9}, .eps = 0.01, .maximize = true)                      \
    X(adamw, "AdamW(p)", "lr=0.1, weight_decay=0.2", optim_AdamW(p), .lr = 0.1, .weight_decay = 0.2)                \
    X(rmsprop, "RMSprop(p)", "lr=0.1, alpha=0.5, weight_decay=0.1", optim_RMSprop(p), .lr = 0.1, .alpha = 0.5,      \
      .weight_decay = 0.1)                                                                                          \
    X(rmsprop_centered, "RMSprop(p, 0.1, centered=True, momentum=0.9)", "eps=0.01, maximize=True",                  \
      optim_RMSprop(p, 0.1, .centered = true, .momentum = 0.9), .eps = 0.01, .maximize = true)                      \
    X(adagrad, "Adagrad(p, 0.1)", "lr_decay=0.1, weight_decay=0.1, maximize=True", optim_Adagrad(p, 0.1),           \
      .lr_decay = 0.1, .weight_decay = 0.1, .maximize = true)                                                       \
    X(adadelta, "Adadelta(p)", "lr=0.5", optim_Adadelta(p), .lr = 0.5)                                              \
    X(adadelta_rho, "Adadelta(p, 0.5, 0.6, 1e-3)", "rho=0.2, eps=0.01", optim_Adadelta(p, 0.5, 0.6, 1e-3),          \
      .rho = 0.2, .eps = 0.01)                                                                                      \
    X(adadelta_decay, "Adadelta(p, weight_decay=0.1, maximize=True)", "weight_decay=0, maximize=False",             \
      optim_Adadelta(p, .weight_decay = 0.1, .maximize = true), .weight_decay = 0, .maximize = false)               \
    X(adamax, "Adamax(p)", "lr=0.1", optim_Adamax(p), .lr = 0.1)                                                    \
    X(adamax_betas, "Adamax(p, 0.1, (0.4, 0.9), 1e-3)", "betas=(0.9, 0.5)", optim_Adamax(p, 0.1, (0.4, 0.9), 1e-3), \
      .betas = {0.9, 0.5})                                                                                          \
    X(adamax_decay, "Adamax(p, 0.1, weight_decay=0.1, maximize=True)", "weight_decay=0.3, maximize=False",          \
      optim_Adamax(p, 0.1, .weight_decay = 0.1, .maximize = true), .weight_decay = 0.3, .maximize = false)          \
    X(nadam, "NAdam(p)", "lr=0.1", optim_NAdam(p), .lr = 0.1)                                                       \
    X(nadam_betas, "NAdam(p, 0.1, (0.4, 0.9), 1e-3, momentum_decay=0.1)", "momentum_decay=0.5",                     \
      optim_NAdam(p, 0.1, (0.4, 0.9), 1e-3, .momentum_decay = 0.1), .momentum_decay = 0.5)                          \
    X(nadam_decay, "NAdam(p, 0.1, weight_decay=0.1, maximize=True)", "decoupled_weight_decay=True",                 \
      optim_NAdam(p, 0.1, .weight_decay = 0.1, .maximize = true), .decoupled_weight_decay = true)                   \
    X(radam, "RAdam(p)", "lr=0.1", optim_RAdam(p), .lr = 0.1)                                                       \
    X(radam_betas, "RAdam(p, 0.1, (0.4, 0.9), 1e-3)", "betas=(0.9, 0.5)", optim_RAdam(p, 0.1, (0.4, 0.9), 1e-3),    \
      .betas = {0.9, 0.5})                                                                                          \
    X(radam_decay, "RAdam(p, 0.1, weight_decay=0.1, maximize=True)", "decoupled_weight_decay=True",                 \
      optim_RAdam(p, 0.1, .weight_decay = 0.1, .maximize = true), .decoupled_weight_decay = true)                   \
    X(asgd, "ASGD(p)", "lr=0.1", optim_ASGD(p), .lr = 0.1)                                                          \
    X(asgd_average, "ASGD(p, 0.1, lambd=0.05, alpha=0.5, t0=3)", "t0=0, lambd=0.2",                                 \
      optim_ASGD(p, 0.1, .lambd = 0.05, .alpha = 0.5, .t0 = 3), .t0 = 0, .lambd = 0.2)                              \
    X(asgd_decay, "ASGD(p, 0.1, t0=2, weight_decay=0.1, maximize=True)", "weight_decay=0, maximize=False",          \
      optim_ASGD(p, 0.1, .t0 = 2, .weight_decay = 0.1, .maximize = true), .weight_decay = 0, .maximize = false)     \
    X(rprop, "Rprop(p)", "lr=0.1", optim_Rprop(p), .lr = 0.1)                                                       \
    X(rprop_etas, "Rprop(p, 0.1, (0.3, 2.0), (0.05, 0.3))", "step_sizes=(0.01, 0.1)",                               \
      optim_Rprop(p, 0.1, (0.3, 2.0), (0.05, 0.3)), .step_sizes = {0.01, 0.1})                                      \
    X(rprop_maximize, "Rprop(p, etas=(0.9, 1.1), maximize=True)", "etas=(0.5, 3.0)",                                \
      optim_Rprop(p, .etas = {0.9, 1.1}, .maximize = true), .etas = {0.5, 3.0})                                     \
    X(adafactor, "Adafactor(p)", "lr=0.1", optim_Adafactor(p), .lr = 0.1)                                           \
    X(adafactor_eps, "Adafactor(p, 0.5, -0.5, (1e-3, 0.1), d=1.5)", "weight_decay=0.2",                             \
      optim_Adafactor(p, 0.5, -0.5, {1e-3, 0.1}, .d = 1.5), .weight_decay = 0.2)                                    \
    X(adafactor_decay, "Adafactor(p, 0.3, weight_decay=0.1, maximize=True)", "weight_decay=0, maximize=False",      \
      optim_Adafactor(p, 0.3, .weight_decay = 0.1, .maximize = true), .weight_decay = 0, .maximize = false)

/* Muon, of a matrix each: X(name, options in Python, the same in C) */
#define MUON_CASES(X)                                                                                               \
    X(muon, "", .nesterov = true)                                                                                   \
    X(muon_plain, "0.1, 0.3, 0.5, nesterov=False", 0.1, 0.3, 0.5, .nesterov = false)                                \
    X(muon_match, "lr=0.02, adjust_lr_fn='match_rms_adamw', ns_steps=3", .lr = 0.02,                                \
      .adjust_lr_fn = "match_rms_adamw", .ns_steps = 3)                                                             \
    X(muon_spectral, "lr=0.02, adjust_lr_fn='spectral_unclamped', ns_coefficients=(3, -3.2, 1.2)", .lr = 0.02,      \
      .adjust_lr_fn = "spectral_unclamped", .ns_coefficients = {3, -3.2, 1.2})

/* LBFGS on the problems of lbfgs_problem: X(name, problem, options in Python, the same in C) */
#define LBFGS_CASES(X)                                                                                                 \
    X(lbfgs, quadratic, "lr=0.05, max_iter=4", .lr = 0.05, .max_iter = 4)                                              \
    X(lbfgs_history, quadratic, "lr=0.2, max_iter=6, history_size=2", .lr = 0.2, .max_iter = 6, .history_size = 2)     \
    X(lbfgs_wolfe, quadratic, "max_iter=5, line_search_fn='strong_wolfe'", .max_iter = 5,                              \
      .line_search_fn = "strong_wolfe")                                                                                \
    X(lbfgs_evaluations, quadratic, "max_eval=3, line_search_fn='strong_wolfe'", .max_eval = 3,                        \
      .line_search_fn = "strong_wolfe")                                                                                \
    X(lbfgs_maximize, quadratic, "lr=0.5, max_iter=3, maximize=True, line_search_fn='strong_wolfe'", .lr = 0.5,        \
      .max_iter = 3, .maximize = true, .line_search_fn = "strong_wolfe")                                               \
    X(lbfgs_tolerance, quadratic, "tolerance_grad=4, tolerance_change=0.01, line_search_fn='strong_wolfe'",            \
      .tolerance_grad = 4, .tolerance_change = 0.01, .line_search_fn = "strong_wolfe")                                 \
    X(lbfgs_rosenbrock, rosenbrock, "max_iter=10, line_search_fn='strong_wolfe'", .max_iter = 10,                      \
      .line_search_fn = "strong_wolfe")                                                                                \
    X(lbfgs_rosenbrock_history, rosenbrock, "0.5, 4, 100, history_size=3, line_search_fn='strong_wolfe'", 0.5, 4, 100, \
      .history_size = 3, .line_search_fn = "strong_wolfe")

#endif
