#ifndef RATE_H
#define RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The rate at which content of a response is passed on. libcurl's own limit lets everything pass that comes within a
/// moment, however much it is.
struct rate {
  /// In bytes per second; 0 for no limit.
  int64_t limit;
  /// When everything that has passed would have passed at that rate, and when the next piece would, in nanoseconds of
  /// the monotonic clock; 0 if no piece has come.
  int64_t paid_until, piece_due;
  /// Whether libcurl has offered the next piece before, and whether the rate holds it back.
  bool knows_piece, holds_back;
};

/// Returns the nanoseconds of the monotonic clock, since an unspecified moment.
int64_t rate_clock(void);

/// Returns whether a piece of so many bytes may pass now; otherwise it is held back. At any time, no more has passed
/// than the rate allows since the first piece came. If the origin was slower, at most a second's worth is made up
/// for.
bool rate_lets_pass(struct rate *rate, size_t count);

/// Notes that the piece has passed.
void rate_note_passed(struct rate *rate);

/// Returns how long a piece is still to be held back, in milliseconds, rounded up; INT_MAX if none is.
int rate_delay(const struct rate *rate);

#endif
