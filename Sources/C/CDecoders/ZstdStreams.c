#include "CDecoders.h"

#include "CDlopen.h"
#include "zstd.h"

DLOPEN_NOTE(zstd_streams, "record", "Recordings of a refresh", "suggested", "libzstd.so.1");

enum { zstd_c_compression_level = 100, zstd_c_checksum_flag = 201 };

#define ZSTD(FUNCTION) \
    FUNCTION(ZSTD_, createCCtx) FUNCTION(ZSTD_, CCtx_setParameter) FUNCTION(ZSTD_, compressStream2) \
    FUNCTION(ZSTD_, freeCCtx) FUNCTION(ZSTD_, createDCtx) FUNCTION(ZSTD_, decompressStream) \
    FUNCTION(ZSTD_, freeDCtx) FUNCTION(ZSTD_, isError)
DLOPEN_LIBRARY(zstd, "libzstd.so.1", ZSTD);

bool zstd_exists(void) { return dlopen_once(&zstd_library); }

zstd_writer *zstd_writer_new(int level) {
    if (!zstd_exists()) return NULL;
    void *self = zstd.createCCtx();
    if (!self) return NULL;
    zstd.CCtx_setParameter(self, zstd_c_compression_level, level);
    zstd.CCtx_setParameter(self, zstd_c_checksum_flag, 1);
    return self;
}

bool zstd_writer_run(
    zstd_writer *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given, zstd_step step, bool *remains) {
    zstd_in in = {input, input_size, 0};
    zstd_out out = {output, output_size, 0};
    size_t left = zstd.compressStream2(self, &out, &in, (int)step);
    *taken = in.pos;
    *given = out.pos;
    if (zstd.isError(left)) return false;
    *remains = step == ZSTD_STREAM_GOES_ON ? in.pos < in.size : left > 0;
    return true;
}

void zstd_writer_free(zstd_writer *self) { zstd.freeCCtx(self); }

zstd_reader *zstd_reader_new(void) { return zstd_exists() ? zstd.createDCtx() : NULL; }

bool zstd_reader_run(
    zstd_reader *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given) {
    zstd_in in = {input, input_size, 0};
    zstd_out out = {output, output_size, 0};
    size_t result = zstd.decompressStream(self, &out, &in);
    *taken = in.pos;
    *given = out.pos;
    return !zstd.isError(result);
}

void zstd_reader_free(zstd_reader *self) { zstd.freeDCtx(self); }
