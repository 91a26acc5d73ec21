#include "CDlopen.h"
