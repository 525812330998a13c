#ifndef STREAM_H
#define STREAM_H

#include "rate.h"

#include <CTransport.h>
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where content of a request stands.
struct file_part {
  int file;
  /// In bytes; there is no file where `rest` is 0.
  int64_t offset, rest;
};

/// Content of a request that is asked for piece by piece.
struct upload {
  int64_t count, offset;
  uint8_t *piece;
  size_t piece_count, piece_taken;
  /// Where the content stands that comes next, and where what is behind that does.
  struct file_part part, next;
  /// Whether files cannot be read here.
  bool needs_bytes;
  /// Whether a piece has been asked for and has not come: the one before it has been taken then, or is a part that is
  /// being read.
  bool is_asked;
  /// From where on.
  int64_t asked_offset;
  /// Whether that piece is not wanted any more when it comes: the content is being sent anew.
  bool is_stale_piece;
  /// Whether libcurl waits for it: only while it is asked for.
  bool is_paused;
  /// Whether `count` is a bound that is not reached, until the end has come, which is the empty piece.
  bool is_open_ended;
  /// Whether what has been asked for cannot be asked for again.
  bool is_read_once;
  /// How far it had come when garner was told last, and when, in nanoseconds of the monotonic clock; 0 for not since it
  /// began.
  int64_t told_offset, told_at;
};

/// What has come of a response. All of it is forgotten where libcurl sends the request anew over HTTP/1.1; that has no
/// frames, and of all this a head and content alone.
struct answer {
  /// Whether frames are seen in which the origin says where the content ends. The next four are false without it.
  bool is_framed;
  /// Whether garner has been told of it.
  bool has_told_framed;
  /// Whether the origin has said where the content ends.
  bool is_ended;
  /// Whether it has reset the stream, without an error, behind that end; libcurl is not told.
  bool is_let_go;
  /// Whether the stream is closed, without an error: by both sides, or by a reset, also before the end.
  bool is_closed;
  /// Whether a head has come to its end that is no interim response's.
  bool has_head;
  /// Bytes of content: what is missing of a frame, what frames have had in all, and what libcurl has passed on.
  int64_t frame_rest, framed_count, received_count;
};

/// A request in flight, with the handle that it uses; the handle outlives it, for the next request.
struct stream {
  struct stream *next;
  CURL *easy;
  /// Whether the handle has read the file of alternatives. It keeps them whatever it forgets of a request, and has
  /// what it reads again twice.
  bool has_alternatives;
  uint32_t number;
  /// From the frame of the request to the report. Outside of it, all flags and counts below are false and 0.
  bool is_active;
  /// libcurl writes its sentences here.
  char reason[CURL_ERROR_SIZE];

  // What the request says, which stays.

  /// Whether no request of the run follows, unless the response leads to one.
  bool ends_run;
  /// Whether the response has no content.
  bool is_head;
  /// Whether the request has content.
  bool has_content;
  /// Whether it waits with its content for leave to send it, which the user has typed; perhaps without any.
  bool asks_leave;
  /// Bytes of the response's content that may be on their way and not taken; 0 where the pipe keeps it in check.
  int64_t window;
  // What libcurl reads during the transfer and does not copy.
  struct curl_slist *fields, *resolve, *connect_to;
  uint8_t *whole_content;

  // Whether it is begun again.

  /// Whether the request can be sent once more without harm, because it is idempotent, and its content is there still:
  /// until it has been.
  bool is_repeatable;
  /// Whether the method is idempotent, whatever content there is.
  bool is_idempotent;
  /// Whether it has been sent, and the origin has not said that it does nothing about it.
  bool is_sent;
  /// What has become of the connection, where libcurl was about to send it again by another, and that might do harm.
  CURLcode loss;
  /// Whether the connection by which it was sent had been used before.
  bool is_by_used;
  /// Whether others have gone by its connection, of HTTP/2.
  bool is_shared;
  /// Whether it was not sent, because something had come by the connection that no request had asked for.
  bool is_refused;
  /// Whether the origin has said that it does nothing about it.
  bool is_left_out;
  /// Whether it has been begun again, on a connection of its own.
  bool is_alone;
  /// For the whole of it, in milliseconds; 0 where there is none.
  int64_t time_limit;
  /// What it had taken when it was begun again, in microseconds.
  int64_t earlier_time;
  /// The socket by which it was sent; 0 where it is not known.
  uint64_t socket;

  struct upload upload;
  struct answer answer;
  /// Bytes of frames with lines of heads and trailers.
  int64_t line_bytes;

  /// Of the response's content.
  struct rate rate;

  // Content of the response that garner has not taken.

