"""Records what pandas reads from CSV texts, computes and prints, for tests/pandas, in pandas.txt.

    python record_pandas.py          needs pandas 3 and numpy; make check never runs it

A case is a line "= read NUMBER" (or op, join, time, group, category, window, csv), the call as JSON, and as JSON what
is printed, or "error: TEXT". The tests have the same calls in C under the same numbers. Integers beyond int64 are not
here: they are str in C."""

import io
import json
import os
import warnings

import numpy as np
import pandas as pd

HERE = os.path.dirname(os.path.abspath(__file__))

READ = [
    ("a,b,c\n1,2.5,x\n3,,y\n", {}),
    ("a,b,c\n1,2,3\n4,5,6,7\n", {}),
    ("a,b,c\n1,2,3\n4,5\n", {}),
    ("a,b,c\n1,2,3,9\n4,5,6,8\n", {}),
    ("a,b\n1,2\n3,4,5\n", {}),
    ("1,2\n3,4\n", {"header": None}),
    ("1,2\n3,4,5\n", {"header": None}),
    ("1,2\n3,4\n", {"names": ["x", "y"]}),
    ("1,2\n3,4\n", {"header": None, "names": ["x", "y", "z"]}),
    ("1,2,3\n3,4,3\n", {"header": None, "names": ["x", "y"]}),
    ("a,b\n1,2\n3,4\n", {"names": ["x", "y"], "header": 0}),
    ("a,a,b,a\n1,2,3,4\n", {}),
    ("a,,b\n1,2,3\n", {}),
    ("a,b\nTrue,false\nFALSE,TRUE\n", {}),
    ("a,b\nTrue,1\nFALSE,\n", {}),
    ("a,b\nTrue,\nFALSE,x\n,y\n", {}),
    ("a,b\n,1\nTrue,2\n", {}),
    ("a,b\nTrue,1\n1,2\n", {}),
    ('a,b\n"x\ny","he said ""hi"""\n1,2\n', {}),
    ('a,b\n"x,1\n', {}),
    ("a,b\r\n1,2\r\n3,4\r\n", {}),
    ("a,b\r1,2\r3,4", {}),
    ("\ufeffa,b\n1,2\n", {}),
    ("a b\n1 2\n", {"sep": " "}),
    ("a  b\n1   2\n 3 4 \n", {"sep": "\\s+"}),
    ("a;b\n1;2\n", {"sep": ";"}),
    ("a\tb\n1\t\n", {"sep": "\t"}),
    ("a,b\n0x10,1e5\n2,inf\n3,-Infinity\n", {}),
    ("a,b\n 1, x\n2 ,y \n", {}),
    ("a,b\n1,NA\n2,n/a\n3,null\n4,None\n5,nan\n6,<NA>\n7,-\n", {}),
    ("a,b\n1,NaN\n2,#N/A\n3,NULL\n4,-1.#IND\n5,2\n", {}),
    ("a,b\n1,?\n2,3\n", {"na_values": ["?"]}),
    ("a,b\n-999,?\n2,3\n", {"na_values": ["?", "-999"]}),
    ("a,b\n1,?\n2,3\n", {"na_values": ["?"], "usecols": ["b"]}),
    ("a,b\n1,NA\n2,\n", {"keep_default_na": False}),
    ("a,b\n1,NA\n2,x\n", {"na_filter": False}),
    ("a,b,c\n1,2,3\n4,5,6,7\n", {"usecols": ["c", "a"]}),
    ("a,b,c\n1,2,3\n", {"usecols": ["z"]}),
    ("a,b,c\n1,2,3\n", {"dtype": {"a": "float64", "b": "str"}}),
    ("a,b\n1,1\n0,2\n", {"dtype": "float32"}),
    ("a,b\n1,1\n0,0\n", {"dtype": "bool"}),
    ("a,b,c\n1,,3\n", {"dtype": {"b": "int64"}}),
    ("a,b,c\n1,x,3\n", {"dtype": {"b": "int64"}}),
    ("a,b,c\n1,1.5,3\n", {"dtype": {"b": "int64"}}),
    ("", {}),
    ("a,b\n", {}),
    ("\n\n", {}),
    ("a,b\n1,2\n\n3,4\n  \n", {}),
    ("a,b\n1,2\n\n3,4\n", {"skip_blank_lines": False}),
    ("x\na,b\n1,2\n", {"skiprows": 1}),
    ("a,b\n1,2\n3,4\n5,6\n", {"nrows": 2}),
    ("a,b\n1,2\n3,4\n6,6\n", {"index_col": "b"}),
    ("a,b\nx,2\ny,4\n", {"index_col": "a"}),
    ("#c\na,b\n1,2 #x\n3,4\n", {"comment": "#"}),
    ("a,b\n1,2\n3,4,5\n6,7\n", {"on_bad_lines": "skip"}),
    ("a,b\n1,2\nx,4,5\ny,7\n", {"on_bad_lines": "skip"}),
    ("a,b\n'x,y',2\n", {"quotechar": "'"}),
    ("a,b\nx\\,y,2\n", {"escapechar": "\\"}),
    ('a,b\n"1","2"\n', {}),
    ('a,b\n1_000,"2"\n', {}),
    ('a,b\n"1,000",2\n"12,345.5",3\n', {"thousands": ","}),
    ("a;b\n1,5;2\n", {"sep": ";", "decimal": ","}),
    ("a,b\n1,2", {}),
    ("a,b\n1.0,2.0\n3.0,1e-7\n", {}),
    ("a,b\n1.0,123456789.123\n3.0,1e-7\n", {}),
    ("a,b\n2020-01-01,x\n", {}),
    ("a,b\n+1,-0\n", {}),
    ("a,b\n1,2,\n3,4,\n", {}),
    ("a,b\n1,2,\n3,4,\n", {"index_col": False}),
    ("a,b\nyes,no\n", {"true_values": ["yes"], "false_values": ["no"]}),
    ("  a, b\n1, 2\n", {"skipinitialspace": True}),
    ("a,b\n,\n,\n", {}),
    ('a,b\n1,"x""y"z\n', {}),
    ('a,b\n1,x"y"z\n', {}),
    ('a\n1\n"2"3\n', {}),
    ("a,b\n1e,.\n1e5e,.5\n", {}),
    ("a,b\n1,2\n3\n", {}),
    ("a,b\n1,2\n3,4\n", {"header": 1}),
    ("a,b\n1,2\n3,4\n", {"header": 5}),
    ("a\n1\n2\nx\n", {}),
    ("a,b\n1.50,x\nTrue,y\n007,z\n", {}),
    ("stadt,größe\nKöln,1.5\n東京,2\n", {}),
    ('a\n""\n" "\nx\n', {}),
    ("a,b\n9223372036854775807,-9223372036854775808\n1,2\n", {}),
    ("a,b\n9223372036854775808,1.5\n0.5,2\n", {}),
    ("a,b\n\"x\n1,2\n", {}),
    ("a,b\n1,2\n3,\"4\"\n5,NAN\n", {}),
]

