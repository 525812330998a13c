#define _GNU_SOURCE
#include "channel.h"
#include "shares.h"
#include "stream.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <unistd.h>

// garner-transport: the part of garner that needs libcurl, in a process that garner starts to send its first request.
// It takes frames on descriptor 0 and answers on descriptor 1 (CTransport.h), and lives no longer than garner.

// The newest addition to libcurl's headers that is used here and in garner: CURLOPT_PROTOCOLS_STR.
_Static_assert(LIBCURL_VERSION_NUM >= 0x075500, "the headers of libcurl 7.85.0 or later are needed");

// Swift does not see a macro that is made of others, so the word repeats the version.
#define TEXT_OF(value) #value
#define VERSION_WORD(version) "protocol-" TEXT_OF(version)
_Static_assert(
    __builtin_strcmp(TRANSPORT_PROTOCOL_WORD, VERSION_WORD(TRANSPORT_PROTOCOL_VERSION)) == 0,
    "the word of the protocol has its version");

// The longest time that libcurl waits before it looks at its clocks, in milliseconds; mostly it knows a shorter one.
static const int longest_wait = 1000;

static CURLM *multi;
static struct stream *streams;
/// Whether garner has been told, by the report of a stream that ends the run, that no more requests are taken.
static bool is_over;

static struct stream *find(uint32_t number) {
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    if (stream->is_active && stream->number == number) return stream;
  }
  return NULL;
}

/// Returns a stream without a request, or a new one.
static struct stream *idle_stream(void) {
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    if (!stream->is_active) return stream;
  }
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) channel_break(transport_exit_no_resources);
  stream->easy = curl_easy_init();
  if (stream->easy == NULL) channel_break(transport_exit_no_resources);
  stream->next = streams;
  streams = stream;
  return stream;
}

/// Whether libcurl has reported a system error, in this transfer or in an earlier one with the same handle.
static bool has_system_error(CURL *easy) {
  long error = 0;
  return curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &error) == CURLE_OK && error != 0;
}

/// Sends the report of a stream. libcurl has released the handle, or never had it.
static void end_stream(struct stream *stream, CURLcode code) {
  if (stream_end(stream, code)) is_over = true;
  // The error number stays in the handle, although its next transfer may have no error, so the handle is replaced. A
  // handle that has read alternatives is kept.
  if (stream->has_alternatives || !has_system_error(stream->easy)) return;
  CURL *another = curl_easy_init();
  if (another == NULL) return;
  curl_easy_cleanup(stream->easy);
  stream->easy = another;
}

static void begin_stream(const struct channel_frame *frame) {
  if (find(frame->stream) != NULL) channel_break(transport_exit_nonsense);
  struct stream *stream = idle_stream();
  stream->number = frame->stream;
  stream->is_active = true;
  CURLcode code = stream_set_options(stream, frame->payload, frame->length);
  if (code == CURLE_OK && curl_multi_add_handle(multi, stream->easy) != CURLM_OK) code = CURLE_FAILED_INIT;
  if (code != CURLE_OK) end_stream(stream, code);
}

static void cancel_stream(struct stream *stream) {
  curl_multi_remove_handle(multi, stream->easy);
  end_stream(stream, CURLE_ABORTED_BY_CALLBACK);
}

/// Ends as libcurl asks its users to: connections are closed as their protocols want it.
_Noreturn static void exit_orderly(void) {
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    // A transfer in progress may have a thread that would be waited for.
    if (stream->is_active) channel_break(transport_exit_orphaned);
  }
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) curl_easy_cleanup(stream->easy);
  curl_multi_cleanup(multi);
  shares_end();
  _exit(0);
}

