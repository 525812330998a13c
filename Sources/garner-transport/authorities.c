#include "authorities.h"

#include <dirent.h>
#include <stddef.h>

// Eight hexadecimal digits, a dot, and a number: what `openssl rehash` makes.
static bool is_hashed_name(const char *name) {
  for (int index = 0; index < 8; index++) {
    char letter = name[index];
    if (!(letter >= '0' && letter <= '9') && !(letter >= 'a' && letter <= 'f')) return false;
  }
  return name[8] == '.' && name[9] >= '0' && name[9] <= '9';
}

bool authorities_are_hashed(const char *path) {
  DIR *directory = opendir(path);
  if (directory == NULL) return false;
  bool is_hashed = false;
  for (struct dirent *entry; !is_hashed && (entry = readdir(directory)) != NULL;) {
    is_hashed = is_hashed_name(entry->d_name);
  }
  closedir(directory);
  return is_hashed;
}