TITANIC = """PassengerId,Survived,Pclass,Name,Sex,Age,SibSp,Fare,Embarked
1,0,3,"Braund, Mr. Owen",male,22,1,7.25,S
2,1,1,"Cumings, Mrs. John",female,38,1,71.2833,C
3,1,3,"Heikkinen, Miss. Laina",female,26,0,7.925,S
4,1,1,"Futrelle, Mrs. Jacques",female,35,1,53.1,
5,0,3,"Allen, Mr. William",male,,0,8.05,S
6,0,3,"Moran, Mr. James",male,,0,8.4583,Q
7,0,1,"McCarthy, Mr. Timothy",male,54,0,51.8625,S
"""


def large():
    i = np.arange(100)
    return pd.DataFrame({"i": i, "x": i / 7, "t": ["row %d" % n for n in i], "y": (i - 50) * 1e5})


def operations():
    df = pd.read_csv(io.StringIO(TITANIC))
    wide = pd.DataFrame({"column%d" % i: np.arange(3) * 1.5 for i in range(30)})
    s = df["Embarked"]
    yield "print(df)", df
    yield "df.head(2)", df.head(2)
    yield "df.head(-5)", df.head(-5)
    yield "df.tail(3)", df.tail(3)
    yield "df.describe()", df.describe()
    yield "df.describe() of texts", df[["Sex", "Name"]].describe()
    yield "df.isna().sum()", df.isna().sum()
    yield "df.isna()", df[["Age", "Embarked"]].isna()
    yield "df.dtypes", df.dtypes
    yield "df.Age", df["Age"]
    yield "df.Sex", df["Sex"]
    yield "value_counts", s.value_counts()
    yield "value_counts dropna=False", s.value_counts(dropna=False)
    yield "value_counts normalize", df["Pclass"].value_counts(normalize=True)
    yield "value_counts of floats", df["Age"].value_counts(ascending=True)
    yield "describe a column", df["Age"].describe()
    yield "describe texts", s.describe()
    yield "dummies", pd.get_dummies(df, columns=["Sex", "Embarked"])
    yield "dummies of all", pd.get_dummies(df.drop(columns=["Name"]), drop_first=True, dtype="int64")
    yield "dummies of a series", pd.get_dummies(s, dummy_na=True, dtype="float32")
    yield "mask", df[df["Age"] > 30]
    yield "sample", df.sample(3, random_state=0)
    yield "sample frac", df.sample(frac=1, random_state=42)["PassengerId"]
    yield "sample replace", df.sample(5, replace=True, random_state=1)["PassengerId"]
    yield "dropna", df.dropna()
    yield "dropna subset", df.dropna(subset=["Age"])
    filled = df.copy()
    filled["Age"] = df["Age"].fillna(df["Age"].median())
    filled["Embarked"] = s.fillna(s.mode()[0])
    yield "fillna", filled
    yield "sort", df.sort_values("Age")
    yield "sort descending", df.sort_values("Fare", ascending=False)["Fare"]
    yield "sort texts", df.sort_values("Name")["Name"]
    yield "groupby", df.groupby("Sex")["Survived"].mean()
    yield "groupby count", df.groupby("Pclass")["Age"].count()
    yield "corr", df.corr(numeric_only=True)
    yield "nunique", df.nunique()
    yield "mean", df.mean(numeric_only=True)
    yield "std", df.std(numeric_only=True)
    yield "min", df[["Survived", "Pclass"]].min()
    yield "median", df.median(numeric_only=True)
    yield "map", df["Sex"].map({"male": 0, "female": 1})
    yield "map with missing", s.map({"S": 0, "C": 1})
    yield "iloc", df.iloc[1:4, :-1]
    yield "iloc column", df.iloc[:, [-1]]
    yield "take", df.take([2, 0, 5])
    yield "drop rows", df.drop(index=[1, 3])
    yield "select", df[["Fare", "Age"]]
    yield "reset_index", df[df["Age"] > 30].reset_index()
    yield "reset_index drop", df[df["Age"] > 30].reset_index(drop=True)
    yield "concat", pd.concat([df.head(2), df.tail(1)])
    yield "concat ignore", pd.concat([df.head(2)["Age"].to_frame(), df.tail(1)["Age"].to_frame()], ignore_index=True)
    yield "rename", df.rename(columns={"SibSp": "siblings"}).head(1)
    yield "astype", df[["Survived", "Fare"]].astype("float32")
    yield "astype str", df["Fare"].astype("str")
    yield "select_dtypes", df.select_dtypes("number").head(2)
    yield "quantile", pd.Series([df["Age"].quantile(0.1), df["Fare"].quantile(0.9)])
    yield "large", large()
    yield "large series", large()["x"]
    yield "large texts", large()["t"]
    yield "wide", wide
    yield "small numbers", pd.DataFrame({"v": [1e-10, 1.0, np.nan]})
    yield "large numbers", pd.DataFrame({"v": [1e10, 1.0], "w": [1e16, -2.5], "z": [123456.789, 0.001]})
    yield "whole numbers", pd.DataFrame({"v": [1e6, 1e5, 123456789], "w": [0.1, 0.25, 100]})
    yield "infinities", pd.DataFrame({"v": [np.inf, -2.5, np.nan]})
    yield "long texts", pd.DataFrame({"t": ["x" * 80, "short", "tab\tline\n"], "u": ["é", "日本", None]})
    yield "empty", df.head(0)
    yield "empty series", df["Age"].head(0)
    yield "mode", s.mode()
    yield "unique", pd.Series(df["Pclass"].unique())
    yield "int8", pd.DataFrame({"a": np.array([1, -2], "int8"), "b": np.array([True, False])})


