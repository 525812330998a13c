#define _GNU_SOURCE
#include "channel.h"
#include "stream.h"

#include <dlfcn.h>
#include <nghttp2/nghttp2.h>

// Finds out whether the origin has ended a stream of HTTP/2, or the stream has only ceased. libcurl 7.88 does not tell:
// to it, a stream that is reset without an error, and one whose connection ends because a frame broke the rules, are a
// success; and a stream that has been ended is a failure if its connection is closed while libcurl holds back the last
// frame.
//
// libcurl gives nghttp2 functions to be called with each frame and its content. The dynamic linker looks for the
// functions of nghttp2 in this program first, so that those below come before libcurl's. docs/decisions/0042 has the
// reasons.

static nghttp2_on_frame_recv_callback libcurls_frame_callback;
static nghttp2_on_data_chunk_recv_callback libcurls_chunk_callback;
static nghttp2_on_stream_close_callback libcurls_close_callback;

/// Returns nghttp2's function of that name, which this program's own function hides.
static void *nghttp2s(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  // The library that libcurl is linked to has it.
  if (function == NULL) channel_break(transport_exit_libcurl);
  return function;
}

/// Returns the handle of a stream's request, which libcurl keeps with the stream; NULL if it keeps nothing.
static CURL *handle_of(nghttp2_session *session, int32_t number) {
  return nghttp2_session_get_stream_user_data(session, number);
}

__attribute__((visibility("default"))) int32_t nghttp2_submit_request(
    nghttp2_session *session, const nghttp2_priority_spec *priority, const nghttp2_nv *fields, size_t count,
    const nghttp2_data_provider *content, void *handle) {
  static int32_t (*submit)(nghttp2_session *, const nghttp2_priority_spec *, const nghttp2_nv *, size_t,
                           const nghttp2_data_provider *, void *);
  if (submit == NULL) *(void **)&submit = nghttp2s("nghttp2_submit_request");
  int32_t number = submit(session, priority, fields, count, content, handle);
  if (number <= 1) return number;
  // The first request of a connection (RFC 9113 section 5.1.1) was sent when there were no others.
  CURL *first = handle_of(session, 1);
  if (first != NULL) stream_note_shared(first);
  if (handle != NULL) stream_note_shared(handle);
  return number;
}

static bool is_last(uint8_t flags) { return (flags & NGHTTP2_FLAG_END_STREAM) != 0; }

static int begin_frame(nghttp2_session *session, const nghttp2_frame_hd *head, void *context) {
  (void)context;
  CURL *easy = handle_of(session, head->stream_id);
  if (head->type == NGHTTP2_DATA && easy != NULL) stream_begin_data(easy, head->length);
  return 0;
}

static int take_chunk(
    nghttp2_session *session, uint8_t flags, int32_t number, const uint8_t *bytes, size_t count, void *context) {
  CURL *easy = handle_of(session, number);
  if (easy != NULL) stream_note_data(easy, count, is_last(flags));
  return libcurls_chunk_callback == NULL
      ? 0
      : libcurls_chunk_callback(session, flags, number, bytes, count, context);
}

static int take_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  CURL *easy = handle_of(session, frame->hd.stream_id);
  bool may_be_last = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
  if (may_be_last && easy != NULL) stream_note_frame(easy, is_last(frame->hd.flags));
  bool is_reset = frame->hd.type == NGHTTP2_RST_STREAM && frame->rst_stream.error_code == NGHTTP2_NO_ERROR;
  if (is_reset && easy != NULL && stream_note_reset(easy)) return 0;
  return libcurls_frame_callback == NULL ? 0 : libcurls_frame_callback(session, frame, context);
}

__attribute__((visibility("default"))) void nghttp2_session_callbacks_set_on_frame_recv_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_frame_recv_callback callback) {
  static void (*set)(nghttp2_session_callbacks *, nghttp2_on_frame_recv_callback);
  if (set == NULL) *(void **)&set = nghttp2s("nghttp2_session_callbacks_set_on_frame_recv_callback");
  libcurls_frame_callback = callback;
  set(callbacks, take_frame);
}

static int take_close(nghttp2_session *session, int32_t number, uint32_t code, void *context) {
  CURL *easy = handle_of(session, number);
  bool is_unprocessed = code == NGHTTP2_REFUSED_STREAM || code == NGHTTP2_HTTP_1_1_REQUIRED;
  if (easy != NULL && is_unprocessed) stream_note_unprocessed(easy);
  if (easy != NULL && stream_note_close(easy, code == NGHTTP2_NO_ERROR)) return 0;
  return libcurls_close_callback == NULL ? 0 : libcurls_close_callback(session, number, code, context);
}

__attribute__((visibility("default"))) void nghttp2_session_callbacks_set_on_stream_close_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_stream_close_callback callback) {
  static void (*set)(nghttp2_session_callbacks *, nghttp2_on_stream_close_callback);
  if (set == NULL) *(void **)&set = nghttp2s("nghttp2_session_callbacks_set_on_stream_close_callback");
  libcurls_close_callback = callback;
  set(callbacks, take_close);
}

__attribute__((visibility("default"))) void nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_data_chunk_recv_callback callback) {
  static void (*set)(nghttp2_session_callbacks *, nghttp2_on_data_chunk_recv_callback);
  if (set == NULL) *(void **)&set = nghttp2s("nghttp2_session_callbacks_set_on_data_chunk_recv_callback");
  libcurls_chunk_callback = callback;
  set(callbacks, take_chunk);
  // libcurl does not set this one itself.
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, begin_frame);
}
