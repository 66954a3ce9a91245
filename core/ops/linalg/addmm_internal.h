/* core/ops/linalg/addmm_internal.h: the attributes of the records of addmm, addmv and baddbmm (internal). */
#ifndef TAPEGRAD_CORE_OPS_LINALG_ADDMM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_LINALG_ADDMM_INTERNAL_H

typedef struct Factors {
    double beta, alpha;
} Factors;

#endif
