// The content encodings of HTTP behind one interface. Each library is loaded when a response first needs it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Gzip has two decoders: zlib, and igzip of Intel's libisal.
typedef enum { DECODER_GZIP, DECODER_DEFLATE, DECODER_IGZIP, DECODER_BROTLI, DECODER_ZSTD } decoder_kind;

typedef enum {
    /// All input was consumed and all output produced; there may be more of both.
    DECODER_NEEDS_INPUT,
    /// The output is full.
    DECODER_NEEDS_ROOM,
    /// The stream has ended; further input is not part of it.
    DECODER_ENDED,
    DECODER_BROKEN,
} decoder_result;

typedef struct decoder decoder;

/// True if this machine has the library.
bool decoder_exists(decoder_kind kind);

/// NULL if the library is missing or memory is short.
decoder *_Nullable decoder_new(decoder_kind kind);

/// Reads from `input` and writes to `output`. Sets `taken` and `given` to the numbers of bytes read and written.
decoder_result decoder_run(
    decoder *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given);

/// True if the stream may end here: after a complete gzip member or frame.
bool decoder_is_complete(const decoder *self);

void decoder_free(decoder *self);

#pragma clang assume_nonnull end
