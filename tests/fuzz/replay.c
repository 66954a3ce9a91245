/* tests/fuzz/replay.c: runs the readers over the fuzzer's corpus (tests/fuzz/corpus), without libFuzzer; or over the
 * files that are named: fuzz_replay safetensors crash-12345. Runs from the root of the tree. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/parsers.h"

static void replay_file(const char *parser, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    enum { LARGEST = 1 << 20 };
    uint8_t *data = malloc(LARGEST);
    const size_t size = data ? fread(data, 1, LARGEST, file) : 0;
    fclose(file);
    fuzz_one(parser, data, size);
    fuzz_path(path);
    free(data);
}

static int replay_folder(const char *parser) {
    char folder[300], path[600];
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", parser);
    DIR *entries = opendir(folder);
    int count = 0;
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay_file(parser, path);
        count++;
    }
    if (entries) closedir(entries);
    return count;
}

int main(int argc, char **argv) {
    for (int i = 2; i < argc; i++) replay_file(argv[1], argv[i]);
    if (argc > 1) return EXIT_SUCCESS;
    for (int p = 0; fuzz_parser(p); p++) {
        const int files = replay_folder(fuzz_parser(p));
        if (files == 0) {
            fprintf(stderr, "fuzz_replay: no file in tests/fuzz/corpus/%s\n", fuzz_parser(p));
            return EXIT_FAILURE;
        }
        printf("%s%s %d", p ? ", " : "fuzz_replay: files read: ", fuzz_parser(p), files);
    }
    puts("");
    return EXIT_SUCCESS;
}
