/* core/text/codec.c: texts to tensors of ids and back. */
#include "core/text/codec.h"

#include <inttypes.h>

#include "core/ops/creation.h"
#include "core/tensor/dtype_convert.h"
#include "core/text/string_list_internal.h"
#include "core/text/unicode.h"

tg_Bpe *tg_bpe_new(void) {
    tg_Bpe *bpe = tg_alloc(sizeof *bpe);
    if (bpe) tg_bpe_init(bpe);
    return bpe;
}

void tg_bpe_delete(tg_Bpe *bpe) {
    if (bpe) tg_bpe_free(bpe);
    tg_free(bpe, sizeof *bpe);
}

Tensor *tg_encode_to_tensor(tg_Bpe *bpe, const void *text, size_t size, bool ordinary, const bool *flags) {
    const uint8_t *at = text;
    tg_Buffer ids = {0};
    Tensor *x = NULL;
    if (ordinary ? tg_bpe_encode_ordinary(bpe, at, at + size, &ids) : tg_bpe_encode(bpe, at, at + size, flags, &ids)) {
        const int64_t count = (int64_t)(ids.size / sizeof(int64_t));
        x = tg_empty(&count, 1, t_int64);
        if (x && count) memcpy(tg_data(x), ids.data, ids.size);
    }
    tg_buffer_free(&ids);
    return x;
}

bool tg_decode_ids(const tg_Bpe *bpe, const Tensor *ids, bool skip_special, const char *invalid, tg_Buffer *to) {
    if (!tg_check_any(ids, 2)) return false;
    if (tg_is_floating(ids->dtype) || ids->dtype == t_bool)
        return tg_fail("ids must be integers, but they are %s", t_dtype_repr(ids->dtype));
    const int depth = t_scope_open();
    bool ok = depth > 0;
    const Tensor *x = ok ? t_contiguous(t_to((Tensor *)(uintptr_t)ids, t_int64)) : NULL;
    ok = x != NULL;
    for (int64_t i = 0, n = ok ? tg_numel(x) : 0; ok && i < n; i++) {
        const int64_t id = ((const int64_t *)tg_data(x))[i];
        const tg_Token *token = tg_bpe_has(bpe, id) ? &bpe->tokens[id] : NULL;
        if (!token && !invalid) continue;
        if (!token)
            ok = tg_fail("%s: %" PRId64, invalid, id);
        else if (!skip_special || !token->special || token->shown)
            ok = tg_buffer_append(to, bpe->bytes.data + token->at, token->length);
    }
    if (depth) t_scope_close(depth);
    return ok;
}

/* The number of bytes at the beginning that a valid character could begin with: at least 1. */
static size_t maximal_part(const uint8_t *s, const uint8_t *end) {
    const int more = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : s[0] < 0xf5 ? 3 : 0;
    size_t length = 1;
    for (; length <= (size_t)more && s + length < end; length++) {
        uint8_t low = 0x80, high = 0xbf;
        if (length == 1) {
            if (s[0] == 0xe0) low = 0xa0;
            if (s[0] == 0xed) high = 0x9f;
            if (s[0] == 0xf0) low = 0x90;
            if (s[0] == 0xf4) high = 0x8f;
        }
        if (s[length] < low || s[length] > high) break;
    }
    return length;
}

const char *tg_decoded_text(const tg_Buffer *bytes) {
    const uint8_t *at = (const uint8_t *)(bytes->size ? bytes->data : ""), *end = at + bytes->size, *valid = at;
    tg_Buffer text = {0};
    bool ok = true;
    while (ok && at < end) {
        const uint8_t *next = at;
        if (*at < 0x80 || tg_next_char(&next, end) != TG_INVALID_BYTE) {
            at = *at < 0x80 ? at + 1 : next;
            continue;
        }
        char replacement[4];
        const int length = tg_put_char(TG_REPLACEMENT, replacement);
        ok = tg_buffer_append(&text, valid, (size_t)(at - valid)) &&
             tg_buffer_append(&text, replacement, (size_t)length);
        valid = at += maximal_part(at, end);
    }
    ok = ok && tg_buffer_append(&text, valid, (size_t)(end - valid));
    const char *result = ok ? tg_string_of(text.data, text.size) : NULL;
    tg_buffer_free(&text);
    return result;
}
