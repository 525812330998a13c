#ifndef ROUTES_H
#define ROUTES_H

#include <curl/curl.h>

/// How requests get to know where hosts are, unless in the system's way; NULL where there is nothing of the kind.
struct way {
  /// CURLOPT_RESOLVE's.
  const struct curl_slist *resolve;
  /// CURLOPT_DOH_URL's.
  const char *doh_url;
  /// CURLOPT_CAINFO's and CURLOPT_CAPATH's: libcurl verifies that server by them.
  const char *authority_file;
  const char *authority_directory;
};

/// Where requests keep their connections, and the addresses of hosts, whose names are asked for in this way.
///
/// libcurl finds a connection by the name of its host, and not by who has said where that is: what one request is
/// told would hold for every other. NULL for requests that ask in the system's way, which use the multi handle's.
CURLSH *routes_share(const struct way *way);

/// Closes their connections, when no request uses them any more.
void routes_end(void);

#endif
