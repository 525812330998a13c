#include "CCurl.h"

// What garner relies on came with this version: CURLOPT_PROTOCOLS_STR is the newest of it.
_Static_assert(LIBCURL_VERSION_NUM >= 0x075500, "the headers of libcurl 7.85.0 or later are needed");
