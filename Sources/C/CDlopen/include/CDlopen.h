// Loads libraries when they are first needed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dlopen_library {
    const char *name;
    /// The names of the functions, ending with NULL.
    const char *const *functions;
    /// One pointer for each function, in the same order.
    void *table;
    _Atomic int state;
    int error;
};

/// Loads the library and fills its table, unless that was tried before. False if the library is missing or lacks a
/// function; `error` is then the system's error or ENOSYS. May be called from any thread, any number of times.
bool dlopen_once(struct dlopen_library *library);

/// Declares `table`, a struct of function pointers, and `table_library`, from which `dlopen_once` loads it.
///
/// `functions` is a macro that applies another macro to each function's prefix and name. The members are named without
/// the prefix.
#define DLOPEN_LIBRARY(table, soname, functions)                                                                       \
    static struct {                                                                                                    \
        functions(DLOPEN_MEMBER)                                                                                       \
    } table;                                                                                                           \
    static struct dlopen_library table##_library = {                                                                   \
        soname, (const char *const[]){functions(DLOPEN_NAME) (const char *)0}, &table, 0, 0}

#define DLOPEN_MEMBER(prefix, name) __typeof__(prefix##name) *name;
#define DLOPEN_NAME(prefix, name) #prefix #name,

/// Names a library in an ELF note for packagers and tools. Use it once for each library, at file scope; `priority` is
/// "required", "recommended" or "suggested". Source: https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
#define DLOPEN_NOTE(name, feature, description, priority, soname)                                                     \
    DLOPEN_NOTE_OF(                                                                                                    \
        name, "[{\"feature\":\"" feature "\",\"description\":\"" description "\",\"priority\":\"" priority           \
              "\",\"soname\":[\"" soname "\"]}]")

#define DLOPEN_NOTE_OF(name, json)                                                                                     \
    __attribute__((used, section(".note.dlopen"))) _Alignas(4) static const struct {                                   \
        uint32_t owner_size, json_size, type;                                                                          \
        char owner[4];                                                                                                 \
        _Alignas(4) char text[sizeof(json)];                                                                           \
    } dlopen_note_of_##name = {4, sizeof(json), 0x407c0c0a, "FDO", json}
