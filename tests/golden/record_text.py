"""Records what numpy.loadtxt, genfromtxt and savetxt make of texts, for tests/io/test_text.c, in text.txt.

    python record_text.py          needs numpy; make check never runs it

A case is a line "= NAME NUMBER", the call as numpy's arguments in JSON, the text in JSON, and the result: "shape dtype:
values" in %.17g, or "error: TEXT". The test has the same calls in C under the same numbers."""

import io
import json
import os
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))

LOADTXT = [
    ("1 2 3\n4 5 6\n", {}),
    ("1 2 3\n4 5\n", {}),
    ("1 2 3\n4 5 x\n", {}),
    ("1,2,3\n4,5,\n", {"delimiter": ","}),
    ("# c\n\n1 2 # x\n\n3 4\n", {}),
    ("a b\n1 2\n", {"skiprows": 1}),
    ("1 2\n3 4\n", {"usecols": [1]}),
    ("1 2\n3 4\n", {"usecols": [5]}),
    ("1 2\n3 4\n", {"usecols": [-1, 0]}),
    ("1 2\n3 4\n", {"usecols": [-3, 0]}),
    ("1 2\n3 4\n", {"max_rows": 1}),
    ("1 2\n3 4\n", {"ndmin": 2, "usecols": [0]}),
    ("5\n", {}),
    ("5\n", {"ndmin": 1}),
    ("5\n", {"ndmin": 2}),
    ("1 2\n3 4\n", {"dtype": "int64"}),
    ("1.5 2\n3 4\n", {"dtype": "int64"}),
    ("1e3 2\n3 4\n", {"dtype": "int64"}),
    ("1_000 2\n3 4\n", {}),
    ("nan inf -inf infinity NaN -nan\n", {}),
    ("1 0x10\n", {}),
    ("1 1d5\n", {}),
    ("", {}),
    ("", {"ndmin": 2}),
    ("# only\n", {"usecols": [0, 1], "ndmin": 2}),
    ("  1  2 \n 3   4\n", {"delimiter": " "}),
    ("1;2\n", {"delimiter": ";;"}),
    ('"1","2"\n', {"delimiter": ",", "quotechar": '"'}),
    ('"1\n","2"\n3,4\n', {"delimiter": ",", "quotechar": '"'}),
    ('"1""","2"\n', {"delimiter": ",", "quotechar": '"'}),
    ('"1"2 "3"\n', {"quotechar": '"'}),
    ("1 2\r\n3 4\r\n5 6", {}),
    ("1\t2\v3\f4\n", {}),
    ("True False\n", {"dtype": "bool"}),
    ("1 0 2\n", {"dtype": "bool"}),
    ("300 0\n", {"dtype": "uint8"}),
    ("-1 0\n", {"dtype": "uint8"}),
    ("255 0\n", {"dtype": "uint8"}),
    ("-128 127\n", {"dtype": "int8"}),
    ("32768\n", {"dtype": "int16"}),
    ("-2147483648 +5\n", {"dtype": "int32"}),
    ("99999999999999999999 0\n", {"dtype": "int64"}),
    ("9223372036854775807 -9223372036854775808\n", {"dtype": "int64"}),
    ("1 2.00048828125 1e5\n3 4 5\n", {"dtype": "float16"}),
    ("0.1 16777217 1e39\n", {"dtype": "float32"}),
    ("1e400 2\n3 1e-400\n", {}),
    ("1 , 2\n 3,4 \n", {"delimiter": ","}),
    ("1 2 3\n", {"unpack": True}),
    ("1 2 3\n4 5 6", {"unpack": True}),
    ("%1 2\n3 4", {"comments": "%"}),
    ("1 2 // a\n3 4 %b", {"comments": ["%", "//"]}),
    ("1 2\n3 4", {"comments": None}),
    ("1 #2\n", {"comments": None}),
    ("1 2\n3 4", {"skiprows": 5}),
    ("1 2\n3 4", {"skiprows": 1, "max_rows": 1}),
    ("1 2\n3 4", {"delimiter": "#"}),
    ("1 2\n3 4", {"delimiter": "\n"}),
    ("1,2\n\n3,4", {"delimiter": ","}),
    ("1,2\n \n3,4", {"delimiter": ","}),
    ("+1 2.\n .5 1.e3", {}),
    ("é 2\n", {}),
    ("1 2\n3 4", {"usecols": [1, 1]}),
    ("1,2,3\n4,5\n6,7,8\n", {"delimiter": ",", "usecols": [0, 1]}),
    ("1,2,3\n4\n6,7,8\n", {"delimiter": ",", "usecols": [0, 1]}),
    ("1,2\n3,a'b\n", {"delimiter": ","}),
    ("1,2\n3,a\tb\n", {"delimiter": ","}),
    ("1,2,3\n6,7," + "abcdefghijklmnopqrstuvwxyz0123456789" * 3 + "\n", {"delimiter": ","}),
    ("1 2\n3 4", {"ndmin": 3}),
    ("1 2\n", {"skiprows": -1}),
    ("1 2\n", {"comments": ""}),
    ("1,2\n", {"delimiter": ",", "quotechar": ","}),
    ("1,2\n", {"quotechar": "\n"}),
    ("1,2\n", {"comments": "\n"}),
    ("1,2\n", {"comments": "'", "quotechar": "'"}),
    ("1/2 3\n", {"comments": "//"}),
    ("1,a\\b\n", {"delimiter": ","}),
    ("1,a\x01b\x7f\n", {"delimiter": ","}),
    ("1 2\n", {"comments": ["#", "//"], "quotechar": "'"}),
]

