#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

// Any process can cut a mapped file short, and a full file system may have no block for a page that is written: the
// kernel then answers an access with SIGBUS. Each access here returns -EIO instead. The jump crosses only C frames.

// Volatile, because it is set for the handler, which runs between two accesses.
static _Thread_local sigjmp_buf *volatile way_back;
static struct sigaction previous;

static void leave_access(int signal) {
  if (way_back) siglongjmp(*way_back, 1);
  // The fault is not one of these accesses: it happens again after the return, as if there were no handler.
  sigaction(signal, &previous, NULL);
}

static void catch_faults(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = leave_access;
  // The jump does not restore the signal mask, so the signal must not be blocked in the handler.
  action.sa_flags = SA_NODEFER;
  sigaction(SIGBUS, &action, &previous);
}

static pthread_once_t faults_are_caught = PTHREAD_ONCE_INIT;

// Guards the code that follows: if it faults, the function returns -EIO. Every way out must pass `END_ACCESS`.
#define BEGIN_ACCESS()                             \
  sigjmp_buf here;                                 \
  pthread_once(&faults_are_caught, catch_faults);  \
  if (sigsetjmp(here, 0)) {                        \
    way_back = NULL;                               \
    return -EIO;                                   \
  }                                                \
  way_back = &here;                                \
  atomic_signal_fence(memory_order_seq_cst)
#define END_ACCESS() (atomic_signal_fence(memory_order_seq_cst), way_back = NULL)

int32_t cplatform_map_numbers(int32_t file, size_t count, int32_t may_write, int64_t **numbers) {
  int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  void *mapping = mmap(NULL, count * sizeof **numbers, PROT_READ | (may_write ? PROT_WRITE : 0), flags, file, 0);
  if (mapping == MAP_FAILED) return -errno;
  *numbers = mapping;
  return 0;
}

void cplatform_unmap_numbers(int64_t *numbers, size_t count) { munmap(numbers, count * sizeof *numbers); }

int32_t cplatform_load_numbers(const int64_t *numbers, size_t count, int64_t *loaded) {
  BEGIN_ACCESS();
  for (size_t i = 0; i < count; i++) loaded[i] = __atomic_load_n(&numbers[i], __ATOMIC_ACQUIRE);
  END_ACCESS();
  return 0;
}

// Separate from the access, because a function in which sigsetjmp may return twice keeps every number in memory.
__attribute__((noinline)) static void sum_rows(
    const int64_t *row, const int64_t *end, size_t width, uint64_t most, int64_t sums[3]) {
  unsigned __int128 first = 0, second = 0;
  int64_t summed = 0;
  for (; row < end; row += width) {
    uint64_t one = (uint64_t)__atomic_load_n(row, __ATOMIC_ACQUIRE);
    uint64_t other = (uint64_t)__atomic_load_n(row + 1, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(row + 2, __ATOMIC_ACQUIRE) == 0 || one > most || other > INT64_MAX) continue;
    first += one, second += other, summed++;
  }
  sums[0] = first > INT64_MAX ? INT64_MAX : (int64_t)first;
  sums[1] = second > INT64_MAX ? INT64_MAX : (int64_t)second;
  sums[2] = summed;
}

int32_t cplatform_sum_rows(const int64_t *rows, size_t count, size_t width, int64_t most, int64_t *sums) {
  BEGIN_ACCESS();
  sum_rows(rows, rows + count * width, width, (uint64_t)most, sums);
  END_ACCESS();
  return 0;
}

int32_t cplatform_add_number(int64_t *number, int64_t difference, int64_t *before) {
  BEGIN_ACCESS();
  *before = __atomic_fetch_add(number, difference, __ATOMIC_ACQ_REL);
  END_ACCESS();
  return 0;
}

int32_t cplatform_lower_number(int64_t *number, int64_t difference) {
  BEGIN_ACCESS();
  int64_t value = __atomic_load_n(number, __ATOMIC_ACQUIRE), lower;
  do {
    if (__builtin_sub_overflow(value, difference, &lower) || lower < 0) lower = 0;
  } while (!__atomic_compare_exchange_n(number, &value, lower, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  END_ACCESS();
  return 0;
}

int32_t cplatform_replace_number(int64_t *number, int64_t expected, int64_t desired) {
  BEGIN_ACCESS();
  int32_t is_replaced =
      __atomic_compare_exchange_n(number, &expected, desired, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  END_ACCESS();
  return is_replaced;
}
