#include <libpsl.h>
#include <stdio.h>

// garner-psl says whether a domain is a public suffix, below which anybody may register, by the list of libpsl
// (https://publicsuffix.org/list/): it exits with 0 for yes, 1 for no, and 2 if it cannot tell. It is a program of its
// own, which garner starts only for the domain of a cookie.

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("garner-psl is a part of garner, and is started by it\n", stderr);
    return 2;
  }
  psl_ctx_t *list = psl_latest(NULL);
  if (!list) {
    fputs("libpsl has no list\n", stderr);
    return 2;
  }
  int is_suffix = psl_is_public_suffix2(list, arguments[1], PSL_TYPE_ANY);
  psl_free(list);
  return is_suffix ? 0 : 1;
}
