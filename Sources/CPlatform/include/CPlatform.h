#ifndef CPLATFORM_H
#define CPLATFORM_H

// Parts of Linux that Swift cannot see: variadic calls, calls behind _GNU_SOURCE, constants that are macros.
// Calls return a result >= 0 or a negated errno, so that nothing stands between a failure and its reason.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern const int32_t cplatform_O_TMPFILE;
extern const int32_t cplatform_O_NOATIME;
extern const int32_t cplatform_SEEK_HOLE;

/// Reserves disk space for so many bytes of a file, whose size stays (fallocate); a negative errno if there is none.
int32_t cplatform_allocate(int32_t descriptor, int64_t count);

int32_t cplatform_openat(int32_t directory, const char *path, int32_t options, uint32_t mode);
// Follows no symbolic link in any component, and does not leave the directory; -ENOSYS if the kernel cannot do that.
int32_t cplatform_open_beneath(int32_t directory, const char *path, int32_t options, uint32_t mode);
// Opens /dev/null, or something else that takes and yields nothing. Other programs inherit it.
int32_t cplatform_open_nothing(int32_t options);
// Returns another number, 3 or above, for the same open file; closed on exec.
int32_t cplatform_dup_cloexec(int32_t descriptor);
// -EBADF for a descriptor that this process has opened itself: all of those are closed on exec.
int32_t cplatform_dup_inherited(int32_t descriptor);
int32_t cplatform_is_open(int32_t descriptor);

// Open-file-description locks: they belong to the description, not to the process, and end with its last descriptor.
int32_t cplatform_ofd_lock(int32_t descriptor, int64_t start, int64_t length);
int32_t cplatform_ofd_unlock(int32_t descriptor, int64_t start, int64_t length);
// flock(2), which also locks a descriptor that is open only for reading.
int32_t cplatform_lock_whole(int32_t descriptor);

// Waits until the descriptor takes more bytes.
int32_t cplatform_wait_writable(int32_t descriptor);

// Waits until there is something to read, or the end of the input. Returns 1 then, 0 if the time is over or `other`,
// which may be -1, can be read from, and -EINTR if a signal comes.
int32_t cplatform_wait_readable(int32_t descriptor, int32_t other, int32_t milliseconds);

// A descriptor that can be read from once something has been written to it; closed on exec.
int32_t cplatform_bell(void);

// Returns the reading end, then the writing end; both are closed on exec.
int32_t cplatform_pipe(int32_t *ends);

// A file in memory, closed on exec.
int32_t cplatform_memory_file(const uint8_t *name);
// A descriptor that can be read from when the time is over.
int32_t cplatform_timer(uint64_t milliseconds);
// A descriptor that can be read from when the process has ended.
int32_t cplatform_watch_process(int32_t process);
// Runs `sh -c command` in a process group of its own. The environment ends with NULL.
int32_t cplatform_spawn_shell(const char *command, char *const *environment, int32_t input, int32_t output,
                              int32_t errors);

