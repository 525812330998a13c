#include "CCodings.h"

// ZSTD_d_windowLogMax, the bound on a decoder's memory, is part of the stable interface from here on.
_Static_assert(ZSTD_VERSION_NUMBER >= 10400, "the headers of zstd 1.4.0 or later are needed");
