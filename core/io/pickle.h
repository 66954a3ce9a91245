/* core/io/pickle.h: parses torch.save's pickles into a tree of values, without executing anything (internal).
 *
 * An instruction either makes a value of the types below or is an error with its name and its offset in the file; so is
 * a global that is not in the list of known ones. A call of a known function (torch._utils._rebuild_tensor_v2) becomes
 * a value with its arguments, which torch_load.c interprets. Memory is at most about a hundred times the pickle's size,
 * and half a GB. */
#ifndef TAPEGRAD_CORE_IO_PICKLE_H
#define TAPEGRAD_CORE_IO_PICKLE_H

#include "core/io/convert.h"

typedef enum tg_ValueType {
    tg_is_none, tg_is_bool, tg_is_integer, tg_is_number, tg_is_text, tg_is_tuple, tg_is_list, tg_is_dict,
    tg_is_global,  /* a known global, not called */
    tg_is_call,    /* a call of a global that makes a tensor, or a device */
    tg_is_storage, /* a persistent id: the storage of tensors */
} tg_ValueType;

/* The known globals. */
typedef enum tg_Global {
    tg_global_storage, tg_global_dtype, /* with their kind */
    tg_global_tensor, tg_global_tensor_of_dtype, tg_global_parameter, tg_global_typed, /* rebuild a tensor */
    tg_global_old_tensor, tg_global_old_parameter, /* the same until PyTorch 0.3: see torch_tensor.c */
    tg_global_type, tg_global_device, tg_global_size, tg_global_ordered_dict, tg_global_counter,
} tg_Global;

typedef struct tg_Value {
    /* a tg_ValueType; of a global or a call, a tg_Global; of a storage or dtype, a tg_Kind */
    uint8_t type, global, kind;
    uint32_t at;                /* offset of the instruction that made it */
    uint32_t count;             /* of items (of a dict, keys and values alternately), arguments, or bytes of a text */
    uint32_t first, last;       /* cells of the linked list of items, if count is not 0 */
    union { int64_t integer; double number; const char *text; } as;
} tg_Value;

typedef struct tg_Cell {
    uint32_t value, next;
} tg_Cell;

/* A growing array. */
typedef struct tg_Vector {
    char *items;
    uint32_t used, capacity, size; /* size: of an item */
} tg_Vector;

typedef struct tg_Pickle {
    const uint8_t *bytes;
    uint32_t size, start, at; /* start: its first byte; at: offset of the current instruction */
    const char *what;    /* the pickle, for messages */
    tg_Vector values, cells, stack, marks, memo;
    uint32_t root;
    bool is_part, is_cut; /* of tg_pickle_parse_part */
} tg_Pickle;

enum { TG_LARGEST_PICKLE = 100000000, TG_MOST_VALUES = 1 << 23 };
#define TG_LEAVE_OUT ": remove the key that has it and save again" /* end of error texts about unsupported values */
/* tg_pickle_free also after an error */
bool tg_pickle_parse(tg_Pickle *p, const void *bytes, size_t size, const char *what);
/* The pickle that begins at byte `start`; p->at is that of its STOP then. is_part: there may be more bytes than `size`:
 * if they end within the pickle, p->is_cut is set, and no error. */
bool tg_pickle_parse_part(tg_Pickle *p, const void *bytes, size_t size, size_t start, bool is_part, const char *what);
void tg_pickle_free(tg_Pickle *p);

static inline tg_Value *tg_value(const tg_Pickle *p, uint32_t value) {
    return (tg_Value *)(void *)p->values.items + value;
}
static inline tg_Cell *tg_cell(const tg_Pickle *p, uint32_t cell) {
    return (tg_Cell *)(void *)p->cells.items + cell;
}
/* The i-th item or argument, in O(i); i < count. */
tg_Value *tg_item_of(const tg_Pickle *p, const tg_Value *of, uint32_t i);

/* pickle_names.c */
bool tg_find_global(const char *name, size_t length, tg_Value *found); /* "module name", of the list */
const char *tg_type_name(const tg_Value *x);
/* The number of operand bytes of an instruction; for those with a length, the bytes of the length. */
uint32_t tg_opcode_operand(uint8_t opcode);
/* Errors that name the unsupported global or instruction, and what to save instead. */
bool tg_refuse_global(const tg_Pickle *p, const char *name); /* "module name", which may be cut off */
bool tg_refuse_opcode(const tg_Pickle *p, uint8_t opcode);

#endif
