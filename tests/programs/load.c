/* tests/programs/load.c: a program that loads the shared library while it runs, as Python and other languages do. A library whose
 * threads have variables of their own can ask for more room than a C library keeps ready for one that comes late.
 * Usage: load build/libtapegrad.so */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words) {
    void *library = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
    if (library && dlsym(library, "t_version")) return EXIT_SUCCESS;
    fprintf(stderr, "load: %s\n", count == 2 ? dlerror() : "which library?");
    return EXIT_FAILURE;
}
