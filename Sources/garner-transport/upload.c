#include "channel.h"
#include "rate.h"
#include "stream.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The content of a request. Content in a file is read here, when libcurl wants it: through garner and the pipe it would
// be copied four times more. Everything else comes in pieces, and so does what cannot be read here, whatever the
// reason: garner will not be able to read it either, and reports the error.

static void close_part(struct file_part *part) {
  if (part->rest == 0) return;
  close(part->file);
  part->rest = 0;
}

static void request_piece(struct stream *stream, int64_t offset) {
  struct upload *upload = &stream->upload;
  int64_t rest = upload->count - offset;
  struct transport_piece_request request = {
      .offset = offset,
      .count = rest < transport_longest_piece ? rest : transport_longest_piece,
      .needs_bytes = upload->needs_bytes};
  channel_send(stream->number, transport_piece_requested, &request, sizeof request);
  upload->requested_offset = offset;
  upload->is_piece_requested = true;
}

/// Begins a part, and asks for what follows it, so that libcurl never waits for a file. Each wait would restart
/// libcurl's measurement of low speed, so that the limit would never be reached.
static void begin_part(struct stream *stream, struct file_part part) {
  struct upload *upload = &stream->upload;
  upload->part = part;
  int64_t end = upload->offset + part.rest;
  if (!upload->is_piece_requested && end < upload->count) request_piece(stream, end);
}

/// Tells garner how much has been sent, when libcurl is about to take more. Content that came with the request is not
/// reported.
static void tell_progress(struct stream *stream) {
  static const int64_t interval = 100000000, distance = 256 << 10;
  struct upload *upload = &stream->upload;
  if (upload->count <= transport_longest_whole_content) return;
  int64_t now = rate_clock();
  bool is_near = upload->offset - upload->told_offset < distance && now - upload->told_at < interval;
  if (upload->told_at > 0 && is_near) return;
  upload->told_offset = upload->offset;
  upload->told_at = now;
  channel_send(stream->number, transport_sent, &upload->offset, sizeof upload->offset);
}

/// Goes on, or begins anew, at the offset. A piece that is on its way answers an earlier request.
static void move(struct upload *upload, int64_t offset) {
  if (upload->is_piece_requested) upload->is_stale_piece = true;
  upload->offset = offset;
  upload->told_at = 0;
  upload->piece_count = upload->piece_taken = 0;
  close_part(&upload->part);
  close_part(&upload->next);
}

static size_t taken_of_part(struct upload *upload, char *buffer, size_t room) {
  struct file_part *part = &upload->part;
  size_t wanted = (uint64_t)part->rest < room ? (size_t)part->rest : room;
  ssize_t count = pread(part->file, buffer, wanted, part->offset);
  if (count <= 0) {
    upload->needs_bytes = true;
    move(upload, upload->offset);
    return 0;
  }
  part->offset += count;
  if (count == part->rest) {
    close_part(part);
  } else {
    part->rest -= count;
  }
  return (size_t)count;
}

static size_t taken_of_piece(struct upload *upload, char *buffer, size_t room) {
  size_t rest = upload->piece_count - upload->piece_taken;
  size_t count = rest < room ? rest : room;
  memcpy(buffer, upload->piece + upload->piece_taken, count);
  upload->piece_taken += count;
  return count;
}

size_t stream_read_content(char *buffer, size_t size, size_t count, void *context) {
  struct stream *stream = context;
  struct upload *upload = &stream->upload;
  if (upload->offset >= upload->count) return 0;
  tell_progress(stream);
  if (upload->part.rest == 0 && upload->next.rest > 0) {
    struct file_part next = upload->next;
    upload->next.rest = 0;
    begin_part(stream, next);
  }
  size_t taken = 0;
  if (upload->part.rest > 0) {
    taken = taken_of_part(upload, buffer, size * count);
  } else if (upload->piece_taken < upload->piece_count) {
    taken = taken_of_piece(upload, buffer, size * count);
  }
  upload->offset += (int64_t)taken;
  if (taken > 0) return taken;
  if (upload->offset >= upload->count) return 0;
  if (!upload->is_piece_requested) request_piece(stream, upload->offset);
  upload->is_paused = true;
  return CURL_READFUNC_PAUSE;
}

