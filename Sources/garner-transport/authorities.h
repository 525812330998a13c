#ifndef AUTHORITIES_H
#define AUTHORITIES_H

#include <stdbool.h>

/// Whether Debian's directory of trusted certificates, and its relatives', has them by hashed names.
///
/// A bundle costs 35 ms to parse in every process, of a directory OpenSSL reads what the chain needs.
bool authorities_are_hashed(const char *path);

#endif
