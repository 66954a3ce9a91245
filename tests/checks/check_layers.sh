#!/bin/sh
# Includes between folders go one way: each line below names a folder and the folders that its files may include,
# besides its own. "declarations" are the public headers of core/ops, which declare torch.* and include no more than
# core/tensor. Headers that collect others for users (core/core.h, nn/nn.h, ...) and the macros are above all. A folder
# may include only what is listed above it, so there is no circle; a listed folder includes the folders below it.
# Usage: check_layers.sh [ROOT]
set -eu
cd "${1:-.}"
cat > "${TMPDIR:-/tmp}/layers.$$" <<END
core/memory:
core/kernels: core/memory
core/tensor: core/memory core/kernels
declarations: core/tensor
core/autograd: core/tensor declarations
core/ops/pointwise: core/kernels core/tensor core/autograd declarations
core/ops/shape: core/kernels core/tensor core/autograd core/ops/pointwise declarations
core/ops/linalg: core/kernels core/tensor core/autograd core/ops/pointwise declarations
core/ops/creation: core/kernels core/tensor core/autograd core/ops/pointwise declarations
core/ops/indexing: core/kernels core/tensor core/autograd core/ops/pointwise core/ops/creation declarations
core/ops/reduction: core/kernels core/tensor core/autograd core/ops/pointwise core/ops/indexing declarations
core/ops/sorting: core/kernels core/tensor core/autograd core/ops/indexing core/ops/reduction declarations
core/ops: core/kernels core/tensor core/autograd core/ops/pointwise declarations
core/func: core/tensor core/autograd declarations
core/linalg: core/kernels core/tensor core/autograd core/ops/pointwise core/ops/creation declarations
core/special: core/kernels core/tensor core/autograd core/ops/pointwise declarations
core/io/zlib: core/tensor
core/io: core/tensor core/autograd core/io/zlib declarations
core/io/text: core/tensor core/io core/io/zlib
core/tape_page: core/tensor core/autograd core/io declarations
core/profiler: core/tensor core/autograd core/io core/io/zlib declarations
core/python: core/kernels core/tensor core/io
core/text: core/tensor core/io declarations
core/pandas/datetime:
core/pandas: core/tensor core/autograd core/io core/python core/pandas/datetime declarations
core/pandas/io: core/tensor core/io core/pandas core/python declarations
core/sklearn: core/tensor core/autograd core/io core/pandas core/python declarations
core/data: core/kernels core/tensor core/autograd core/ops declarations
core/distributions: core/kernels core/tensor core/autograd core/ops core/linalg declarations
core/distributions/transforms: core/tensor core/autograd core/ops core/linalg core/distributions declarations
core/distributions/multivariate: core/tensor core/autograd core/ops core/linalg core/distributions declarations
core/vision/io: core/kernels core/tensor core/autograd core/io core/io/zlib declarations
core/vision: core/tensor core/autograd core/ops core/io core/io/zlib core/vision/io declarations
core/loggers: core/tensor core/io core/python declarations
core/plot: core/tensor core/io core/io/zlib core/vision/io declarations
nn/init: core/tensor core/autograd core/ops declarations
nn/module: core/tensor core/autograd core/func core/ops core/io declarations
nn/functional/activation: core/kernels core/tensor core/autograd core/ops declarations
nn/functional/dropout: core/kernels core/tensor core/autograd core/ops declarations
nn/functional/linear: core/kernels core/tensor core/autograd core/ops declarations
nn/functional/convolution: core/kernels core/tensor core/autograd core/ops declarations
nn/functional/pooling: core/kernels core/tensor core/autograd core/ops declarations nn/functional/convolution
nn/functional/vision: core/kernels core/tensor core/autograd core/ops declarations nn/functional/convolution \
    nn/functional/pooling
nn/functional/norm: core/kernels core/tensor core/autograd core/ops declarations \
    nn/functional/pooling nn/functional/vision
nn/functional/loss: core/kernels core/tensor core/autograd core/ops declarations \
    nn/functional/norm nn/functional/activation nn/functional/linear
nn/functional/attention: core/kernels core/tensor core/autograd core/ops declarations \
    nn/functional/linear nn/functional/dropout nn/functional/vision
nn/functional: declarations nn/functional/activation nn/functional/dropout nn/functional/linear nn/functional/norm \
    nn/functional/convolution nn/functional/pooling nn/functional/vision nn/functional/loss nn/functional/attention
core/vision/transforms: core/kernels core/tensor core/autograd core/ops core/linalg core/io core/python declarations \
    nn/functional
