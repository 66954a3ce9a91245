/* nn/functional/convolution/size_arguments.c: the arguments for kernel sizes, strides and pads that the macros pass. */
#include "nn/functional/convolution/size_arguments.h"

#include "core/tensor/error.h"

/* Braces after a keyword set all items, the missing ones to 0; an integer sets one and leaves the others T_NONE. */
static bool is_in_braces(const t_Tuple *tuple) {
    return !tuple->len && tuple->items[T_MAX_DIMS] != T_NONE;
}

bool F_pair_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t default_value, int64_t pair[2]) {
    const int64_t *sizes = tuple->items;
    pair[0] = number != T_LEFT_OUT_ ? number : sizes[0];
    pair[1] = F_BOTH;
    if (number != T_LEFT_OUT_) return true;
    if (tuple->len > 2) return t_fail("%s takes one number or two, not a tuple of %d", name, tuple->len) != NULL;
    if (tuple->len == 2 || (is_in_braces(tuple) && sizes[1])) pair[1] = sizes[1];
    if (tuple->len || is_in_braces(tuple) || sizes[0] != T_NONE) return true;
    pair[0] = default_value;
    return default_value != F_NEEDED_ || t_missing_of_(name);
}

bool F_padding_of_(const char *name, int64_t number, const t_Tuple *tuple, int64_t pair[2]) {
    const long long first = tuple->items[0];
    if (number == T_LEFT_OUT_ && is_in_braces(tuple) && first && !tuple->items[1])
        return t_fail("%s = {%lld} is the same as {%lld, 0} in C: write %lld for both, or t_tuple(%lld, 0)", name,
                      first, first, first, first) != NULL;
    return F_pair_of_(name, number, tuple, 0, pair);
}

bool F_pads_of_(int64_t number, const t_Tuple *tuple, int sides, int64_t pads[4]) {
    const bool is_one = number != T_LEFT_OUT_ || (!tuple->len && !is_in_braces(tuple));
    if (number == T_LEFT_OUT_) number = tuple->items[0];
    if (is_one && number == T_NONE) return t_missing_of_("padding");
    if (tuple->len && tuple->len != sides)
        return t_fail("padding takes one number or %d, not a tuple of %d", sides, tuple->len) != NULL;
    for (int i = 0; i < sides; i++) pads[i] = !is_one ? tuple->items[i] : i ? F_BOTH : number;
    return true;
}
