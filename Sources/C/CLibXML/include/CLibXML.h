// libxml2's push parser, loaded on demand: a command that parses nothing does not pay for loading it and the ICU it needs.
//
// Only this target sees libxml2's headers and structs, and nothing writes into those.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

/// Loads libxml2 and initializes it; false if it is missing or lacks a function, and then `*error` is the system's
/// error. May be called from any thread, any number of times. Everything below needs it to have returned true.
bool xml_load(int *error);

/// An error in the document. Warnings are not reported.
struct xml_error {
    int code;
    /// Of libxml2's input, from 1; 0 if unknown.
    int line;
    /// A prefix without a declaration, which does not make a document ill-formed XML.
    bool isUndeclaredPrefix;
    /// Another error of Namespaces in XML.
    bool isNamespaceError;
};

/// Called while a document is read; the first argument is the `xml_parser`. Strings are NUL-terminated UTF-8. Names,
/// prefixes and URIs are interned: they are valid as long as the parser, and equal ones have the same pointer. Texts
/// and attribute values are valid during the call.
struct xml_handler {
    /// A namespace is two pointers, prefix and URI. An attribute is five: local name, prefix, URI, and the first byte and
    /// the end of its value.
    void (*start)(
        void *parser, const unsigned char *local, const unsigned char *_Nullable prefix,
        const unsigned char *_Nullable uri, int namespaceCount, const unsigned char *_Nullable *_Nullable namespaces,
        int attributeCount, int defaultedCount, const unsigned char *_Nullable *_Nullable attributes);
    void (*end)(
        void *parser, const unsigned char *local, const unsigned char *_Nullable prefix,
        const unsigned char *_Nullable uri);
    void (*text)(void *parser, const unsigned char *bytes, int count);
    void (*cdata)(void *parser, const unsigned char *bytes, int count);
    /// A reference to an entity that XML does not define itself. It is omitted from the text.
    void (*entity)(void *parser);
    void (*error)(void *parser, struct xml_error error);
};

/// A parser for one document. The handler is called on the thread that calls `push`.
struct xml_parser {
    void *owner;
    /// libxml2's xmlParserCtxt.
    void *context;
    struct xml_handler handler;
};

/// A parser for UTF-8, whatever encoding the document declares; NULL if memory is short. It never loads anything
/// external.
///
/// @param recovers continues after an error as far as possible.
struct xml_parser *_Nullable xml_parser_new(void *owner, struct xml_handler handler, bool recovers);
void xml_parser_free(struct xml_parser *parser);

void xml_parser_push(struct xml_parser *parser, const unsigned char *bytes, int count);
/// Ends the document.
void xml_parser_finish(struct xml_parser *parser);
/// Stops calling the handler. A handler may call this.
void xml_parser_stop(struct xml_parser *parser);
bool xml_parser_is_stopped(const struct xml_parser *parser);

/// The line number of the input parsed so far, from 1.
int xml_parser_line(struct xml_parser *parser);

/// The number of interned names.
int xml_parser_name_count(const struct xml_parser *parser);
/// The interned copy of a name; NULL if memory is short.
const unsigned char *_Nullable xml_parser_name(struct xml_parser *parser, const unsigned char *bytes, int count);

#pragma clang assume_nonnull end