core/tensorboard: core/tensor core/io core/python core/vision/io core/vision/transforms core/plot declarations
nn/utils: core/tensor core/autograd core/ops declarations nn/module
nn/modules: core/kernels core/tensor core/autograd core/ops declarations nn/init nn/module nn/functional nn/utils
nn/parametrize: core/tensor core/autograd core/ops core/linalg declarations nn/module nn/functional nn/utils nn/modules
nn/tensorboard: core/tensor core/autograd core/io core/tensorboard declarations nn/module
nn/transformer: core/kernels core/tensor core/autograd core/ops declarations nn/init nn/module nn/functional nn/modules
nn/onnx: core/tensor core/autograd core/ops core/io declarations nn/module nn/functional nn/modules
nn: core/tensor core/autograd core/ops core/io declarations nn/init nn/module nn/functional nn/utils nn/modules \
    nn/parametrize nn/transformer
core/vision/datasets: core/kernels core/tensor core/autograd core/ops core/io core/data declarations \
    core/vision/io core/vision/transforms
nn/models: core/tensor core/autograd core/ops core/io core/vision/transforms declarations nn/init nn/module \
    nn/functional nn/modules nn/transformer
optim: core/kernels core/tensor core/autograd core/ops declarations
optim/lr_scheduler: core/tensor core/autograd core/ops declarations optim
optim/swa_utils: core/tensor core/autograd core/ops core/data declarations nn optim
END
trap 'rm -f "${TMPDIR:-/tmp}/layers.$$"' EXIT
find core nn optim -name '*.c' -o -name '*.h' -o -name '*.inc' | sort | xargs awk '
    # The layer of a file: its folder, of which core/kernels, core/plot have more below; "" for what is above all.
    function layer(path,    folder) {
        if (path ~ /^(core\/core|nn\/nn|optim\/optim|optim\/swa_utils\/swa_utils)\.h$/) return ""
        if (path == "core/text/text.h") return ""
        if (path == "nn/models/models.h" || path == "nn/onnx/onnx.h") return ""
        if (path ~ /^core\/(data\/data|distributions\/distributions|io\/io|plot\/plot|python\/python)\.h$/) return ""
        if (path == "core/vision/vision.h") return ""
        if (path == "core/profiler/profiler.h") return ""
        if (path == "core/pandas/pandas.h") return ""
        if (path == "core/tensorboard/tensorboard.h" || path == "core/loggers/loggers.h") return ""
        if (path == "core/sklearn/sklearn.h") return ""
        if (path ~ /sugar/) return ""
        if (path ~ /^core\/ops\/.*\.h$/ && path !~ /_internal\.h$/) return "declarations"
        folder = path
        sub(/\/[^\/]*$/, "", folder)
        sub(/^core\/kernels\/.*/, "core/kernels", folder)
        sub(/^core\/plot\/.*/, "core/plot", folder)
        return folder
    }
    # Whether the list names the folder, or one that it is in.
    function listed(list, folder) {
        while (index(list, " " folder " ") == 0) if (!sub(/\/[^\/]*$/, "", folder)) return 0
        return 1
    }
    FILENAME ~ /layers\.[0-9]+$/ {
        split($0, parts, ": *")
        allowed[parts[1]] = " " parts[2] " "
        for (i = split(parts[2], below, " "); i > 0; i--) if (!(below[i] in allowed) || below[i] == parts[1]) {
            print "check_layers: " parts[1] " may include " below[i] ", which is not listed above it"
            failed = 1
        }
        next
    }
    /^[ ]*#[ ]*(include|define KERNEL) "/ {
        split($0, parts, "\"")
        target = parts[2]
        if (target !~ /^(core|nn|optim)\//) next
        from = layer(FILENAME)
        to = layer(target)
        if (from == "" || from == to) next
        count++
        if (to == "" || !(from in allowed) || !listed(allowed[from], to)) {
            if (to == "") to = "above all"
            print "check_layers: " FILENAME " (" from ") must not include " target " (" to ")"
            failed = 1
        }
    }
    END {
        if (failed || count < 300) exit 1
        print "check_layers: " count " includes from one folder to another, each in the direction of the arrows"
    }' "${TMPDIR:-/tmp}/layers.$$"

# No include cycles: tsort orders the includes, and names a cycle if there is one.
find core nn optim -name '*.h' -o -name '*.inc' | xargs awk '
    /^[ ]*#[ ]*(include|define KERNEL) "/ {
        split($0, parts, "\"")
        if (parts[2] ~ /^(core|nn|optim)\// && parts[2] != FILENAME) print FILENAME, parts[2]
    }' | tsort > /dev/null
echo "check_layers: no circle of headers"
