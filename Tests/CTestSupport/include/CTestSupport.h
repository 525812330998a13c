// Calls that Swift's view of glibc lacks, for the test bench.

#ifndef C_TEST_SUPPORT_H
#define C_TEST_SUPPORT_H

#include <sys/types.h>

/// accept4 and pipe2 with close-on-exec: without a moment in which another thread's child inherits the descriptor.
int testSupportAccept(int listener);
int testSupportPipe(int ends[2]);

/// A terminal of so many columns: what is written to its second end is read from the first, but that a line feed comes
/// with a carriage return. Returns -1 where there is none.
int testSupportTerminal(int columns, int ends[2]);

/// What a child begins with.
struct TestSupportChild {
  char *const *arguments;
  char *const *environment;
  const char *workingDirectory;
  int standardInput;
  /// -1: the child has no descriptor 1.
  int standardOutput;
  int standardError;
};

/// Starts `child->arguments[0]`, sought in PATH, in a process group of its own, with default signals and no
/// descriptor above 2.
///
/// Returns 0 or an error number.
int testSupportSpawn(const struct TestSupportChild *child, pid_t *processID);

/// Makes the calling thread another user for what it does to files, without root's rights there; root alone may.
void testSupportBeUser(uid_t user);

/// Of a file's extended attribute (xattr(7)); -1 where there is none, or the file system has none.
int64_t testSupportGetAttribute(const char *path, const char *name, void *bytes, size_t count);
int testSupportSetAttribute(const char *path, const char *name, const void *bytes, size_t count);

/// A descriptor that becomes readable when the process has ended, or -1.
int testSupportWatchProcess(pid_t processID);

#endif
