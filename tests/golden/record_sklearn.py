"""Records scikit-learn's splits, scaled values, metrics, folds, encoded values and texts of errors, for tests/sklearn,
in sklearn.txt.

    python record_sklearn.py          needs scikit-learn and numpy; make check never runs it

A case is a line "= split NUMBER" with the training rows and the test rows, or an error; "= scale NUMBER" with numbers
in %.17g; "= metric NUMBER", "= fold NUMBER" and "= encode NUMBER" with numbers in %.12g or texts. The tests have the
same calls in C under the same numbers."""

import os
import re
import warnings

import numpy as np
import pandas as pd
from sklearn import metrics as m
from sklearn.impute import SimpleImputer
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler

HERE = os.path.dirname(os.path.abspath(__file__))


def labels(n, classes):
    """0 .. classes - 1 by a rule, in uneven proportions."""
    return np.array([(i * i + i // 2) % (classes + 2) % classes for i in range(n)])


SPLITS = [
    (10, {"random_state": 0}),
    (10, {"test_size": 0.2, "random_state": 42}),
    (10, {"test_size": 3, "random_state": 1}),
    (10, {"train_size": 0.6, "random_state": 2}),
    (10, {"train_size": 4, "test_size": 0.3, "random_state": 3}),
    (11, {"test_size": 0.33, "random_state": 4294967295}),
    (10, {"shuffle": False}),
    (1000, {"test_size": 0.001, "random_state": 7}),
    (30, {"stratify": 2, "random_state": 0}),
    (31, {"stratify": 3, "test_size": 0.2, "random_state": 42}),
    (50, {"stratify": 4, "test_size": 10, "train_size": 21, "random_state": 5}),
    (97, {"stratify": 5, "test_size": 0.4, "random_state": 11}),
    (10, {"test_size": 1.5}),
    (10, {"test_size": 10}),
    (10, {"test_size": 0.7, "train_size": 0.6}),
    (10, {"test_size": 6, "train_size": 6}),
    (2, {"test_size": 0.9}),
    (1, {}),
    (10, {"test_size": -1}),
    (10, {"stratify": 2, "shuffle": False}),
    (20, {"stratify": 5, "test_size": 3, "random_state": 6}),
    (50, {"stratify": 4, "train_size": 2}),
    (50, {"stratify": 4, "test_size": 2}),
    (10, {"random_state": -1}),
]


def data(dtype):
    return np.array([[1, -2, 5, 0.1], [2, 0.5, 5, 0.2], [4, np.nan, 5, 0.3], [-8.25, 3, 5, 1e6]], dtype)


def scaled():
    for dtype in ("float64", "float32"):
        x = data(dtype)
        s = StandardScaler().fit(x)
        yield s.mean_
        yield s.scale_
        yield s.var_
        yield s.transform(x)
        yield s.inverse_transform(s.transform(x))
        yield StandardScaler(with_mean=False).fit_transform(x)
        yield StandardScaler(with_std=False).fit_transform(x)
        m = MinMaxScaler().fit(x)
        yield m.min_
        yield m.scale_
        yield m.transform(x)
        yield m.inverse_transform(m.transform(x))
        yield MinMaxScaler(feature_range=(-1, 3)).fit_transform(x)
        yield MinMaxScaler(clip=True).fit(x[:2]).transform(x)
    yield StandardScaler().fit_transform(np.arange(12).reshape(6, 2))
    yield LabelEncoder().fit_transform(["b", "a", "c", "a"])


def text_of(x):
    """Numbers in %.12g, rows by " | "; texts as they are; lists one after the other."""
    if isinstance(x, str):
        return x.rstrip("\n")
    if isinstance(x, (tuple, list)):
        return " ; ".join(map(text_of, x))
    x = np.asarray(x)
    if x.ndim == 2:
        return " | ".join(map(text_of, x))
    return " ".join("nan" if v is None or v != v else v if isinstance(v, str) else "%.12g" % v for v in x.ravel())


def sort_set(match):
    """The texts of a set, which Python prints in any order."""
    return "{%s}" % ", ".join(sorted(match[0][1:-1].split(", ")))


def outcome(call):
    try:
        return text_of(call())
    except Exception as error:
        text = str(error).rstrip("\n").split(" For supervised learning")[0]
        return "error: %s" % re.sub(r"{'[^}]*}", sort_set, text)


T, P = [0, 1, 2, 2, 2, 1, 0, 4], [0, 0, 2, 2, 1, 1, 1, 3]
B, C = [0, 1, 1, 0, 1, 1, 0, 1, 0, 0], [0, 1, 0, 0, 1, 1, 1, 1, 0, 1]
S = [0.1, 0.9, 0.4, 0.35, 0.8, 0.8, 0.5, 0.7, 0.1, 0.6]
PROB = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]
METRICS = [
    lambda: m.accuracy_score(T, P),
    lambda: m.accuracy_score(T, P, normalize=False),
    lambda: m.accuracy_score([[1], [0]], [1.0, 1.0]),
    lambda: m.accuracy_score(np.zeros(0), np.zeros(0)),
    lambda: m.accuracy_score([0, 1], [0, 1, 1]),
    lambda: m.accuracy_score([0.5, 1], [0, 1]),
    lambda: m.accuracy_score([0.5, 1], [0.1, 1]),
    lambda: m.accuracy_score(np.zeros((2, 2)), [0, 1]),
    lambda: m.accuracy_score(np.array([0, np.nan]), [0, 1]),
    lambda: m.balanced_accuracy_score(B, C),
    lambda: m.confusion_matrix(T, P),
    lambda: m.confusion_matrix(B, C),
    lambda: m.confusion_matrix(T, P, normalize="true"),
    lambda: m.confusion_matrix(T, P, normalize="pred"),
    lambda: m.confusion_matrix(T, P, normalize="all"),
    lambda: m.confusion_matrix(T, P, normalize="x"),
    lambda: m.confusion_matrix(T, P, labels=[2, 0, 7]),
    lambda: m.confusion_matrix(T, P, labels=[3]),
    lambda: m.precision_score(B, C),
    lambda: m.recall_score(B, C),
    lambda: m.f1_score(B, C),
    lambda: m.f1_score(B, C, pos_label=0),
    lambda: m.f1_score(B, C, pos_label=2),
    lambda: m.precision_score(T, P),
    lambda: m.precision_score(T, P, average="macro"),
    lambda: m.recall_score(T, P, average="weighted"),
    lambda: m.f1_score(T, P, average="macro"),
    lambda: m.f1_score(T, P, average="weighted"),
    lambda: m.f1_score(T, P, average="micro"),
    lambda: m.f1_score(T, P, average="x"),
    lambda: m.precision_score(T, P, average="macro", zero_division=1.0),
    lambda: m.precision_score(T, P, average="weighted", zero_division=np.nan),
    lambda: m.precision_score(T, P, average="macro", zero_division=0.5),
    lambda: list(m.precision_recall_fscore_support(T, P)),
    lambda: m.classification_report(T, P),
    lambda: m.classification_report(B, C, target_names=["no", "a rather long name\u00e9"], digits=4),
    lambda: m.classification_report([1.0, 2.0, 3.0], [1.0, 2.0, 2.0], zero_division=0),
    lambda: m.classification_report(np.array([True, False]), np.array([True, True]), digits=0),
    lambda: m.classification_report(T, P, target_names=["a", "b"]),
    lambda: m.roc_auc_score(B, S),
    lambda: m.roc_auc_score([0, 0], [0.1, 0.2]),
    lambda: list(m.roc_curve(B, S)),
    lambda: list(m.roc_curve([-1, -1, 1, 1, 1, 1, -1, -1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])),
    lambda: m.log_loss(B, S),
    lambda: m.log_loss([0, 1, 2], PROB),
    lambda: m.log_loss([0, 1], [0, 1]),
    lambda: m.log_loss([0, 0], [0, 1]),
    lambda: m.mean_squared_error([1, 2, 4], [1.5, 2, 3]),
    lambda: m.mean_squared_error([[1, 2], [3, 4]], [[1, 3], [5, 5]]),
    lambda: m.root_mean_squared_error([[1, 2], [3, 4]], [[1, 3], [5, 5]]),
    lambda: m.mean_absolute_error([1, 2, 4], [1.5, 2, 3]),
    lambda: m.r2_score([1, 2, 4], [1.5, 2, 3]),
    lambda: m.r2_score([[1, 1], [2, 1]], [[1, 2], [2, 2]]),
    lambda: m.r2_score([1, 1], [1, 1]),
    lambda: m.r2_score([1], [1]),
    lambda: m.mean_squared_error([1, 2], [1]),
    lambda: m.mean_squared_error([1, np.nan], [1, 2]),
    lambda: m.mean_squared_error([1, np.inf], [1, 2]),
    lambda: m.mean_squared_error([[1, 2]], [[1]]),
    lambda: round(1e4 * m.log_loss([0, 1], np.float32([1, 0]))),
    lambda: list(m.roc_curve([0, 0, 0], [0.1, 0.4, 0.2])),
    lambda: list(m.roc_curve([-1, -1, -1], [0.1, 0.4, 0.2])),
    lambda: list(m.roc_curve([1, 1, 1], [0.1, 0.4, 0.2])),
    lambda: list(m.roc_curve([1, 2, 1], [0.1, 0.4, 0.2])),
    lambda: list(m.roc_curve([2.0, 2.0, 2.0], [0.1, 0.4, 0.2])),
    lambda: m.roc_auc_score([1, 2, 1], [0.1, 0.4, 0.2]),
    lambda: m.confusion_matrix([1, 1], [1, 1]),
    lambda: m.confusion_matrix([[0, 1], [1, 0]], [[0, 1], [1, 0]]),
    lambda: m.roc_auc_score([0.5, 1.5], [0.1, 0.2]),
    lambda: m.roc_curve([0, 1], [[0.1, 0.2], [0.3, 0.4]]),
    lambda: m.log_loss([0, 1], [1.5, 0.2]),
    lambda: m.log_loss([0, 1], [-0.5, 0.2]),
    lambda: m.log_loss([0, 1, 2], [0.5, 0.2, 0.1]),
    lambda: m.log_loss([0, 1], [[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]]),
    lambda: m.mean_squared_error(np.zeros(0), np.zeros(0)),
    lambda: m.mean_squared_error(np.zeros((0, 2)), np.zeros((0, 2))),
]


def folds(kf, x, y=None):
    return [part for pair in kf.split(x, y) for part in pair]


X = np.arange(11)
FOLDS = [
    lambda: folds(KFold(), X),
    lambda: folds(KFold(3, shuffle=True, random_state=0), X),
    lambda: folds(KFold(11, shuffle=True, random_state=7), X),
    lambda: folds(KFold(1), X),
    lambda: folds(KFold(3, random_state=0), X),
    lambda: folds(KFold(12), X),
    lambda: folds(StratifiedKFold(3), X, labels(11, 2)),
    lambda: folds(StratifiedKFold(4, shuffle=True, random_state=1), np.arange(37), labels(37, 4)),
    lambda: folds(StratifiedKFold(2, shuffle=True, random_state=3), X, [2, 2, 1, 1, 0, 0, 0, 2, 2, 1, 1]),
    lambda: folds(StratifiedKFold(3), X, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]),
    lambda: folds(StratifiedKFold(8), X, labels(11, 2)),
    lambda: folds(StratifiedKFold(3), X, X / 3.3),
    lambda: folds(StratifiedKFold(3), X, [1, 2]),
    lambda: folds(StratifiedKFold(3), X[:4], [0, 0, 1, 1]),
    lambda: folds(StratifiedKFold(3), X[:4], [0, 0, 0, 1]),
]

FRAME = pd.DataFrame({"s": ["b", "a", None, "c"], "n": [3, 1, 2, 1]})
OTHER = pd.DataFrame({"s": ["x", "y"], "n": [3, 5]})
NUMBERS = np.array([[1.5, np.nan], [2, 3], [1.5, 4]])
HOLES = np.array([[1, np.nan, 3], [2, 5, np.nan], [2, 7, np.nan], [9, np.nan, -1]])


def hot(x, **options):
    return OneHotEncoder(sparse_output=False, **options).fit(x)


UNKNOWN = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(FRAME[["n"]])
ENCODED = [
    lambda: hot(FRAME).transform(FRAME),
    lambda: list(hot(FRAME).get_feature_names_out()),
    lambda: hot(FRAME, drop="first").transform(FRAME),
    lambda: hot(FRAME[["n"]], drop="if_binary").transform(FRAME[["n"]]),
    lambda: hot(FRAME, handle_unknown="ignore").transform(OTHER),
    lambda: hot(FRAME).transform(OTHER[:1]),
    lambda: hot(FRAME[["n"]]).transform(OTHER[["n"]]),
    lambda: hot(FRAME).transform(FRAME[["s"]]),
    lambda: hot(FRAME).transform(FRAME.rename(columns={"n": "t"})),
    lambda: hot(FRAME).transform(FRAME[["n", "s"]]),
    lambda: OneHotEncoder().transform(FRAME),
    lambda: hot(FRAME, handle_unknown="x"),
    lambda: hot(FRAME, drop="x"),
    lambda: hot(NUMBERS).transform(NUMBERS),
    lambda: list(hot(NUMBERS).get_feature_names_out()),
    lambda: hot(NUMBERS).transform(NUMBERS[:, :1]),
    lambda: hot(FRAME).inverse_transform([[0, 1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 1, 0]]),
    lambda: hot(FRAME).inverse_transform([[0, 0, 0, 0, 1, 0, 0]]),
    lambda: hot(FRAME, drop="first").inverse_transform([[0, 0, 0, 0, 0]]),
    lambda: hot(FRAME).inverse_transform([[0, 0, 1]]),
    lambda: OrdinalEncoder().fit_transform(FRAME),
    lambda: OrdinalEncoder(encoded_missing_value=-1).fit_transform(FRAME),
    lambda: OrdinalEncoder().fit(FRAME).transform(OTHER[:1]),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(FRAME).transform(OTHER),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value").fit(FRAME),
    lambda: OrdinalEncoder(unknown_value=-1).fit(FRAME),
    lambda: OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=1).fit(FRAME),
    lambda: OrdinalEncoder().fit(FRAME).inverse_transform([[0, 1], [np.nan, 2]]),
    lambda: OrdinalEncoder().fit(FRAME).inverse_transform([[5, 1]]),
    lambda: SimpleImputer().fit_transform(HOLES),
    lambda: SimpleImputer(strategy="median").fit_transform(HOLES),
    lambda: SimpleImputer(strategy="most_frequent").fit_transform(HOLES),
    lambda: SimpleImputer(strategy="constant").fit_transform(HOLES),
    lambda: SimpleImputer(strategy="constant", fill_value=9).fit_transform(HOLES),
    lambda: SimpleImputer(missing_values=2).fit_transform([[1, 2], [2, 3]]),
    lambda: SimpleImputer().fit_transform(np.array([[np.nan, 1], [np.nan, 2]])),
    lambda: SimpleImputer(strategy="x").fit(HOLES),
    lambda: SimpleImputer().transform(HOLES),
    lambda: SimpleImputer().fit(HOLES).transform(HOLES[:, :2]),
    lambda: SimpleImputer().fit(HOLES).transform([[np.inf, 1, 2]]),
    lambda: SimpleImputer(missing_values=-1).fit(HOLES),
    lambda: SimpleImputer().fit(FRAME),
    lambda: SimpleImputer(strategy="most_frequent").fit_transform(FRAME),
    lambda: SimpleImputer(strategy="constant").fit_transform(FRAME),
    lambda: hot(FRAME[["n"]], handle_unknown="ignore").inverse_transform([[0, 0, 0], [0, 1, 0]]),
    lambda: UNKNOWN.inverse_transform([[-1], [1]]),
    lambda: hot(FRAME).transform(FRAME.rename(columns={"n": "t", "s": "q"})),
    lambda: hot(FRAME, handle_unknown="warn").transform(OTHER),
    lambda: OrdinalEncoder(handle_unknown="x").fit(FRAME),
    lambda: OrdinalEncoder().fit(FRAME).inverse_transform([[0, 1, 2]]),
]


def main():
    warnings.simplefilter("ignore")
    with open(os.path.join(HERE, "sklearn.txt"), "w") as out:
        for i, (n, call) in enumerate(SPLITS):
            arguments = dict(call)
            if "stratify" in call:
                arguments["stratify"] = labels(n, call["stratify"])
            try:
                train, test = train_test_split(np.arange(n), **arguments)
                result = "%s\n%s" % (" ".join(map(str, train)), " ".join(map(str, test)))
            except Exception as error:
                result = "error: %s" % error
            out.write(f"= split {i}\n{result}\n")
        for i, x in enumerate(scaled()):
            out.write(f"= scale {i}\n{' '.join('%.17g' % v for v in np.asarray(x, 'float64').ravel())}\n")

        for name, cases in (("metric", METRICS), ("fold", FOLDS), ("encode", ENCODED)):
            for i, case in enumerate(cases):
                out.write(f"= {name} {i}\n{outcome(case)}\n")

if __name__ == "__main__":
    main()