GENFROMTXT = [
    ("1,2,3\n4,,6\n", {"delimiter": ","}),
    ("1,2,3\n4,N/A,6\n", {"delimiter": ","}),
    ("1,2,3\n4,5\n6,7,8,9\n", {"delimiter": ","}),
    ("1,2,3\n4,5\n6,7,8,9\n7,8,9\n", {"delimiter": ",", "invalid_raise": False}),
    ("1,2,3\n4,,6\n", {"delimiter": ",", "filling_values": -1}),
    ("1;2;3\n;;6\n", {"delimiter": ";", "filling_values": [7, 8]}),
    ("1,2,3\n4,N/A,6\n", {"delimiter": ",", "missing_values": "N/A", "filling_values": 0, "loose": False}),
    ("1,2,3\n4,xx,6\n", {"delimiter": ",", "missing_values": "N/A", "filling_values": 0, "loose": False}),
    ("a,b,c\n1,2,3\n4,5,6\n", {"delimiter": ",", "skip_header": 1}),
    ("a,b,c\n1,2,3\n4,5,6\nfoo\n", {"delimiter": ",", "skip_header": 1, "skip_footer": 1}),
    ("1,2,3\n4,,6\n", {"delimiter": ",", "dtype": "int64"}),
    ("1,2,3\n4,5.5,6\n", {"delimiter": ",", "dtype": "int64"}),
    ("1,2,3\n4,x,6\n", {"delimiter": ",", "dtype": "int32", "filling_values": 3}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "usecols": [0, -1]}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "usecols": [7]}),
    ("112233\n445566\n", {"delimiter": 2}),
    ("1 22333\n4 55666\n", {"delimiter": [2, 2, 3]}),
    ("1 2 3\n\n# x\n4 5 6 # y\n", {}),
    ("", {}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "max_rows": 1}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "unpack": True}),
    ("tRUe,1,x,0,False,\n", {"delimiter": ",", "dtype": "bool"}),
    (" 1 , 2\n", {"delimiter": ","}),
    ("1_0,2_,_2,1__0\n", {"delimiter": ","}),
    ("1,2\n", {"delimiter": ",", "ndmin": 2}),
    ("inf,1e5,-nan,+Inf\n", {"delimiter": ","}),
    ("5\n6\n", {}),
    ("5\n", {}),
    ("1,2,3\n4,5\n", {"delimiter": ",", "usecols": [0, 1]}),
    ("1\t\t3\n4\t5\t6\n", {"delimiter": "\t"}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "max_rows": 1, "skip_footer": 1}),
    ("1,2,3\n4,5,6\n", {"delimiter": ",", "max_rows": 0}),
    ("1::2::3\n4::5::\n", {"delimiter": "::"}),
    ("1,2,3\n4,5,6\n7,8,9\n", {"delimiter": ",", "skip_footer": 2}),
    ("% c\n1,2%x\n", {"delimiter": ",", "comments": "%"}),
    ("1,2\r\n3,4\r\n", {"delimiter": ","}),
    ("1,300\n", {"delimiter": ",", "dtype": "int8"}),
]

