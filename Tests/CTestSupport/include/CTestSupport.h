// Calls for the tests that Swift's view of glibc lacks.

#ifndef C_TEST_SUPPORT_H
#define C_TEST_SUPPORT_H

#include <sys/types.h>

/// accept4 and pipe2 with close-on-exec, so that another thread's child never inherits the descriptor.
int testSupportAccept(int listener);
int testSupportPipe(int ends[2]);

/// Opens a terminal with this number of columns. Output to its second end is read from the first, with a carriage
/// return before each line feed. Returns -1 on failure.
int testSupportTerminal(int columns, int ends[2]);

/// The properties that a child process starts with.
struct TestSupportChild {
  char *const *arguments;
  char *const *environment;
  const char *workingDirectory;
  int standardInput;
  /// -1 if the child has no descriptor 1.
  int standardOutput;
  int standardError;
};

/// Starts `child->arguments[0]`, which is searched for in PATH, in a process group of its own, with default signals and
/// no descriptor above 2.
///
/// Returns 0 or an error number.
int testSupportSpawn(const struct TestSupportChild *child, pid_t *processID);

/// Makes the calling thread access files as another user, without root's rights. Only root may do that.
void testSupportBeUser(uid_t user);

/// Gets or sets an extended attribute of a file, see xattr(7). Returns -1 if the attribute does not exist or is not
/// supported.
int64_t testSupportGetAttribute(const char *path, const char *name, void *bytes, size_t count);
int testSupportSetAttribute(const char *path, const char *name, const void *bytes, size_t count);

/// Returns a descriptor that becomes readable when the process has ended, or -1.
int testSupportWatchProcess(pid_t processID);

#endif
