#define _GNU_SOURCE
#include "CPlatform.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

const int32_t cplatform_O_TMPFILE = O_TMPFILE;
const int32_t cplatform_O_NOATIME = O_NOATIME;
const int32_t cplatform_SEEK_HOLE = SEEK_HOLE;

static int64_t result(int64_t value) { return value < 0 ? -errno : value; }

int32_t cplatform_openat(int32_t directory, const char *path, int32_t options, uint32_t mode) {
  return (int32_t)result(openat(directory, path, options, mode));
}

int32_t cplatform_open_beneath(int32_t directory, const char *path, int32_t options, uint32_t mode) {
  // glibc has no wrapper. The kernel refuses a mode if nothing can be created.
  struct open_how how = {
      .flags = (uint32_t)options,
      .mode = options & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? mode : 0,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
  };
  return (int32_t)result(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

/// Opens what stands for nothing: /dev/null or, where that cannot be opened, the root directory, from which nothing can
/// be read and to which nothing can be written.
static int open_nothing(int options) {
  int nothing = open("/dev/null", options);
  return nothing < 0 ? open("/", O_PATH | (options & O_CLOEXEC)) : nothing;
}

int32_t cplatform_open_nothing(int32_t options) { return (int32_t)result(open_nothing(options)); }

int32_t cplatform_dup_cloexec(int32_t descriptor) {
  // Never 0, 1 or 2, even if one of them is free.
  return (int32_t)result(fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

int32_t cplatform_allocate(int32_t descriptor, int64_t count) {
  return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, count) < 0 ? -errno : 0;
}

int32_t cplatform_dup_inherited(int32_t descriptor) {
  int flags = fcntl(descriptor, F_GETFD);
  if (flags >= 0 && flags & FD_CLOEXEC) return -EBADF;
  return (int32_t)result(flags < 0 ? flags : fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
}

int32_t cplatform_is_open(int32_t descriptor) { return fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF; }

static int32_t set_ofd_lock(int32_t descriptor, short kind, int64_t start, int64_t length) {
  // l_pid must be 0 for these locks.
  struct flock lock = {.l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  return (int32_t)result(fcntl(descriptor, F_OFD_SETLK, &lock));
}

int32_t cplatform_ofd_lock(int32_t descriptor, int64_t start, int64_t length) {
  return set_ofd_lock(descriptor, F_WRLCK, start, length);
}

int32_t cplatform_ofd_unlock(int32_t descriptor, int64_t start, int64_t length) {
  return set_ofd_lock(descriptor, F_UNLCK, start, length);
}

int32_t cplatform_lock_whole(int32_t descriptor) { return (int32_t)result(flock(descriptor, LOCK_EX | LOCK_NB)); }

int32_t cplatform_wait_writable(int32_t descriptor) {
  struct pollfd waiting = {.fd = descriptor, .events = POLLOUT};
  return (int32_t)result(poll(&waiting, 1, -1));
}

int32_t cplatform_wait_readable(int32_t descriptor, int32_t other, int32_t milliseconds) {
  struct pollfd waiting[] = {{.fd = descriptor, .events = POLLIN}, {.fd = other, .events = POLLIN}};
  return poll(waiting, 2, milliseconds) < 0 ? -errno : waiting[0].revents != 0;
}

int32_t cplatform_bell(void) { return (int32_t)result(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int32_t cplatform_pipe(int32_t ends[2]) { return (int32_t)result(pipe2(ends, O_CLOEXEC)); }

int64_t cplatform_splice(int32_t from, int64_t *offset, int32_t to, size_t count) {
  return result(splice(from, offset, to, NULL, count, SPLICE_F_MORE));
}

int32_t cplatform_set_pipe_size(int32_t pipe, int32_t bytes) {
  return (int32_t)result(fcntl(pipe, F_SETPIPE_SZ, bytes));
}

int32_t cplatform_touch(int32_t descriptor) {
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
  return (int32_t)result(futimens(descriptor, times));
}

int32_t cplatform_set_modified(int32_t descriptor, int64_t seconds) {
  const struct timespec times[2] = {{.tv_sec = (time_t)seconds}, {.tv_sec = (time_t)seconds}};
  return (int32_t)result(futimens(descriptor, times));
}

int32_t cplatform_rename_to_free(int32_t directory, const char *name, int32_t target, const char *free_name) {
  return (int32_t)result(renameat2(directory, name, target, free_name, RENAME_NOREPLACE));
}

int32_t cplatform_is_writable(int32_t directory, const char *path) {
  if (faccessat(directory, path, W_OK, AT_EACCESS) == 0) return true;
  // Some containers forbid calls that they do not know (faccessat2). The older call checks the rights of the real user.
  return errno == EPERM && geteuid() == getuid() && syscall(SYS_faccessat, directory, path, W_OK) == 0;
}

static const char access_list[] = "system.posix_acl_access";

int64_t cplatform_get_access_list(int32_t descriptor, void *bytes, int64_t count) {
  return result(fgetxattr(descriptor, access_list, bytes, (size_t)count));
}

int32_t cplatform_set_access_list(int32_t descriptor, const void *bytes, int64_t count) {
  return (int32_t)result(fsetxattr(descriptor, access_list, bytes, (size_t)count, 0));
}

int32_t cplatform_remove_access_list(int32_t descriptor) {
  return (int32_t)result(fremovexattr(descriptor, access_list));
}

int32_t cplatform_link_unnamed(int32_t descriptor, int32_t directory, const char *name) {
  // Before Linux 6.10, a process without CAP_DAC_READ_SEARCH gets ENOENT and has to go by way of /proc (open(2)).
  static atomic_bool is_refused;
  if (!is_refused && linkat(descriptor, "", directory, name, AT_EMPTY_PATH) == 0) return 0;
  if (!is_refused && errno != ENOENT) return -errno;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  if (linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) < 0) return -errno;
  is_refused = true;
  return 0;
}

int64_t cplatform_random(void *bytes, size_t count) { return result(getrandom(bytes, count, 0)); }

int32_t cplatform_terminal_width(int32_t descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) < 0 ? -errno : size.ws_col;
}

int32_t cplatform_may_draw(int32_t descriptor) {
  pid_t foreground = tcgetpgrp(descriptor);
  return foreground < 0 || foreground == getpgrp();
}

int32_t cplatform_usable_processors(void) {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  // The set holds 1,024 processors: on a machine with more, the call fails, and all count as usable.
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int32_t)count : 1;
}

int32_t cplatform_limit_arenas(int32_t most) { return mallopt(M_ARENA_MAX, most) ? 0 : -1; }

int32_t cplatform_error(void) { return errno; }

char **cplatform_environment(void) { return environ; }

int32_t cplatform_file_type(uint32_t mode) { return IFTODT(mode); }

int64_t cplatform_own_executable(char *path) {
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length >= 0) return length;
  int error = errno;
  // Without /proc, the path is the one given to the kernel by the process that started this one, which may have fewer
  // rights.
  const char *name = (const char *)getauxval(AT_EXECFN);
  if (name == NULL || getauxval(AT_SECURE) != 0 || realpath(name, path) == NULL) return -error;
  return (int64_t)strlen(path);
}

int32_t cplatform_is_secure_execution(void) { return getauxval(AT_SECURE) != 0; }

const char *cplatform_error_words(int32_t error) { return strerrordesc_np(error); }

int64_t cplatform_directory_entries(int32_t directory, void *buffer, size_t size) {
  return result(getdents64(directory, buffer, size));
}

/// Closes all descriptors: a process that waits for the end of a pipe, or for a lock, waits until no process holds it.
static void drop_descriptors(void) {
  int nothing = open_nothing(O_RDWR | O_CLOEXEC);
  for (int stream = 0; stream < 3; stream++) {
    if (nothing < 0 || dup2(nothing, stream) < 0) close(stream);
  }
  // Before Linux 5.9, there is no such call, and the other descriptors stay open.
  close_range(3, ~0U, 0);
}

/// Stops ignoring SIGCHLD, which this process may have inherited: a process that ignores it is not told how children
/// end.
static void heed_children(void) { signal(SIGCHLD, SIG_DFL); }

int32_t cplatform_detach(uint32_t limit_seconds) {
  heed_children();
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child > 0) {
    // The child ends at once, and leaves its own child to the system.
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -EAGAIN;
  }
  drop_descriptors();
  setsid();
  pid_t worker = fork();
  if (worker != 0) _exit(worker < 0);
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
  sigset_t heeded;
  sigemptyset(&heeded);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    signal(signals[i], SIG_DFL);
    sigaddset(&heeded, signals[i]);
  }
  // The program that has started this one may have blocked them.
  sigprocmask(SIG_UNBLOCK, &heeded, NULL);
  alarm(limit_seconds);
  return 1;
}

/// How another program is started.
struct start {
  const char *path;
  char *const *words, *const *environment;
  int input, output, errors;
  /// The signals that are blocked in the program.
  sigset_t blocked;
  /// Whether the program gets its own process group, and the default action for signals that this process ignores or
  /// notes.
  bool is_apart;
};

static void become(const struct start *start) {
  const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
  for (size_t i = 0; start->is_apart && i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
  sigprocmask(SIG_SETMASK, &start->blocked, NULL);
  if (start->is_apart && setpgid(0, 0) < 0) return;
  if (dup2(start->input, STDIN_FILENO) < 0 || dup2(start->output, STDOUT_FILENO) < 0) return;
  if (dup2(start->errors, STDERR_FILENO) < 0) return;
  execve(start->path, start->words, start->environment);
}

/// Starts a program. Returns the number of the process, or a negative errno.
///
/// `posix_spawn` does the same, but resets the handlers of all 64 signals, so that none runs in the child while that
/// shares this process's memory; that is half of what it costs. Here only SIGINT, SIGTERM and SIGHUP have handlers, and
/// they are blocked in the child, or reset.
static int32_t start(const struct start *start) {
  heed_children();
  volatile int error = 0;
  sigset_t all, usual;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &usual);
  pid_t child = vfork();
  if (child == 0) {
    become(start);
    error = errno;
    _exit(127);
  }
  if (child < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &usual, NULL);
  if (error == 0) return child;
  if (child > 0) cplatform_wait(child);
  return -error;
}

int32_t cplatform_spawn(
    const char *path, const char *argument, const char *variable, int32_t input, int32_t output) {
  size_t count = 0;
  while (environ[count] != NULL) count++;
  char **environment = malloc((count + 2) * sizeof *environment);
  if (environment == NULL) return -ENOMEM;
  environment[0] = (char *)variable;
  memcpy(environment + 1, environ, (count + 1) * sizeof *environment);
  struct start program = {
      .path = path,
      .words = (char *const[]){(char *)path, (char *)argument, NULL},
      .environment = environment,
      .input = input,
      .output = output,
      .errors = output,
  };
  // This process notes the signals that end it, and then tells the program to end: the program must not end before
  // that.
  sigemptyset(&program.blocked);
  sigaddset(&program.blocked, SIGINT);
  sigaddset(&program.blocked, SIGTERM);
  sigaddset(&program.blocked, SIGHUP);
  int32_t child = start(&program);
  free(environment);
  return child;
}

int32_t cplatform_memory_file(const uint8_t *name) {
  return (int32_t)result(memfd_create((const char *)name, MFD_CLOEXEC));
}

int32_t cplatform_timer(uint64_t milliseconds) {
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (timer < 0) return -errno;
  struct itimerspec once = {
      .it_value = {.tv_sec = (time_t)(milliseconds / 1000), .tv_nsec = (long)(milliseconds % 1000) * 1000000}};
  if (timerfd_settime(timer, 0, &once, NULL) == 0) return timer;
  int error = errno;
  close(timer);
  return -error;
}

int32_t cplatform_watch_process(int32_t process) {
  // glibc has a wrapper since 2.36 only.
  return (int32_t)result(syscall(SYS_pidfd_open, process, 0));
}

int32_t cplatform_spawn_shell(const char *command, char *const *environment, int32_t input, int32_t output,
                              int32_t errors) {
  struct start shell = {
      .path = "/bin/sh",
      .words = (char *const[]){"sh", "-c", (char *)command, NULL},
      .environment = environment,
      .input = input,
      .output = output,
      .errors = errors,
      .is_apart = true,
  };
  sigemptyset(&shell.blocked);
  return start(&shell);
}

void cplatform_await_end(int32_t child) {
  siginfo_t ending;
  while (waitid(P_PID, (id_t)child, &ending, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
}

int32_t cplatform_wait(int32_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return status;
}
