#ifndef CHASH_H
#define CHASH_H

// XXH3 (libxxhash, header only): the sums of entries and the names of their files. Not a cryptographic hash: it finds
// damage, not malice.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint64_t low;
  uint64_t high;
} chash_128;

uint64_t chash_xxh3_64(const void *bytes, size_t count, uint64_t seed);
chash_128 chash_xxh3_128(const void *bytes, size_t count, uint64_t seed);

#endif
