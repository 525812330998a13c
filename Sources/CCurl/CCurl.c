#include "CCurl.h"

// A C target has a source.
