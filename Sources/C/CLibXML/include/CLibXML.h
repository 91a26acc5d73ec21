#pragma once
// libxml2: SAX2 push parsing of XML, and the HTML parser. Errors are taken through the structured handler,
// which is not variadic, so nothing here prints.
#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include "References.h"
#include "TextLook.h"
