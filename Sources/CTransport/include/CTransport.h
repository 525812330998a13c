#ifndef CTRANSPORT_H
#define CTRANSPORT_H

// The protocol between garner and garner-transport: frames over two pipes, between two processes of one machine that
// were built together. Numbers are in the machine's format; a text in a request or in a report ends with a NUL.

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The version goes up with every change of this file. garner passes it as the program's one argument, and expects it
/// in the first frame that comes back: two halves of different releases part at once.
#define TRANSPORT_PROTOCOL_VERSION 17
#define TRANSPORT_PROTOCOL_WORD "protocol-17"

/// The head of each frame. `length` bytes follow.
struct transport_frame {
  /// The request that the frame is about: the number that its request frame has given it.
  uint32_t stream;
  uint16_t kind;
  uint16_t unused;
  uint32_t length;
};

// Frames from the program.
enum {
  /// The version of the protocol, a uint32_t: always the first frame, and sent once.
  transport_hello = 1,
  /// A line of a response's head or of its trailers, with its line end; or the end of a line that does not fit into a
  /// frame.
  transport_head_line,
  transport_content,
  /// A remark about the connection, for people.
  transport_remark,
  /// The request's head as it was sent.
  transport_request_head,
  /// Asks for content of the request: a struct transport_piece_request. The answer is one frame with that content or
  /// with less, or one that says where in a file it stands.
  transport_piece_requested,
  /// A struct transport_report and four texts: libcurl's reason, the remote and the local address, and libcurl's
  /// account of the origin's certificates, a line for each item.
  transport_end,
  /// Content that lies in the shared memory: a struct transport_place.
  transport_shared_content,
  /// A part of a line that does not fit into a frame, from before its end.
  transport_head_line_part,
  /// Sent before the first line of a response whose end the origin marks in a frame. If the transfer ends without that
  /// mark, it has failed.
  transport_framed,
  /// How much of the request's content has been sent, an int64_t. It is reported at the beginning, and then every 256
  /// KiB or ten times a second, whichever comes first.
  transport_sent,
};

// The exit statuses of the program if it cannot go on: no frame can say why.
enum {
  /// garner is gone, or reads and writes no more.
  transport_exit_orphaned = 1,
  /// The program has been started by something other than garner, or for another protocol.
  transport_exit_misused = 2,
  /// From here on as in sysexits.h: libcurl cannot be initialized, or refuses what it never refuses.
  transport_exit_libcurl = 70,
  /// No memory, or no descriptor.
  transport_exit_no_resources = 71,
  /// The input does not follow the protocol.
  transport_exit_nonsense = 76,
};

// Frames to the program.
enum {
  /// Begins a stream. Consists of items.
  transport_request = 32,
  transport_request_content,
  /// The rest of the response is not wanted: the end comes soon.
  transport_cancel,
  /// The number of bytes of content, a uint32_t, that have been taken of a stream with a window.
  transport_taken,
  /// No more requests follow. The program closes its connections and ends.
  transport_finish,
  /// The path of memory to share, of transport_ring_size bytes. Content of streams without a window may come through
  /// it.
  transport_memory,
  /// Where the requested content stands, perhaps with more of what follows: a struct transport_file_part and the path
  /// of a file, a text.
  transport_request_file_part,
};

/// The head of each item of a request. `length` bytes follow.
struct transport_item {
  uint32_t item;
  uint32_t length;
};

// The items of a request: texts.
enum {
  transport_url = 1,
  transport_method,
  /// A field line in libcurl's notation; may come again, like the next two.
  transport_field,
  transport_resolve,
  transport_connect_to,
  transport_interface,
  transport_unix_socket,
  transport_abstract_unix_socket,
  transport_doh_url,
  /// Empty: no proxy, whatever the environment says.
  transport_proxy,
  transport_no_proxy,
  transport_proxy_credentials,
  transport_alt_svc_file,
  transport_authority_file,
  transport_authority_directory,
  transport_client_certificate,
  transport_client_key,
  transport_client_key_passphrase,
  transport_pinned_public_key,
  transport_ciphers,
  transport_tls13_ciphers,
  transport_last_text = transport_tls13_ciphers,
};

