/* examples/notebook: a notebook's Transformer encoder for classification, cell by cell ("The Transformer encoder:
 * architecture and training", tutorial 002). Cell 1 is here, 2 and 3 are in attention.c, 4 to 7 in encoder.c, 8 and 9
 * in classifier.c, 10 to 12 in training.c; padded_batches.c is not the notebook's.
 *
 * Difficulty: **     Read first: packed_qkv     Read next: encoder_decoder
 *
 * Classes, variables and their order are the notebook's, functions in snake_case; under the same seed it prints the
 * same values in the same order, cell after cell. */
#include "notebook.h"

/* ---- 1. seeds ---- */

/* Two of the notebook's lines have no counterpart: np.random.seed(42), nothing draws from numpy, and
 * warnings.filterwarnings('ignore'). */
static void cell_1(void) {
    t_manual_seed(42);
    printf("device: cpu\n");
    t_print("version:", t_version());
    plt_rcParams("font.sans-serif", "DejaVu Sans");
    plt_rcParams("axes.unicode_minus", "False");
}

int main(int argc, char **argv) {
    example = example_options(argc, argv, "a Transformer encoder that classifies sequences, cell by cell");
    fixed = example.fixed;
    Data data;
    cell_1();
    cell_2();
    cell_3();
    cell_4();
    cell_5();
    cell_6();
    cell_7();
    cell_8(&data);
    EncoderClassifier *model = cell_9();
    cell_10(model, data.train_loader);
    cell_11(model, data.val_dataset);
    cell_12(model);

    printf("\nadded to the notebook: what its text claims or leaves out\n");
    repairs();
    padded_batches(model);
    validation_loop(&data);
    gradient_norms(model);
    return 0;
}
