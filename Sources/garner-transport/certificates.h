#ifndef CERTIFICATES_H
#define CERTIFICATES_H

#include <curl/curl.h>

/// What is known of the certificates of the origin, each thing in a line: curl's %{certs}. It lasts
/// until the next call.
const char *certificates_text(const struct curl_certinfo *chain);

#endif
