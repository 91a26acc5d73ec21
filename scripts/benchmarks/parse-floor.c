// The floor of `scripts/bench parse`: libxml2's push parser over a file, with SAX2 handlers that do nothing.
// usage: parse-floor FILE; prints the CPU time of parsing in nanoseconds, without reading the file, and the peak memory of
// the process in kilobytes.
#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespaces,
                  const xmlChar **declared, int count, int defaulted, const xmlChar **attributes) {
    (void)user, (void)name, (void)prefix, (void)uri, (void)namespaces, (void)declared, (void)count, (void)defaulted,
        (void)attributes;
}
static void end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    (void)user, (void)name, (void)prefix, (void)uri;
}
static void text(void *user, const xmlChar *bytes, int count) { (void)user, (void)bytes, (void)count; }

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

// getrusage would report the peak of the program that started this one if that was larger.
static long peak(void) {
    long kilobytes = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    if (status) fclose(status);
    return kilobytes;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 66;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    if (!bytes || fread(bytes, 1, size, file) != size) return 74;

    long began = now();
    xmlSAXHandler sax;
    memset(&sax, 0, sizeof sax);
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = start;
    sax.endElementNs = end;
    sax.characters = sax.ignorableWhitespace = sax.cdataBlock = text;
    xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&sax, NULL, NULL, 0, NULL);
    xmlCtxtUseOptions(context, XML_PARSE_HUGE | XML_PARSE_NOENT | XML_PARSE_NONET);
    const size_t piece = 64 << 10;
    for (size_t offset = 0; offset < size; offset += piece)
        xmlParseChunk(context, bytes + offset, (int)(size - offset < piece ? size - offset : piece), 0);
    xmlParseChunk(context, NULL, 0, 1);
    long took = now() - began;
    printf("%ld %ld\n", took, peak());
    return context->wellFormed ? 0 : 65;
}
