#ifndef AUTHORITIES_H
#define AUTHORITIES_H

#include <stdbool.h>

/// Whether the directory of trusted certificates of Debian and its relatives has them by hashed names.
///
/// Every process needs 35 ms to parse a bundle. Of a directory, OpenSSL reads only what the chain needs.
bool authorities_are_hashed(const char *path);

#endif
