"""Records scikit-learn's splits, scaled values and texts of errors, for tests/sklearn/test_sklearn.c, in sklearn.txt.

    python record_sklearn.py          needs scikit-learn and numpy; make check never runs it

A case is a line "= split NUMBER" with the training rows and the test rows, or an error; "= scale NUMBER" with numbers
in %.17g. The test has the same calls in C under the same numbers."""

import os
import warnings

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, MinMaxScaler, StandardScaler

HERE = os.path.dirname(os.path.abspath(__file__))


def labels(n, classes):
    """0 .. classes - 1 by a rule, in uneven proportions."""
    return np.array([(i * i + 3 * i) % (classes + 2) % classes for i in range(n)])


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


if __name__ == "__main__":
    main()
