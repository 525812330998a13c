#ifndef CCURL_H
#define CCURL_H

// Types and constants of libcurl. Nothing here is linked: the functions are reached through CurlBinding.
#include <curl/curl.h>

// A macro with a cast, which Swift does not read.
static const long CCURL_HSTS_ENABLE = CURLHSTS_ENABLE;

#endif
