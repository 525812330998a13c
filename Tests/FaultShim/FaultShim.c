#define _GNU_SOURCE
#include "FaultShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The function that the program would have called without this library.
#define REAL(name)                                             \
  ({                                                           \
    static __typeof__(&name) found;                            \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    found;                                                     \
  })

enum kind { KIND_NONE, KILL_BEFORE, KILL_AFTER, FAIL, LOST, SHORT, BYTE, INTERRUPT, SIGNAL };

static const char *const kind_names[] = {"none", "kill-before", "kill-after", "fail", "lost", "short", "byte",
                                         "interrupt", "signal"};

// A program with a few open files uses no descriptor above these numbers.
enum { DESCRIPTORS = 1024, LOG_DESCRIPTOR = 700 };

static struct {
  bool is_on;
  char store[4096];
  size_t store_length;
  int log;
  enum kind kind;
  int number;
  // The name of the function whose calls are counted; empty for all functions.
  char name[32];
  int error;
  bool lasts;
  // Whether the fault lasts for the calls of that name only.
  bool is_of_name;
  // The end of the paths whose calls are meant; NULL for all calls, also those without a path.
  const char *path_end;
} plan;

static _Thread_local const char *current_path;

static atomic_int call_count;
static atomic_int interrupt_count;
static atomic_int named_count;
static atomic_bool is_logged;
// Which descriptors belong to the store.
static _Atomic unsigned char concerns[DESCRIPTORS];

static bool is_garner(void) {
  char path[4096];
  ssize_t count = readlink("/proc/self/exe", path, sizeof path - 1);
  if (count < 0) return false;
  path[count] = 0;
  const char *name = strrchr(path, '/');
  return name && strcmp(name, "/garner") == 0;
}

__attribute__((constructor)) static void read_plan(void) {
  const char *store = getenv("GARNER_FAULT_STORE");
  const char *log = getenv("GARNER_FAULT_LOG");
  const char *text = getenv("GARNER_FAULT_PLAN");
  if (!store || !log || !is_garner() || strlen(store) >= sizeof plan.store) return;
  strcpy(plan.store, store);
  plan.store_length = strlen(store);
  int opened = REAL(open)(log, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (opened < 0) return;
  plan.log = REAL(fcntl)(opened, F_DUPFD_CLOEXEC, LOG_DESCRIPTOR);
  REAL(close)(opened);
  flock(plan.log, LOCK_SH);
  char kind[16] = "none";
  int lasts = 0;
  if (text && sscanf(text, "%31[a-z0-9_+]:%d %15s %d %d", plan.name, &plan.number, kind, &plan.error, &lasts) < 2) {
    plan.name[0] = 0;
    sscanf(text, "%d %15s %d %d", &plan.number, kind, &plan.error, &lasts);
  }
  for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++) {
    if (strcmp(kind, kind_names[i]) == 0) plan.kind = (enum kind)i;
  }
  plan.lasts = lasts != 0;
  plan.is_of_name = lasts == 2;
  plan.path_end = getenv("GARNER_FAULT_PATH");
  plan.is_on = true;
}

// MARK: What concerns the store

static bool is_tracked(int descriptor) {
  current_path = NULL;
  return plan.is_on && descriptor >= 0 && descriptor < DESCRIPTORS && concerns[descriptor];
}

static int track(int descriptor, bool concerned) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) concerns[descriptor] = concerned;
  return descriptor;
}

static bool is_prefix(const char *prefix, size_t length, const char *path) {
  return strncmp(prefix, path, length) == 0 && (path[length] == 0 || path[length] == '/');
}

// A path in the store, or the store itself.
static bool is_stored(int directory, const char *path) {
  if (!plan.is_on || !path) return false;
  bool is_below = path[0] == '/' ? is_prefix(plan.store, plan.store_length, path) : is_tracked(directory);
  current_path = path;
  return is_below;
}

