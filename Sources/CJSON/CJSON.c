#include "CJSON.h"

#include <yajl/yajl_version.h>

// From this version on, a string may come in pieces, and a depth that the parser's stack cannot hold is an error.
_Static_assert(YAJL_VERSION >= 20100, "the headers of yajl 2.1.0 or later are needed");
