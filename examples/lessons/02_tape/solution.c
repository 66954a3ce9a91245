/* Lesson 02: a tape of your own for scalars: each operation writes a record, and backward reads them in reverse.
 *
 * No function here may use the library's operations (t_...). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/plot/plot.h"

/* A value is the number of its record on the tape. NONE is no value. */
typedef struct Value {
    int record;
} Value;
#define NONE ((Value){-1})

/* What the tape knows of one value. */
typedef struct Record {
    const char *op;   /* "add", ...; "leaf" if no operation made it */
    double value;
    double gradient;  /* of the loss with respect to this value: what backward computes */
    Value input[2];   /* NONE where there is no first or second input */
    double factor[2]; /* the derivative of this value with respect to input[0] and input[1] */
} Record;

enum { CAPACITY = 100000 };
Record tape[CAPACITY];
int count; /* records on the tape: tape[0] ... tape[count - 1] */

double value_of(Value v) { return tape[v.record].value; }
double gradient_of(Value v) { return tape[v.record].gradient; }
void clear_tape(void) { count = 0; }

/* Appends a record with gradient 0 to the tape. a and b are the inputs (or NONE), da and db their factors. */
Value append(const char *op, double value, Value a, double da, Value b, double db) {
    if (count == CAPACITY) {
        fprintf(stderr, "the tape is full\n");
        exit(1);
    }
    // HOLE
    //| (void)op, (void)value, (void)a, (void)da, (void)b, (void)db; /* your code */
    //| return (Value){0};
    tape[count] = (Record){op, value, 0, {a, b}, {da, db}};
    // WRONG old_gradient 13: tape[count] = (Record){op, value, tape[count].gradient, {a, b}, {da, db}};
    // WRONG one_input 10: tape[count] = (Record){op, value, 0, {a, NONE}, {da, 0}};
    return (Value){count++};
    // END
}

/* A leaf: a parameter, an input, or a constant. */
Value v_leaf(double value) { return append("leaf", value, NONE, 0, NONE, 0); }

/* a + b */
Value v_add(Value a, Value b) {
    // HOLE
    //| (void)a, (void)b; /* your code */
    //| return v_leaf(0);
    return append("add", value_of(a) + value_of(b), a, 1, b, 1);
    // END
}

/* a * b */
Value v_mul(Value a, Value b) {
    // HOLE
    //| (void)a, (void)b; /* your code */
    //| return v_leaf(0);
    return append("mul", value_of(a) * value_of(b), a, value_of(b), b, value_of(a));
    // WRONG swapped 12: return append("mul", value_of(a) * value_of(b), a, value_of(a), b, value_of(b));
    // END
}

/* a to the power of a constant. It must work for a = 0, too. */
Value v_pow(Value a, double exponent) {
    // HOLE
    //| (void)a, (void)exponent; /* your code */
    //| return v_leaf(0);
    return append("pow", pow(value_of(a), exponent), a, exponent * pow(value_of(a), exponent - 1), NONE, 0);
    // WRONG same_exponent 14: double y = pow(value_of(a), exponent);
    // WRONG same_exponent: return append("pow", y, a, exponent * y, NONE, 0);
    // WRONG divided 18: double y = pow(value_of(a), exponent);
    // WRONG divided: return append("pow", y, a, exponent * y / value_of(a), NONE, 0);
    // END
}

/* tanh(a) */
Value v_tanh(Value a) {
    // HOLE
    //| (void)a; /* your code */
    //| return v_leaf(0);
    double y = tanh(value_of(a));
    // WRONG library 17: double y = t_item(t_tanh(t_full((), value_of(a), .dtype = t_float64)));
    return append("tanh", y, a, 1 - y * y, NONE, 0);
    // WRONG off_the_tape 13: return v_leaf(y);
    // END
}

/* e to the power of a */
Value v_exp(Value a) {
    // HOLE
    //| (void)a; /* your code */
    //| return v_leaf(0);
    double y = exp(value_of(a));
    return append("exp", y, a, y, NONE, 0);
    // WRONG power_rule 15: return append("exp", y, a, value_of(a) * exp(value_of(a) - 1), NONE, 0);
    // END
}

/* Composed of the others, they need no factor of their own. */
Value v_sub(Value a, Value b) { return v_add(a, v_mul(b, v_leaf(-1))); }
Value v_div(Value a, Value b) { return v_mul(a, v_pow(b, -1)); }

/* Fills in the gradients for the given loss.
 *
 * First: the records that are no leaves, up to that of the loss, get the gradient 0. Leaves keep theirs: what comes is
 * added, as in PyTorch. Then the loss gets the gradient 1. Then, from the loss's record down to record 0, each adds its
 * gradient times the factor to the gradient of each input. */
void backward(Value loss) {
    // HOLE
    //| (void)loss; /* your code */
    for (int i = 0; i <= loss.record; i++)
        if (tape[i].input[0].record >= 0) tape[i].gradient = 0;
        // WRONG leaves_too 18: tape[i].gradient = 0;
        // WRONG not_reset 18: (void)i;
    tape[loss.record].gradient += 1;
    // WRONG no_one 8:
    // WRONG last_record 16: tape[count - 1].gradient += 1, loss.record = count - 1;
    for (int i = loss.record; i >= 0; i--)
        // WRONG forward_order 8: for (int i = 0; i <= loss.record; i++)
        for (int k = 0; k < 2; k++)
            // WRONG first_input_only 8: for (int k = 0; k < 1; k++)
            if (tape[i].input[k].record >= 0)
                tape[tape[i].input[k].record].gradient += tape[i].gradient * tape[i].factor[k];
                // WRONG overwritten 10: tape[tape[i].input[k].record].gradient = tape[i].gradient * tape[i].factor[k];
                // WRONG factor_only 8: tape[tape[i].input[k].record].gradient += tape[i].factor[k];
    // END
}

