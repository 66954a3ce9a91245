#!/bin/sh
# What must not compile: each line is a statement that the compiler has to refuse, in a program that is correct without
# it. Prefix "gcc: ": clang accepts it, or has a pedantic warning first. "bare: ": also without any warning flag;
# "plain: ": even with -w. In /* */ after a statement: words of the first error that the compiler gives for its line.
# Usage: CC=gcc tests/checks/check_misuse.sh build
set -eu
out=$1/misuse
cc=${CC:-cc}
export LC_ALL=C
mkdir -p "$out"
cat > "$out/all" <<'END'
t_sum(x, .keepdims = true); /* keepdims */
t_zeros(2, 3, .dtypes = t_float64); /* dtypes */
t_add(x, "one"); /* 'char *' */
t_add(x); /* an argument is missing in t_add(x), which requires (input, other) */
t_add_(x); /* an argument is missing in t_add_(x) */
t_add(x, fc); /* nn_Linear * */
t_add(x, 1, 2);
t_add(x, 1, .alpa = 2);
plain: t_add(x, x, 1.5);
t_add(x, 1, "2");
plain: t_mul(x); /* an argument is missing in t_mul(x) */
plain: t_mul(); /* an argument is missing in t_mul() */
plain: t_sub(x); /* an argument is missing in t_sub(x) */
t_sub_(x); /* an argument is missing in t_sub_(x) */
plain: t_div(t_div(x, 2)); /* an argument is missing in t_div(t_div(x, 2)) */
t_div_(x); /* an argument is missing in t_div_(x) */
with_scope { x = t_add(x, 1); } /* write with_scope() { ... } */
with_no_grad { x = t_add(x, 1); } /* write with_no_grad() { ... } */
with_no_grad x = t_add(x, 1); /* write with_no_grad() { ... } */
with_detect_anomaly { x = t_add(x, 1); } /* write with_detect_anomaly() { ... } */
plain: char text[9]; t_tolist(x, text, 6);
plain: const int fixed[6] = {0}; t_tolist(x, fixed, 6);
plain: t_tolist(x, fc, 6);
t_list_extend(t_list(x), x);
t_list_concat(x, t_list(x));
plain: t_tensor(fc);
plain: t_tensor(fc, 2);
plain: float *rows[3] = {0}; t_tensor(rows, 3, 2);
plain: t_tensor(NULL, 2);
plain: t_tensor(2.5L);
plain: t_mul(x, 1, "2");
plain: t_mul(x, 1, fc, 2);
plain: t_add(x, 1, x, .alpha = 2);
plain: t_add(x, 1, 2, 3, 4, 5, 6, 7, 8, 9);
plain: t_matmul(x, 3); /* 'int' */
plain: t_matmul(3, x);
plain: t_relu(fc); /* nn_Linear * */
plain: t_relu(3);
plain: t_relu(NULL);
plain: t_uniform_(t_data_ptr_mut(x), -0.1, 0.1); /* 'void *' */
plain: t_add(x, t_data_ptr_mut(x)); /* 'void *' */
plain: t_bmm(x, t_data_ptr(x));
plain: t_where(x, x, "0");
plain: t_where(t_data_ptr(x), x, 0);
plain: t_softmax(t_data_ptr_mut(x), -1);
plain: t_sum(t_data_ptr_mut(x));
plain: t_view(3, 4);
plain: t_item(t_data_ptr(x));
plain: t_size(fc, 0);
plain: F_relu(t_data_ptr_mut(x));
bare: F_linear(x, 3); /* Tensor * */
bare: F_cross_entropy(x, 3);
bare: t_gather(x, 0, 3); /* Tensor * */
bare: t_index_add(x, 0, fc, x);
gcc: F_linear(x, t_data_ptr_mut(x)); /* void * */
gcc: t_gather(x, .dim = 0, .index = t_data_ptr_mut(x));
plain: nn_call(fc, 3);
F_cross_entropy(x, x, "sum"); /* Tensor * */
F_nll_loss(x, x, fc);
plain: nn_call(fc, t_data_ptr_mut(x));
plain: t_div(x, 2, .rounding = "floor"); /* rounding */
t_clamp(x);
plain: t_clamp(x, .low = 0);
plain: t_addcmul(x, x);
gcc: t_round(x, .decimals = 1.5);
nn_call(fc); /* nn_call takes a module and one or two tensors */
plain: t_set(x, "{}, 0", 1.5, 1);
plain: t_at(x, "{}", 0.5);
plain: t_at(x, "{}", "0");
plain: t_set(x, "{}", fc, 1);
plain: t_at(x, "{}", 0, 0, 0, 0, 0, 0, 0, 0, 0);
t_scatter_reduce(x, 0, x, x, "sum", true);
gcc: t_scatter(x, 0.5, x, x);
plain: nn_Linear(3, 2, .biased = false); /* biased */
gcc: nn_Linear(1.5, 2);
nn_Linear((1, 2), 2); /* operand of comma */
nn_Embedding((1, 2), 2);
t_randperm((3, 4));
gcc: nn_Embedding(3, 1.5);
nn_Conv2d(3, 4, .kernel_size = (3, 5)); /* operand of comma */
t_sum(x, .dim = (0, 1)); /* operand of comma */
t_sum(x, .dim = {0, 1}); /* after_dim_ */
t_sum(x, 0, 2);
gcc: t_mean(x, 0, -1);
t_amax(x, 0, true, 2);
t_norm(x, 2, 0, 2);
t_var(x, 0, 2);
t_sum(x, (0, 1), 2);
t_max(x, x);
nn_Conv2d(3, 4, 3, .padding = "same");
nn_Conv2d(3, 4, 3, 1, 1, 1, 1, true, "zeros", 2); /* t_too_many_arguments_ */
F_max_pool2d(x, 2, (2, 2), x);
nn_Linear(3); /* an argument is missing in nn_Linear(3), which requires (in_features, out_features) */
nn_Conv2d(3, .kernel_size = 3); /* requires (in_channels, out_channels, kernel_size) */
t_softmax(x); /* an argument is missing in t_softmax(x), which requires (input, dim) */
nn_Linear(.in_features = 3); /* an argument is missing */
t_gather(x, 0); /* an argument is missing in t_gather(x, 0) */
t_unsqueeze(x); /* an argument is missing */
F_conv2d(x, x, .stride = (2, 1));
F_adaptive_avg_pool2d(x, .output_size = (1, 1));
plain: t_at(x, 1); /* an index is a text */
plain: t_set(x, 0, 1.5);
plain: nn_call(fc, x, x, x);
plain: nn_set(fc, in_features, 8); /* modules and tensors are registered */
plain: nn_module(nn_Linear, (nn_keep_padding));
plain: typedef struct A { nn_Linear super; } A; nn_subclass(A, NULL, nn_ReLU());
plain: typedef struct A { nn_Linear super; } A; nn_subclass(A, (nn_keep_padding), nn_Linear(3, 2));
plain: typedef struct A { int n; nn_Linear super; } A; nn_subclass(A, NULL, nn_Linear(3, 2));
plain: typedef struct A { nn_Linear super; } A; typedef struct B { A super; } B; B *b = NULL; nn_super_forward(b, x);
plain: nn_super_forward(fc, x);
nn_LSTM_call(nn_LSTM(3, 4), x, .state = x);
nn_set_item(fc, 1, 3);
gcc: nn_slice(fc, 1.5);
optim_Optimizer(nn_parameters(fc), 3);
plain: optim_SGD(fc, .lr = 0.1); /* nn_parameters(model) */
plain: optim_Optimizer(nn_parameters(fc), failing, .sigma = 0.1);
plain: unsigned n = 0; argparse_add_argument(argparse_ArgumentParser(), &n, "-n");
plain: int n = 0; argparse_add_argument(argparse_ArgumentParser(), n, "-n");
plain: int n = 0; argparse_add_argument(argparse_ArgumentParser(), &n, "-n", .type = 3); /* type */
nn_init_normal_(x, .sdt = 1); /* sdt */
fc = nn_ReLU_new(fc);
gcc: for_backward (step) t_print(step.dy); /* for_backward (step, loss) */
plain: for_backward (t_BackwardStep step, x) t_print(step.dy); /* without a type */
plain: for_range (int i, 0, 3) t_print(i); /* without a type */
plain: for_list (Tensor *y, t_unbind(x)) t_print(y); /* without a type */
plain: for_module (void *m, nn_Sequential(fc)) nn_call(m, x); /* without a type */
plain: for_named (nn_Named *p, nn_named_parameters(fc)) t_print(p->tensor); /* without a type */
gcc: if (t_eq(x, x)) return 1; /* a_tensor_is_no_condition_write_t_is_true_or_t_equal */
gcc: while (t_lt(x, 0)) x = t_add(x, 1);
gcc: if (!t_any(t_isnan(x))) return 1;
gcc: if (t_all(x, 0) && fc) return 1;
gcc: return t_isclose(x, x) ? 1 : 2;
gcc: t_sum(x, 1.5);
gcc: t_zeros(2.5, 3);
gcc: t_view(x, 1.5, 4);
END
compiler=gcc lines=-ftrack-macro-expansion=0
if $cc --version | grep -qi clang; then compiler=clang lines=-ferror-limit=0; fi