def joins():
    """merge and concat, for tests/pandas/test_merge.c: its frames under the same names."""
    a = pd.read_csv(io.StringIO("k,x,v\na,1,1.5\nb,2,2\nb,3,3\nc,4,4\n,5,5\n"))
    b = pd.read_csv(io.StringIO("k,y,v\nb,10,1\nb,20,2\nc,30,3\nd,40,4\n,50,5\n"))
    c = pd.read_csv(io.StringIO("j,t\nc,True\nb,False\nc,True\n"))
    empty = a.head(0)
    for how in ("inner", "left", "right", "outer"):
        yield lambda: pd.merge(a, b, on="k", how=how)
        yield lambda: pd.merge(a, b, on=["k", "v"], how=how)
        yield lambda: pd.merge(a, c, left_on="k", right_on="j", how=how)
        yield lambda: pd.merge(b, a, how=how, on="k", suffixes=("", "_right"))
    yield lambda: pd.merge(a, b)
    yield lambda: pd.merge(a, c, how="cross")
    yield lambda: pd.merge(a, b, left_on="x", right_on="y", how="outer")
    yield lambda: pd.merge(a, b, on="z")
    yield lambda: pd.merge(a, c)
    yield lambda: pd.merge(a, b, on="k", suffixes=("", ""))
    yield lambda: pd.merge(a, b, left_on="k")
    yield lambda: pd.merge(a, b, on="k", left_on="k", right_on="k")
    yield lambda: pd.merge(a, b, left_on="k", right_on="y")
    yield lambda: pd.merge(a, b, left_on=["k", "x"], right_on=["k"])
    yield lambda: pd.merge(a, c, how="cross", on="k")
    yield lambda: pd.concat([a, b])
    yield lambda: pd.concat([a, c], ignore_index=True)
    yield lambda: pd.concat([a, b], join="inner")
    yield lambda: pd.concat([a, b], axis=1)
    yield lambda: pd.concat([a, c], axis=1)
    yield lambda: pd.concat([a.iloc[1:3], b], axis=1)
    yield lambda: pd.concat([a.iloc[1:3], b], axis=1, join="inner")
    yield lambda: pd.concat([a, b.tail(2)], axis=1, ignore_index=True)
    yield lambda: pd.concat([a.sort_values("x", ascending=False), c], axis=1)
    yield lambda: pd.concat([a, b], join="x")
    yield lambda: pd.concat([a, b], axis=2)
    yield lambda: pd.concat([pd.concat([a.head(2), a.head(2)]), b], axis=1)
    yield lambda: pd.merge(a, b.tail(1), on="k", how="inner").head(0)
    yield lambda: pd.concat([b, pd.concat([a.tail(2), a.tail(2)])], axis=1)
    p = pd.read_csv(io.StringIO("k,x\na,1\nb,2\nb,3\nc,4\n"))
    q = pd.read_csv(io.StringIO("k,y\nb,10\nd,40\na,5\n"))
    u, v = p.set_index("k"), q.set_index("k")
    for how in ("inner", "left", "right", "outer"):
        yield lambda: pd.merge(u, v, left_index=True, right_index=True, how=how)
        yield lambda: pd.merge(p, v, left_on="k", right_index=True, how=how)
        yield lambda: pd.merge(u, q, left_index=True, right_on="k", how=how)
        yield lambda: pd.merge(p, q, on="k", how=how, indicator=True).astype({"_merge": "str"})
        yield lambda: pd.merge(p, q, left_index=True, right_index=True, how=how)
        yield lambda: pd.merge(p, q.set_index("y"), left_on="x", right_index=True, how=how)
    yield lambda: u
    yield lambda: p.set_index("z")
    yield lambda: pd.merge(u, v, left_index=True)
    yield lambda: pd.merge(u, v, right_index=True)
    yield lambda: pd.merge(p, q, on="k", left_index=True)
    yield lambda: pd.merge(p, v, left_on=["k", "x"], right_index=True)
    yield lambda: pd.merge(p, v, left_on="k", left_index=True, right_on="y")
    yield lambda: pd.merge(p, v, left_on="x", right_index=True)
    yield lambda: pd.merge(u, v, left_index=True, right_index=True, how="cross")
    yield lambda: pd.merge(p, q, on="k", indicator="x")


