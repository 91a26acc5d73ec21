// Searches text, many bytes at a time.
#pragma once

#include "JSONText.h"
#include "References.h"
#include "TextLook.h"
