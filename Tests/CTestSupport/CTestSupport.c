#define _GNU_SOURCE
#include "CTestSupport.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/// Ignores SIGPIPE, as garner itself does, because code in this process writes to programs that have ended.
__attribute__((constructor)) static void ignoreBrokenPipes(void) { signal(SIGPIPE, SIG_IGN); }

/// Ignores the proxies and authorities of the user who runs the tests: garner-transport, and libcurl in it, inherits
/// the environment of this process.
__attribute__((constructor)) static void forgetProxies(void) {
  static const char *const names[] = {"http_proxy", "https_proxy",   "HTTPS_PROXY",  "all_proxy",      "ALL_PROXY",
                                      "no_proxy",   "NO_PROXY",      "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE"};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) unsetenv(names[index]);
}

int testSupportAccept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int testSupportPipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int testSupportTerminal(int columns, int ends[2]) {
  ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64];
  if (ends[0] < 0 || unlockpt(ends[0]) != 0 || ptsname_r(ends[0], name, sizeof name) != 0) return -1;
  ends[1] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct winsize size = {.ws_row = 24, .ws_col = (unsigned short)columns};
  return ends[1] < 0 ? -1 : ioctl(ends[1], TIOCSWINSZ, &size);
}

void testSupportBeUser(uid_t user) { setfsuid(user); }

int testSupportWatchProcess(pid_t processID) { return (int)syscall(SYS_pidfd_open, processID, 0); }

int testSupportSpawn(const struct TestSupportChild *child, pid_t *processID) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child->standardInput, 0);
  if (child->standardOutput >= 0) {
    posix_spawn_file_actions_adddup2(&actions, child->standardOutput, 1);
  } else {
    posix_spawn_file_actions_addclose(&actions, 1);
  }
  posix_spawn_file_actions_adddup2(&actions, child->standardError, 2);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  posix_spawn_file_actions_addchdir_np(&actions, child->workingDirectory);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);

  int status =
      posix_spawnp(processID, child->arguments[0], &actions, &attributes, child->arguments, child->environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status;
}

int64_t testSupportGetAttribute(const char *path, const char *name, void *bytes, size_t count) {
  return getxattr(path, name, bytes, count);
}

int testSupportSetAttribute(const char *path, const char *name, const void *bytes, size_t count) {
  return setxattr(path, name, bytes, count, 0);
}