def times():
    """to_datetime, dt, parse_dates, date_range, for tests/pandas/test_datetime.c."""

    def at(*texts, **call):
        return pd.to_datetime(pd.Series(list(texts)), **call)

    def read(text, **call):
        return pd.read_csv(io.StringIO(text), **call)

    guessed = ["2020-01-02", "2020/1/2", "2020.01.02", "2020 01 02", "1/2/2020", "13/2/2020", "1-2-2020", "13.2.2020",
               "1/2/20", "20200102", "20200102101112", "20200102T101112", "2020-01", "2020", "01/2020", "Jan 2020",
               "January 2020", "Jan 5, 2020", "January 5, 2020", "5 January 2020", "5 Jan 2020", "05-Jan-2020",
               "5-Jan-20", "2020-01-02T10:11", "2020-01-02 10:11:12", "2020-01-02 10:11:12.5",
               "2020-01-02 10:11:12.123456789", "2020-01-02 3:04 PM", "2020-01-02 03:04:05 AM", "1/2/2020 3:04",
               "1/2/2020 03:04:05 PM", "2020-01-02 10", "Jan 5 2020 10:11", "2020-Jan-05", "Sun Jan 5 10:11:12 2020",
               "2020-1-2 1:2:3", "2020-01-02  10:11", "2020-01-02 10:11:12PM", "12/31/1999 23:59", "x", "2020-02-30",
               "2020-13-01", "2020-01-01 25:00", "2020-01-01 10:70", "2020-01-01 10:10:70", "0001-01-01", "9999-12-31",
               "1969-12-31 23:59:59.999999", "2020-02-29", "2019-02-29"]
    for text in guessed:
        yield lambda text=text: at(text)
    for text in ("2020-01-02", "1/2/2020", "1/13/2020", "2020-01-13", "1.2.2020 10:11"):
        yield lambda text=text: at(text, dayfirst=True)
    yield lambda: at("2020-01-02", "2021-03-04", None)
    yield lambda: at("2020-01-02 00:00", "2021-03-04 05:06")
    yield lambda: at("2020-01-02T00:00:01.5", "2021-03-04T05:06:00.123456")
    yield lambda: at("2020-01-02", "2021-03-04 05:06:07")
    yield lambda: at("2020-01-02", "x", "2020-02-30", errors="coerce")
    yield lambda: at("2020-01-02", "2020-02-30")
    yield lambda: at("2020-01-02", "2020-13-01")
    yield lambda: at("1/2/2020", "13/2/2020")
    yield lambda: at("2020-01-02", "2021-03-04 05:06", "Jan 5, 2020", format="mixed")
    yield lambda: at("2020-01-02", "2021-03-04 05:06", "20200102", format="ISO8601")
    yield lambda: at("2020-01-02", "1/2/2020", format="ISO8601")
    yield lambda: at("01.02.2020", "31.12.1999", format="%d.%m.%Y")
    yield lambda: at("01.02.2020x", format="%d.%m.%Y")
    yield lambda: at("30.02.2020", format="%d.%m.%Y")
    yield lambda: at("1.2.20 3PM", "1.2.70 12am", format="%d.%m.%y %I%p")
    yield lambda: at("112020", format="%d%m%Y")
    yield lambda: at("366 2020", "1 1999", format="%j %Y")
    yield lambda: at("Monday 5 january 2020", format="%A %d %B %Y")
    yield lambda: at("2020-01-02T00:00:00Z", "2020-01-02T00:00:00+02:00", utc=True).dt.tz_localize(None)
    yield lambda: at("2300-01-01 00:00:00.123456789")
    yield lambda: at("x", format="%q")
    yield lambda: at("x", errors="ignore")
    yield lambda: at("", "NaT", "nan", None, "2020-01-01")
    for unit in ("D", "h", "m", "s", "ms", "us", "ns"):
        yield lambda unit=unit: at(1, 20000, -1, unit=unit)
    yield lambda: at(1.5, np.nan, unit="D")
    yield lambda: at(1.0, np.nan, unit="s")
    yield lambda: at(1, unit="q")
    yield lambda: at(10**15)
    yield lambda: at(True)
    yield lambda: at(20200101, 20201231, format="%Y%m%d")
    some = at("2020-01-02 10:11:12.5", "2021-12-31 23:59:59", "2020-02-29", "2019-01-01", "1969-07-20 20:17:40",
              format="mixed")
    gaps = at("2020-01-02", None, "2021-03-04")
    for name in ("year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond", "dayofweek",
                 "dayofyear", "quarter", "days_in_month", "is_month_start", "is_month_end", "is_quarter_start",
                 "is_quarter_end", "is_year_start", "is_year_end", "is_leap_year"):
        yield lambda name=name: getattr(some.dt, name)
    yield lambda: some.dt.isocalendar().week.astype("int32").rename(None)
    yield lambda: gaps.dt.year
    yield lambda: gaps.dt.is_month_start
    yield lambda: some.dt.day_name()
    yield lambda: gaps.dt.month_name()
    yield lambda: some.dt.normalize()
    yield lambda: some.dt.floor("15min")
    yield lambda: some.dt.floor("3h")
    yield lambda: some.dt.strftime("%d.%m.%Y %H:%M:%S")
    yield lambda: some.dt.strftime("%f %j %a %b %p %I %y %%")
    yield lambda: some.dt.strftime("%A %B %G %V %U")
    yield lambda: some.dt.strftime("%W %u %w")
    yield lambda: pd.Series([1]).dt.year
    yield lambda: some.sort_values()
    yield lambda: gaps.astype("str")
    yield lambda: gaps.head(1).astype("int64")
    yield lambda: gaps.astype("datetime64[ns]")
    yield lambda: gaps.astype("float64")
    yield lambda: gaps.astype("int32")
    yield lambda: pd.Series(["2020-01-01", "5 Jan 2020"]).astype("datetime64[us]")
    yield lambda: gaps.fillna(pd.Timestamp("2020-05-05"))
    yield lambda: gaps.value_counts()
    yield lambda: pd.concat([gaps.to_frame("d"), some.to_frame("d")])["d"]
    yield lambda: pd.concat([gaps.to_frame("d"), at("2020-01-01 00:00:00.000000001").to_frame("d")])["d"]
    yield lambda: pd.Series(pd.date_range("2020-01-30", periods=4))
    yield lambda: pd.Series(pd.date_range("2020-01-31", periods=3, freq="ME"))
    yield lambda: pd.Series(pd.date_range("2020-01-02 03:00", periods=3, freq="MS"))
    yield lambda: pd.Series(pd.date_range("2020-01-30", periods=3, freq="W"))
    yield lambda: pd.Series(pd.date_range("2020-02-01", periods=7, freq="2B"))
    yield lambda: pd.Series(pd.date_range("2020-01-30", "2020-02-04", freq="B"))
    yield lambda: pd.Series(pd.date_range("2020-01-30", end="2020-02-01", freq="36h"))
    yield lambda: pd.Series(pd.date_range(end="2020-01-30", periods=2, freq="2D"))
    yield lambda: pd.Series(pd.date_range("2020-02-10", periods=3, freq="QE"))
    yield lambda: pd.Series(pd.date_range("2020-02-10", periods=3, freq="YS"))
    yield lambda: pd.Series(pd.date_range("2020-02-10"))
    text = ("day,when,x,t\n2020-01-02,2020-01-02 10:00:00,1,a\n2020-01-01,,2,b\n,2020-01-05 11:30:15,3,a\n"
            "2020-01-02,2020-01-02 10:00:00,4,\n")
    df = read(text, parse_dates=["day", "when"])
    yield lambda: df
    yield lambda: df.sort_values("day")
    yield lambda: df.groupby("day")["x"].mean()
    yield lambda: pd.merge(df, read("day,y\n2020-01-01,5\n2020-01-02,6\n", parse_dates=["day"]), on="day")
    yield lambda: pd.merge(df, read("day,y\n2020-01-01,5\n2020-01-03,6\n", parse_dates=["day"]), on="day", how="outer")
    yield lambda: pd.merge(df, read("day,y\n2020-01-01,5\n"), on="day")
    yield lambda: pd.get_dummies(df)
    yield lambda: pd.get_dummies(df["day"])
    yield lambda: df.select_dtypes("number").describe()
    yield lambda: df.isna()
    yield lambda: df.dropna()
    yield lambda: df.nunique()
    yield lambda: df.dtypes
    yield lambda: df.fillna(0)[["x"]]
    yield lambda: read(text, parse_dates=["day"], index_col="day")
    yield lambda: read(text, parse_dates=["when"], index_col="when")
    yield lambda: read(text, parse_dates=["z"])
    yield lambda: read("a,b\n2020-01-01,1\nx,2\n", parse_dates=["a"])
    yield lambda: read("a,b\n1/2/2020,20200101\n,\n", parse_dates=["a", "b"], date_format="%d/%m/%Y")
    yield lambda: read("a,b\n1/2/2020,20200101\n,\n", parse_dates=["a"], dayfirst=True)
    yield lambda: pd.concat([df.head(2), df.head(1)[["x"]]])
    yield lambda: df[df["day"] == "2020-01-02"]
    yield lambda: df[df["day"] == "x"]
    yield lambda: pd.DataFrame({"d": pd.date_range("2020-01-01", periods=100, freq="6h")})
    yield lambda: pd.DataFrame({"d": pd.date_range("2020-01-01", periods=100, freq="6h")})["d"]


