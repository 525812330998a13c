#include "CDigest.h"

// A C target needs a source file.
