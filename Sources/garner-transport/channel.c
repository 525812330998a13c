#include "channel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of several frames of content one write is made: libcurl hands it over in pieces of 16 KiB.
enum { output_capacity = 128 << 10 };
_Static_assert(
    output_capacity >= transport_longest_frame + (int)sizeof(struct transport_frame), "a frame fits into the buffer");

static uint8_t output[output_capacity];
static size_t output_count;
// Where the last frame in the buffer begins; nowhere once it has been written.
static size_t last_frame = SIZE_MAX;

static uint8_t *input;
static size_t input_capacity, input_count, input_taken;

void channel_break(void) { _exit(1); }

static void make_room(size_t count) {
  if (input_taken > 0) {
    memmove(input, input + input_taken, input_count - input_taken);
    input_count -= input_taken;
    input_taken = 0;
  }
  if (input_capacity - input_count >= count) return;
  size_t capacity = input_count + count;
  uint8_t *larger = realloc(input, capacity);
  if (larger == NULL) channel_break();
  input = larger;
  input_capacity = capacity;
}

static struct transport_frame next_head(void) {
  struct transport_frame head;
  memcpy(&head, input + input_taken, sizeof head);
  return head;
}

void channel_receive(void) {
  size_t wanted = transport_longest_frame;
  if (input_count - input_taken >= sizeof(struct transport_frame)) {
    struct transport_frame head = next_head();
    if (head.length > transport_longest_request) channel_break();
    if (head.length > wanted) wanted = head.length;
  }
  make_room(wanted);
  while (1) {
    ssize_t count = read(channel_input, input + input_count, input_capacity - input_count);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) channel_break();
    input_count += (size_t)count;
    return;
  }
}

bool channel_next(struct channel_frame *frame) {
  if (input_count - input_taken < sizeof(struct transport_frame)) return false;
  struct transport_frame head = next_head();
  if (input_count - input_taken - sizeof head < head.length) return false;
  *frame = (struct channel_frame){
      .stream = head.stream, .kind = head.kind, .length = head.length, .payload = input + input_taken + sizeof head};
  input_taken += sizeof head + head.length;
  return true;
}

void channel_flush(void) {
  size_t sent = 0;
  while (sent < output_count) {
    ssize_t count = write(channel_output, output + sent, output_count - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) channel_break();
    sent += (size_t)count;
  }
  output_count = 0;
  last_frame = SIZE_MAX;
}

// libcurl hands content over in pieces of 16 KiB: those that follow each other become one frame, which garner writes
// with one call.
static bool extend_content(uint32_t stream, const uint8_t *bytes, size_t count) {
  if (last_frame == SIZE_MAX || sizeof output - output_count < count) return false;
  struct transport_frame head;
  memcpy(&head, output + last_frame, sizeof head);
  if (head.kind != transport_content || head.stream != stream) return false;
  if (head.length + count > transport_longest_frame) return false;
  head.length += (uint32_t)count;
  memcpy(output + last_frame, &head, sizeof head);
  memcpy(output + output_count, bytes, count);
  output_count += count;
  return true;
}

static void send_frame(uint32_t stream, uint16_t kind, const uint8_t *bytes, size_t count) {
  struct transport_frame head = {.stream = stream, .kind = kind, .length = (uint32_t)count};
  if (kind == transport_content && extend_content(stream, bytes, count)) return;
  if (sizeof output - output_count < sizeof head + count) channel_flush();
  last_frame = output_count;
  memcpy(output + output_count, &head, sizeof head);
  if (count > 0) memcpy(output + output_count + sizeof head, bytes, count);
  output_count += sizeof head + count;
}

void channel_send(uint32_t stream, uint16_t kind, const void *bytes, size_t count) {
  const uint8_t *rest = bytes;
  // A frame is bounded. Only content and lines are ever longer, and those may be taken apart.
  while (count > transport_longest_frame) {
    send_frame(stream, kind, rest, transport_longest_frame);
    rest += transport_longest_frame;
    count -= transport_longest_frame;
  }
  send_frame(stream, kind, rest, count);
}