/* tanh(w[0] x[0] + ... + w[n - 1] x[n - 1] + b) */
Value neuron(const Value *w, const Value *x, int n, Value b) {
    // HOLE
    //| (void)w, (void)x, (void)n; /* your code */
    //| return b;
    Value s = b;
    // WRONG no_bias 18: Value s = v_leaf(0 * value_of(b));
    for (int i = 0; i < n; i++) s = v_add(s, v_mul(w[i], x[i]));
    // WRONG each_squeezed 18: for (int i = 0; i < n; i++) s = v_add(s, v_tanh(v_mul(w[i], x[i])));
    return v_tanh(s);
    // END
}

/* ---- the program; nothing to fill in below ---- */

static void print_tape(void) {
    printf("      op       value  gradient   inputs and factors\n");
    for (int i = 0; i < count; i++) {
        printf("%4d  %-5s %8.4f  %8.4f", i, tape[i].op, tape[i].value, tape[i].gradient);
        for (int k = 0; k < 2; k++)
            if (tape[i].input[k].record >= 0)
                printf("%s#%d times %.4f", k ? ", " : "   ", tape[i].input[k].record, tape[i].factor[k]);
        printf("\n");
    }
}

/* The neuron of lesson 01: compare the numbers. */
static void show_neuron(void) {
    clear_tape();
    Value w = v_leaf(-0.5), b = v_leaf(0.25), x = v_leaf(2.0), target = v_leaf(0.5);
    Value y = neuron(&w, &x, 1, b);
    Value loss = v_pow(v_sub(y, target), 2);
    backward(loss);
    print_tape();
}

/* The same neuron on the library's tape. */
static void show_library(void) {
    Tensor *w = t_tensor(-0.5, .requires_grad = true), *b = t_tensor(0.25, .requires_grad = true);
    Tensor *y = t_tanh(t_add(t_mul(w, 2.0), b));
    Tensor *loss = t_square(t_sub(y, 0.5));
    t_watch(w, b, y, loss);
    t_backward(loss, .retain_graph = true);
    printf("\nthe library's tape, and its values and gradients\n");
    t_tape_print(loss);
    t_watch_print();
}

/* A network with 2 inputs, HIDDEN neurons, and one neuron for the output. */
enum { HIDDEN = 3, PARAMETERS = HIDDEN * 3 + HIDDEN + 1 };

/* Its output for (x0, x1), from the parameters p on the tape. */
static Value network(const Value *p, double x0, double x1) {
    Value x[2] = {v_leaf(x0), v_leaf(x1)}, h[HIDDEN];
    for (int j = 0; j < HIDDEN; j++) h[j] = neuron(p + 3 * j, x, 2, p[3 * j + 2]);
    return neuron(p + 3 * HIDDEN, h, HIDDEN, p[PARAMETERS - 1]);
}

/* Writes the parameters to an empty tape. */
static void to_tape(const double *parameters, Value *p) {
    clear_tape();
    for (int i = 0; i < PARAMETERS; i++) p[i] = v_leaf(parameters[i]);
}

/* XOR: the output should be 1 where the inputs differ, else -1. */
static void train_xor(const char *folder) {
    const double x[4][2] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}, target[4] = {-1, 1, 1, -1};
    double parameters[PARAMETERS];
    Value p[PARAMETERS];
    for (int i = 0; i < PARAMETERS; i++) parameters[i] = sin(7.0 * i + 1); /* numbers between -1 and 1 */
    printf("\nXOR\n");
    for (int step = 0; step <= 200; step++) {
        to_tape(parameters, p);
        Value loss = v_leaf(0);
        for (int i = 0; i < 4; i++)
            loss = v_add(loss, v_pow(v_sub(network(p, x[i][0], x[i][1]), v_leaf(target[i])), 2));
        backward(loss);
        if (step % 50 == 0) printf("step %3d  loss %.4f  records %d\n", step, value_of(loss), count);
        for (int i = 0; i < PARAMETERS; i++) parameters[i] -= 0.1 * gradient_of(p[i]);
    }
    int rows = 13, columns = 27;
    Tensor *image = t_zeros(rows, columns);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            to_tape(parameters, p);
            Value y = network(p, -1.5 + 3.0 * j / (columns - 1), 1.5 - 3.0 * i / (rows - 1));
            t_set(image, "{}, {}", i, j, value_of(y));
        }
    plt_imshow(image, .vmin = -1, .vmax = 1);
    plt_title("the output for x0, x1 from -1.5 to 1.5");
    if (folder) plt_savefig(t_format("%s/output.svg", folder));
    plt_show();
}

/* tape [--plots DIR] */
int main(int argc, char **argv) {
    const char *folder = argc == 3 ? argv[2] : NULL;
    show_neuron();
    show_library();
    train_xor(folder);
    return 0;
}
