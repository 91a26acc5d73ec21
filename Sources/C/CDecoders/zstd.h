// What is used of zstd, whose library is loaded on demand.
#pragma once

#include <stddef.h>

// ZSTD_outBuffer and ZSTD_inBuffer.
typedef struct {
    void *dst;
    size_t size, pos;
} zstd_out;
typedef struct {
    const void *src;
    size_t size, pos;
} zstd_in;

void *ZSTD_createDCtx(void);
size_t ZSTD_decompressStream(void *, zstd_out *, zstd_in *);
size_t ZSTD_DCtx_setParameter(void *, int, int);
size_t ZSTD_freeDCtx(void *);
void *ZSTD_createCCtx(void);
size_t ZSTD_CCtx_setParameter(void *, int, int);
size_t ZSTD_compressStream2(void *, zstd_out *, zstd_in *, int);
size_t ZSTD_freeCCtx(void *);
unsigned ZSTD_isError(size_t);
