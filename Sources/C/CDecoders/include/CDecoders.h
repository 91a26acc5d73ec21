// The content encodings of HTTP behind one interface. Their libraries are loaded when the first response needs them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Gzip twice: by zlib, and by igzip of Intel's libisal.
typedef enum { DECODER_GZIP, DECODER_DEFLATE, DECODER_IGZIP, DECODER_BROTLI, DECODER_ZSTD } decoder_kind;

typedef enum {
    /// All input was taken and all output given: there may be more of both.
    DECODER_NEEDS_INPUT,
    /// The output is full.
    DECODER_NEEDS_ROOM,
    /// The stream has ended; what still comes is not part of it.
    DECODER_ENDED,
    DECODER_BROKEN,
} decoder_result;

typedef struct decoder decoder;

/// Whether this machine has the library.
bool decoder_exists(decoder_kind kind);

/// NULL where the library is missing or memory is out.
decoder *_Nullable decoder_new(decoder_kind kind);

/// Reads from `input` and writes to `output`; `taken` and `given` tell how many bytes.
decoder_result decoder_run(
    decoder *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given);

/// Whether the stream may end here: a whole gzip member, a whole frame.
bool decoder_is_complete(const decoder *self);

void decoder_free(decoder *self);

#pragma clang assume_nonnull end
