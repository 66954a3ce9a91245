/* tests/programs/guide_tables.c: the lines of examples/PORTING.md on tables, compiled and run. */
#include "core/sklearn/sklearn.h"
#include "tests/programs/guide.h"

static void texts(nn_Linear *model) {
    np_savetxt("build/guide.txt", model->weight, .fmt = "%.4f", .delimiter = ",", .header = "a,b,c,d");
    Tensor *table = np_loadtxt("build/guide.txt", .delimiter = ",", .dtype = t_float32, .usecols = np_columns(0, 2));
    SHAPE(table, "[2, 2]");
    table = np_genfromtxt("build/guide.txt", .delimiter = ",", .skip_header = 1, .filling_values = np_values(0));
    SHAPE(table, "[2, 4]");
    pd_DataFrame *d = np_genfromtxt_names("build/guide.txt", .delimiter = ",");
    checked += d->width == 4 && pd_getitem(d, "a")->len == 2;
}

static void tables(void) {
    pd_DataFrame *passengers = pd_DataFrame(t_rand(9, 3), .columns = {"Age", "Fare", "Survived"});
    pd_setitem(passengers, "Survived", t_tensor("[0, 1, 1, 0, 1, 0, 1, 1, 0]"));
    const char *const sexes[] = {"male", "female", "female", "male", NULL, "male", "female", "?", "male"};
    pd_setitem(passengers, "Sex", pd_Series_of_texts(sexes, 9, "Sex"));
    pd_to_csv(passengers, "build/guide.csv", .index = false);
    pd_DataFrame *df = pd_read_csv("build/guide.csv", .na_values = {"?"});
    pd_print(pd_head(df, 3));
    pd_info(df);
    pd_print(pd_describe(df));
    pd_print(pd_sum(pd_isna(df)));
    pd_print(pd_value_counts(pd_getitem(df, "Sex")));
    pd_print(pd_groupby(df, "Sex", "Survived", mean));
    checked += df->len == 9 && df->width == 4;
    df = pd_dropna(df, .subset = {"Sex"});
    checked += df->len == 7;
    pd_setitem(df, "Age", pd_fillna(pd_getitem(df, "Age"), pd_median(pd_getitem(df, "Age"))));
    t_TensorDict *numbers = t_dict();
    t_dict_set(numbers, "male", 0);
    t_dict_set(numbers, "female", 1);
    pd_setitem(df, "number", pd_map(pd_getitem(df, "Sex"), numbers));
    pd_setitem(df, "code", pd_codes(pd_getitem(df, "Sex")));
    pd_Series *sex = pd_astype(pd_getitem(df, "Sex"), "category");
    pd_print(pd_cat_categories(sex));
    pd_DataFrame *old = pd_getitem(df, t_gt(pd_to_numpy(pd_getitem(df, "Age")), 30));
    checked += old->len == 0;
    df = pd_get_dummies(df, .columns = {"Sex"}, .drop_first = true);
    Tensor *x = pd_to_numpy(pd_drop(df, .columns = {"Survived"}), t_float32);
    SHAPE(x, "[7, 5]");
    Tensor *y = pd_to_numpy(pd_getitem(df, "Survived"));
    SHAPE(y, "[7]");
    Tensor *x_train, *x_test, *y_train, *y_test;
    sklearn_train_test_split((x, y), (&x_train, &x_test, &y_train, &y_test), .test_size = 0.25, .random_state = 42);
    sklearn_StandardScaler *scaler = sklearn_StandardScaler();
    x_train = sklearn_fit_transform(scaler, x_train);
    x_test = sklearn_transform(scaler, x_test);
    SHAPE(x_train, "[5, 5]");
    SHAPE(x_test, "[2, 5]");
    sklearn_LabelEncoder *encoder = sklearn_LabelEncoder();
    y = sklearn_fit_transform(encoder, pd_getitem(df, "Survived"));
    df = pd_sample(df, .frac = 1, .random_state = 0);
    pd_DataFrame *ages =
        pd_groupby_agg(passengers, .by = {"Sex", "Survived"}, .agg = {{"Age", "mean"}, {"Fare", "max", "most"}});
    checked += ages->width == 4;
    df = pd_sort_values(df, "Fare", .ascending = false);
    SHAPE(pd_to_numpy(pd_iloc(df, ":5, :-1"), t_float32), "[5, 5]");
}

