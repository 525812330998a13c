#ifndef ROUTES_H
#define ROUTES_H

#include <curl/curl.h>

/// Where requests keep their connections, and the addresses of hosts, whose names are asked for in the user's way.
///
/// libcurl finds a connection by the name of its host, and not by who has said where that is: what one request is
/// told would hold for every other. NULL for requests that ask in the system's way, which use the multi handle's.
///
/// `resolve` is CURLOPT_RESOLVE's, `doh_url` CURLOPT_DOH_URL's; NULL where there is none.
CURLSH *routes_share(const struct curl_slist *resolve, const char *doh_url);

/// Closes their connections, when no request uses them any more.
void routes_end(void);

#endif
