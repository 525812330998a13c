#define _GNU_SOURCE
#include "stream.h"

#include <dlfcn.h>
#include <nghttp2/nghttp2.h>

// Whether the origin has ended a stream of HTTP/2, or the stream has only ceased. libcurl 7.88 does not tell: a stream
// that is reset without an error, and one whose connection ends because a frame broke the rules, are a success to it.
//
// libcurl gives nghttp2 a function that is called with each frame. The dynamic linker looks for the functions of
// nghttp2 in this program first, so that one stands before libcurl's own here. docs/decisions/0042 has the reasons.

static nghttp2_on_frame_recv_callback libcurls_callback;

static int take_frame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
  if (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) {
    // What libcurl keeps with a stream is the handle of its request.
    void *easy = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (easy != NULL) stream_note_frame(easy, (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0);
  }
  return libcurls_callback == NULL ? 0 : libcurls_callback(session, frame, context);
}

__attribute__((visibility("default"))) void nghttp2_session_callbacks_set_on_frame_recv_callback(
    nghttp2_session_callbacks *callbacks, nghttp2_on_frame_recv_callback callback) {
  static void (*set)(nghttp2_session_callbacks *, nghttp2_on_frame_recv_callback);
  if (set == NULL) *(void **)&set = dlsym(RTLD_NEXT, "nghttp2_session_callbacks_set_on_frame_recv_callback");
  if (set == NULL) return;
  libcurls_callback = callback;
  set(callbacks, take_frame);
}
