/* examples/lessons/grader_source.h: where the functions of a C source are and which names they use. */
#ifndef LESSONS_GRADER_SOURCE_H
#define LESSONS_GRADER_SOURCE_H

#include <stdbool.h>

/* A function definition or a macro with its replacement. */
typedef struct Function {
    char name[64];
    int line;               /* of its first line, from 1 */
    const char *begin, *end; /* of its body, in Source.text */
    bool visited;
} Function;

typedef struct Source {
    char *text; /* the file with comments, strings and characters replaced by spaces */
    Function *functions;
    int count;
} Source;

bool source_read(Source *source, const char *path);
void source_free(Source *source);
/* The line of a function's definition, or 0. */
int source_line(const Source *source, const char *function);
/* Whether the function, or a function or macro of the same file that it uses, has one of the names in `forbidden`
 * (separated by spaces; "t_softmax*" is all names that begin so); if so, sets the name and its line. */
bool source_uses(Source *source, const char *function, const char *forbidden, char name[64], int *line);

#endif
