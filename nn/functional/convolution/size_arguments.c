/* nn/functional/convolution/size_arguments.c: the arguments for kernel sizes, strides and pads that the macros pass. */
#include "nn/functional/convolution/size_arguments.h"

#include "core/tensor/error.h"

/* Braces after a keyword set all items, the missing ones to 0; an integer sets one and leaves the others T_NONE. */
static bool is_in_braces(const t_Tuple *tuple) {
    return !tuple->len && tuple->items[T_MAX_DIMS] != T_NONE;
}

bool F_sizes_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t default_value, int64_t *to,
                 int count) {
    const int64_t *sizes = tuple->items;
    bool several = tuple->len == count;
    for (int i = 1; i < count && is_in_braces(tuple); i++) several = several || sizes[i];
    to[0] = number != T_LEFT_OUT_ ? number : sizes[0];
    for (int i = 1; i < count; i++) to[i] = number == T_LEFT_OUT_ && several ? sizes[i] : F_BOTH;
    if (number != T_LEFT_OUT_) return true;
    if (tuple->len > 1 && !several)
        return t_fail("%s takes one number or %s, not a tuple of %d", name, count == 2 ? "two" : "three", tuple->len) !=
               NULL;
    if (tuple->len || is_in_braces(tuple) || sizes[0] != T_NONE) return true;
    to[0] = default_value;
    return default_value != F_NEEDED_ || t_missing_of_(name);
}

bool F_any_sizes_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t to[3]) {
    const bool in_braces = is_in_braces(tuple);
    int count = tuple->len;
    for (int i = 0; i < 3 && in_braces; i++)
        if (tuple->items[i]) count = i + 1;
    if (number != T_LEFT_OUT_ || count <= 1 || count > 3) return F_sizes_of_(name, number, tuple, T_NONE, to, 3);
    for (int i = 0; i < 3; i++) to[i] = i < count ? tuple->items[i] : T_NONE;
    return true;
}

bool F_paddings_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t *to, int count) {
    const long long first = tuple->items[0];
    const bool more = tuple->items[1] || (count > 2 && tuple->items[2]);
    const char *zeros = count == 2 ? "0" : "0, 0";
    if (number == T_LEFT_OUT_ && is_in_braces(tuple) && first && !more)
        return t_fail("%s = {%lld} is the same as {%lld, %s} in C: write %lld for %s, or t_tuple(%lld, %s)", name,
                      first, first, zeros, first, count == 2 ? "both" : "all", first, zeros) != NULL;
    return F_sizes_of_(name, number, tuple, 0, to, count);
}

bool F_pads_of_(int64_t number, const t_Tuple *tuple, int sides, int64_t *pads) {
    const bool is_one = number != T_LEFT_OUT_ || (!tuple->len && !is_in_braces(tuple));
    if (number == T_LEFT_OUT_) number = tuple->items[0];
    if (is_one && number == T_NONE) return t_missing_of_("padding");
    if (tuple->len && tuple->len != sides)
        return t_fail("padding takes one number or %d, not a tuple of %d", sides, tuple->len) != NULL;
    for (int i = 0; i < sides; i++) pads[i] = !is_one ? tuple->items[i] : i ? F_BOTH : number;
    return true;
}
