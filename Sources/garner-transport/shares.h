#ifndef SHARES_H
#define SHARES_H

#include <curl/curl.h>

/// How requests find the addresses of hosts, if not in the system's way. Members that do not apply are NULL.
struct resolution {
  /// The list of CURLOPT_RESOLVE.
  const struct curl_slist *resolve;
  /// The URL of CURLOPT_DOH_URL.
  const char *doh_url;
  /// The values of CURLOPT_CAINFO and CURLOPT_CAPATH, by which libcurl verifies that server.
  const char *authority_file;
  const char *authority_directory;
};

/// Returns the share of requests that find addresses like this: it holds their connections and the addresses of hosts.
/// NULL for requests that ask in the system's way, which use the multi handle's.
///
/// libcurl finds a connection by the name of its host, whatever the source of the address: without separate shares,
/// what one request is told would hold for every other.
CURLSH *shares_for(const struct resolution *resolution);

/// Closes the connections of all shares, when no request uses them any more.
void shares_end(void);

#endif
