/* tests/bench/read_csv.c: reads a CSV file with pd_read_csv: seconds of the clock, of the processor, and rows, for
 * csv_files.py, which does the same with pandas: read_csv FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/pandas/pandas.h"
#include "core/python/python.h"

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "read_csv FILE\n");
        return EXIT_FAILURE;
    }
    t_set_num_threads(1);
    const double begin = time_perf_counter();
    const clock_t clock_begin = clock();
    const pd_DataFrame *df = pd_read_csv(argv[1]);
    if (!df) return EXIT_FAILURE;
    printf("%.6f %.6f %lld\n", time_perf_counter() - begin, (double)(clock() - clock_begin) / CLOCKS_PER_SEC,
           (long long)df->len);
    return EXIT_SUCCESS;
}
