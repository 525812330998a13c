// Times commands against each other: measure ROUNDS LABEL [NAME=VALUE...] COMMAND... [-- LABEL ...]...
//
// Every round runs every command once, and begins with another one each time, so that a change of the machine's mood
// hits all alike. Time runs from the spawn to the end of the process; standard output is a pipe that is read to its end.
// `{n}` in an argument stands for a number that no other run has. Prints, tab-separated and in milliseconds:
//
//   time   LABEL  minimum  median  quartile  quartile  largest resident set of one process in KiB  bytes of output
//          maximum
//   ratio  FIRST/LABEL  of the minima  median of the rounds' ratios  quartile  quartile

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  commandLimit = 8,
  argumentLimit = 64,
  environmentLimit = 256,
  // Small: a child's resident set is never reported as less than this program's.
  bufferSize = 128 * 1024,
};

extern char **environ;

struct Command {
  const char *label;
  char *arguments[argumentLimit + 1];
  char *environment[environmentLimit + 1];
  double *milliseconds;
  long residentKiB;
  long long outputBytes;
};

static void fail(const char *what, const char *which) {
  fprintf(stderr, "measure: %s: %s\n", what, which);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/// The argument with `{n}` replaced; the result is the caller's.
static char *numbered(const char *argument, long number) {
  const char *mark = strstr(argument, "{n}");
  char *result = NULL;
  if (!mark) return strdup(argument);
  if (asprintf(&result, "%.*s%d-%ld%s", (int)(mark - argument), argument, (int)getpid(), number, mark + 3) < 0) {
    fail("no memory", argument);
  }
  return result;
}

static long long drain(int descriptor) {
  static char buffer[bufferSize];
  long long total = 0;
  while (1) {
    ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return total;
    total += count;
  }
}

static void run(struct Command *command, int round) {
  static long number = 0;
  char *arguments[argumentLimit + 1] = {NULL};
  for (int index = 0; command->arguments[index]; index++) {
    arguments[index] = numbered(command->arguments[index], number);
  }
  number++;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe", strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child;
  double start = now();
  int status = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, command->environment);
  if (status != 0) fail(arguments[0], strerror(status));
  close(ends[1]);
  command->outputBytes = drain(ends[0]);
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) < 0) fail("wait4", strerror(errno));
  command->milliseconds[round] = now() - start;
  close(ends[0]);
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("a run failed", command->label);
  if (usage.ru_maxrss > command->residentKiB) command->residentKiB = usage.ru_maxrss;
  for (int index = 0; arguments[index]; index++) free(arguments[index]);
}

static int compare(const void *one, const void *other) {
  double difference = *(const double *)one - *(const double *)other;
  return (difference > 0) - (difference < 0);
}

static void print(
    const char *kind, const char *first, const char *second, const double *values, int count, double minimum) {
  double *sorted = malloc((size_t)count * sizeof *sorted);
  if (!sorted) fail("no memory", kind);
  memcpy(sorted, values, (size_t)count * sizeof *sorted);
  qsort(sorted, (size_t)count, sizeof *sorted, compare);
  printf(
      "%s\t%s%s%s\t%.4f\t%.4f\t%.4f\t%.4f", kind, first, second ? "/" : "", second ? second : "",
      second ? minimum : sorted[0], sorted[count / 2], sorted[count / 4], sorted[count * 3 / 4]);
  free(sorted);
}

static double smallest(const double *values, int count) {
  double least = values[0];
  for (int index = 1; index < count; index++) {
    if (values[index] < least) least = values[index];
  }
  return least;
}

static double largest(const double *values, int count) {
  double most = values[0];
  for (int index = 1; index < count; index++) {
    if (values[index] > most) most = values[index];
  }
  return most;
}

static int parse(struct Command *commands, char **arguments, int rounds) {
  int count = 0;
  while (*arguments) {
    if (count == commandLimit) fail("too many commands", *arguments);
    struct Command *command = &commands[count++];
    command->label = *arguments++;
    int variables = 0;
    while (*arguments && strchr(*arguments, '=') && variables < environmentLimit) {
      command->environment[variables++] = *arguments++;
    }
    for (char **variable = environ; *variable && variables < environmentLimit; variable++) {
      command->environment[variables++] = *variable;
    }
    int words = 0;
    while (*arguments && strcmp(*arguments, "--") != 0) {
      if (words == argumentLimit) fail("too many arguments", command->label);
      command->arguments[words++] = *arguments++;
    }
    if (words == 0) fail("no command", command->label);
    if (*arguments) arguments++;
    command->milliseconds = calloc((size_t)rounds, sizeof *command->milliseconds);
    if (!command->milliseconds) fail("no memory", command->label);
  }
  return count;
}

int main(int count, char **arguments) {
  static struct Command commands[commandLimit];
  int rounds = count > 3 ? atoi(arguments[1]) : 0;
  if (rounds < 1) fail("usage", "measure ROUNDS LABEL [NAME=VALUE...] COMMAND... [-- LABEL ...]...");
  int commandCount = parse(commands, arguments + 2, rounds);
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < commandCount; turn++) run(&commands[(round + turn) % commandCount], round);
  }
  for (int index = 0; index < commandCount; index++) {
    struct Command *command = &commands[index];
    print("time", command->label, NULL, command->milliseconds, rounds, 0);
    printf(
        "\t%ld\t%lld\t%.4f\n", command->residentKiB, command->outputBytes, largest(command->milliseconds, rounds));
  }
  double *ratios = malloc((size_t)rounds * sizeof *ratios);
  if (!ratios) fail("no memory", "ratios");
  for (int index = 1; index < commandCount; index++) {
    for (int round = 0; round < rounds; round++) {
      ratios[round] = commands[0].milliseconds[round] / commands[index].milliseconds[round];
    }
    double minima = smallest(commands[0].milliseconds, rounds) / smallest(commands[index].milliseconds, rounds);
    print("ratio", commands[0].label, commands[index].label, ratios, rounds, minima);
    printf("\n");
  }
  return 0;
}
