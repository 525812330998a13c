#define XXH_INLINE_ALL
#include "CHash.h"

#include <xxhash.h>

uint64_t chash_xxh3_64(const void *bytes, size_t count, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

chash_128 chash_xxh3_128(const void *bytes, size_t count, uint64_t seed) {
  XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, count, seed);
  return (chash_128){.low = hash.low64, .high = hash.high64};
}
