#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Several frames of content are written at once: libcurl hands content over in pieces of 16 KiB.
enum { output_capacity = 128 << 10 };
_Static_assert(
    output_capacity >= transport_longest_frame + (int)sizeof(struct transport_frame), "a frame fits into the buffer");

static uint8_t output[output_capacity];
static size_t output_count;
// The offset of the last frame in the buffer; SIZE_MAX once it has been written.
static size_t last_frame = SIZE_MAX;

// Null as long as all content goes through the pipe.
static struct transport_ring *ring;
// The number of bytes that have been put down in the ring, counted like those of `struct transport_ring`.
static uint32_t put_down;
// Bytes that have been put down, and that garner does not know of yet.
static size_t untold;

// What has been read of the pipe, of which the first `input_taken` bytes have been given to the caller as frames.
static uint8_t *input;
static size_t input_capacity, input_count, input_taken;

void channel_break(int status) { _exit(status); }

// Makes room for so many bytes behind those that have not been taken.
static void make_room(size_t count) {
  if (input_taken > 0) {
    memmove(input, input + input_taken, input_count - input_taken);
    input_count -= input_taken;
    input_taken = 0;
  }
  if (input_capacity - input_count >= count) return;
  size_t capacity = input_count + count;
  uint8_t *larger = realloc(input, capacity);
  if (larger == NULL) channel_break(transport_exit_no_resources);
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
    if (head.length > transport_longest_request) channel_break(transport_exit_nonsense);
    if (head.length > wanted) wanted = head.length;
  }
  make_room(wanted);
  while (1) {
    ssize_t count = read(channel_input, input + input_count, input_capacity - input_count);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) channel_break(transport_exit_orphaned);
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
  untold = 0;
  while (sent < output_count) {
    ssize_t count = write(channel_output, output + sent, output_count - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) channel_break(transport_exit_orphaned);
    sent += (size_t)count;
  }
  output_count = 0;
  last_frame = SIZE_MAX;
}

// libcurl hands content over in pieces of 16 KiB. Consecutive pieces become one frame, which garner writes with one
// call.
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
  // A frame is bounded. Content, and text for users, may be split.
  bool is_divisible = kind == transport_content || kind == transport_remark || kind == transport_request_head;
  // Only libcurl makes lines and texts that are too long.
  if (count > transport_longest_frame && !is_divisible) channel_break(transport_exit_libcurl);
  while (count > transport_longest_frame) {
    send_frame(stream, kind, rest, transport_longest_frame);
    rest += transport_longest_frame;
    count -= transport_longest_frame;
  }
  send_frame(stream, kind, rest, count);
}

// MARK: Content in shared memory

void channel_share(const uint8_t *path, size_t count) {
  if (ring != NULL || count == 0 || path[count - 1] != '\0') channel_break(transport_exit_nonsense);
  int file = open((const char *)path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void *memory = mmap(NULL, transport_ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) ring = memory;
}

// Waits until so many bytes can be put down.
static void wait_for_room(uint32_t count) {
  uint32_t awaited = put_down + count - transport_ring_bytes;
  if (transport_ring_has(__atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE), awaited)) return;
  channel_flush();
  // The program is woken when half of the ring is free, and not for each piece.
  uint32_t half = put_down - transport_ring_bytes / 2;
  if (!transport_ring_await(ring, transport_ring_has(half, awaited) ? half : awaited)) {
    channel_break(transport_exit_orphaned);
  }
}

// One frame points to all pieces that lie side by side.
static bool extend_place(uint32_t stream, struct transport_place added) {
  if (last_frame == SIZE_MAX) return false;
  struct transport_frame head;
  struct transport_place place;
  memcpy(&head, output + last_frame, sizeof head);
  if (head.kind != transport_shared_content || head.stream != stream) return false;
  memcpy(&place, output + last_frame + sizeof head, sizeof place);
  if (place.offset + place.count != added.offset || place.count + added.count > transport_longest_shared) return false;
  place.count += added.count;
  memcpy(output + last_frame + sizeof head, &place, sizeof place);
  return true;
}

static void put_down_content(uint32_t stream, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    struct transport_place place = {.offset = put_down % transport_ring_bytes};
    uint32_t room = transport_ring_bytes - place.offset;
    place.count = count < room ? (uint32_t)count : room;
    wait_for_room(place.count);
    memcpy((uint8_t *)ring + transport_ring_start + place.offset, bytes, place.count);
    if (!extend_place(stream, place)) channel_send(stream, transport_shared_content, &place, sizeof place);
    put_down += place.count;
    untold += place.count;
    bytes += place.count;
    count -= place.count;
  }
  if (untold >= transport_longest_shared) channel_flush();
}

void channel_send_content(uint32_t stream, const void *bytes, size_t count) {
  if (ring != NULL) {
    put_down_content(stream, bytes, count);
  } else {
    channel_send(stream, transport_content, bytes, count);
  }
}
