#ifndef CERTIFICATES_H
#define CERTIFICATES_H

#include <curl/curl.h>

/// Returns what is known of the origin's certificates, one item in a line, as in curl's %{certs}. The text is valid
/// until the next call.
const char *certificates_text(const struct curl_certinfo *chain);

#endif
