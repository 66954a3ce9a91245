#!/bin/sh
# What must not compile: each line is a statement that the compiler has to refuse, in a program that is right without it.
# "gcc: " in front of one: clang lets it pass. "plain: ": also without any warning flag. Usage: CC=gcc tests/check_misuse.sh build
set -eu
out=$1/misuse
cc=${CC:-cc}
mkdir -p "$out"
strict="-Wall -Wextra -Wpedantic -Wshadow -Werror"

compiles() {
    printf '#include "nn/nn.h"\nint main(void) {\n    Tensor *x = t_ones(2, 3);\n    nn_Linear *fc = nn_Linear(3, 2);\n    %s\n' "$1" >"$out/misuse.c"
    printf '    return x && fc ? 0 : 1;\n}\n' >>"$out/misuse.c"
    $cc -std=c11 $2 -I. -c "$out/misuse.c" -o "$out/misuse.o" 2>/dev/null
}

compiles 't_sum(x, 1, .keepdim = true);' "$strict" || { echo "check_misuse: what is right does not compile"; exit 1; }
count=0
while IFS= read -r statement; do
    flags=$strict
    case "$statement" in
    "plain: "*) flags=-w statement=${statement#plain: } ;;
    "gcc: "*) $cc --version | grep -qi clang && continue; statement=${statement#gcc: } ;;
    esac
    if compiles "$statement" "$flags"; then echo "check_misuse: this compiles: $statement"; exit 1; fi
    count=$((count + 1))
done <<'END'
t_sum(x, .keepdims = true);
t_zeros(2, 3, .dtypes = t_float64);
t_add(x, "one");
t_add(x);
t_add(x, fc);
t_add(x, 1, 2);
plain: t_div(x, 2, .rounding = "floor");
t_clamp(x);
plain: t_clamp(x, .low = 0);
plain: t_addcmul(x, x);
gcc: t_round(x, .decimals = 1.5);
nn_call(fc);
plain: t_set(x, "{}, 0", 1.5, 1);
plain: t_at(x, "{}", 0.5);
plain: t_at(x, "{}", "0");
plain: t_set(x, "{}", fc, 1);
plain: t_at(x, "{}", 0, 0, 0, 0, 0, 0, 0, 0, 0);
t_scatter_reduce(x, 0, x, x, "sum", true);
gcc: t_scatter(x, 0.5, x, x);
plain: nn_Linear(3, 2, .biased = false);
gcc: nn_Linear(1.5, 2);
gcc: nn_Embedding(3, 1.5);
nn_Conv2d(3, 4, 3, (3, 5));
t_sum(x, .dim = (0, 1));
t_max(x, x);
nn_Conv2d(3, 4, 3, .padding = "same");
nn_Conv2d(3, 4, 3, 1, 1, 1, 1, true, "zeros", 2);
F_max_pool2d(x, 2, (2, 2));
F_max_pool2d(x, (2, 2, 2));
F_conv2d(x, x, .stride = (2, 1));
F_adaptive_avg_pool2d(x, .output_size = (1, 1));
plain: t_at(x, 1);
plain: t_set(x, 0, 1.5);
plain: nn_call(fc, x, x, x);
plain: nn_set(fc, in_features, 8);
plain: nn_module(nn_Linear, (nn_keep_padding));
nn_init_normal_(x, .sdt = 1);
fc = nn_ReLU_new(fc);
gcc: t_sum(x, 1.5);
gcc: t_zeros(2.5, 3);
gcc: t_view(x, 1.5, 4);
END
echo "check_misuse: $count mistakes are refused by the compiler"
