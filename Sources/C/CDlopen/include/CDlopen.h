// Names libraries that are loaded on demand in an ELF note, where packagers and tools look for them.
// Source: https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
#pragma once

#include <stdint.h>

/// Once for each library, at file scope. `priority` is "required", "recommended" or "suggested".
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
