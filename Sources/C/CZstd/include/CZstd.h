// Streams of Zstandard (RFC 8878) by libzstd, loaded on demand.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

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
