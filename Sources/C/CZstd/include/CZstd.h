// Streams of Zstandard (RFC 8878) by libzstd, loaded on demand.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Whether this machine has the library.
bool zstd_exists(void);

typedef enum { ZSTD_STREAM_GOES_ON, ZSTD_STREAM_FLUSH, ZSTD_STREAM_END } zstd_step;

typedef struct zstd_writer zstd_writer;

/// NULL if the library is missing or memory is out.
zstd_writer *_Nullable zstd_writer_new(int level);
/// Compresses all of `input` as far as `output` has room; `taken` and `given` tell how many bytes. False on failure.
/// `remains` is whether there is more to give: then call again.
bool zstd_writer_run(
    zstd_writer *self, const uint8_t *_Nullable input, size_t input_size, size_t *taken, uint8_t *output,
    size_t output_size, size_t *given, zstd_step step, bool *remains);
void zstd_writer_free(zstd_writer *self);

typedef struct zstd_reader zstd_reader;

/// NULL if the library is missing or memory is out.
zstd_reader *_Nullable zstd_reader_new(void);
/// False if the stream is damaged.
bool zstd_reader_run(
    zstd_reader *self, const uint8_t *_Nullable input, size_t input_size, size_t *taken, uint8_t *output,
    size_t output_size, size_t *given);
void zstd_reader_free(zstd_reader *self);

#pragma clang assume_nonnull end
