/* tests/programs/load.c: loads the shared library at run time (dlopen), as Python and other languages do. A library
 * with large thread-local variables may exceed the space that a C library reserves for libraries loaded late. Usage:
 * load build/libtapegrad.so */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library && dlsym(library, "t_version")) return EXIT_SUCCESS;
    fprintf(stderr, "load: %s\n", argc == 2 ? dlerror() : "which library?");
    return EXIT_FAILURE;
}
