#include "CDecoders.h"

#include "CDlopen.h"
#include "zstd.h"

#include <isa-l/igzip_lib.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

DLOPEN_NOTE(zlib, "gzip", "Gzip and deflate", "required", "libz.so.1");
DLOPEN_NOTE(igzip, "igzip", "Gzip in a third of the time", "recommended", "libisal.so.2");
DLOPEN_NOTE(brotli, "brotli", "Brotli", "recommended", "libbrotlidec.so.1");
DLOPEN_NOTE(zstd, "zstd", "Zstandard", "recommended", "libzstd.so.1");

// The functions of libbrotlidec in use, by their stable C interface.

void *BrotliDecoderCreateInstance(void *, void *, void *);
int BrotliDecoderDecompressStream(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
void BrotliDecoderDestroyInstance(void *);

#define ZLIB(FUNCTION) \
    FUNCTION(, inflateInit2_) FUNCTION(, inflateReset) FUNCTION(, inflate) FUNCTION(, inflateEnd) \
    FUNCTION(, deflateInit2_) FUNCTION(, deflate) FUNCTION(, deflateEnd)
#define IGZIP(FUNCTION) FUNCTION(isal_, inflate_init) FUNCTION(isal_, inflate_reset) FUNCTION(isal_, inflate)
#define BROTLI(FUNCTION) \
    FUNCTION(BrotliDecoder, CreateInstance) FUNCTION(BrotliDecoder, DecompressStream) \
    FUNCTION(BrotliDecoder, DestroyInstance)
#define ZSTD(FUNCTION) \
    FUNCTION(ZSTD_, createDCtx) FUNCTION(ZSTD_, decompressStream) FUNCTION(ZSTD_, DCtx_setParameter) \
    FUNCTION(ZSTD_, isError) FUNCTION(ZSTD_, freeDCtx)
DLOPEN_LIBRARY(zlib, "libz.so.1", ZLIB);
DLOPEN_LIBRARY(igzip, "libisal.so.2", IGZIP);
DLOPEN_LIBRARY(brotli, "libbrotlidec.so.1", BROTLI);
DLOPEN_LIBRARY(zstd, "libzstd.so.1", ZSTD);

// ZSTD_d_windowLogMax, and the 8 MB window that RFC 9659 allows for HTTP.
enum { zstd_window_log_max = 100, zstd_http_window_log = 23 };
enum { brotli_success = 1, brotli_needs_input = 2, brotli_needs_room = 3 };

bool decoder_exists(decoder_kind kind) {
    switch (kind) {
    case DECODER_IGZIP: return dlopen_once(&igzip_library);
    case DECODER_BROTLI: return dlopen_once(&brotli_library);
    case DECODER_ZSTD: return dlopen_once(&zstd_library);
    case DECODER_GZIP:
    case DECODER_DEFLATE: return dlopen_once(&zlib_library);
    }
    return false;
}

static bool start_zlib(z_stream *stream, int window_bits) {
    return zlib.inflateInit2_(stream, window_bits, ZLIB_VERSION, sizeof *stream) == Z_OK;
}

struct decoder {
    decoder_kind kind;
    z_stream zlib;
    void *state;     // of igzip, brotli and zstd
    bool started;    // true if the kind of the deflate stream is known, or a gzip member has begun
    bool complete;
    bool ended;
};

decoder *decoder_new(decoder_kind kind) {
    if (!decoder_exists(kind)) return NULL;
    decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->kind = kind;
    bool made = true;
    switch (kind) {
    case DECODER_GZIP: made = start_zlib(&self->zlib, 16 + MAX_WBITS); break;
    case DECODER_IGZIP:
        made = (self->state = malloc(sizeof(struct inflate_state))) != NULL;
        if (made) igzip.inflate_init(self->state), ((struct inflate_state *)self->state)->crc_flag = ISAL_GZIP;
        break;
    case DECODER_DEFLATE: break; // zlib or raw; the first byte decides
    case DECODER_BROTLI: made = (self->state = brotli.CreateInstance(NULL, NULL, NULL)) != NULL; break;
    case DECODER_ZSTD:
        made = (self->state = zstd.createDCtx()) != NULL;
        if (made) zstd.DCtx_setParameter(self->state, zstd_window_log_max, zstd_http_window_log);
        break;
    }
    if (made) return self;
    free(self);
    return NULL;
}

void decoder_free(decoder *self) {
    switch (self->kind) {
    case DECODER_GZIP: zlib.inflateEnd(&self->zlib); break;
    case DECODER_IGZIP: free(self->state); break;
    case DECODER_DEFLATE: if (self->started) zlib.inflateEnd(&self->zlib); break;
    case DECODER_BROTLI: brotli.DestroyInstance(self->state); break;
    case DECODER_ZSTD: zstd.freeDCtx(self->state); break;
    }
    free(self);
}

bool decoder_is_complete(const decoder *self) { return self->complete; }

static decoder_result run_zlib(decoder *self) {
    z_stream *z = &self->zlib;
    if (self->kind == DECODER_DEFLATE && !self->started) {
        if (z->avail_in == 0) return DECODER_NEEDS_INPUT;
        // The low half of the first byte of a zlib header is 8; a raw stream does not begin that way in practice.
        Bytef *in = z->next_in;
        uInt left = z->avail_in;
        Bytef *out = z->next_out;
        uInt room = z->avail_out;
        if (!start_zlib(z, (in[0] & 0x0f) == 8 ? MAX_WBITS : -MAX_WBITS)) return DECODER_BROKEN;
        z->next_in = in, z->avail_in = left, z->next_out = out, z->avail_out = room;
        self->started = true;
    }
    for (;;) {
        if (self->kind == DECODER_GZIP && self->complete) {
            // Either another member, or padding and garbage, which gunzip ignores as well.
            if (z->avail_in == 0) return DECODER_NEEDS_INPUT;
            if (z->next_in[0] != 0x1f) return DECODER_ENDED;
            if (zlib.inflateReset(z) != Z_OK) return DECODER_BROKEN;
            self->complete = false;
        }
        switch (zlib.inflate(z, Z_NO_FLUSH)) {
        case Z_STREAM_END:
            self->complete = true;
            if (self->kind == DECODER_DEFLATE) return DECODER_ENDED;
            if (z->avail_out == 0) return DECODER_NEEDS_ROOM;
            continue;
        case Z_OK:
        case Z_BUF_ERROR:
            if (z->avail_out == 0) return DECODER_NEEDS_ROOM;
            return z->avail_in == 0 ? DECODER_NEEDS_INPUT : DECODER_BROKEN;
        default: return DECODER_BROKEN;
        }
    }
}

static decoder_result run_igzip(decoder *self) {
    struct inflate_state *state = self->state;
    for (;;) {
        if (self->complete) {
            if (state->avail_in == 0) return DECODER_NEEDS_INPUT;
            if (state->next_in[0] != 0x1f) return DECODER_ENDED;
            igzip.inflate_reset(state);
            self->complete = false;
        }
        if (igzip.inflate(state) != ISAL_DECOMP_OK) return DECODER_BROKEN;
        self->complete = state->block_state == ISAL_BLOCK_FINISH;
        if (state->avail_out == 0) return DECODER_NEEDS_ROOM;
        if (!self->complete) return state->avail_in == 0 ? DECODER_NEEDS_INPUT : DECODER_BROKEN;
    }
}

static decoder_result run_zstd(decoder *self, zstd_in *in, zstd_out *out) {
    for (;;) {
        if (self->complete && in->pos == in->size) return DECODER_NEEDS_INPUT;
        size_t before_in = in->pos, before_out = out->pos;
        size_t hint = zstd.decompressStream(self->state, out, in);
        if (zstd.isError(hint)) return DECODER_BROKEN;
        self->complete = hint == 0;
        if (out->pos == out->size) return DECODER_NEEDS_ROOM;
        if (in->pos == in->size) return DECODER_NEEDS_INPUT;
        if (in->pos == before_in && out->pos == before_out) return DECODER_BROKEN;
    }
}

decoder_result decoder_run(
    decoder *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given) {
    decoder_result result = DECODER_ENDED;
    *taken = *given = 0;
    if (self->ended) {
        *taken = input_size;
        return result;
    }
    switch (self->kind) {
    case DECODER_GZIP:
    case DECODER_DEFLATE:
        self->zlib.next_in = (Bytef *)input;
        self->zlib.avail_in = (uInt)input_size;
        self->zlib.next_out = output;
        self->zlib.avail_out = (uInt)output_size;
        result = run_zlib(self);
        *taken = input_size - self->zlib.avail_in;
        *given = output_size - self->zlib.avail_out;
        break;
    case DECODER_IGZIP: {
        struct inflate_state *state = self->state;
        state->next_in = (uint8_t *)input;
        state->avail_in = (uint32_t)input_size;
        state->next_out = output;
        state->avail_out = (uint32_t)output_size;
        result = run_igzip(self);
        *taken = input_size - state->avail_in;
        *given = output_size - state->avail_out;
        break;
    }
    case DECODER_BROTLI: {
        size_t in_left = input_size, out_left = output_size;
        int code = brotli.DecompressStream(self->state, &in_left, &input, &out_left, &output, NULL);
        *taken = input_size - in_left;
        *given = output_size - out_left;
        self->complete = code == brotli_success;
        result = code == brotli_success       ? DECODER_ENDED
            : code == brotli_needs_input      ? DECODER_NEEDS_INPUT
            : code == brotli_needs_room       ? DECODER_NEEDS_ROOM
                                              : DECODER_BROKEN;
        break;
    }
    case DECODER_ZSTD: {
        zstd_in in = {input, input_size, 0};
        zstd_out out = {output, output_size, 0};
        result = run_zstd(self, &in, &out);
        *taken = in.pos;
        *given = out.pos;
        break;
    }
    }
    self->ended = result == DECODER_ENDED;
    return result;
}

bool gzip_write(
    const uint8_t *input, size_t input_size, int level, uint8_t *output, size_t output_size, size_t *given) {
    if (!dlopen_once(&zlib_library) || input_size > UINT_MAX || output_size > UINT_MAX) return false;
    z_stream z = {0};
    // 16 asks for a gzip header; 8 is zlib's usual use of memory.
    if (zlib.deflateInit2_(&z, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof z) != Z_OK) return false;
    z.next_in = (Bytef *)input, z.avail_in = (uInt)input_size, z.next_out = output, z.avail_out = (uInt)output_size;
    const bool ended = zlib.deflate(&z, Z_FINISH) == Z_STREAM_END;
    *given = output_size - z.avail_out;
    zlib.deflateEnd(&z);
    return ended;
}
