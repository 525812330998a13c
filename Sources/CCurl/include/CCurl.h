#ifndef CCURL_H
#define CCURL_H

// Types and constants of libcurl. Nothing here is linked: garner-transport calls it.
#include <curl/curl.h>

#endif
