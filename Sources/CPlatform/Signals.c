#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static atomic_int pending_signal;
/// When the pending signal came, in milliseconds of the monotonic clock; 0 if none has come.
static atomic_llong pending_time;
_Static_assert(
    ATOMIC_INT_LOCK_FREE == 2 && ATOMIC_LLONG_LOCK_FREE == 2,
    "a signal handler may only touch lock-free atomics");

// How long, in milliseconds, a further signal counts as the same one: a terminal and a wrapper may both send one, and a
// user who presses the key twice must not lose what is being put away meanwhile.
static const long long grace = 500;

static long long milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
static const size_t ending_count = sizeof ending_signals / sizeof *ending_signals;

static void note_signal(int number);

/// Makes the noted signals restart the calls that they interrupt.
static void interrupt_no_more(void) {
  for (size_t i = 0; i < ending_count; i++) {
    struct sigaction action;
    if (sigaction(ending_signals[i], NULL, &action) < 0 || action.sa_handler != note_signal) continue;
    action.sa_flags |= SA_RESTART;
    sigaction(ending_signals[i], &action, NULL);
  }
}

static void note_signal(int number) {
  int error = errno;
  long long now = milliseconds_now(), first = 0;
  if (atomic_compare_exchange_strong(&pending_time, &first, now)) {
    atomic_store(&pending_signal, number);
    // A further signal must not interrupt what is done about this one.
    interrupt_no_more();
  } else if (now - first >= grace) {
    // The raised signal is delivered when this function returns.
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

int32_t cplatform_pending_signal(void) { return atomic_load_explicit(&pending_signal, memory_order_relaxed); }

void cplatform_note_signals(void) {
  for (size_t i = 0; i < ending_count; i++) {
    // Without SA_RESTART: a blocked write returns EINTR, and its loop looks at the flag.
    struct sigaction action = {.sa_handler = note_signal}, previous;
    if (sigaction(ending_signals[i], &action, &previous) < 0 || previous.sa_handler != SIG_IGN) continue;
    // A signal that was ignored when the process started (nohup, a background job) stays ignored, and one that has come
    // in between is forgotten. Asking first would cost one more call for each signal in nearly every run.
    sigaction(ending_signals[i], &previous, NULL);
    int noted = ending_signals[i];
    if (atomic_compare_exchange_strong(&pending_signal, &noted, 0)) atomic_store(&pending_time, 0);
  }
}

void cplatform_ignore_signals(void) {
  // Writing then fails with EPIPE or EFBIG, which is reported like any other failure.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

_Noreturn void cplatform_reraise(int32_t number) {
  signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  sigprocmask(SIG_UNBLOCK, &only, NULL);
  raise(number);
  _exit(128 + number);
}
