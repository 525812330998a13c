#ifndef CCODINGS_H
#define CCODINGS_H

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#endif
