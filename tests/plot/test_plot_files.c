/* tests/plot/test_plot_files.c: which figure is the current one, and how files are written. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/plot/figure/figure.h"
#include "core/plot/plot.h"
#include "tests/plot/plot_cases.h"

static const char path[] = "build/test_plot_files.svg";

static void tidy(void) {
    plt_close("all");
    remove(path);
    support_teardown();
}

#define EXPECT(count, what) ck_assert_int_eq(count_of(svg, what), count)

/* ---- figures ---- */

START_TEST(the_current_figure) {
    plt_figure(.figsize = {2, 3}, .dpi = 50);
    Figure *first = tg_current().figure;
    plt_figure();
    ck_assert_ptr_ne(tg_current().figure, first);
    ck_assert_ptr_eq(tg_current().figure->older, first);
    plt_close();
    ck_assert_ptr_eq(tg_current().figure, first);
    const char *svg = saved_figure();
    EXPECT(1, "width=\"100\" height=\"150\" viewBox=\"0 0 144 216\"");
    plt_close();
    plt_close();
    ck_assert_ptr_null(tg_current().figure);
    plt_xlabel("makes a figure");
    ck_assert_ptr_nonnull(tg_current().axes);
    plt_close("all");
    saved_figure();
    ck_assert_ptr_nonnull(tg_current().figure);
}
END_TEST

START_TEST(subplots_are_found_again) {
    plt_subplot(1, 2, 1);
    Axes *first = tg_current().axes;
    plt_subplot(1, 2, 2);
    ck_assert_ptr_ne(tg_current().axes, first);
    plt_imshow(grid_of(2, 2));
    plt_colorbar();
    plt_subplot(1, 2, 1);
    ck_assert_ptr_eq(tg_current().axes, first);
}
END_TEST

static void *draws_and_leaves(void *unused) {
    (void)unused;
    plt_figure();
    plt_plot(t_tensor("[1.0, 2.0]"), .label = "never closed");
    plt_legend();
    return tg_current().figure ? "drawn" : NULL;
}

START_TEST(each_thread_has_its_own_figures) {
    pthread_t thread;
    void *result;
    plt_title("of this thread");
    Current before = tg_current();
    ck_assert_int_eq(pthread_create(&thread, NULL, draws_and_leaves, NULL), 0);
    pthread_join(thread, &result);
    ck_assert_ptr_nonnull(result);
    ck_assert_ptr_eq(tg_current().figure, before.figure);
}
END_TEST

/* ---- files ---- */

START_TEST(sizes_of_files) {
    const char *svg;
    plt_plot(t_tensor("[1.0, 2.0]"));
    plt_savefig(path, .dpi = 150);
    char *text = read_text(path);
    svg = text;
    EXPECT(1, "width=\"960\" height=\"720\" viewBox=\"0 0 460.8 345.6\"");
    free(text);
}
END_TEST

static int files_in(const char *folder) {
    int count = 0;
    DIR *directory = opendir(folder);
    ck_assert_ptr_nonnull(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(directory);
    return count;
}

/* In a temporary folder, since other programs write into build meanwhile. */
START_TEST(a_failing_write_leaves_the_old_file) {
    static const char folder[] = "build/test_plot_files", picture[] = "build/test_plot_files/picture.svg";
    mkdir(folder, 0777);
    plt_plot(t_tensor("[1.0, 2.0]"));
    plt_savefig(picture);
    char *old = read_text(picture);
    plt_title("new");
    struct rlimit before, small = {1000, 1000};
    getrlimit(RLIMIT_FSIZE, &before);
    small.rlim_max = before.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool written = (plt_savefig)(picture, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    expect_refusal(!written, "cannot write build/test_plot_files/picture.svg: File too large");
    char *now = read_text(picture);
    ck_assert_str_eq(now, old);
    ck_assert_int_eq(files_in(folder), 1);
    free(now);
    free(old);
    unlink(picture);
    rmdir(folder);
}
END_TEST

static void *saves_again_and_again(void *drawn_with) {
    (plt_plot)(drawn_with, NULL);
    for (int i = 0; i < 30; i++)
        if (!(plt_savefig)(path, NULL)) return NULL;
    return drawn_with;
}

START_TEST(threads_may_write_one_file) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *saved;
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, saves_again_and_again, wave(50, 37, 11)), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &saved);
        ck_assert_ptr_nonnull(saved);
    }
    char *text = read_text(path);
    ck_assert_msg(!xml_mistake(text), "the file has %s", xml_mistake(text));
    free(text);
}
END_TEST

/* plt_show where nothing can be written fails, and the figure stays. */
/* In SVG each pixel of an image is a block of up to 16 x 16, of which there may be too many. */
START_TEST(an_image_of_too_many_pixels_is_refused) {
    plt_figure(.figsize = {400, 400});
    plt_imshow(t_zeros(2500, 2500));
    expect_refusal(!plt_savefig("build/test_plot_large.svg"), "an image of 2500 x 2500 is too large");
    plt_close(NULL);
}
END_TEST

START_TEST(shows_on_a_full_device) {
    FILE *full = fopen("/dev/full", "w");
    if (!full) return; /* only some systems have it */
    fflush(stdout);
    int before = dup(STDOUT_FILENO);
    plt_plot(t_tensor("[1.0, 2.0]"));
    dup2(fileno(full), STDOUT_FILENO);
    bool shown = (plt_show)();
    fclose(full);
    dup2(before, STDOUT_FILENO);
    close(before);
    clearerr(stdout);
    expect_refusal(!shown, "the figure could not be written");
    ck_assert_ptr_nonnull(tg_current().figure);
}
END_TEST

Suite *plot_files_suite(void);
Suite *plot_files_suite(void) {
    Suite *suite = suite_create("plot_files");
    TCase *tests = tcase_create("plot_files");
    tcase_add_checked_fixture(tests, support_setup, tidy);
    tcase_add_test(tests, the_current_figure);
    tcase_add_test(tests, subplots_are_found_again);
    tcase_add_test(tests, each_thread_has_its_own_figures);
    tcase_add_test(tests, sizes_of_files);
    tcase_add_test(tests, threads_may_write_one_file);
    tcase_add_test(tests, shows_on_a_full_device);
    tcase_add_test(tests, an_image_of_too_many_pixels_is_refused);
    tcase_add_test(tests, a_failing_write_leaves_the_old_file);
    suite_add_tcase(suite, tests);
    return suite;
}
