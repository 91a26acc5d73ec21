#include "CZstd.h"

#include "CDlopen.h"

#include <dlfcn.h>
#include <pthread.h>

DLOPEN_NOTE(zstd_streams, "record", "Recordings of a refresh", "suggested", "libzstd.so.1");

// The few functions that are used, by their stable C interfaces.

typedef struct {
    void *dst;
    size_t size, pos;
} zstd_out;
typedef struct {
    const void *src;
    size_t size, pos;
} zstd_in;

enum { zstd_c_compression_level = 100, zstd_c_checksum_flag = 201 };

static struct {
    void *(*create_writer)(void);
    size_t (*set)(void *, int, int);
    size_t (*compress)(void *, zstd_out *, zstd_in *, int);
    size_t (*free_writer)(void *);
    void *(*create_reader)(void);
    size_t (*decompress)(void *, zstd_out *, zstd_in *);
    size_t (*free_reader)(void *);
    unsigned (*is_error)(size_t);
} zstd;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    void *library = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    bool all = true;
#define FIND(name, symbol) all = (zstd.name = (__typeof__(zstd.name))dlsym(library, symbol)) && all
    FIND(create_writer, "ZSTD_createCCtx");
    FIND(set, "ZSTD_CCtx_setParameter");
    FIND(compress, "ZSTD_compressStream2");
    FIND(free_writer, "ZSTD_freeCCtx");
    FIND(create_reader, "ZSTD_createDCtx");
    FIND(decompress, "ZSTD_decompressStream");
    FIND(free_reader, "ZSTD_freeDCtx");
    FIND(is_error, "ZSTD_isError");
#undef FIND
    loaded = all;
}

bool zstd_exists(void) {
    pthread_once(&once, load);
    return loaded;
}

zstd_writer *zstd_writer_new(int level) {
    if (!zstd_exists()) return NULL;
    void *self = zstd.create_writer();
    if (!self) return NULL;
    zstd.set(self, zstd_c_compression_level, level);
    zstd.set(self, zstd_c_checksum_flag, 1);
    return self;
}

bool zstd_writer_run(
    zstd_writer *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given, zstd_step step, bool *remains) {
    zstd_in in = {input, input_size, 0};
    zstd_out out = {output, output_size, 0};
    size_t left = zstd.compress(self, &out, &in, (int)step);
    *taken = in.pos;
    *given = out.pos;
    if (zstd.is_error(left)) return false;
    *remains = step == ZSTD_STREAM_GOES_ON ? in.pos < in.size : left > 0;
    return true;
}

void zstd_writer_free(zstd_writer *self) { zstd.free_writer(self); }

zstd_reader *zstd_reader_new(void) { return zstd_exists() ? zstd.create_reader() : NULL; }

bool zstd_reader_run(
    zstd_reader *self, const uint8_t *input, size_t input_size, size_t *taken, uint8_t *output, size_t output_size,
    size_t *given) {
    zstd_in in = {input, input_size, 0};
    zstd_out out = {output, output_size, 0};
    size_t result = zstd.decompress(self, &out, &in);
    *taken = in.pos;
    *given = out.pos;
    return !zstd.is_error(result);
}

void zstd_reader_free(zstd_reader *self) { zstd.free_reader(self); }
