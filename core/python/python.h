/* core/python/python.h: the parts of Python's standard library that training scripts use, under Python's names
 * (public): random, with Python's numbers for the same seed; time; os.listdir; argparse. */
#ifndef TAPEGRAD_CORE_PYTHON_PYTHON_H
#define TAPEGRAD_CORE_PYTHON_PYTHON_H

#include "core/python/argparse.h"
#include "core/python/numpy_random.h"
#include "core/python/os.h"
#include "core/python/random.h"
#include "core/python/time.h"
#ifndef __cplusplus
#include "core/python/sugar.h"
#endif

#endif
