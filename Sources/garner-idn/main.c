#include <idn2.h>
#include <stdio.h>

// garner-idn writes the ASCII form of a host name in UTF-8 (RFC 5891), the same form that libcurl uses. It is a program
// of its own, started only for such a name, so that a cached response is found without libcurl. The answer stands
// between two NULs, because garner reads standard error as well, to which libraries may write. It exits with 0 for an
// answer, 1 for a name that has no such form, and 2 if it cannot tell.

int main(int count, char **arguments) {
  if (count != 2) {
    fputs("garner-idn is a part of garner, and is started by it\n", stderr);
    return 2;
  }
  const uint8_t *name = (const uint8_t *)arguments[1];
  uint8_t *labels = NULL;
  int code = idn2_lookup_u8(name, &labels, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  // Names that the rules of 2003 allow and those of 2008 do not are still in use.
  if (code != IDN2_OK) code = idn2_lookup_u8(name, &labels, IDN2_TRANSITIONAL);
  if (code == IDN2_MALLOC) return 2;
  if (code != IDN2_OK) return 1;
  return printf("%c%s%c", 0, (const char *)labels, 0) < 0 || fflush(stdout) == EOF ? 2 : 0;
}