void stream_rewind_content(struct stream *stream) {
  move(&stream->upload, 0);
  stream->upload.is_paused = false;
}

int stream_seek_content(void *context, curl_off_t offset, int origin) {
  struct stream *stream = context;
  bool is_gone = stream->upload.is_read_once && offset < stream->upload.offset &&
                 (stream->is_idempotent || !stream->is_sent);
  // libcurl reports CURLE_SEND_ERROR if it notices the end of a connection by sending more. Here it waits for a piece
  // and notices the end by receiving, so the code is set here. A refused stream counts as not sent.
  bool is_amid = stream->is_sent && stream->upload.offset < stream->upload.count;
  if (is_gone && is_amid) stream->own_code = CURLE_SEND_ERROR;
  if (is_gone || origin != SEEK_SET || offset < 0 || offset > stream->upload.count) return CURL_SEEKFUNC_FAIL;
  move(&stream->upload, offset);
  return CURL_SEEKFUNC_OK;
}

/// Notes that what was asked for has come, and libcurl may go on.
///
/// Returns whether it is not wanted any more.
static bool end_piece_request(struct stream *stream) {
  bool is_stale = stream->upload.is_stale_piece;
  stream->upload.is_stale_piece = stream->upload.is_piece_requested = false;
  return is_stale;
}

static void resume_sending(struct stream *stream) {
  if (!stream->upload.is_paused) return;
  stream->upload.is_paused = false;
  curl_easy_pause(stream->easy, CURLPAUSE_CONT);
}

/// Returns how many bytes may come as a piece that has been asked for. Without a request, an answer makes no sense.
static int64_t answerable(const struct upload *upload, int64_t longest) {
  int64_t rest = upload->count - upload->requested_offset;
  if (!upload->is_piece_requested) channel_break(transport_exit_nonsense);
  return rest < longest ? rest : longest;
}

void stream_take_piece(struct stream *stream, const uint8_t *bytes, size_t count) {
  struct upload *upload = &stream->upload;
  if ((int64_t)count > answerable(upload, transport_longest_piece)) channel_break(transport_exit_nonsense);
  if (count == 0 && !upload->is_open_ended) channel_break(transport_exit_nonsense);
  if (!end_piece_request(stream)) {
    if (count == 0) upload->count = upload->requested_offset;
    if (upload->piece == NULL) upload->piece = malloc(transport_longest_piece);
    if (upload->piece == NULL) channel_break(transport_exit_no_resources);
    if (count > 0) memcpy(upload->piece, bytes, count);
    upload->piece_count = count;
    upload->piece_taken = 0;
  }
  resume_sending(stream);
}

/// Opens the file if it is the one that is meant. A FIFO that has taken its place is not waited for.
static int opened(const char *path, const struct transport_file_part *part) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  bool is_there = file >= 0 && fstat(file, &status) == 0;
  if (is_there && S_ISREG(status.st_mode) && status.st_dev == part->device && status.st_ino == part->inode) return file;
  if (file >= 0) close(file);
  return -1;
}

void stream_take_file(struct stream *stream, const uint8_t *payload, size_t count) {
  struct upload *upload = &stream->upload;
  struct transport_file_part part;
  if (count <= sizeof part || payload[count - 1] != '\0') channel_break(transport_exit_nonsense);
  memcpy(&part, payload, sizeof part);
  bool is_within = part.count > 0 && part.count <= answerable(upload, transport_longest_file_part);
  if (part.offset < 0 || !is_within) channel_break(transport_exit_nonsense);
  if (!end_piece_request(stream)) {
    struct file_part taken = {
        .file = opened((const char *)payload + sizeof part, &part), .offset = part.offset, .rest = part.count};
    if (taken.file < 0) {
      upload->needs_bytes = true;
      request_piece(stream, upload->requested_offset);
    } else if (upload->requested_offset == upload->offset) {
      begin_part(stream, taken);
    } else {
      upload->next = taken;
    }
  }
  resume_sending(stream);
}

void stream_forget_content(struct stream *stream) {
  free(stream->upload.piece);
  close_part(&stream->upload.part);
  close_part(&stream->upload.next);
}