# The statements that match the pattern, each in a function on one line, with a correct one before and after it: the
# compiler must report an error for every second line. (Both flags make it report the line where a macro is used.)
# refuses PATTERN FLAGS
refuses() {
    [ $compiler = gcc ] && without=none || without=gcc:
    grep "^$1" "$out/all" | grep -v "^$without" | sed 's/^[a-z]*: //' > "$out/statements"
    [ -s "$out/statements" ] || return 1
    awk '
        function put(statement) {
            printf "int f%d(void) { Tensor *x = t_ones(2, 3); nn_Linear *fc = nn_Linear(3, 2); ", ++n
            printf "%s return x && fc; }\n", statement
        }
        BEGIN {
            print "#include \"nn/nn.h\"\n#include \"optim/optim.h\"\n#include \"core/python/python.h\""
            print "void failing(optim_Optimizer *self);\n#line 1 \"misuse\""
            put(right = "t_sum(t_relu(x), 1, .keepdim = true);")
        }
        { put($0); put(right) }' "$out/statements" > "$out/misuse.c"
    ! $cc -std=c11 $2 $lines -I. -c "$out/misuse.c" -o "$out/misuse.o" 2> "$out/errors" || return 1
    sed -n 's/^misuse:\([0-9]*\):[0-9]*: error: /\1 /p' "$out/errors" | awk '
        FILENAME == "-" { if (!($1 in refused)) refused[$1] = $0; next }
        { text[++n] = $0 }
        END {
            if (1 in refused) { print "check_misuse: the correct statement does not compile"; exit 1 }
            for (i = 1; i <= n; i++) {
                is_refused = 2 * i in refused
                if (!is_refused) { print "check_misuse: this compiles: " text[i]; failed = 1 }
                expected = match(text[i], /[/][*] .* [*][/]$/) ? substr(text[i], RSTART + 3, RLENGTH - 6) : ""
                if (is_refused && expected != "" && !index(refused[2 * i], expected)) {
                    print "check_misuse: " text[i] " but the first error is: " refused[2 * i]
                    failed = 1
                }
                if (2 * i + 1 in refused) {
                    print "check_misuse: the correct statement does not compile after " text[i]
                    failed = 1
                }
            }
            exit failed
        }' - "$out/statements"
}

# (Without -Wshadow, of which calls in calls are guilty where gcc takes them for the user's own lines.)
refuses '' '-Wall -Wextra -Wpedantic -Werror'
refuses 'bare: ' ''
refuses 'plain: ' -w
echo "check_misuse: $(grep -cv "^$without" "$out/all") mistakes are refused by the compiler"
