// Times commands against each other: measure ROUNDS LABEL [NAME=VALUE...] [>FILE] COMMAND... [-- LABEL ...]...
//
// Every round runs every command once. The order varies from round to round, so that each command follows each of the
// others equally often, and what disturbs the machine affects all alike. Time runs from the spawn to the end of the
// process. Standard output is FILE, or a pipe that is read to its end.
//
// In a word, `{n}` stands for a number that no other run has, and `{new}` for a directory that is made before the run.
// After the time has been taken, the files in it are emptied, but not removed: a file system that has just lost
// thousands of files may be slow to make others (ext4 looks at each for a minute), which would slow down the next
// command.
//
// Prints, tab-separated and in milliseconds:
//
//   time   LABEL  minimum  median  quartile  quartile  largest resident set of one process in KiB  bytes of output
//          maximum
//   ratio  FIRST/LABEL  of the minima  median of the rounds' ratios  quartile  quartile

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  commandLimit = 8,
  argumentLimit = 64,
  environmentLimit = 256,
  // Small, because a child's resident set is never reported as less than this program's.
  bufferSize = 128 * 1024,
  directoryDescriptors = 16,
};

extern char **environ;

struct Command {
  const char *label;
  /// The file of standard output; null for a pipe.
  const char *output;
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

/// What the marks in a command's words stand for in one run.
struct Marks {
  long number;
  char directory[96];
};

/// Returns the word with the first of its marks replaced, and frees the word; null where it has no mark, and the word
/// stays. The caller frees the result.
static char *replaced(char *word, const char *mark, const char *value) {
  char *place = strstr(word, mark);
  char *result = NULL;
  if (!place) return NULL;
  if (asprintf(&result, "%.*s%s%s", (int)(place - word), word, value, place + strlen(mark)) < 0) {
    fail("no memory", word);
  }
  free(word);
  return result;
}

/// Returns the word with its marks replaced for one run, whose directory is made when a word asks for it. The caller
/// frees the result.
static char *substituted(const char *text, struct Marks *marks) {
  char number[64];
  snprintf(number, sizeof number, "%d-%ld", (int)getpid(), marks->number);
  char *word = strdup(text);
  if (!word) fail("no memory", text);
  for (char *next; (next = replaced(word, "{n}", number)); word = next) {
  }
  if (!marks->directory[0] && strstr(word, "{new}")) {
    snprintf(marks->directory, sizeof marks->directory, "new-%s", number);
    if (mkdir(marks->directory, 0700) != 0) fail(marks->directory, strerror(errno));
  }
  for (char *next; (next = replaced(word, "{new}", marks->directory)); word = next) {
  }
  return word;
}

static int emptyOne(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)place;
  return kind == FTW_F ? truncate(path, 0) : 0;
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

/// Starts the command with the descriptor as its standard output; closes that here.
static pid_t start(struct Command *command, char **arguments, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t child;
  int status = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, command->environment);
  if (status != 0) fail(arguments[0], strerror(status));
  posix_spawn_file_actions_destroy(&actions);
  close(output);
  return child;
}

static void run(struct Command *command, int round) {
  static struct Marks marks = {0};
  marks.directory[0] = 0;
  marks.number++;
  char *arguments[argumentLimit + 1] = {NULL};
  for (int index = 0; command->arguments[index]; index++) {
    arguments[index] = substituted(command->arguments[index], &marks);
  }
  char *file = command->output ? substituted(command->output, &marks) : NULL;
  int ends[2] = {-1, -1};
  double begin = now();
  if (file) {
    ends[1] = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (ends[1] < 0) fail(file, strerror(errno));
  } else if (pipe2(ends, O_CLOEXEC) != 0) {
    fail("pipe", strerror(errno));
  }
  pid_t child = start(command, arguments, ends[1]);
  command->outputBytes = file ? 0 : drain(ends[0]);
  struct rusage usage;
  int status;
  if (wait4(child, &status, 0, &usage) < 0) fail("wait4", strerror(errno));
  command->milliseconds[round] = now() - begin;
  if (!file) close(ends[0]);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail("a run failed", command->label);
  if (usage.ru_maxrss > command->residentKiB) command->residentKiB = usage.ru_maxrss;
  if (marks.directory[0] && nftw(marks.directory, emptyOne, directoryDescriptors, FTW_PHYS) != 0) {
    fail(marks.directory, strerror(errno));
  }
  for (int index = 0; arguments[index]; index++) free(arguments[index]);
  free(file);
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
    if (*arguments && **arguments == '>') command->output = *arguments++ + 1;
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
  if (rounds < 1) fail("usage", "measure ROUNDS LABEL [NAME=VALUE...] [>FILE] COMMAND... [-- LABEL ...]...");
  int commandCount = parse(commands, arguments + 2, rounds);
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < commandCount; turn++) {
      // The order is reversed in every other round, because what runs after a large program finds the processor's
      // caches full of that program's data.
      int place = round % 2 ? commandCount - 1 - turn : turn;
      run(&commands[(round / 2 + place) % commandCount], round);
    }
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
