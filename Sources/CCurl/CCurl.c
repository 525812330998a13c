#include "CCurl.h"

// A C target needs a source file.
