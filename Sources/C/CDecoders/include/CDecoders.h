// The content encodings of HTTP behind one interface, gzip also for writing, and streams of Zstandard. Each library is loaded when it is first
// needed.
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

/// Writes `input` as gzip at a level from 1 to 9, and sets `given` to its size. False if zlib is missing, memory is short,
/// or `output` is too small.
bool gzip_write(
    const uint8_t *input, size_t input_size, int level, uint8_t *output, size_t output_size, size_t *given);

// Streams of Zstandard (RFC 8878), by libzstd.

/// True if this machine has the library.
bool zstd_exists(void);

typedef enum { ZSTD_STREAM_GOES_ON, ZSTD_STREAM_FLUSH, ZSTD_STREAM_END } zstd_step;

typedef struct zstd_writer zstd_writer;

/// NULL if the library is missing or memory is short.
zstd_writer *_Nullable zstd_writer_new(int level);
/// Compresses `input` as far as `output` has room. Sets `taken` and `given` to the numbers of bytes read and written.
/// Returns false on failure. If `remains` is true, there is more to write, and the function must be called again.
bool zstd_writer_run(
    zstd_writer *self, const uint8_t *_Nullable input, size_t input_size, size_t *taken, uint8_t *output,
    size_t output_size, size_t *given, zstd_step step, bool *remains);
void zstd_writer_free(zstd_writer *self);

typedef struct zstd_reader zstd_reader;

/// NULL if the library is missing or memory is short.
zstd_reader *_Nullable zstd_reader_new(void);
/// Decompresses `input` as far as `output` has room. False if the stream is damaged.
bool zstd_reader_run(
    zstd_reader *self, const uint8_t *_Nullable input, size_t input_size, size_t *taken, uint8_t *output,
    size_t output_size, size_t *given);
void zstd_reader_free(zstd_reader *self);

#pragma clang assume_nonnull end