// A path in the store, the store itself, or a directory that leads to it.
static bool leads_to_store(int directory, const char *path) {
  if (is_stored(directory, path)) return true;
  return plan.is_on && path && path[0] == '/' && path[1] && is_prefix(path, strlen(path), plan.store);
}

// Whether the program itself makes the call: libraries take random numbers, too.
static bool is_program(void *caller) {
  static void *program;
  Dl_info information;
  if (!program && dladdr((void *)getauxval(AT_PHDR), &information)) program = information.dli_fbase;
  return plan.is_on && dladdr(caller, &information) && information.dli_fbase == program;
}

// MARK: One call

struct turn {
  // How many bytes the call may move.
  size_t count;
  bool is_meant;
  // The call is not carried out, and errno has the error.
  bool fails;
};

static void note(const char *format, ...) {
  char line[128];
  va_list values;
  va_start(values, format);
  int count = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (REAL(write)(plan.log, line, (size_t)count) != count) abort();
}

static struct turn begin(const char *name, size_t count) {
  int saved = errno;
  int number = atomic_fetch_add(&call_count, 1) + 1;
  struct turn turn = {.count = count};
  const char *found = plan.path_end && current_path ? strstr(current_path, plan.path_end) : NULL;
  if (plan.path_end && (!found || strcmp(found, plan.path_end) != 0)) return turn;
  if (plan.kind == KIND_NONE) {
    note("%d %s %zu\n", number, name, count);
    errno = saved;
    return turn;
  }
  int counted = number;
  if (plan.name[0]) {
    bool is_named = strcmp(plan.name, name) == 0;
    bool follows = plan.lasts && !plan.is_of_name;
    counted = is_named ? atomic_fetch_add(&named_count, 1) + 1 : follows ? atomic_load(&named_count) : 0;
  }
  turn.is_meant = plan.lasts ? counted >= plan.number : counted == plan.number;
  if (!turn.is_meant) return turn;
  if (!atomic_exchange(&is_logged, true)) note("%d %s %d\n", number, name, getpid());
  errno = saved;
  switch (plan.kind) {
  case KILL_BEFORE:
    kill(getpid(), SIGKILL);
    break;
  case FAIL:
    errno = plan.error;
    turn.fails = true;
    break;
  case SHORT:
    if (count > 1) turn.count = count / 2;
    break;
  case BYTE:
    if (count > 1) turn.count = 1;
    break;
  case INTERRUPT:
    if (plan.lasts && atomic_fetch_add(&interrupt_count, 1) % 2) break;
    errno = EINTR;
    turn.fails = true;
    break;
  case SIGNAL:
    kill(getpid(), plan.error);
    break;
  case KILL_AFTER:
  case LOST:
  case KIND_NONE:
    break;
  }
  return turn;
}

static long end(struct turn turn, long result) {
  if (!turn.is_meant) return result;
  if (plan.kind == KILL_AFTER) kill(getpid(), SIGKILL);
  if (plan.kind != LOST || result < 0) return result;
  errno = plan.error;
  return -1;
}

// MARK: The calls

