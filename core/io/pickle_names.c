/* core/io/pickle_names.c: the allowed globals of a pickle (classes and functions of torch), the names and lengths of
 * the opcodes, and the errors for all others. */
#include <inttypes.h>
#include <string.h>

#include "core/io/pickle.h"

static const struct { const char *name; uint8_t global, kind; } globals[] = {
    {"torch._utils _rebuild_tensor_v2", tg_global_tensor, 0},
    {"torch._utils _rebuild_tensor", tg_global_old_tensor, 0},
    {"torch._utils _rebuild_tensor_v3", tg_global_tensor_of_dtype, 0},
    {"torch._utils _rebuild_parameter", tg_global_parameter, 0},
    {"torch._utils _rebuild_parameter_with_state", tg_global_parameter, 0},
    {"torch._tensor _rebuild_from_type_v2", tg_global_typed, 0},
    {"torch.tensor _rebuild_from_type_v2", tg_global_typed, 0},
    {"torch Tensor", tg_global_type, 0},
    {"torch.nn.parameter Parameter", tg_global_old_parameter, 0},
    {"torch.nn.parameter Buffer", tg_global_type, 0},
    {"torch Size", tg_global_size, 0},
    {"torch device", tg_global_device, 0},
    {"collections OrderedDict", tg_global_ordered_dict, 0},
    {"collections Counter", tg_global_counter, 0},
    {"torch.storage UntypedStorage", tg_global_storage, tg_kind_none},
    {"torch BoolStorage", tg_global_storage, tg_kind_bool},
    {"torch ByteStorage", tg_global_storage, tg_kind_u8},
    {"torch CharStorage", tg_global_storage, tg_kind_i8},
    {"torch ShortStorage", tg_global_storage, tg_kind_i16},
    {"torch IntStorage", tg_global_storage, tg_kind_i32},
    {"torch LongStorage", tg_global_storage, tg_kind_i64},
    {"torch HalfStorage", tg_global_storage, tg_kind_f16},
    {"torch BFloat16Storage", tg_global_storage, tg_kind_bf16},
    {"torch FloatStorage", tg_global_storage, tg_kind_f32},
    {"torch DoubleStorage", tg_global_storage, tg_kind_f64},
    {"torch ComplexFloatStorage", tg_global_storage, tg_kind_c64},
    {"torch ComplexDoubleStorage", tg_global_storage, tg_kind_c128},
};

/* A dtype is torch's name of a kind: "torch float16". */
bool tg_find_global(const char *name, size_t length, tg_Value *found) {
    static const char torch[] = "torch ";
    const size_t before = sizeof torch - 1;
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        if (strlen(globals[i].name) == length && memcmp(globals[i].name, name, length) == 0) {
            found->global = globals[i].global;
            found->kind = globals[i].kind;
            return true;
        }
    if (length <= before || memcmp(name, torch, before) != 0) return false;
    for (uint8_t kind = tg_kind_none + 1; kind < TG_KINDS; kind++)
        if (strlen(tg_kinds[kind].name) == length - before &&
            memcmp(tg_kinds[kind].name, name + before, length - before) == 0) {
            found->global = tg_global_dtype;
            found->kind = kind;
            return true;
        }
    return false;
}

bool tg_refuse_global(const tg_Pickle *p, const char *name) {
    const int module = (int)strcspn(name, " ");
    const char *in_module = name[module] ? name + module + 1 : "";
    const char *bytes = strcmp(name, "_codecs encode") == 0 ? " (bytes)" : ""; /* how protocol 2 stores bytes */
    const bool is_everything = p->at == p->start + 2; /* the first instruction after PROTO */
    return tg_fail("%s asks for %.*s%s%s%s at byte %" PRIu32 ", which is not part of a tensor and is not loaded%s",
                   p->what, module, name, name[module] ? "." : "", in_module, bytes, p->at,
                   strncmp(name, "torch.nn.modules", 16) == 0 ? ": save model.state_dict() instead of the model" :
                   strncmp(name, "numpy", 5) == 0 ? ": save torch.from_numpy(...) or float(...) instead" :
                   is_everything ? ": save a dict of tensors instead, of a model its state_dict()" : TG_LEAVE_OUT);
}

/* ---- values ---- */

const char *tg_type_name(const tg_Value *x) {
    static const char *const names[] = {"None", "a bool", "an int", "a float", "a str", "a tuple", "a list", "a dict",
                                        "a function or class", "a tensor", "a storage"};
    return x->type == tg_is_call && x->global == tg_global_device ? "a device" : names[x->type];
}

/* ---- instructions ---- */

uint32_t tg_opcode_operand(uint8_t opcode) {
    switch (opcode) {
    case 0x80: case 'K': case 'h': case 'q': case 'U': case 0x8a: return 1;
    case 'M': return 2;
    case 'J': case 'j': case 'r': case 'T': case 'X': return 4;
    case 'G': return 8;
    default: return 0;
    }
}

/* The name, as in Python's pickletools, of an unsupported instruction; NULL if it is not an instruction. */
static const char *name_of(uint8_t opcode) {
    static const char names[][20] = { /* the byte, followed by the name */
        "IINT", "LLONG", "\x8bLONG4", "FFLOAT",
        "SSTRING", "VUNICODE", "\x8cSHORT_BINUNICODE", "\x8d" "BINUNICODE8",
        "BBINBYTES", "CSHORT_BINBYTES", "\x8e" "BINBYTES8", "\x96" "BYTEARRAY8", "\x97NEXT_BUFFER",
        "\x98READONLY_BUFFER", "lLIST", "dDICT", "\x8f" "EMPTY_SET", "\x90" "ADDITEMS", "\x91" "FROZENSET",
        "0POP", "2DUP", "1POP_MARK", "gGET", "pPUT", "\x94MEMOIZE", "\x82" "EXT1", "\x83" "EXT2", "\x84" "EXT4",
        "\x93STACK_GLOBAL", "iINST", "oOBJ", "\x81NEWOBJ", "\x92NEWOBJ_EX", "\x95" "FRAME", "PPERSID",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((uint8_t)names[i][0] == opcode) return names[i] + 1;
    return NULL;
}

bool tg_refuse_opcode(const tg_Pickle *p, uint8_t opcode) {
    const char *name = name_of(opcode);
    if (!name) return tg_fail("%s is broken at byte %" PRIu32 ": 0x%02x is not a pickle opcode", p->what, p->at,
                              opcode);
    return tg_fail("%s has the instruction %s at byte %" PRIu32 ", which is not executed, because tensors do not "
                   "need it%s",
                   p->what, name, p->at,
                   strchr("\x8c\x94\x95", opcode) ? " (was it saved with another pickle_protocol than 2?)" : "");
}
