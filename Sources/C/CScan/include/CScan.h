// Finds bytes, many at once.
#pragma once

#include "JSONText.h"
#include "References.h"
#include "TextLook.h"
