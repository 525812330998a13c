#include "rate.h"

#include <limits.h>
#include <time.h>

static const int64_t second = 1000000000, millisecond = 1000000;

int64_t rate_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

bool rate_lets_pass(struct rate *rate, size_t count) {
  if (rate->limit == 0) return true;
  int64_t time = rate_clock();
  // For a piece that was offered before, the wait since then counts in full, because it may be longer than a second.
  if (!rate->knows_piece) {
    if (rate->paid_until == 0) rate->paid_until = time;
    if (rate->paid_until < time - second) rate->paid_until = time - second;
    rate->knows_piece = true;
  }
  rate->piece_due = rate->paid_until + (int64_t)count * second / rate->limit;
  rate->holds_back = rate->piece_due > time;
  return !rate->holds_back;
}

void rate_note_passed(struct rate *rate) {
  rate->paid_until = rate->piece_due;
  rate->knows_piece = false;
}

int rate_delay(const struct rate *rate) {
  if (!rate->holds_back) return INT_MAX;
  int64_t delay = (rate->piece_due - rate_clock() + millisecond - 1) / millisecond;
  return delay < 0 ? 0 : delay < INT_MAX ? (int)delay : INT_MAX;
}
