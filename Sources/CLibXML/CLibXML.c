#include "CLibXML.h"
