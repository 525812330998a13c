#include "CDigest.h"

// A C target has a source.
