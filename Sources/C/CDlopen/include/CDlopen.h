// Libraries that are loaded when they are first needed.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct dlopen_library {
    const char *name;
    /// Ends with NULL.
    const char *const *functions;
    /// One pointer for each function, in the same order.
    void *table;
    _Atomic int state;
    int error;
};

/// Loads the library if that has not been tried, and fills its table. False if it is missing or lacks a function; then
/// `error` is the system's error, or ENOSYS. May be called from any thread, any number of times.
bool dlopen_once(struct dlopen_library *library);

/// Declares `table`, a struct of function pointers, and `table_library`, which `dlopen_once` loads it from.
///
/// `functions` is a macro that takes another one and applies it to a prefix, which the members' names leave out, and a name.
#define DLOPEN_LIBRARY(table, soname, functions)                                                                       \
    static struct {                                                                                                    \
        functions(DLOPEN_MEMBER)                                                                                       \
    } table;                                                                                                           \
    static struct dlopen_library table##_library = {                                                                   \
        soname, (const char *const[]){functions(DLOPEN_NAME) (const char *)0}, &table, 0, 0}

#define DLOPEN_MEMBER(prefix, name) __typeof__(prefix##name) *name;
#define DLOPEN_NAME(prefix, name) #prefix #name,

/// Names a library in an ELF note, where packagers and tools look for it. Once for each, at file scope; `priority` is
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