  int64_t untaken;
  /// Whether libcurl keeps more back: only with a window.
  bool is_held;
  /// Whether it has kept any back, for whatever reason: behind that, it does not look whether the stream has ended.
  bool was_held;
};

/// Sets libcurl's options for a request: options.c is the only file that does.
///
/// Returns CURLE_BAD_FUNCTION_ARGUMENT for items that make no sense, else libcurl's word on the first option that it
/// refuses; what went wrong is then in `reason`, if anywhere.
CURLcode stream_set_options(struct stream *stream, const uint8_t *items, size_t count);

/// Whether libcurl takes the response's length for its end, as it does without a word. While it sends content over
/// HTTP/2, it would then not hear that the origin takes more of it, nor that it takes no more.
void stream_heed_length(struct stream *stream, bool is_heeded);

/// Has the request go without an expectation where it is sent anew: "A client that receives a 417 ... SHOULD repeat
/// that request without a 100-continue expectation" (RFC 9110 section 10.1.1).
void stream_ask_no_leave(struct stream *stream);

/// Lets go of all that does not outlive the transfer: the stream waits for another one.
void stream_forget(struct stream *stream);

// What libcurl calls, with the stream as its context. Each is declared as libcurl has it.
int stream_begin_request(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
size_t stream_receive_line(char *bytes, size_t size, size_t count, void *context);
size_t stream_receive_content(char *bytes, size_t size, size_t count, void *context);
size_t stream_read_content(char *buffer, size_t size, size_t count, void *context);
int stream_seek_content(void *context, curl_off_t offset, int origin);
int stream_receive_trace(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context);

/// Takes a piece of content that was asked for.
void stream_take_piece(struct stream *stream, const uint8_t *bytes, size_t count);

/// Takes the word of garner in which file it stands.
void stream_take_file(struct stream *stream, const uint8_t *payload, size_t count);

/// Has the content sent from its beginning, by another connection.
void stream_rewind_content(struct stream *stream);

/// Lets go of what has come and has not been sent.
void stream_forget_content(struct stream *stream);

// What goes and comes in frames of HTTP/2 for the request of a handle.

/// The request goes by a connection that others go by, or have gone by.
void stream_note_shared(CURL *easy);

/// The origin has done nothing about the request: "a client can ... retry" it, whatever its method (RFC 9113 section
/// 8.7), or is to send it over HTTP/1.1.
void stream_note_refused(CURL *easy);

/// A frame of content begins, with so many bytes.
void stream_begin_data(CURL *easy, size_t count);

/// So many of them, and whether the frame is the last one.
void stream_note_data(CURL *easy, size_t count, bool is_last);

/// A frame has come, of whatever kind, and whether it is the last one.
void stream_note_frame(CURL *easy, bool is_last);

/// The origin resets the stream without an error.
///
/// Returns whether it has ended its response: that can still be had, and libcurl would drop it where it sends content
/// at that moment.
bool stream_note_reset(CURL *easy);

/// The stream is closed by both sides, or by a reset; `is_clean` without an error.
///
/// Returns whether libcurl is not to be told, because of such a reset.
bool stream_note_close(CURL *easy, bool is_clean);

/// Whether the response is there, and nothing more of the request will be sent, or need be: because all of it has been,
/// because the origin has said so, or because its answer is no success. libcurl does not see the first, where the
/// response has come before, or its end while content was kept back, and waits in the last case for an origin that
/// takes nothing any more.
bool stream_is_answered(const struct stream *stream);

/// Notes that content of the response has been taken.
void stream_note_taken(struct stream *stream, const uint8_t *bytes, size_t count);

/// Goes on with content that the rate has held back, where its time has come.
void stream_resume(struct stream *stream);

/// Forgets what has come in frames.
void stream_forget_frames(struct stream *stream);

/// Whether anything of a response has come.
bool stream_has_received(const struct stream *stream);

/// Notes what the attempts have taken until now, where there is to be another.
///
/// Returns what is left for that, in milliseconds: 0 where there is no limit, and less where nothing is.
int64_t stream_rest_of_time(struct stream *stream);

/// Whether a transfer that has failed is to be begun again, on a connection of its own: once, and only where a
/// connection that was shared has gone before anything came by it; and where it has not been sent. "Requests that have
/// not been processed" may be sent again (RFC 9113 section 8.7); libcurl does so five times, and a server that closes
/// often takes all of them.
bool stream_begins_again(struct stream *stream, CURLcode code);

/// Sends the report; the stream is over.
///
/// Content that the origin has not ended becomes CURLE_PARTIAL_FILE, and a response that has been ended and has come
/// whole is a success, whatever has become of the connection, or of the request, then.
///
/// Returns whether it was the last, and the report has said so: the program is to end.
bool stream_end(struct stream *stream, CURLcode code);

#endif