def groups():
    """groupby and agg, for tests/pandas/test_groupby.c."""
    text = ("k,j,x,y,t,b,d\nb,1,1,0.5,u,True,2020-01-05\na,2,2,,v,False,2020-01-02\nb,1,3,2.5,w,True,\n"
            ",1,4,3.5,x,False,2020-01-03\na,1,5,4.25,,True,2020-01-01\nb,2,6,-1,y,False,2020-02-01\nc,,7,,z,True,\n")
    df = pd.read_csv(io.StringIO(text), parse_dates=["d"])
    for how in ("mean", "sum", "count", "min", "max", "std", "var", "median", "first", "last", "nunique"):
        yield lambda how=how: df.groupby("k").agg(x=("x", how), y=("y", how))
        yield lambda how=how: df.groupby(["k", "j"]).agg(x=("x", how), y=("y", how)).reset_index()
    for how in ("count", "min", "max", "first", "last", "nunique"):
        yield lambda how=how: df.groupby("j").agg(t=("t", how), d=("d", how), b=("b", how))
    yield lambda: df.groupby("k").agg(n=("x", "size"), share=("b", "mean"), total=("b", "sum"))
    yield lambda: df.groupby("k", as_index=False).agg(x=("x", "mean"), x_max=("x", "max"))
    yield lambda: df.groupby("k", dropna=False).agg(x=("x", "sum"))
    yield lambda: df.groupby(["k", "j"], dropna=False).agg(x=("x", "sum")).reset_index()
    yield lambda: df.groupby("k", sort=False).agg(x=("x", "sum"))
    yield lambda: df.groupby(["j", "k"], sort=False).agg(x=("x", "sum"), n=("x", "size")).reset_index()
    yield lambda: df.groupby("d").agg(x=("x", "mean"))
    yield lambda: df.groupby(["b", "k"]).agg(x=("x", "median")).reset_index()
    yield lambda: df.groupby("z").agg(x=("x", "mean"))
    yield lambda: df.groupby("k").agg(x=("z", "mean"))
    yield lambda: df.groupby("k").agg(x=("x", "other"))
    yield lambda: df.groupby("k").agg(t=("t", "mean"))
    yield lambda: df.astype({"y": "float32"}).groupby("k").agg(y=("y", "mean"), z=("y", "sum"), s=("y", "std"))
    yield lambda: df.head(0).groupby("k").agg(x=("x", "sum"))


