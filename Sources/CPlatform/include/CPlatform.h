#ifndef CPLATFORM_H
#define CPLATFORM_H

// What Swift cannot see of Linux: variadic calls, calls behind _GNU_SOURCE, constants that are macros.
// A call answers a result >= 0 or a negated errno, so that nothing stands between a failure and its reason.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern const int32_t cplatform_O_TMPFILE;
extern const int32_t cplatform_O_NOATIME;
extern const int32_t cplatform_SEEK_HOLE;

/// Sets room aside for so many bytes of a file, whose size stays (fallocate); a negative errno where it cannot be had.
int32_t cplatform_allocate(int32_t descriptor, int64_t count);

int32_t cplatform_openat(int32_t directory, const char *path, int32_t options, uint32_t mode);
// Follows no symbolic link in any component and leaves no directory upwards; -ENOSYS where the kernel cannot do that.
int32_t cplatform_open_beneath(int32_t directory, const char *path, int32_t options, uint32_t mode);
int32_t cplatform_open_inherited(const char *path, int32_t options);
int32_t cplatform_dup_cloexec(int32_t descriptor);
// -EBADF for what this process has opened for itself: all of that is closed on exec.
int32_t cplatform_dup_inherited(int32_t descriptor);
int32_t cplatform_is_open(int32_t descriptor);

// Open-file-description locks: they belong to the descriptor, not to the process, and end with its last duplicate.
int32_t cplatform_ofd_lock(int32_t descriptor, int64_t start, int64_t length);
int32_t cplatform_ofd_unlock(int32_t descriptor, int64_t start, int64_t length);
// flock(2), which takes what is open for reading, too.
int32_t cplatform_lock_whole(int32_t descriptor);

// Waits until the descriptor takes more bytes.
int32_t cplatform_wait_writable(int32_t descriptor);

// Waits until there is something to read, or the end (1), or the time is over, or `other`, which may be -1, can be read
// from (0); -EINTR where a signal comes.
int32_t cplatform_wait_readable(int32_t descriptor, int32_t other, int32_t milliseconds);

// What can be read from once something has been written to it, closed on exec.
int32_t cplatform_bell(void);

// The reading end, then the writing end; both are closed on exec.
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
// Of the access control list, as the kernel hands it over; the count of its bytes where there is room for none.
int64_t cplatform_get_access_list(int32_t descriptor, void *bytes, int64_t count);
int32_t cplatform_set_access_list(int32_t descriptor, const void *bytes, int64_t count);
int32_t cplatform_remove_access_list(int32_t descriptor);
int32_t cplatform_link_unnamed(int32_t descriptor, int32_t directory, const char *name);
// -EEXIST where something has the new name.
int32_t cplatform_rename_to_free(int32_t directory, const char *name, int32_t target, const char *free_name);
int64_t cplatform_random(void *bytes, size_t count);
int32_t cplatform_terminal_width(int32_t descriptor);
// 0 for a terminal whose user is at work with other processes.
int32_t cplatform_may_draw(int32_t descriptor);
// 1 where nobody can tell.
int32_t cplatform_usable_processors(void);
// For threads that allocate memory from now on; mallopt(3), M_ARENA_MAX.
int32_t cplatform_limit_arenas(int32_t most);
int32_t cplatform_is_secure_execution(void);
// The path of the file that this process runs: its length, without a NUL. `path` has room for PATH_MAX bytes.
int64_t cplatform_own_executable(char *path);
// What is a macro or a variable in C is read here: Swift's own names for them come with a library that refers to every
// function of libm.
int32_t cplatform_error(void);
char **cplatform_environment(void);
// DT_REG and so on.
int32_t cplatform_file_type(uint32_t mode);
// The program's name and what was typed after it, ended by NULL.
char **cplatform_arguments(void);
const char *cplatform_error_words(int32_t error);

// Entries of a directory without a DIR: fills `buffer` with linux_dirent64 records.
int64_t cplatform_directory_entries(int32_t directory, void *buffer, size_t size);

// Numbers that processes share by mapping one file; without a file (-1), a process has them for itself. An access that
// the kernel refuses with SIGBUS answers -EIO.
int32_t cplatform_map_numbers(int32_t file, size_t count, int32_t may_write, int64_t **numbers);
void cplatform_unmap_numbers(int64_t *numbers, size_t count);
int32_t cplatform_load_numbers(const int64_t *numbers, size_t count, int64_t *loaded);
// Of rows of `width` numbers: adds up the first ones and the second ones, each to INT64_MAX at most, and counts the
// rows that were added up. Passed over is a row whose third number is 0, whose first is not in 0...most, or whose
// second is negative.
int32_t cplatform_sum_rows(const int64_t *rows, size_t count, size_t width, int64_t most, int64_t *sums);
int32_t cplatform_add_number(int64_t *number, int64_t difference, int64_t *before);
// Never below 0.
int32_t cplatform_lower_number(int64_t *number, int64_t difference);
// Answers 1 where the number was the expected one.
int32_t cplatform_replace_number(int64_t *number, int64_t expected, int64_t desired);

// SIGINT, SIGTERM and SIGHUP leave their number here; the first one counts.
int32_t cplatform_pending_signal(void);
void cplatform_note_signals(void);
void cplatform_ignore_signals(void);
_Noreturn void cplatform_reraise(int32_t signal);

/// Splits off a process that goes on after this one: its own session, no descriptor of this one's, the standard streams
/// at /dev/null, ended by SIGALRM after so many seconds. Returns 1 there, 0 here, a negative errno where no process
/// could be made.
///
/// Only for a process with one thread.
int32_t cplatform_detach(uint32_t limit_seconds);

/// Starts a program with one argument and this process's environment, but that `variable`, NAME=VALUE, comes first. Its
/// standard input is `input`, its standard output and error are `output`; SIGINT, SIGTERM and SIGHUP are blocked in
/// it. Returns the number of the process.
int32_t cplatform_spawn(
    const char *path, const char *argument, const char *variable, int32_t input, int32_t output);
/// Waits until a process that was started here has ended, and leaves its number its own.
void cplatform_await_end(int32_t child);
/// Waits for the end of a process that was started here. Returns its status as waitpid has it.
int32_t cplatform_wait(int32_t child);

#endif
