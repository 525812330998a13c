#include "stream.h"

#include "certificates.h"
#include "channel.h"
#include "sockets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct stream *stream_of(CURL *easy) {
  struct stream *stream = NULL;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &stream) == CURLE_OK ? stream : NULL;
}

static int64_t large_number_of(CURL *easy, CURLINFO info, int64_t otherwise) {
  curl_off_t value;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK && value >= 0 ? value : otherwise;
}

static int64_t number_of(CURL *easy, CURLINFO info) {
  long value;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// Returns the length of the response's content that its head declares, or -1.
static int64_t declared_length(CURL *easy) {
  return large_number_of(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, -1);
}

static int64_t status_of(const struct stream *stream) { return number_of(stream->easy, CURLINFO_RESPONSE_CODE); }

// MARK: The request

static void release_socket(struct stream *stream) {
  sockets_end(stream->socket, stream->answer.is_framed);
  stream->socket = 0;
}

int stream_begin_request(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port) {
  (void)local_address;
  struct stream *stream = context;
  const struct socket_ends ends = {
      .remote_address = remote_address, .remote_port = remote_port, .local_port = local_port};
  // libcurl may send a request several times, also if a connection that it has used again has gone without an
  // answer. "A user agent SHOULD NOT automatically retry a request with a non-idempotent method" (RFC 9110 section
  // 9.2.2).
  release_socket(stream);
  if (stream->is_sent && !stream->is_idempotent && !stream_has_received(stream)) {
    // libcurl has no message if the connection was closed, which to it is no failure yet.
    stream->own_code = stream->reason[0] != '\0' ? CURLE_RECV_ERROR : CURLE_GOT_NOTHING;
    return CURL_PREREQFUNC_ABORT;
  }
  bool is_new = number_of(stream->easy, CURLINFO_NUM_CONNECTS) > 0;
  stream->is_on_used_connection = !is_new;
  stream->is_withheld = !sockets_begin(stream->easy, &ends, is_new, &stream->socket);
  stream->is_sent = !stream->is_withheld;
  stream->is_unprocessed = false;
  return stream->is_withheld ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

// MARK: The response

void stream_note_shared(CURL *easy) {
  struct stream *stream = stream_of(easy);
  if (stream != NULL) stream->is_shared = true;
}

void stream_note_unprocessed(CURL *easy) {
  struct stream *stream = stream_of(easy);
  if (stream == NULL) return;
  stream->is_sent = false;
  stream->is_unprocessed = true;
}

void stream_begin_data(CURL *easy, size_t count) {
  struct stream *stream = stream_of(easy);
  if (stream != NULL) stream->answer.frame_rest = (int64_t)count;
}

void stream_note_data(CURL *easy, size_t count, bool is_last) {
  struct stream *stream = stream_of(easy);
  if (stream == NULL) return;
  stream->answer.framed_count += (int64_t)count;
  stream->answer.frame_rest -= (int64_t)count;
  // If the frame has padding, that is still to come.
  if (is_last && stream->answer.frame_rest == 0) stream->answer.is_ended = true;
}

void stream_note_frame(CURL *easy, bool is_last) {
  struct stream *stream = stream_of(easy);
  if (stream == NULL) return;
  stream->answer.is_framed = true;
  if (is_last) stream->answer.is_ended = true;
}

bool stream_note_reset(CURL *easy) {
  struct stream *stream = stream_of(easy);
  // If the answer to the expectation is a 417, libcurl begins the request again, and nothing of that response is taken.
  if (stream == NULL || !stream->answer.is_ended || stream->expects_continue) return false;
  stream->answer.is_reset_after_end = true;
  return true;
}

bool stream_note_close(CURL *easy, bool is_clean) {
  struct stream *stream = stream_of(easy);
  if (stream == NULL) return false;
  if (is_clean) stream->answer.is_closed = true;
  return stream->answer.is_reset_after_end;
}

void stream_forget_frames(struct stream *stream) { stream->answer = (struct answer){0}; }

/// Whether the line begins a head of HTTP/1. If one comes after frames, libcurl has been told HTTP_1_1_REQUIRED (RFC
/// 9113 section 7), and has sent the request anew.
static bool begins_http1_head(const char *line, size_t count) {
  static const char start[] = "HTTP/1.";
  return count >= sizeof start - 1 && memcmp(line, start, sizeof start - 1) == 0;
}

/// Notes with a line of a head whether the response comes in frames, and tells garner before the first such line.
static void note_framing(struct stream *stream, const char *line, size_t count) {
  if (begins_http1_head(line, count)) {
    if (stream->answer.is_framed) stream_forget_frames(stream);
    if (stream->has_content) stream_set_length_check(stream, true);
  }
  if (stream->answer.is_framed && !stream->answer.has_told_framed) {
    channel_send(stream->number, transport_framed, NULL, 0);
    if (stream->has_content) stream_set_length_check(stream, false);
    stream->answer.has_told_framed = true;
  }
}

static void send_line(const struct stream *stream, const char *line, size_t rest) {
  // Only its end may be taken for the end of a line: otherwise a part of a field's value would become a field of its
  // own.
  for (; rest > transport_longest_frame; rest -= transport_longest_frame, line += transport_longest_frame)
    channel_send(stream->number, transport_head_line_part, line, transport_longest_frame);
  channel_send(stream->number, transport_head_line, line, rest);
}

size_t stream_receive_line(char *bytes, size_t size, size_t count, void *context) {
  struct stream *stream = context;
  size_t length = size * count;
  stream->line_bytes += (int64_t)(sizeof(struct transport_frame) + length);
  // No window holds lines back: with several streams, garner reads whatever comes.
  if (stream->line_bytes > transport_longest_lines) return 0;
  note_framing(stream, bytes, length);
  // The line that ends a head is empty.
  if (length <= 2 && status_of(stream) >= 200) stream->answer.has_head = true;
  // libcurl would send the request anew with the expectation that the user typed, however often that is refused.
  if (stream->expects_continue && status_of(stream) == 417) stream_remove_expectation(stream);
  send_line(stream, bytes, length);
  return length;
}

void stream_resume(struct stream *stream) {
  if (rate_delay(&stream->rate) > 0) return;
  stream->rate.holds_back = false;
  curl_easy_pause(stream->easy, CURLPAUSE_CONT);
}

static size_t hold_back(struct stream *stream) {
  stream->was_held = true;
  return CURL_WRITEFUNC_PAUSE;
}

size_t stream_receive_content(char *bytes, size_t size, size_t count, void *context) {
  struct stream *stream = context;
  if (!rate_lets_pass(&stream->rate, size * count)) return hold_back(stream);
  int64_t received = stream->answer.received_count + (int64_t)(size * count);
  if (stream->window > 0) {
    // A piece that is larger than the window is sent alone.
    if (stream->untaken > 0 && stream->untaken + (int64_t)(size * count) > stream->window) {
      stream->is_held = true;
      return hold_back(stream);
    }
    stream->untaken += (int64_t)(size * count);
    channel_send(stream->number, transport_content, bytes, size * count);
  } else {
    channel_send_content(stream->number, bytes, size * count);
  }
  rate_note_passed(&stream->rate);
  stream->answer.received_count = received;
  return size * count;
}

void stream_note_taken(struct stream *stream, const uint8_t *bytes, size_t count) {
  uint32_t taken;
  if (count != sizeof taken) channel_break(transport_exit_nonsense);
  memcpy(&taken, bytes, sizeof taken);
  if (taken > stream->untaken) channel_break(transport_exit_nonsense);
  stream->untaken -= taken;
  if (!stream->is_held || stream->untaken > stream->window / 2) return;
  stream->is_held = false;
  curl_easy_pause(stream->easy, CURLPAUSE_CONT);
}

int stream_receive_trace(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context) {
  (void)easy;
  struct stream *stream = context;
  // The response's head comes as lines; content is no trace.
  if (kind == CURLINFO_TEXT) channel_send(stream->number, transport_remark, bytes, count);
  if (kind == CURLINFO_HEADER_OUT) channel_send(stream->number, transport_request_head, bytes, count);
  return 0;
}

// MARK: The end

static const char *text_of(CURL *easy, CURLINFO info) {
  char *value = NULL;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK && value != NULL ? value : "";
}

static int64_t reported_http_version(long version) {
  switch (version) {
  case CURL_HTTP_VERSION_1_0: return 10;
  case CURL_HTTP_VERSION_1_1: return 11;
  case CURL_HTTP_VERSION_2_0: return 20;
  case CURL_HTTP_VERSION_3: return 30;
  default: return 0;
  }
}

/// Returns a time in microseconds from the beginning of all attempts; 0 if the transfer has not come that far.
static int64_t time_of(const struct stream *stream, CURLINFO info) {
  int64_t time = large_number_of(stream->easy, info, 0);
  return time > 0 ? stream->earlier_time + time : 0;
}

int64_t stream_rest_of_time(struct stream *stream) {
  int64_t time = time_of(stream, CURLINFO_TOTAL_TIME_T);
  int64_t rest = stream->time_limit > 0 ? stream->time_limit - time / 1000 : 0;
  if (stream->time_limit > 0 && rest <= 0) return -1;
  stream->earlier_time = time;
  return rest;
}

static struct transport_report report_of(const struct stream *stream, CURLcode code) {
  CURL *easy = stream->easy;
  return (struct transport_report){
      .code = (int32_t)code,
      .os_error = (int32_t)number_of(easy, CURLINFO_OS_ERRNO),
      .content_length = declared_length(easy),
      .name_lookup_time = time_of(stream, CURLINFO_NAMELOOKUP_TIME_T),
      .connect_time = time_of(stream, CURLINFO_CONNECT_TIME_T),
      .app_connect_time = time_of(stream, CURLINFO_APPCONNECT_TIME_T),
      .pre_transfer_time = time_of(stream, CURLINFO_PRETRANSFER_TIME_T),
      .start_transfer_time = time_of(stream, CURLINFO_STARTTRANSFER_TIME_T),
      .total_time = time_of(stream, CURLINFO_TOTAL_TIME_T),
      .download_size = large_number_of(easy, CURLINFO_SIZE_DOWNLOAD_T, 0),
      .upload_size = large_number_of(easy, CURLINFO_SIZE_UPLOAD_T, 0),
      .header_size = number_of(easy, CURLINFO_HEADER_SIZE),
      .request_size = number_of(easy, CURLINFO_REQUEST_SIZE),
      .download_speed = large_number_of(easy, CURLINFO_SPEED_DOWNLOAD_T, 0),
      .upload_speed = large_number_of(easy, CURLINFO_SPEED_UPLOAD_T, 0),
      .remote_port = number_of(easy, CURLINFO_PRIMARY_PORT),
      .local_port = number_of(easy, CURLINFO_LOCAL_PORT),
      .connection_count = number_of(easy, CURLINFO_NUM_CONNECTS),
      .http_version = reported_http_version(number_of(easy, CURLINFO_HTTP_VERSION)),
      .certificate_verification = number_of(easy, CURLINFO_SSL_VERIFYRESULT),
      .proxy_certificate_verification = number_of(easy, CURLINFO_PROXY_SSL_VERIFYRESULT),
      .tunnel_status = number_of(easy, CURLINFO_HTTP_CONNECTCODE),
  };
}

/// Whether a response of this status is what was asked for, so that nothing is asked again, or elsewhere.
static bool is_conclusive(int64_t status) { return (status >= 200 && status < 300) || status == 304; }

bool stream_has_received(const struct stream *stream) {
  return number_of(stream->easy, CURLINFO_HEADER_SIZE) > 0 ||
      large_number_of(stream->easy, CURLINFO_SIZE_DOWNLOAD_T, 0) > 0;
}

/// Whether a code says what has become of a connection or a stream, possibly after its response.
static bool is_of_connection(CURLcode code) {
  switch (code) {
  case CURLE_PARTIAL_FILE:
  case CURLE_SEND_ERROR:
  case CURLE_RECV_ERROR:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM: return true;
  default: return false;
  }
}

/// Whether a response of HTTP/2 has come whole, from its head to its end. `is_ended` says whether the end has come.
static bool is_whole(const struct stream *stream, bool has_content, bool is_ended) {
  int64_t length = declared_length(stream->easy);
  bool is_long_enough = !has_content || length < 0 || stream->answer.received_count == length;
  bool is_all = stream->answer.received_count == stream->answer.framed_count && is_long_enough;
  return is_ended && is_all && status_of(stream) >= 200;
}

static bool may_have_content(const struct stream *stream) {
  int64_t status = status_of(stream);
  return !stream->is_head && status != 204 && status != 304;
}

bool stream_is_answered(const struct stream *stream) {
  if (!stream->answer.is_framed || !stream->answer.has_head || !(stream->has_content || stream->was_held)) return false;
  int64_t status = status_of(stream);
  bool is_refusal = status >= 300 && !(stream->expects_continue && status == 417);
  if (stream->has_content && !stream->answer.is_closed && !is_refusal) return false;
  return is_whole(stream, may_have_content(stream), stream->answer.is_ended);
}

/// Returns the result of a transfer, corrected by the end that frames mark, which libcurl has not looked for or not
/// seen.
static CURLcode ending(const struct stream *stream, CURLcode code) {
  if (!stream->answer.is_framed) return code;
  bool has_content = may_have_content(stream);
  // Without content, the head is the whole response.
  bool is_ended = stream->answer.is_ended || (!has_content && code == CURLE_PARTIAL_FILE);
  bool whole = is_whole(stream, has_content, is_ended);
  // "Clients MUST NOT discard responses as a result of" a request whose rest is not wanted (RFC 9113 section 8.1).
  if (whole && is_of_connection(code)) return CURLE_OK;
  bool is_bounded = declared_length(stream->easy) >= 0;
  return !whole && code == CURLE_OK && has_content && !is_bounded ? CURLE_PARTIAL_FILE : code;
}

/// Writes the report and the texts after it into a frame, and returns the length of that.
static size_t pack_report(
    uint8_t frame[transport_longest_frame], const struct transport_report *report, const char *const *texts,
    size_t text_count) {
  memcpy(frame, report, sizeof *report);
  size_t count = sizeof *report;
  for (size_t index = 0; index < text_count; index++) {
    // No text is that long; one that were would be truncated.
    size_t room = transport_longest_frame - count - (text_count - index);
    size_t length = strnlen(texts[index], room);
    memcpy(frame + count, texts[index], length);
    frame[count + length] = '\0';
    count += length + 1;
  }
  return count;
}

bool stream_end(struct stream *stream, CURLcode code) {
  CURL *easy = stream->easy;
  if (stream->own_code == CURLE_GOT_NOTHING) stream->reason[0] = '\0';
  code = ending(stream, stream->own_code != CURLE_OK ? stream->own_code : code);
  const struct curl_certinfo *chain = NULL;
  curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain);
  const char *texts[] = {
      stream->reason[0] != '\0' ? stream->reason : curl_easy_strerror(code),
      text_of(easy, CURLINFO_PRIMARY_IP),
      text_of(easy, CURLINFO_LOCAL_IP),
      chain != NULL ? certificates_text(chain) : "",
  };
  struct transport_report report = report_of(stream, code);
  bool is_done = code == CURLE_OK && is_conclusive(status_of(stream));
  // A piece of content may be on its way, and this process has to be there to receive it.
  bool ends_program = stream->ends_run && !stream->upload.is_piece_requested && is_done;
  report.ends_program = ends_program;
  report.certificate_count = chain != NULL ? chain->num_of_certs : 0;
  static uint8_t frame[transport_longest_frame];
  size_t count = pack_report(frame, &report, texts, sizeof texts / sizeof *texts);
  channel_send(stream->number, transport_end, frame, count);

  release_socket(stream);
  stream_forget(stream);
  return ends_program;
}