def categories():
    """The dtype category, for tests/pandas/test_category.c."""

    def read(text, **call):
        return pd.read_csv(io.StringIO(text), **call)

    df = read("k,n,f,x\nb,3,1.5,1\na,1,,2\n,2,2.0,3\nb,3,1.5,4\nc,10,-1,5\n", dtype={"k": "category"})
    s, n, f = df["k"], df["n"].astype("category"), df["f"].astype("category")
    b = pd.Series([True, False]).astype("category")
    levels = s.cat.set_categories(["c", "b"], ordered=True)
    letters = pd.Series(list("abcdefghijklmnopqrstuvwxyz")).astype("category")
    long = pd.Series(["long category name %d" % i for i in range(8)]).astype("category")
    times = pd.to_datetime(pd.Series(["2020-01-02", "2020-01-01"])).astype("category")
    yield lambda: df
    for series in (s, n, f, b, levels, letters.tail(3), letters.cat.as_ordered().tail(2), long, times, s.head(0)):
        yield lambda series=series: series
    yield lambda: df.dtypes
    yield lambda: pd.Series(s.cat.categories)
    yield lambda: pd.Series(n.cat.categories)
    yield lambda: s.cat.codes.astype("int64")
    yield lambda: levels.cat.codes.astype("int64")
    yield lambda: df["x"].cat
    yield lambda: s.value_counts()
    yield lambda: s.head(2).value_counts()
    yield lambda: s.value_counts(dropna=False)
    yield lambda: s.head(2).value_counts(normalize=True)
    yield lambda: n.value_counts(sort=False)
    yield lambda: pd.get_dummies(df)
    yield lambda: pd.get_dummies(s.head(2))
    yield lambda: pd.get_dummies(levels, drop_first=True, dtype="int64")
    yield lambda: df.groupby("k")["x"].mean()
    yield lambda: df.head(2).groupby("k", observed=True)["x"].sum()
    yield lambda: df.assign(k=levels).groupby("k", observed=True).agg(x=("x", "sum"), n=("x", "size"))
    yield lambda: df.groupby("n").agg(k=("k", "first"), m=("k", "count"))
    yield lambda: s.astype("str")
    yield lambda: n.astype("int64")
    yield lambda: f.astype("float64")
    yield lambda: s.fillna("a")
    yield lambda: s.fillna("z")
    yield lambda: f.fillna(2.0)
    yield lambda: s.isna()
    yield lambda: s.describe()
    yield lambda: df.describe()
    yield lambda: s.mode()
    yield lambda: s.sort_values()
    yield lambda: levels.sort_values()
    yield lambda: pd.concat([df, df])["k"]
    yield lambda: pd.concat([df, read("k\na\nz\n")])["k"]
    yield lambda: df.set_index("k")
    yield lambda: df[s == "b"]
    yield lambda: df[n == 3]
    yield lambda: pd.merge(df, df.head(2)[["k", "x"]], on="k")
    yield lambda: pd.merge(df, df.head(2)[["k", "x"]], on="k", how="outer")
    yield lambda: pd.merge(df, read("k,y\na,1\nb,2\n"), on="k")
    yield lambda: s.map({"a": 1, "b": 2})
    yield lambda: read("k,x\n10,1\n2,2\n,3\n", dtype={"k": "category"})["k"]
    yield lambda: df.select_dtypes("category")
    yield lambda: df.iloc[1:3]["k"]
    yield lambda: df.sort_values("k")


