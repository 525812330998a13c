#ifndef AUTHORITIES_H
#define AUTHORITIES_H

#include <stdbool.h>

/// Whether a directory of trusted certificates has them by hashed names, as that of Debian and its relatives does.
///
/// Every process needs 35 ms to parse a bundle. Of such a directory, OpenSSL reads only what the chain needs.
bool authorities_are_hashed(const char *path);

#endif
