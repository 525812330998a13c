#ifndef REQUEST_H
#define REQUEST_H

#include "stream.h"

/// What the frame of a request says. Lists are libcurl's, and the stream's; what else is here belongs to the frame.
struct request {
  const char *texts[transport_last_text + 1];
  int64_t numbers[transport_last_number + 1];
  /// NULL where none is sent.
  const char *user_agent;
  const uint8_t *whole_content;
  size_t whole_content_count;
};

/// Reads the items of a request's frame.
///
/// - Returns: CURLE_BAD_FUNCTION_ARGUMENT for what is no such frame.
CURLcode request_read(struct stream *stream, struct request *request, const uint8_t *items, size_t count);

#endif