def windows():
    """shift, diff, pct_change, cumsum, rolling, for tests/pandas/test_window.c."""
    frames = pd.read_csv(io.StringIO("i,f,t\n1,1.5,a\n2,2.5,b\n4,,\n8,-3,c\n5,0.25,a\n"))
    i, f, t = frames["i"], frames["f"], frames["t"]
    for s in (i, f, f.astype("float32")):
        yield lambda: s.shift(1)
        yield lambda: s.shift(-2)
        yield lambda: s.diff()
        yield lambda: s.diff(-1)
        yield lambda: s.pct_change(2, fill_method=None)
        yield lambda: s.cumsum()
        for how in ("count", "sum", "mean", "std", "var", "min", "max", "median"):
            yield lambda: getattr(s.rolling(2), how)()
            yield lambda: getattr(s.rolling(3, min_periods=1), how)()
    yield lambda: t.shift(1)
    yield lambda: i.shift(9)
    yield lambda: i.shift(0)
    yield lambda: (i > 2).cumsum()
    yield lambda: i.rolling(9).sum()
    yield lambda: i.rolling(-1).sum()
    yield lambda: i.rolling(2, min_periods=3).sum()
    yield lambda: i.head(0).rolling(2).sum()


def record(out, kind, calls):
    for i, call in enumerate(calls):
        try:
            value = call()
            dtypes = "\n" + " ".join(str(t) for t in value.dtypes) if isinstance(value, pd.DataFrame) else ""
            result = json.dumps(str(value) + dtypes, ensure_ascii=False)
        except Exception as error:
            text = "KeyError: %s" % error if isinstance(error, KeyError) else str(error)
            result = "error: " + json.dumps(text, ensure_ascii=False)[1:-1]
        out.write(f"= {kind} {i}\n\n\n{result}\n")