X = [[1.5, -2.25, 3e10], [0.1, 1e-5, float("nan")]]
SAVETXT = [
    (X, "float64", {}),
    (X, "float64", {"fmt": "%.3f", "delimiter": ","}),
    (X, "float64", {"fmt": "%g"}),
    (X, "float64", {"fmt": "%10.5e|", "newline": "\r\n"}),
    (X, "float64", {"fmt": ["%.1f", "%5.2f", "%G"], "delimiter": ";"}),
    (X, "float64", {"fmt": "%.1f: %+5.2f (%e)"}),
    (X, "float64", {"fmt": "%s", "header": "a\nb", "footer": "end"}),
    (X, "float64", {"fmt": "%s", "header": "a,b,c", "comments": ""}),
    (X, "float32", {"fmt": "%s"}),
    (X, "float64", {"fmt": ["%d", "%d"]}),
    (X, "float64", {"fmt": "%d %d"}),
    ([1, -2, 30], "int64", {"fmt": "%d"}),
    ([1, -2, 30], "int64", {"fmt": "%05d"}),
    ([1, -2, 30], "int64", {"fmt": "%-6i|"}),
    ([1, 2, 30], "int64", {"fmt": "%x"}),
    ([-1, 2, 30], "int64", {"fmt": "%o"}),
    ([1, 2, 30], "int64", {}),
    ([1.9, -1.9, 1e20], "float64", {"fmt": "%d"}),
    ([1.9, 2], "float64", {"fmt": "%x"}),
    ([[True, False]], "bool", {"fmt": "%d"}),
    ([[True, False]], "bool", {"fmt": "%s"}),
    ([[65, 66]], "int64", {"fmt": "%c", "delimiter": ""}),
    ([float("inf"), float("-inf"), float("nan")], "float64", {"fmt": "%8.3f"}),
    ([[1, 2]], "int64", {"fmt": "%d%%x", "delimiter": ""}),
    ([[1, -2]], "int64", {"fmt": ["%d%%", "%d"]}),
    ([1, -2], "int64", {"fmt": "%s"}),
    ([1, -2], "int64", {"fmt": "a %q"}),
]


def shown(x):
    return "%s %s: %s" % (list(x.shape), x.dtype, " ".join("%.17g" % v for v in x.astype("float64").ravel()))


def main():
    warnings.simplefilter("ignore")
    with open(os.path.join(HERE, "text.txt"), "w") as out:
        for name, cases in (("loadtxt", LOADTXT), ("genfromtxt", GENFROMTXT)):
            for i, (text, call) in enumerate(cases):
                arguments = dict(call)
                if "dtype" in call:
                    arguments["dtype"] = np.dtype(call["dtype"])
                try:
                    result = shown(getattr(np, name)(io.StringIO(text), **arguments))
                except Exception as error:
                    result = "error: " + json.dumps(str(error), ensure_ascii=False)[1:-1]
                out.write(f"= {name} {i}\n{json.dumps(call)}\n{json.dumps(text)}\n{result}\n")
        for i, (values, dtype, call) in enumerate(SAVETXT):
            file = io.StringIO()
            try:
                np.savetxt(file, np.array(values, dtype), **call)
                result = json.dumps(file.getvalue())
            except Exception as error:
                result = "error: " + json.dumps(str(error), ensure_ascii=False)[1:-1]
            out.write(f"= savetxt {i}\n{json.dumps(call)}\n{dtype} {np.array(values).tolist()}\n{result}\n")


if __name__ == "__main__":
    main()
