#ifndef CHANNEL_H
#define CHANNEL_H

#include <CTransport.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The two pipes to garner: frames come on descriptor 0 and go out on descriptor 1. When either breaks, there is nobody
// to work for, and the process ends.

enum { channel_input = 0, channel_output = 1 };

struct channel_frame {
  uint32_t stream;
  uint16_t kind;
  uint32_t length;
  /// Valid until the next call of channel_receive or channel_next.
  const uint8_t *payload;
};

/// Waits for input, unless the caller knows that there is some, and reads it.
void channel_receive(void);

/// Gets the next frame, if all of it has come; returns whether it has.
bool channel_next(struct channel_frame *frame);

/// Queues a frame for sending; if there is no room, sends the queued ones first.
void channel_send(uint32_t stream, uint16_t kind, const void *bytes, size_t count);

/// As `channel_send` of content, which goes through shared memory if there is some.
void channel_send_content(uint32_t stream, const void *bytes, size_t count);

/// Starts to use memory that garner shares, if it can be mapped.
void channel_share(const uint8_t *path, size_t count);

/// Sends what is queued. Blocks for as long as garner does not read, which is what bounds memory.
void channel_flush(void);

/// Ends the process at once, with one of the statuses of CTransport.h.
_Noreturn void channel_break(int status);

#endif