static void obey(const struct channel_frame *frame) {
  struct stream *stream = find(frame->stream);
  switch (frame->kind) {
  case transport_request: begin_stream(frame); break;
  // A stream may have ended while these frames were on their way.
  case transport_request_content:
    if (stream != NULL) stream_take_piece(stream, frame->payload, frame->length);
    break;
  case transport_request_file_part:
    if (stream != NULL) stream_take_file(stream, frame->payload, frame->length);
    break;
  case transport_taken:
    if (stream != NULL) stream_note_taken(stream, frame->payload, frame->length);
    break;
  case transport_cancel:
    if (stream != NULL) cancel_stream(stream);
    break;
  case transport_memory: channel_share(frame->payload, frame->length); break;
  case transport_finish: exit_orderly();
  default: channel_break(transport_exit_nonsense);
  }
}

static void end_finished_streams(void) {
  int waiting;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &waiting)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    CURLcode code = message->data.result;
    struct stream *stream = NULL;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &stream);
    curl_multi_remove_handle(multi, stream->easy);
    if (stream_begins_again(stream, code) && curl_multi_add_handle(multi, stream->easy) == CURLM_OK) continue;
    end_stream(stream, code);
  }
}

/// Ends transfers that are answered: the rest of their requests need not be sent.
static void end_answered_streams(void) {
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    if (!stream->is_active || !stream_is_answered(stream)) continue;
    curl_multi_remove_handle(multi, stream->easy);
    end_stream(stream, CURLE_OK);
  }
}

static bool has_work(void) {
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    if (stream->is_active) return true;
  }
  return false;
}

/// Returns the longest time, in milliseconds, for which nothing is to be done for any stream.
static int waiting_time(void) {
  int time = longest_wait;
  for (struct stream *stream = streams; stream != NULL; stream = stream->next) {
    int delay = rate_delay(&stream->rate);
    if (delay < time) time = delay;
  }
  return time;
}

_Noreturn static void serve(void) {
  while (1) {
    channel_flush();
    if (is_over) exit_orderly();
    if (has_work()) {
      struct curl_waitfd input = {.fd = channel_input, .events = CURL_WAIT_POLLIN};
      if (curl_multi_poll(multi, &input, 1, waiting_time(), NULL) != CURLM_OK) channel_break(transport_exit_libcurl);
      if (input.revents != 0) channel_receive();
    } else {
      channel_receive();
    }
    for (struct channel_frame frame; channel_next(&frame);) obey(&frame);
    for (struct stream *stream = streams; stream != NULL; stream = stream->next) stream_resume(stream);
    int running;
    if (curl_multi_perform(multi, &running) != CURLM_OK) channel_break(transport_exit_libcurl);
    end_finished_streams();
    end_answered_streams();
  }
}

/// Returns the writing end of a pipe that nobody reads, which refuses what is written to it; -1 if there is none.
static int unread_pipe(void) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  close(ends[0]);
  return ends[1];
}

/// Replaces standard error, which only garner writes to. Until here it was the pipe, so that garner received messages
/// of the dynamic linker. It is not closed, because the next file that is opened would take its place.
static void drop_standard_error(void) {
  int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
  // There is no /dev in some sandboxes.
  if (sink < 0) sink = unread_pipe();
  if (sink < 0 || dup2(sink, STDERR_FILENO) < 0) channel_break(transport_exit_no_resources);
  close(sink);
}

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("garner-transport is a part of garner, and is started by it\n", stderr);
    return transport_exit_misused;
  }
  // When garner dies, this process is killed, whatever it waits for.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_IGN);
  // With more rights than the user who started garner, it takes no path from the environment; libcurl takes this one.
  if (getauxval(AT_SECURE)) unsetenv("SSLKEYLOGFILE");
  drop_standard_error();
  uint32_t version = TRANSPORT_PROTOCOL_VERSION;
  channel_send(0, transport_hello, &version, sizeof version);
  if (strcmp(arguments[1], TRANSPORT_PROTOCOL_WORD) != 0) {
    channel_flush();
    return transport_exit_misused;
  }
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) channel_break(transport_exit_libcurl);
  multi = curl_multi_init();
  if (multi == NULL) channel_break(transport_exit_libcurl);
  serve();
}