int64_t cplatform_splice(int32_t from, int64_t *offset, int32_t to, size_t count);
int32_t cplatform_set_pipe_size(int32_t pipe, int32_t bytes);
int32_t cplatform_touch(int32_t descriptor);
// In seconds since 1970.
int32_t cplatform_set_modified(int32_t descriptor, int64_t seconds);
int32_t cplatform_is_writable(int32_t directory, const char *path);
// Gets the access control list in the kernel's format; with a `count` of 0, only the number of its bytes.
int64_t cplatform_get_access_list(int32_t descriptor, void *bytes, int64_t count);
int32_t cplatform_set_access_list(int32_t descriptor, const void *bytes, int64_t count);
int32_t cplatform_remove_access_list(int32_t descriptor);
// Gives an unnamed file its name; -EEXIST if something has it.
int32_t cplatform_link_unnamed(int32_t descriptor, int32_t directory, const char *name);
// -EEXIST if something has the new name.
int32_t cplatform_rename_to_free(int32_t directory, const char *name, int32_t target, const char *free_name);
int64_t cplatform_random(void *bytes, size_t count);
// In columns; 0 if the terminal does not know.
int32_t cplatform_terminal_width(int32_t descriptor);
// 0 for a terminal whose user works with other processes.
int32_t cplatform_may_draw(int32_t descriptor);
// 1 if the number cannot be found out.
int32_t cplatform_usable_processors(void);
// Limits the arenas for threads that allocate memory from now on; mallopt(3), M_ARENA_MAX.
int32_t cplatform_limit_arenas(int32_t most);
// Whether the process has more rights than the user who started it (AT_SECURE).
int32_t cplatform_is_secure_execution(void);
// Stores the path of the file that this process runs, and returns its length without a NUL. `path` has room for
// PATH_MAX bytes.
int64_t cplatform_own_executable(char *path);
// These functions read what is a macro or a variable in C: Swift's own names for them come with a library that refers
// to every function of libm.
int32_t cplatform_error(void);
char **cplatform_environment(void);
// DT_REG and so on.
int32_t cplatform_file_type(uint32_t mode);
// The program's name and the arguments after it, ended by NULL.
char **cplatform_arguments(void);
const char *cplatform_error_words(int32_t error);

// Entries of a directory without a DIR: fills `buffer` with linux_dirent64 records.
int64_t cplatform_directory_entries(int32_t directory, void *buffer, size_t size);

// Numbers that processes share by mapping one file; without a file (-1), they belong to this process alone. An access
// that the kernel refuses with SIGBUS returns -EIO.
int32_t cplatform_map_numbers(int32_t file, size_t count, int32_t may_write, int64_t **numbers);
void cplatform_unmap_numbers(int64_t *numbers, size_t count);
int32_t cplatform_load_numbers(const int64_t *numbers, size_t count, int64_t *loaded);
// Adds up the first and the second numbers of rows of `width` numbers, each sum at most INT64_MAX, and counts the rows
// added. Skips a row whose third number is 0, whose first is not in 0...most, or whose second is negative.
int32_t cplatform_sum_rows(const int64_t *rows, size_t count, size_t width, int64_t most, int64_t *sums);
int32_t cplatform_add_number(int64_t *number, int64_t difference, int64_t *before);
// Subtracts, but never to less than 0.
int32_t cplatform_lower_number(int64_t *number, int64_t difference);
// Returns 1 if the number was the expected one.
int32_t cplatform_replace_number(int64_t *number, int64_t expected, int64_t desired);

// The number of the first signal of SIGINT, SIGTERM and SIGHUP that has come; 0 if none has.
int32_t cplatform_pending_signal(void);
// Notes these signals from here on, except for those that are ignored already. A further one, half a second later or
// more, ends the process.
void cplatform_note_signals(void);
// Ignores SIGPIPE and SIGXFSZ, so that writing fails instead.
void cplatform_ignore_signals(void);
// Ends the process by a signal, whatever is done about it so far.
_Noreturn void cplatform_reraise(int32_t signal);

/// Splits off a process that goes on after this one. It has its own session, no descriptor of this process and the
/// standard streams at /dev/null, and SIGALRM ends it after so many seconds. Returns 1 in the new process, 0 in this
/// one, a negative errno if no process could be made.
///
/// Only for a process with one thread.
int32_t cplatform_detach(uint32_t limit_seconds);

/// Starts a program with one argument and this process's environment, preceded by `variable`, NAME=VALUE. Its standard
/// input is `input`, its standard output and error are `output`; SIGINT, SIGTERM and SIGHUP are blocked in it. Returns
/// the number of the process.
int32_t cplatform_spawn(
    const char *path, const char *argument, const char *variable, int32_t input, int32_t output);
/// Waits until a process that was started here has ended, without releasing its number.
void cplatform_await_end(int32_t child);
/// Waits for the end of a process that was started here. Returns its status as waitpid does.
int32_t cplatform_wait(int32_t child);

#endif