#define INTERCEPT(type, name, parameters, is_concerned, ...)   \
  type name parameters {                                       \
    if (!(is_concerned)) return REAL(name)(__VA_ARGS__);       \
    struct turn turn = begin(#name, 0);                        \
    if (turn.fails) return -1;                                 \
    return (type)end(turn, (long)REAL(name)(__VA_ARGS__));     \
  }

// The parameter for the number of bytes must be called `count`.
#define INTERCEPT_TRANSFER(name, parameters, is_concerned, ...) \
  ssize_t name parameters {                                    \
    if (!(is_concerned)) return REAL(name)(__VA_ARGS__);       \
    struct turn turn = begin(#name, count);                    \
    if (turn.fails) return -1;                                 \
    count = turn.count;                                        \
    return end(turn, REAL(name)(__VA_ARGS__));                 \
  }

INTERCEPT_TRANSFER(read, (int file, void *bytes, size_t count), is_tracked(file), file, bytes, count)
INTERCEPT_TRANSFER(
    pread, (int file, void *bytes, size_t count, off_t offset), is_tracked(file), file, bytes, count, offset)
INTERCEPT_TRANSFER(write, (int file, const void *bytes, size_t count), is_tracked(file), file, bytes, count)
INTERCEPT_TRANSFER(
    pwrite, (int file, const void *bytes, size_t count, off_t offset), is_tracked(file), file, bytes, count, offset)
INTERCEPT_TRANSFER(
    splice, (int from, off64_t *start, int to, off64_t *offset, size_t count, unsigned flags),
    is_tracked(from) || is_tracked(to), from, start, to, offset, count, flags)
INTERCEPT_TRANSFER(
    copy_file_range, (int from, off64_t *start, int to, off64_t *offset, size_t count, unsigned flags),
    is_tracked(from) || is_tracked(to), from, start, to, offset, count, flags)
INTERCEPT_TRANSFER(
    sendfile, (int to, int from, off_t *offset, size_t count), is_tracked(from) || is_tracked(to), to, from, offset,
    count)
INTERCEPT_TRANSFER(
    getrandom, (void *bytes, size_t count, unsigned flags), is_program(__builtin_return_address(0)), bytes, count,
    flags)

INTERCEPT(int, fstat, (int file, struct stat *status), is_tracked(file), file, status)
INTERCEPT(
    int, fstatat, (int directory, const char *path, struct stat *status, int flags), leads_to_store(directory, path),
    directory, path, status, flags)
INTERCEPT(
    int, faccessat, (int directory, const char *path, int mode, int flags), is_stored(directory, path), directory, path,
    mode, flags)
INTERCEPT(
    int, mkdirat, (int directory, const char *path, mode_t mode), leads_to_store(directory, path), directory, path,
    mode)
INTERCEPT(
    int, unlinkat, (int directory, const char *path, int flags), is_stored(directory, path), directory, path, flags)
INTERCEPT(
    int, renameat, (int from, const char *old, int to, const char *new), is_stored(from, old) || is_stored(to, new),
    from, old, to, new)
INTERCEPT(
    int, renameat2, (int from, const char *old, int to, const char *new, unsigned flags),
    is_stored(from, old) || is_stored(to, new), from, old, to, new, flags)
INTERCEPT(
    int, linkat, (int from, const char *old, int to, const char *new, int flags),
    is_stored(from, old) || is_stored(to, new), from, old, to, new, flags)
INTERCEPT(
    ssize_t, readlinkat, (int directory, const char *path, char *text, size_t size), is_stored(directory, path),
    directory, path, text, size)
INTERCEPT(int, fchmod, (int file, mode_t mode), is_tracked(file), file, mode)
INTERCEPT(
    int, fchmodat, (int directory, const char *path, mode_t mode, int flags), leads_to_store(directory, path),
    directory, path, mode, flags)
INTERCEPT(int, futimens, (int file, const struct timespec times[2]), is_tracked(file), file, times)
INTERCEPT(
    int, utimensat, (int directory, const char *path, const struct timespec times[2], int flags),
    is_stored(directory, path), directory, path, times, flags)
INTERCEPT(int, fsync, (int file), is_tracked(file), file)
INTERCEPT(int, fdatasync, (int file), is_tracked(file), file)
INTERCEPT(int, ftruncate, (int file, off_t length), is_tracked(file), file, length)
INTERCEPT(
    int, fallocate, (int file, int mode, off_t offset, off_t length), is_tracked(file), file, mode, offset, length)
INTERCEPT(
    ssize_t, getdents64, (int directory, void *buffer, size_t size), is_tracked(directory), directory, buffer, size)

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (!is_tracked(file)) return REAL(mmap)(address, length, protection, flags, file, offset);
  struct turn turn = begin("mmap", 0);
  if (turn.fails) return MAP_FAILED;
  return (void *)end(turn, (long)REAL(mmap)(address, length, protection, flags, file, offset));
}

// The descriptor is free in any case, also where the call fails.
int close(int file) {
  if (!is_tracked(file)) return REAL(close)(file);
  struct turn turn = begin("close", 0);
  int error = errno;
  track(file, false);
  int result = REAL(close)(file);
  if (turn.fails) {
    errno = error;
    return -1;
  }
  return (int)end(turn, result);
}

// When the reply of the call is lost, the descriptor stays open, as it would with a file server.
static int opened(struct turn turn, int file, bool concerned) { return (int)end(turn, track(file, concerned)); }

#define MODE_BEHIND(last, flags)                          \
  ({                                                      \
    mode_t mode = 0;                                      \
    if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
      va_list values;                                     \
      va_start(values, last);                             \
      mode = va_arg(values, mode_t);                      \
      va_end(values);                                     \
    }                                                     \
    mode;                                                 \
  })

