#ifndef REQUEST_H
#define REQUEST_H

#include "stream.h"

/// The content of a request's frame. Lists are of libcurl's type and belong to the stream; everything else here points
/// into the frame.
struct request {
  const char *texts[transport_last_text + 1];
  int64_t numbers[transport_last_number + 1];
  /// NULL if no User-Agent is sent.
  const char *user_agent;
  const uint8_t *whole_content;
  size_t whole_content_count;
};

/// Reads the items of a request's frame.
///
/// - Returns: CURLE_BAD_FUNCTION_ARGUMENT if the frame is malformed.
CURLcode request_read(struct stream *stream, struct request *request, const uint8_t *items, size_t count);

#endif
