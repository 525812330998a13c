#ifndef STREAM_H
#define STREAM_H

#include "rate.h"

#include <CTransport.h>
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A part of a file that holds content of a request.
struct file_part {
  int file;
  /// In bytes. If `rest` is 0, there is no file.
  int64_t offset, rest;
};

/// Content of a request that is asked for piece by piece.
struct upload {
  int64_t count, offset;
  uint8_t *piece;
  size_t piece_count, piece_taken;
  /// The file part that the next content comes from, and the one after it.
  struct file_part part, next;
  /// Whether files cannot be read here, so that content has to come in bytes.
  bool needs_bytes;
  /// Whether a piece has been asked for and has not come. Then the one before it has been taken, or is a part that is
  /// being read.
  bool is_piece_requested;
  /// The offset of that piece.
  int64_t requested_offset;
  /// Whether that piece is to be dropped when it comes, because the content is being sent anew.
  bool is_stale_piece;
  /// Whether libcurl waits for that piece. True only while it is asked for.
  bool is_paused;
  /// Whether `count` is only an upper bound, until an empty piece marks the end.
  bool is_open_ended;
  /// Whether content that has been asked for cannot be asked for again.
  bool is_read_once;
  /// The offset that garner was last told, and when, in nanoseconds of the monotonic clock; 0 if it has not been
  /// told since the content began.
  int64_t told_offset, told_at;
};

/// What has come of a response. Cleared for a second attempt, and when libcurl sends the request again over HTTP/1.1.
/// Over HTTP/1.1, only `has_head` and `received_count` are used.
struct answer {
  /// Whether frames are seen in which the origin marks the end of the content. If not, the next four are false.
  bool is_framed;
  /// Whether garner has been told that there are such frames.
  bool has_told_framed;
  /// Whether the origin has marked the end of the content.
  bool is_ended;
  /// Whether the origin has reset the stream without an error after that end. libcurl is not told.
  bool is_reset_after_end;
  /// Whether the stream is closed without an error: by both sides, or by a reset, even before the end.
  bool is_closed;
  /// Whether the head of a final response is complete.
  bool has_head;
  /// Bytes of content: those missing of the current frame, those of all frames, and those that libcurl has passed on.
  int64_t frame_rest, framed_count, received_count;
};

/// A request in flight, with the handle that it uses. The handle outlives the request and serves the next one.
struct stream {
  struct stream *next;
  CURL *easy;
  /// Whether the handle has read the file of alternatives. The handle keeps what it has read when it is reset; reading
  /// the file again would add every service a second time.
  bool has_alternatives;
  uint32_t number;
  /// True from the frame of the request to the report. Otherwise all flags and counts below are false and 0.
  bool is_active;
  /// The buffer for libcurl's error message.
  char reason[CURL_ERROR_SIZE];

  // Set by the request, and constant.

  /// Whether no request of the run follows, unless the response leads to one.
  bool ends_run;
  /// Whether the response has no content.
  bool is_head;
  /// Whether the request has content.
  bool has_content;
  /// Whether the user has typed an expectation, so that the request waits for a 100 (Continue) before it sends its
  /// content, if it has any.
  bool expects_continue;
  /// How many bytes of the response's content may be on their way and not taken; 0 if the pipe keeps it in check.
  int64_t window;
  // Memory that libcurl reads during the transfer and does not copy.
  struct curl_slist *fields, *resolve, *connect_to;
  uint8_t *whole_content;

  // State that decides whether the request is begun again.

  /// Whether the request has been sent once more although the origin may have processed it.
  bool is_repeated;
  /// Whether the method is idempotent, whatever content there is.
  bool is_idempotent;
  /// Whether the request has been sent, and the origin has not said that it does nothing about it.
  bool is_sent;
  /// The code to report in place of libcurl's, or CURLE_OK: libcurl was about to send the request again by another
  /// connection, which might do harm.
  CURLcode own_code;
  /// Whether the connection by which the request was sent had been used before.
  bool is_on_used_connection;
  /// Whether other requests have used the same connection of HTTP/2.
  bool is_shared;
  /// Whether the request was not sent, because something had come by the connection that no request had asked for.
  bool is_withheld;
  /// Whether the origin has said that it does nothing about the request.
  bool is_unprocessed;
  /// Whether this is the second attempt at the request, on a connection of its own.
  bool is_second_attempt;
  /// The time limit of the whole request, in milliseconds; 0 for none.
  int64_t time_limit;
  /// The time the request had taken when it was begun again, in microseconds.
  int64_t earlier_time;
  /// The number of the socket by which the request was sent; 0 if it is not known.
  uint64_t socket;

  struct upload upload;
  struct answer answer;
  /// The bytes of frames with lines of heads and trailers.
  int64_t line_bytes;

  /// The rate of the response's content.
  struct rate rate;

  // Content of the response that garner has not taken.

  int64_t untaken;
  /// Whether libcurl keeps more back, which happens only with a window.
  bool is_held;
  /// Whether libcurl has kept content back, for whatever reason. After that, it does not check whether the stream has
  /// ended.
  bool was_held;
};

