#include "CCodings.h"

// zstd had other formats before RFC 8878. ZstdStream refuses them by their magic numbers, so libzstd's decoders of them
// are not needed: 0.08 MB of code that would process what strangers send. Because the program has these functions,
// nothing refers to those decoders, and the linker leaves them in the archive. The functions are weak, because another
// release of libzstd may refer to more of the decoders.

static const size_t unsupported = (size_t)-ZSTD_error_version_unsupported;

#define FAILS(name) \
  __attribute__((weak)) size_t name(void) { return unsupported; }

#define MAKES_NOTHING(name) \
  __attribute__((weak)) void *name(void) { return NULL; }

#define HAS_NOTHING_TO_RELEASE(name) \
  __attribute__((weak)) size_t name(void) { return 0; }

#define HAS_NO_SIZE(name)                                                                                          \
  __attribute__((weak)) void name(const void *frame, size_t length, size_t *size, unsigned long long *content) {   \
    (void)frame, (void)length;                                                                                     \
    *size = unsupported;                                                                                           \
    *content = ZSTD_CONTENTSIZE_ERROR;                                                                             \
  }

#define REFUSED(version)                            \
  MAKES_NOTHING(ZSTD##version##_createDCtx)         \
  HAS_NOTHING_TO_RELEASE(ZSTD##version##_freeDCtx)  \
  FAILS(ZSTD##version##_decompress_usingDict)       \
  FAILS(ZSTD##version##_getFrameParams)             \
  HAS_NO_SIZE(ZSTD##version##_findFrameSizeInfoLegacy) \
  MAKES_NOTHING(ZBUFF##version##_createDCtx)        \
  HAS_NOTHING_TO_RELEASE(ZBUFF##version##_freeDCtx) \
  FAILS(ZBUFF##version##_decompressInitDictionary)  \
  FAILS(ZBUFF##version##_decompressContinue)

REFUSED(v05)
REFUSED(v06)
REFUSED(v07)