static void times(void) {
    Tensor *x = t_rand(5);
    pd_DataFrame *sales = pd_DataFrame(t_reshape(x, 5, 1), .columns = {"sold"});
    pd_setitem(sales, "day", pd_date_range("2024-01-30", .periods = 5));
    pd_to_csv(sales, "build/guide_sales.csv", .index = false);
    sales = pd_read_csv("build/guide_sales.csv", .parse_dates = {"day"});
    pd_setitem(sales, "month", pd_dt_month(pd_getitem(sales, "day")));
    pd_setitem(sales, "weekday", pd_dt_day_name(pd_getitem(sales, "day")));
    pd_Series *texts = pd_dt_strftime(pd_getitem(sales, "day"), "%d.%m.%Y");
    pd_Series *day = pd_to_datetime(texts, .format = "%d.%m.%Y", .errors = "coerce");
    checked += t_equal(pd_to_numpy(day), pd_to_numpy(pd_getitem(sales, "day")));
    pd_print(pd_rolling(pd_getitem(sales, "sold"), 3, mean, .min_periods = 1));
    pd_setitem(sales, "before", pd_shift(pd_getitem(sales, "sold"), 1));
    pd_setitem(sales, "more", pd_diff(pd_getitem(sales, "sold")));
    pd_setitem(sales, "total", pd_cumsum(pd_getitem(sales, "sold")));
    pd_print(pd_groupby(sales, "month", "sold", mean));
    printf("%s\n", pd_iat_text(pd_getitem(sales, "day"), -1));
}

static void encoders(void) {
    pd_DataFrame *df = pd_read_csv("build/guide.csv", .na_values = {"?"});
    Tensor *x = pd_to_numpy(pd_getitem(df, ("Age", "Fare")), t_float32), *y = pd_to_numpy(pd_getitem(df, "Survived"));
    sklearn_SimpleImputer *imputer = sklearn_SimpleImputer(.strategy = "median");
    x = sklearn_fit_transform(imputer, x);
    SHAPE(x, "[9, 2]");
    sklearn_OneHotEncoder *hot = sklearn_OneHotEncoder(.handle_unknown = "ignore");
    Tensor *sexes = sklearn_fit_transform(hot, pd_getitem(df, ("Sex", )));
    SHAPE(sexes, "[9, 3]");
    sklearn_OrdinalEncoder *ordinal = sklearn_OrdinalEncoder(.encoded_missing_value = -1);
    sexes = sklearn_fit_transform(ordinal, pd_getitem(df, ("Sex", )));
    SHAPE(sexes, "[9, 1]");
    sklearn_KFold *kf = sklearn_StratifiedKFold(3, .shuffle = true, .random_state = 0);
    t_TensorList *folds = sklearn_split(kf, x, y);
    for_range (i, 0, kf->n_splits) {
        Tensor *train = folds->items[2 * i], *test = folds->items[2 * i + 1];
        checked += t_size(train, 0) + t_size(test, 0) == 9;
    }
    pd_DataFrame *ports = pd_read_csv_bytes("Sex,port\nmale,S\nfemale,C\n", 25);
    pd_DataFrame *merged = pd_merge(df, ports, .on = {"Sex"}, .how = "left");
    checked += merged->width == 5 && merged->len == 9;
    df = pd_concat((df, merged), .ignore_index = true);
    checked += df->len == 18 && df->width == 5;
    pd_to_csv(df, "build/guide.csv.gz");
    pd_DataFrame *passengers = pd_read_csv("build/guide.csv");
    ports = pd_set_index(ports, "Sex");
    merged = pd_merge(passengers, ports, .left_on = {"Sex"}, .right_index = true, .indicator = "_merge");
    checked += merged->width == 6;
    Tensor *predicted = t_tensor("[0, 1, 0, 0, 1, 0, 1, 1, 1]"), *scores = t_rand(9);
    printf("%.3f\n", sklearn_accuracy_score(y, predicted));
    t_print(sklearn_confusion_matrix(y, predicted));
    puts(sklearn_classification_report(y, predicted, .target_names = {"died", "survived"}));
    printf("%.3f\n", sklearn_f1_score(y, predicted, .average = "macro"));
    printf("%.3f %.3f\n", sklearn_roc_auc_score(y, scores), sklearn_log_loss(y, scores));
    printf("%.3f %.3f\n", sklearn_mean_squared_error(y, scores), sklearn_r2_score(y, scores));
}

int main(void) {
    with_scope () {
        texts(nn_Linear(4, 2));
        tables();
        times();
        encoders();
    }
    return all_checked(22);
}
