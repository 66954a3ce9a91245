/* examples/tabular/main.c: who was saved? From a CSV file to a trained network: read, fill the gaps, encode, split,
 * scale, train, test. tabular.py is the same program in Python; both print the same.
 *
 *     build/examples/tabular                          on passengers made by a rule, in build/passengers.csv
 *     build/examples/tabular --data train.csv         on Kaggle's Titanic, or any file with its columns */
#include <stdio.h>

#include "core/data/data.h"
#include "core/python/python.h"
#include "core/sklearn/sklearn.h"
#include "examples/tabular/passengers.h"
#include "nn/nn.h"
#include "optim/optim.h"

static const char made[] = "build/passengers.csv";

static double accuracy(nn_Sequential *model, Tensor *x, Tensor *y) {
    double mean = 0;
    nn_eval(model);
    with_no_grad () mean = t_item(t_mean(t_float(t_eq(t_argmax(nn_call(model, x), 1), y))));
    nn_train(model);
    return mean;
}

int main(int argc, char **argv) {
    struct {
        const char *data, *predictions;
        int64_t epochs, seed;
    } args = {made, NULL, 40, 42};
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "Trains a network on a table.");
    argparse_add_argument(parser, &args.data, "--data", .help = "a CSV file (default: %(default)s, made anew)");
    argparse_add_argument(parser, &args.predictions, "--predictions",
                          .help = "writes what it predicts for the test rows");
    argparse_add_argument(parser, &args.epochs, "--epochs", .help = "passes over the data (default: %(default)s)");
    argparse_add_argument(parser, &args.seed, "--seed", .help = "of all that is random (default: %(default)s)");
    if (!argparse_parse_args(parser, argc, argv)) return parser->status;
    if (args.data == made) pd_to_csv(make_passengers(1309, 1912), made, .index = false);

    pd_DataFrame *df = pd_read_csv(args.data);
    pd_print(pd_head(pd_drop(df, .columns = {"Name", "Ticket"})));
    pd_Series *missing = pd_sum(pd_isna(df));
    pd_print(pd_getitem(missing, t_gt(pd_to_numpy(missing), 0)));
    pd_print(pd_groupby(df, "Sex", "Survived", mean));

    /* gaps: the median age, the most frequent port */
    df = pd_drop(df, .columns = {"PassengerId", "Name", "Ticket", "Cabin"});
    pd_setitem(df, "Age", pd_fillna(pd_getitem(df, "Age"), pd_median(pd_getitem(df, "Age"))));
    pd_setitem(df, "Embarked",
               pd_fillna(pd_getitem(df, "Embarked"), pd_iat_text(pd_mode(pd_getitem(df, "Embarked")), 0)));
    /* texts become columns of 0 and 1 */
    df = pd_get_dummies(df, .columns = {"Sex", "Embarked"}, .drop_first = true);

    Tensor *x = pd_to_numpy(pd_drop(df, .columns = {"Survived"}), t_float32);
    Tensor *y = pd_to_numpy(pd_getitem(df, "Survived")), *x_train, *x_test, *y_train, *y_test;
    sklearn_train_test_split((x, y), (&x_train, &x_test, &y_train, &y_test), .test_size = 0.2,
                             .random_state = args.seed, .stratify = y);
    sklearn_StandardScaler *scaler = sklearn_StandardScaler();
    x_train = sklearn_fit_transform(scaler, x_train);
    x_test = sklearn_transform(scaler, x_test);
    printf("%d rows to train on, %d to test, %d columns\n", (int)t_size(x_train, 0), (int)t_size(x_test, 0),
           (int)t_size(x_train, 1));

    t_manual_seed((uint64_t)args.seed);
    data_DataLoader *loader =
        data_DataLoader(data_TensorDataset(t_list(x_train, y_train)), .batch_size = 32, .shuffle = true);
    nn_Sequential *model =
        nn_Sequential(nn_Linear(t_size(x_train, 1), 32), nn_ReLU(), nn_Dropout(0.2), nn_Linear(32, 2));
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.002);
    for_range (epoch, 0, args.epochs) {
        double total = 0;
        for_batch (batch, loader) {
            Tensor *loss = F_cross_entropy(nn_call(model, batch.x), batch.y);
            optim_zero_grad(optimizer);
            t_backward(loss);
            optim_step(optimizer);
            total += t_item(loss) * (double)t_size(batch.y, 0);
        }
        if ((epoch + 1) % 10 == 0)
            printf("epoch %d  loss %.3f  training accuracy %.3f\n", (int)epoch + 1, total / (double)t_size(y_train, 0),
                   accuracy(model, x_train, y_train));
    }
    printf("always the more frequent: %.3f\n", 1 - t_item(t_mean(t_float(y_test))));
    printf("test accuracy: %.3f\n", accuracy(model, x_test, y_test));

    if (args.predictions) {
        pd_DataFrame *out = pd_DataFrame(x_test);
        nn_eval(model);
        with_no_grad () {
            pd_setitem(out, "Survived", y_test);
            pd_setitem(out, "predicted", t_argmax(nn_call(model, x_test), 1));
        }
        pd_to_csv(out, args.predictions, .index = false);
    }
    return 0;
}