// The items of a request: numbers, each an int64_t.
enum {
  /// Not zero: the response has no content, whatever its head says, or none of it is wanted.
  transport_is_head = 64,
  /// The number of bytes of the request's content. They are in an item of this request, or are asked for.
  transport_content_count,
  /// Not zero: the length of the content is unknown until the end, which a piece of no bytes marks.
  transport_content_is_open_ended,
  /// A transport_http_... below.
  transport_http_version,
  /// 4 or 6.
  transport_address_family,
  transport_time_limit_milliseconds,
  transport_connect_time_limit_milliseconds,
  transport_floor_bytes_per_second,
  transport_floor_seconds,
  transport_maximum_rate,
  /// Not zero: over TLS.
  transport_is_secure,
  transport_trusts_anybody,
  /// 12 or 13, for TLS 1.2 and 1.3.
  transport_minimum_tls,
  transport_maximum_tls,
  transport_wants_trace,
  /// Not zero: the report has the certificates.
  transport_wants_certificates,
  /// Not zero: the name of the proxy has letters beyond ASCII.
  transport_is_international,
  /// Not zero: one of several streams side by side. This many bytes of its content may be on their way and not yet
  /// taken, and it waits for a connection that it may share. 0: a stream alone, which the pipe keeps in check.
  transport_window,
  /// Not zero: no request follows unless the response leads to one, and the program ends without being told.
  transport_is_last,
  /// Not zero: sending the request again has no further effect (RFC 9110 section 9.2.2).
  transport_is_idempotent,
  /// Not zero: content that has been asked for cannot be asked for again.
  transport_content_is_read_once,
  transport_last_number = transport_content_is_read_once,
};

/// An item of a request: all of its content, as bytes.
enum { transport_whole_content = 128 };

enum {
  transport_http_automatic,
  transport_http_10,
  transport_http_11,
  transport_http_2,
  transport_http_2_prior_knowledge,
};

enum {
  /// The longest frame of either side, except for a request.
  transport_longest_frame = 64 << 10,
  /// The longest request; garner sends none that is longer.
  transport_longest_request = 64 << 20,
  /// The most bytes of lines, in all heads and the trailers of one response, each with the head of its frame. Beyond it
  /// the transfer ends with CURLE_WRITE_ERROR. garner bounds each head by a quarter of it, but may look at it late.
  transport_longest_lines = 1 << 20,
  /// Content up to this length goes with the request.
  transport_longest_whole_content = 64 << 10,
  /// The most content that is asked for at a time. It fits into an empty pipe, so that the process that writes it never
  /// waits for one that waits for it.
  transport_longest_piece = 32 << 10,
  /// The longest part of a file that one frame points to.
  transport_longest_file_part = 256 << 10,
};

/// A piece of a request's content that the program needs next; in bytes.
struct transport_piece_request {
  int64_t offset;
  int64_t count;
  /// Not zero: the content has to come in bytes, because a place in a file is of no use.
  int64_t needs_bytes;
};

/// Content of a request that stands in a file; in bytes.
struct transport_file_part {
  int64_t offset;
  int64_t count;
  /// Identify the file (`stat`): another one may have its path by now.
  uint64_t device, inode;
};

