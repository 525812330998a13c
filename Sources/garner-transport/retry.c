#include "stream.h"

#include <string.h>

// Decides whether a request whose transfer has failed is sent again.

static bool may_send_content_again(const struct stream *stream) {
  return !stream->has_content || !stream->upload.is_read_once;
}

/// Whether a shared connection has gone. The code depends on what libcurl notices first: that a connection which it
/// uses again has gone, the end, the "goodbye" or the reset. After the end of a new connection, content is not sent
/// again.
static bool is_end_of_shared(const struct stream *stream, CURLcode code) {
  switch (code) {
  case CURLE_SEND_ERROR: return !stream->has_content || stream->is_on_used_connection;
  case CURLE_PARTIAL_FILE:
  case CURLE_GOT_NOTHING:
  case CURLE_RECV_ERROR:
  case CURLE_HTTP2: return stream->is_shared;
  default: return false;
  }
}

/// Whether the origin has not processed the request, whatever its method, and it can be sent once more: "... allowing
/// those streams to be retried later on a new connection" (RFC 9113 section 6.8).
static bool may_send_unprocessed_again(const struct stream *stream, CURLcode code) {
  return stream->is_unprocessed && code == CURLE_HTTP2 && may_send_content_again(stream) && !stream->is_second_attempt;
}

/// Whether the request can be sent once more without harm, although the origin may have processed it.
static bool may_repeat(const struct stream *stream, CURLcode code) {
  return stream->is_idempotent && !stream->is_repeated && may_send_content_again(stream) &&
      !stream_has_received(stream) && is_end_of_shared(stream, code);
}

bool stream_begins_again(struct stream *stream, CURLcode code) {
  // libcurl 7.88 may give a stream to a connection of HTTP/2, through a proxy, that has gone. Nothing has been sent
  // then.
  bool has_no_way = code == CURLE_FAILED_INIT && strstr(stream->reason, "no filter connected") != NULL;
  bool is_unsent = (stream->is_withheld && code == CURLE_ABORTED_BY_CALLBACK) ||
                   (has_no_way && !stream->is_second_attempt) || may_send_unprocessed_again(stream, code);
  if (!is_unsent && !may_repeat(stream, code)) return false;
  int64_t rest = stream_rest_of_time(stream);
  if (rest < 0 || stream_set_second_attempt(stream, rest) != CURLE_OK) return false;
  if (!is_unsent) stream->is_repeated = true;
  stream->is_withheld = stream->is_sent = stream->is_unprocessed = false;
  stream->reason[0] = '\0';
  stream->is_second_attempt = true;
  stream_forget_frames(stream);
  stream_rewind_content(stream);
  return true;
}
