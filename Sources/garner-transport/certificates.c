#include "certificates.h"

#include <CTransport.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *certificates_text(const struct curl_certinfo *chain) {
  static char text[transport_longest_frame];
  static const char name[] = "Cert:";
  size_t length = 0;
  text[0] = '\0';
  for (int index = 0; index < chain->num_of_certs; index++) {
    for (const struct curl_slist *item = chain->certinfo[index]; item != NULL; item = item->next) {
      // The certificate itself takes lines of its own, without the name that libcurl gives it.
      bool is_whole = strncmp(item->data, name, sizeof name - 1) == 0;
      const char *line = is_whole ? item->data + sizeof name - 1 : item->data;
      const char *end = is_whole && strchr(line, '\n') != NULL ? "" : "\n";
      length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", line, end);
      if (length >= sizeof text) return text;
    }
  }
  return text;
}