CSV = [{}, {"index": False}, {"index": False, "na_rep": "NA", "float_format": "%.2f"}, {"header": False, "sep": ";"}]
TIMES = "day,when\n2020-01-02,2020-01-02 10:00:00.5\n,2020-01-05 11:30:15.25\n"
QUOTED = 'a,b\n"x,y","line\nend"\n"he said ""hi""",1\n,2\n'


def main():
    warnings.simplefilter("ignore")
    pd.set_option("display.width", 80)
    with open(os.path.join(HERE, "pandas.txt"), "w") as out:
        for i, (text, call) in enumerate(READ):
            try:
                df = pd.read_csv(io.StringIO(text), float_precision="round_trip", **call)
                result = json.dumps("%s\n%s" % (df, " ".join(str(t) for t in df.dtypes)), ensure_ascii=False)
            except Exception as error:
                result = "error: " + json.dumps(str(error).rstrip("\n"), ensure_ascii=False)[1:-1]
            out.write(f"= read {i}\n{json.dumps(call)}\n{json.dumps(text)}\n{result}\n")
        for i, (name, value) in enumerate(operations()):
            out.write(f"= op {i}\n{name}\n\n{json.dumps(str(value), ensure_ascii=False)}\n")
        record(out, "join", joins())
        record(out, "time", times())
        record(out, "group", groups())
        record(out, "category", categories())
        record(out, "window", windows())
        frames = [pd.read_csv(io.StringIO(TITANIC)), pd.read_csv(io.StringIO(QUOTED)),
                  pd.read_csv(io.StringIO('a\n1.5\n""\n2e-7\n'), skip_blank_lines=False),
                  pd.read_csv(io.StringIO(TIMES), parse_dates=["day", "when"])]
        n = 0
        for df in frames:
            for call in CSV:
                result = json.dumps(df.to_csv(**call), ensure_ascii=False)
                out.write(f"= csv {n}\n{json.dumps(call)}\n\n{result}\n")
                n += 1


if __name__ == "__main__":
    main()
