"""Records what numpy.genfromtxt with names and dtype=None makes of the texts in
tests/pandas/test_genfromtxt_names.c, in genfromtxt_names.txt, a line for each call, in the same order:
python tests/golden/record_genfromtxt_names.py.
"""

import io
import os
import warnings

import numpy as np

# In numpy 2.4 a column of an integer and below it a text is a TypeError (of its own making: int, then np.integer); the
# texts here have none.
warnings.simplefilter("ignore")
C = {"delimiter": ","}
CALLS = [
    ("a,b,c,d\n1,2.5,x,True\n-3,4,y z,false\n", {**C}),
    ("# a b c\n1 2 3\n4 5 6\n", {}),
    ("#a b#c d\n1 2 3\n", {}),
    ("\n  # \n# x, y y ,x\n1,2,3 # note\n\n4,5,6\n", {**C}),
    ("a,a,b,a,b\n1,2,3,4,5\n", {**C}),
    ("return,file,print,Print\n1,2,3,4\n", {**C}),
    ("x,,f0,,!?\n1,2,3,4,5\n", {**C}),
    ('"a b",c-d,e.f,(g),h_1,é\n1,2,3,4,5,6\n', {**C}),
    ("1 a\n2 b\n", {"names": ["n", "s"]}),
    ("1 a\n2 b\n", {"names": ["a b", "a b", "more"]}),
    ("1 a 2\n2 b 3\n", {"names": None}),
    ("a,b\n1,\n,x\n", {**C}),
    ("a,b,c\n1,,N\nN,x,True\n,-,\n", {**C, "missing_values": "N,-"}),
    ("a,b,c\n1,,N\nN,2.5,True\n,-,\n", {**C, "missing_values": "N,-", "filling_values": 7}),
    ("a,b,c\n1,,N\nN,2.5,True\n,-,\n", {**C, "missing_values": "N,-", "filling_values": (5, 6.5)}),
    ("a,b\n1,99999999999999999999\n9223372036854775807,-9223372036854775808\n", {**C}),
    ("a,b,c\n1_000,1e3,inf\n+2, 7 ,nan\n", {**C}),
    ("a,b\n x , y\nz,\n", {**C}),
    ("a,b\n x , y\nz,\n", {**C, "autostrip": True}),
    ("a b c\n1 a 3\n2 b 4\n", {"usecols": ("c", "a")}),
    ("a b c\n1 a 3\n2 b 4\n", {"usecols": (-1, 1)}),
    ("1 a 3\n2 b 4\n", {"names": ["p", "q"], "usecols": (2, 0)}),
    ("A b\n1 2\n", {"case_sensitive": "upper"}),
    ("A B b\n1 2 3\n", {"case_sensitive": "lower"}),
    ("a b_c\n1 2\n", {"deletechars": "_"}),
    ("a,b c\n1,2\n", {**C, "replace_space": "::"}),
    ("title\na b\n1 2\n3 4\n0.5 7\n", {"skip_header": 1, "skip_footer": 1}),
    ("a b\n1 2\n3 4\n5 6\n", {"max_rows": 2}),
    ("aabbb\n11222\n33444\n", {"delimiter": (2, 3)}),
    ("a b\n", {}),
    ("a b\n1 2 3\n1 2\n1\n", {"invalid_raise": False}),
    ("a b\n1 2 3\n1 2\n1\n", {}),
    (",a\n1\n2\n", {**C}),
    ("a;b\nyes;x\nno;1\n", {"delimiter": ";"}),
    ("1,2\n", {**C, "names": ["x"]}),
    ("a,a_1,a\n1,2,3\n", {**C}),
    ("a,b\n1,2\n", {**C, "usecols": ("z",)}),
    ("a,b\n1,2\n", {**C, "usecols": (5,)}),
    ("", {}),
    ("a b\n1 2\n", {"case_sensitive": "x"}),
    ("a b\n1 2\n", {"max_rows": 0}),
    ("a b\n1 2\n", {"max_rows": 1, "skip_footer": 1}),
]

lines = []
for text, call in CALLS:
    call = {"names": True, **call}
    try:
        x = np.atleast_1d(np.genfromtxt(io.StringIO(text), dtype=None, encoding="utf-8", **call))
        types = [str(x.dtype[n]) if x.dtype[n].kind != "U" else "str" for n in x.dtype.names]
        head = " ".join(f"{n}:{t}" for n, t in zip(x.dtype.names, types))
        formats = {str: "%s", float: "%.17g", int: "%d", bool: "%d"}
        rows = ["|".join(formats[type(v)] % v for v in row.tolist()) for row in x]
        lines.append(" / ".join([head] + rows))
    except Exception as error:
        lines.append("error: " + str(error).replace("\n", ";"))
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "genfromtxt_names.txt"), "w") as file:
    file.write("\n".join(lines) + "\n")
