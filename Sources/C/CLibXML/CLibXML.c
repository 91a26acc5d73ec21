#define _GNU_SOURCE
#include "CLibXML.h"

#include "CDlopen.h"

#include <errno.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdlib.h>

DLOPEN_NOTE(xml, "xml", "Parsing feeds", "required", "libxml2.so.2");

#define FUNCTIONS(FUNCTION) \
    FUNCTION(xml, InitParser) FUNCTION(xml, CreatePushParserCtxt) FUNCTION(xml, CtxtUseOptions) \
    FUNCTION(xml, SwitchEncoding) FUNCTION(xml, ParseChunk) FUNCTION(xml, StopParser) FUNCTION(xml, FreeDoc) \
    FUNCTION(xml, FreeParserCtxt) FUNCTION(xml, SAX2GetLineNumber) FUNCTION(xml, DictSize) FUNCTION(xml, DictLookup)
// The soname identifies the binary interface of the structs that are read below.
DLOPEN_LIBRARY(xml, "libxml2.so.2", FUNCTIONS);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool loaded;

static void load(void) {
    loaded = dlopen_once(&xml_library);
    // Called before any other thread calls libxml2, as its documentation requires.
    if (loaded) xml.InitParser();
}

bool xml_load(int *error) {
    pthread_once(&once, load);
    *error = xml_library.error;
    return loaded;
}

static xmlParserCtxtPtr context(const struct xml_parser *parser) { return parser->context; }

// libxml2 passes its user data, which is the parser, to these three.
static void report_reference(void *parser, const xmlChar *name) {
    (void)name;
    ((struct xml_parser *)parser)->handler.entity(parser);
}

static xmlEntityPtr report_entity(void *parser, const xmlChar *name) {
    report_reference(parser, name);
    return NULL;
}

static void report_error(void *parser, xmlErrorPtr error) {
    if (error->level < XML_ERR_ERROR) return;
    struct xml_error report = {
        .code = error->code,
        .line = error->line,
        .isUndeclaredPrefix = error->domain == XML_FROM_NAMESPACE && error->code == XML_NS_ERR_UNDEFINED_NAMESPACE,
        .isNamespaceError = error->domain == XML_FROM_NAMESPACE,
    };
    ((struct xml_parser *)parser)->handler.error(parser, report);
}

struct xml_parser *xml_parser_new(void *owner, struct xml_handler handler, bool recovers) {
    struct xml_parser *parser = malloc(sizeof *parser);
    if (!parser) return NULL;
    *parser = (struct xml_parser){owner, NULL, handler};
    xmlSAXHandler sax = {
        .initialized = XML_SAX2_MAGIC,
        .startElementNs = handler.start,
        .endElementNs = handler.end,
        .characters = handler.text,
        .ignorableWhitespace = handler.text,
        .cdataBlock = handler.cdata,
        .reference = report_reference,
        .getEntity = report_entity,
        .getParameterEntity = report_entity,
        .serror = report_error,
    };
    xmlParserCtxtPtr created = xml.CreatePushParserCtxt(&sax, parser, NULL, 0, NULL);
    if (!created) {
        free(parser);
        return NULL;
    }
    parser->context = created;
    xml.CtxtUseOptions(
        created, XML_PARSE_HUGE | XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | (recovers ? XML_PARSE_RECOVER : 0));
    xml.SwitchEncoding(created, XML_CHAR_ENCODING_UTF8);
    return parser;
}

void xml_parser_free(struct xml_parser *parser) {
    // libxml2 creates a document if entities are declared.
    xmlDocPtr document = context(parser)->myDoc;
    if (document) xml.FreeDoc(document);
    xml.FreeParserCtxt(context(parser));
    free(parser);
}

void xml_parser_push(struct xml_parser *parser, const unsigned char *bytes, int count) {
    xml.ParseChunk(context(parser), (const char *)bytes, count, 0);
}

void xml_parser_finish(struct xml_parser *parser) { xml.ParseChunk(context(parser), NULL, 0, 1); }
void xml_parser_stop(struct xml_parser *parser) { xml.StopParser(context(parser)); }
bool xml_parser_is_stopped(const struct xml_parser *parser) { return context(parser)->disableSAX != 0; }
int xml_parser_line(struct xml_parser *parser) { return xml.SAX2GetLineNumber(context(parser)); }
int xml_parser_name_count(const struct xml_parser *parser) { return xml.DictSize(context(parser)->dict); }

const unsigned char *xml_parser_name(struct xml_parser *parser, const unsigned char *bytes, int count) {
    return xml.DictLookup(context(parser)->dict, bytes, count);
}