/// The facts about a finished transfer. Times are in microseconds, sizes in bytes.
struct transport_report {
  /// A CURLcode.
  int32_t code;
  /// The errno of the connection that failed, or 0.
  int32_t os_error;
  /// The length that the response declares, or -1.
  int64_t content_length;
  int64_t name_lookup_time;
  int64_t connect_time;
  int64_t app_connect_time;
  int64_t pre_transfer_time;
  int64_t start_transfer_time;
  int64_t total_time;
  int64_t download_size;
  int64_t upload_size;
  int64_t header_size;
  int64_t request_size;
  int64_t download_speed;
  int64_t upload_speed;
  int64_t remote_port;
  int64_t local_port;
  int64_t connection_count;
  /// 10, 11, 20, 30, or 0 if it is not known.
  int64_t http_version;
  /// OpenSSL's number; 0 for a certificate that was verified.
  int64_t certificate_verification;
  /// The same for the certificate of an https proxy.
  int64_t proxy_certificate_verification;
  /// The status of a proxy's last answer to CONNECT; 0 if none was asked.
  int64_t tunnel_status;
  /// 0 if certificates were not asked for.
  int64_t certificate_count;
  /// Not zero: nothing follows this frame, and no more requests are taken.
  int64_t ends_program;
};

// MARK: Memory that both have mapped

// Through a pipe, large content is copied twice, in and out, by way of memory that the kernel looks for and clears each
// time. Here it is put where the next content will be put again: memory that stays in the processor's cache.

enum {
  /// Where content lies: after the struct transport_ring, in memory that is used as a ring.
  transport_ring_start = 4096,
  transport_ring_bytes = 1 << 20,
  transport_ring_size = transport_ring_start + transport_ring_bytes,
  /// The most content that one frame points to.
  transport_longest_shared = 256 << 10,
};

/// A piece of content, in bytes from transport_ring_start. It does not wrap around the end.
struct transport_place {
  uint32_t offset;
  uint32_t count;
};

/// The start of the memory. Bytes are counted from the first one, and the counts wrap around at 4 GiB.
struct transport_ring {
  /// The number of bytes that garner has taken. The number put down may be at most transport_ring_bytes more.
  uint32_t taken;
  /// The value that `taken` has to reach before the program, which sleeps on it, goes on.
  uint32_t awaited;
  uint32_t is_asleep;
  /// Whether garner takes no more.
  uint32_t is_abandoned;
};

static inline int transport_ring_has(uint32_t taken, uint32_t awaited) { return (int32_t)(taken - awaited) >= 0; }

/// garner: notes that the oldest bytes have been taken, and may be overwritten.
static inline void transport_ring_take(struct transport_ring *ring, uint32_t count) {
  uint32_t taken = __atomic_add_fetch(&ring->taken, count, __ATOMIC_SEQ_CST);
  // In this order here, and in the opposite order in transport_ring_await: one of the two sees what the other has
  // written.
  if (__atomic_load_n(&ring->is_asleep, __ATOMIC_SEQ_CST) == 0) return;
  if (transport_ring_has(taken, __atomic_load_n(&ring->awaited, __ATOMIC_SEQ_CST))) {
    syscall(SYS_futex, &ring->taken, FUTEX_WAKE, 1, NULL, NULL, 0);
  }
}

/// garner: releases the program, which may be asleep, because nothing is read any more.
static inline void transport_ring_abandon(struct transport_ring *ring) {
  __atomic_store_n(&ring->is_abandoned, 1, __ATOMIC_SEQ_CST);
  // As if everything had been taken: the value changes on which the program sleeps, or is just about to.
  transport_ring_take(ring, transport_ring_bytes);
}

/// The program: sleeps until so many bytes have been taken in all. Returns 0 if no more will be.
static inline int transport_ring_await(struct transport_ring *ring, uint32_t awaited) {
  __atomic_store_n(&ring->awaited, awaited, __ATOMIC_SEQ_CST);
  __atomic_store_n(&ring->is_asleep, 1, __ATOMIC_SEQ_CST);
  while (1) {
    uint32_t taken = __atomic_load_n(&ring->taken, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&ring->is_abandoned, __ATOMIC_SEQ_CST) != 0) return 0;
    if (transport_ring_has(taken, awaited)) break;
    syscall(SYS_futex, &ring->taken, FUTEX_WAIT, taken, NULL, NULL, 0);
  }
  __atomic_store_n(&ring->is_asleep, 0, __ATOMIC_SEQ_CST);
  return 1;
}

#endif
