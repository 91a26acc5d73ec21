// The floor of `scripts/bench parse`: libxml2's push parser over a file, with SAX2 handlers that do nothing.
// usage: parse-floor FILE
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                  const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
    (void)user, (void)name, (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)count, (void)defaulted,
        (void)attributes;
}
static void end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)user, (void)name, (void)prefix, (void)uri;
}
static void text(void *user, const xmlChar *bytes, int count) { (void)user, (void)bytes, (void)count; }

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 66;
    xmlSAXHandler sax;
    memset(&sax, 0, sizeof sax);
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = start;
    sax.endElementNs = end;
    sax.characters = sax.ignorableWhitespace = sax.cdataBlock = text;
    xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&sax, NULL, NULL, 0, NULL);
    xmlCtxtUseOptions(context, XML_PARSE_HUGE | XML_PARSE_NOENT | XML_PARSE_NONET);
    static char piece[64 << 10];
    size_t got;
    while ((got = fread(piece, 1, sizeof piece, file)) > 0) xmlParseChunk(context, piece, (int)got, 0);
    xmlParseChunk(context, NULL, 0, 1);
    int ok = context->wellFormed;
    xmlFreeParserCtxt(context);
    fclose(file);
    return ok ? 0 : 65;
}
