// The least work for anything that keeps a file for each response: floor read LIST, or floor write DIRECTORY COUNT.
//
// `read` opens each file that is named in LIST, one a line, reads it, and prints its last KiB. It computes no names,
// verifies nothing and decides nothing. `write` makes COUNT files of 1.5 KB in a new directory with 256 directories, as
// in a store: each has no name at first, and is linked when it is whole.

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { contentSize = 1024, entrySize = 1536, readSize = 8192, shardCount = 256 };

static void readFiles(const char *list) {
  FILE *names = fopen(list, "r");
  if (!names) err(1, "%s", list);
  char name[4096];
  while (fgets(name, sizeof name, names)) {
    name[strcspn(name, "\n")] = 0;
    char content[readSize];
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) err(1, "%s", name);
    ssize_t count = read(file, content, sizeof content);
    if (count < contentSize) errx(1, "%s: too short", name);
    close(file);
    if (write(STDOUT_FILENO, content + count - contentSize, contentSize) != contentSize) err(1, "standard output");
  }
  fclose(names);
}

static void writeFiles(const char *directory, int count) {
  static const char entry[entrySize];
  char name[64], unnamed[64];
  if (mkdir(directory, 0700) < 0) err(1, "%s", directory);
  int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) err(1, "%s", directory);
  for (int shard = 0; shard < shardCount; shard++) {
    snprintf(name, sizeof name, "%02x", (unsigned)shard);
    if (mkdirat(root, name, 0700) < 0) err(1, "%s", name);
  }
  for (int number = 0; number < count; number++) {
    int file = openat(root, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0) err(1, "a file without a name");
    if (write(file, entry, sizeof entry) != sizeof entry) err(1, "write");
    snprintf(name, sizeof name, "%02x/%08x", (unsigned)(number * 7919 % shardCount), (unsigned)number);
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", file);
    if (linkat(AT_FDCWD, unnamed, root, name, AT_SYMLINK_FOLLOW) < 0) err(1, "%s", name);
    close(file);
  }
  close(root);
}

int main(int count, char **arguments) {
  if (count == 3 && strcmp(arguments[1], "read") == 0) {
    readFiles(arguments[2]);
  } else if (count == 4 && strcmp(arguments[1], "write") == 0) {
    writeFiles(arguments[2], atoi(arguments[3]));
  } else {
    errx(2, "usage: floor read LIST | floor write DIRECTORY COUNT");
  }
}
