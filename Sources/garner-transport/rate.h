#ifndef RATE_H
#define RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The rate at which content of a response is passed on. libcurl's own lets pass what comes within a moment, however
/// much it is.
struct rate {
  /// In bytes a second; 0 for as fast as it comes.
  int64_t limit;
  /// When what has passed might have at that rate, and the piece that comes next, in nanoseconds of the clock that
  /// nobody sets; 0 where none has come.
  int64_t paid_until, piece_due;
  /// Whether the piece that comes next has been asked for, and whether it is held back.
  bool knows_piece, holds_back;
};

/// Nanoseconds since some moment before, by the clock that nobody sets.
int64_t rate_clock(void);

/// Whether a piece of so many bytes may pass now; it is held back else. At any time, no more has passed than the rate
/// allows since the first piece came; of what an origin was too slow for, a second's worth is caught up with.
bool rate_lets_pass(struct rate *rate, size_t count);

/// Notes that the piece has passed.
void rate_note_passed(struct rate *rate);

/// How long a piece is still to be held back, in milliseconds, rounded up; INT_MAX where none is.
int rate_delay(const struct rate *rate);

#endif
