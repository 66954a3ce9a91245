/* core/distributions/constraints.h: torch.distributions.constraints: sets of values, for parameters and supports
 * (public). */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_CONSTRAINTS_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_CONSTRAINTS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

typedef struct distributions_Constraint distributions_Constraint; /* constraints.Constraint; owned by its scope */

T_API distributions_Constraint *distributions_constraints_real(void);          /* constraints.real: no NaN */
T_API distributions_Constraint *distributions_constraints_real_vector(void);   /* constraints.real_vector */
T_API distributions_Constraint *distributions_constraints_positive(void);      /* constraints.positive: x > 0 */
T_API distributions_Constraint *distributions_constraints_nonnegative(void);   /* constraints.nonnegative: x >= 0 */
T_API distributions_Constraint *distributions_constraints_unit_interval(void); /* constraints.unit_interval */
T_API distributions_Constraint *distributions_constraints_boolean(void);       /* constraints.boolean: 0 or 1 */
T_API distributions_Constraint *distributions_constraints_nonnegative_integer(void); /* nonnegative_integer */
T_API distributions_Constraint *distributions_constraints_positive_integer(void);    /* positive_integer */
T_API distributions_Constraint *distributions_constraints_simplex(void); /* constraints.simplex: >= 0, with the sum 1 */
T_API distributions_Constraint *distributions_constraints_one_hot(void); /* constraints.one_hot */
T_API distributions_Constraint *distributions_constraints_lower_cholesky(void);    /* constraints.lower_cholesky */
T_API distributions_Constraint *distributions_constraints_positive_definite(void); /* constraints.positive_definite */
T_API distributions_Constraint *distributions_constraints_positive_semidefinite(void); /* positive_semidefinite */
T_API distributions_Constraint *distributions_constraints_lower_triangular(void); /* constraints.lower_triangular */
T_API distributions_Constraint *distributions_constraints_corr_cholesky(
    void); /* constraints.corr_cholesky: a Cholesky factor whose rows have the norm 1 */
T_API distributions_Constraint *distributions_constraints_square(void);    /* constraints.square */
T_API distributions_Constraint *distributions_constraints_symmetric(void); /* constraints.symmetric */
T_API distributions_Constraint *distributions_constraints_greater_than(Tensor *lower_bound);    /* x > lower_bound */
T_API distributions_Constraint *distributions_constraints_greater_than_eq(Tensor *lower_bound); /* x >= lower_bound */
T_API distributions_Constraint *distributions_constraints_less_than(Tensor *upper_bound);       /* x < upper_bound */
T_API distributions_Constraint *distributions_constraints_interval(
    Tensor *lower_bound, Tensor *upper_bound); /* constraints.interval(lower_bound, upper_bound): with both ends */
T_API distributions_Constraint *distributions_constraints_half_open_interval(
    Tensor *lower_bound, Tensor *upper_bound); /* constraints.half_open_interval: without upper_bound */
T_API distributions_Constraint *distributions_constraints_integer_interval(
    Tensor *lower_bound, Tensor *upper_bound); /* constraints.integer_interval(lower_bound, upper_bound) */
T_API distributions_Constraint *distributions_constraints_multinomial(
    Tensor *upper_bound); /* constraints.multinomial(upper_bound): x >= 0, with a sum of at most upper_bound */
T_API distributions_Constraint *distributions_constraints_independent(
    distributions_Constraint *base_constraint,
    int64_t reinterpreted_batch_ndims); /* constraints.independent(base_constraint, reinterpreted_batch_ndims) */
T_API distributions_Constraint *distributions_constraints_cat(
    distributions_Constraint *const *cseq, int64_t count, int64_t dim,
    const int64_t *lengths); /* constraints.cat(cseq, dim=0, lengths=None): by the elements along dim */
T_API distributions_Constraint *distributions_constraints_stack(distributions_Constraint *const *cseq, int64_t count,
                                                                int64_t dim); /* constraints.stack(cseq, dim=0) */
T_API Tensor *distributions_constraints_check(distributions_Constraint *constraint,
                                              Tensor *value); /* constraint.check(value) */
T_API const char *distributions_constraints_str(distributions_Constraint *constraint); /* repr(constraint) */
T_API int64_t distributions_constraints_event_dim(distributions_Constraint *constraint); /* constraint.event_dim */
T_API bool distributions_constraints_is_discrete(distributions_Constraint *constraint); /* constraint.is_discrete */

T_END_DECLS
#endif
