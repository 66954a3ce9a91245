#!/bin/sh
# The public headers, a line each, each after those that it includes: what a user may include (the header that has the
# name of its folder: core/core.h, nn/nn.h, core/data/data.h) and what those reach. With --faces: only the former.
# Run from the root of the tree.
set -eu
faces="core/core.h core/data/data.h core/distributions/distributions.h core/io/io.h core/plot/plot.h
core/profiler/profiler.h core/python/python.h core/vision/vision.h nn/nn.h optim/optim.h optim/swa_utils/swa_utils.h"
faces="$faces core/text/text.h nn/models/models.h nn/onnx/onnx.h"
faces="$faces core/pandas/pandas.h"
faces="$faces core/tensorboard/tensorboard.h core/loggers/loggers.h"
faces="$faces core/sklearn/sklearn.h"
if [ "${1:-}" = --faces ]; then
    printf '%s\n' $faces
    exit
fi
awk '
    function visit(header,    line, part) {
        if (header in seen) return
        seen[header] = 1
        while ((getline line < header) > 0)
            if (line ~ /^[ ]*#[ ]*include "/) {
                split(line, part, "\"")
                visit(part[2])
            }
        close(header)
        print header
    }
    BEGIN { for (i = 1; i < ARGC; i++) visit(ARGV[i]) }
' $faces