int open(const char *path, int flags, ...) {
  mode_t mode = MODE_BEHIND(flags, flags);
  if (!is_stored(AT_FDCWD, path)) return track(REAL(open)(path, flags, mode), false);
  struct turn turn = begin("open", 0);
  return turn.fails ? -1 : opened(turn, REAL(open)(path, flags, mode), true);
}

int openat(int directory, const char *path, int flags, ...) {
  mode_t mode = MODE_BEHIND(flags, flags);
  if (!is_stored(directory, path)) return track(REAL(openat)(directory, path, flags, mode), false);
  struct turn turn = begin(flags & O_CREAT ? "openat+create" : "openat", 0);
  return turn.fails ? -1 : opened(turn, REAL(openat)(directory, path, flags, mode), true);
}

long syscall(long number, ...) {
  va_list values;
  va_start(values, number);
  long arguments[6];
  for (int i = 0; i < 6; i++) arguments[i] = va_arg(values, long);
  va_end(values);
  int directory = (int)arguments[0];
  bool opens = number == SYS_openat2;
  bool concerned = opens && is_stored(directory, (const char *)arguments[1]);
  struct turn turn = {0};
  if (concerned) {
    const struct open_how *how = (const struct open_how *)arguments[2];
    turn = begin(how->flags & O_CREAT ? "openat2+create" : "openat2", 0);
    if (turn.fails) return -1;
  }
  long result = REAL(syscall)(
      number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  return opens ? opened(turn, (int)result, concerned) : result;
}

// Keeps the log open: its lock tells a process that waits for this one's end that it still runs.
int close_range(unsigned int first, unsigned int last, int flags) {
  if (!plan.is_on || (unsigned int)plan.log < first || (unsigned int)plan.log > last) {
    return REAL(close_range)(first, last, flags);
  }
  for (int file = (int)first; file < DESCRIPTORS; file++) track(file, false);
  int result = REAL(close_range)(first, (unsigned int)plan.log - 1, flags);
  return result < 0 ? result : REAL(close_range)((unsigned int)plan.log + 1, last, flags);
}

static bool is_lock(int command) {
  return command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_SETLK || command == F_SETLKW;
}

int fcntl(int file, int command, ...) {
  va_list values;
  va_start(values, command);
  void *argument = va_arg(values, void *);
  va_end(values);
  bool duplicates = command == F_DUPFD || command == F_DUPFD_CLOEXEC;
  bool concerned = is_tracked(file);
  if (!concerned || !(duplicates || is_lock(command))) {
    int result = REAL(fcntl)(file, command, argument);
    return duplicates ? track(result, false) : result;
  }
  struct turn turn = begin(duplicates ? "fcntl+duplicate" : "fcntl+lock", 0);
  if (turn.fails) return -1;
  int result = REAL(fcntl)(file, command, argument);
  return duplicates ? opened(turn, result, true) : (int)end(turn, result);
}

int dup2(int file, int other) { return track(REAL(dup2)(file, other), is_tracked(file)); }