/// Sets libcurl's options for a request. options.c is the only file that sets options.
///
/// Returns CURLE_BAD_FUNCTION_ARGUMENT for items that make no sense, else libcurl's code for the first option that it
/// refuses. `reason` may then have a message.
CURLcode stream_set_options(struct stream *stream, const uint8_t *items, size_t count);

/// Sets whether libcurl takes the declared length of the response for its end, as it does by default. While it sends
/// content over HTTP/2, it would then not notice that the origin takes more of it, nor that it takes no more.
void stream_set_length_check(struct stream *stream, bool is_checked);

/// Sets the options of a second attempt: a connection of its own, and the time limit that is left, in milliseconds; 0
/// for none.
///
/// Returns libcurl's code for the first option that it refuses.
CURLcode stream_set_second_attempt(struct stream *stream, int64_t rest);

/// Releases everything that does not outlive the transfer: the stream waits for another one.
void stream_forget(struct stream *stream);

// Callbacks of libcurl, with the stream as their context. Each is declared as libcurl requires it.
int stream_begin_request(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);
size_t stream_receive_line(char *bytes, size_t size, size_t count, void *context);
size_t stream_receive_content(char *bytes, size_t size, size_t count, void *context);
size_t stream_read_content(char *buffer, size_t size, size_t count, void *context);
int stream_seek_content(void *context, curl_off_t offset, int origin);
int stream_receive_trace(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context);

/// Removes the expectation from a request that may be sent anew: "A client that receives a 417 ... SHOULD repeat that
/// request without a 100-continue expectation" (RFC 9110 section 10.1.1).
void stream_remove_expectation(struct stream *stream);

/// Takes a piece of content that was asked for.
void stream_take_piece(struct stream *stream, const uint8_t *bytes, size_t count);

/// Takes garner's answer that the content stands in a file.
void stream_take_file(struct stream *stream, const uint8_t *payload, size_t count);

/// Makes libcurl send the content from its beginning, by another connection.
void stream_rewind_content(struct stream *stream);

/// Releases content that has come and has not been sent.
void stream_forget_content(struct stream *stream);

// Events in the frames of HTTP/2 for the request of a handle.

/// Notes that the request uses a connection that others use, or have used.
void stream_note_shared(CURL *easy);

/// Notes that the origin has done nothing about the request: "a client can ... retry" it, whatever its method (RFC 9113
/// section 8.7), or has to send it over HTTP/1.1.
void stream_note_unprocessed(CURL *easy);

/// Notes that a frame of content begins, with so many bytes.
void stream_begin_data(CURL *easy, size_t count);

/// Notes that so many of these bytes have come, and whether the frame is the last one.
void stream_note_data(CURL *easy, size_t count, bool is_last);

/// Notes that a frame with a head, trailers or content has come, and whether it is the last one.
void stream_note_frame(CURL *easy, bool is_last);

/// Notes that the origin resets the stream without an error.
///
/// Returns whether libcurl is not to be told, because the origin has ended its response: that can still be delivered,
/// and libcurl would drop it if it is sending content at that moment.
bool stream_note_reset(CURL *easy);

/// Notes that the stream is closed by both sides, or by a reset; `is_clean` if without an error.
///
/// Returns whether libcurl is not to be told, because of such a reset.
bool stream_note_close(CURL *easy, bool is_clean);

/// Whether the response is there, and nothing more of the request will be sent, or need be: because all of it has been
/// sent, because the origin has said so, or because the response is no success. libcurl does not notice the first case
/// if the response came before, or if the end of it came while content was kept back. In the last case, libcurl waits
/// for an origin that takes nothing any more.
bool stream_is_answered(const struct stream *stream);

/// Notes that content of the response has been taken.
void stream_note_taken(struct stream *stream, const uint8_t *bytes, size_t count);

/// Resumes content that the rate has held back, if its time has come.
void stream_resume(struct stream *stream);

/// Forgets what has come in frames.
void stream_forget_frames(struct stream *stream);

/// Whether anything of a response has come.
bool stream_has_received(const struct stream *stream);

/// Notes how long all attempts have taken so far, before another one.
///
/// Returns the time left for that, in milliseconds: 0 if there is no limit, negative if no time is left.
int64_t stream_rest_of_time(struct stream *stream);

/// Prepares a transfer that has failed to be begun again, on a connection of its own, and returns whether it is: once,
/// and only if a shared connection has gone before anything came by it, or if the request has not been sent.
/// "Requests that have not been processed" may be sent again (RFC 9113 section 8.7); libcurl does so five times, and a
/// server that closes often takes all of them.
bool stream_begins_again(struct stream *stream, CURLcode code);

/// Sends the report and ends the stream.
///
/// Content that the origin has not ended becomes CURLE_PARTIAL_FILE. A response that has been ended and has come whole
/// is a success, whatever has become of the connection or of the request.
///
/// Returns whether the request was the last one, and the report has said so: the program is to end.
bool stream_end(struct stream *stream, CURLcode code);

#endif
