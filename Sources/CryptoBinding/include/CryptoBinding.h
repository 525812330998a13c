#ifndef CRYPTO_BINDING_H
#define CRYPTO_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The digests of libcrypto (OpenSSL 3), loaded when the first one is asked for.

typedef enum {
  crypto_sha256,
  crypto_sha512,
} crypto_algorithm;

/// Room for the longest digest, in bytes: SHA-512's.
#define CRYPTO_DIGEST_MAXIMUM_SIZE 64

/// NULL when libcrypto is loaded, else why it is not (a text that lives as long as the process). Safe from any thread.
/// The functions below expect that this one has returned NULL before.
const char *_Nullable crypto_load(void);

/// A running digest, or NULL when libcrypto refuses. The corresponding C function is `EVP_DigestInit_ex`.
void *_Nullable crypto_digest_start(crypto_algorithm algorithm);
bool crypto_digest_update(void *_Nonnull context, const void *_Nullable bytes, size_t count);
/// Writes the digest; the context is of no use afterwards but to be freed.
bool crypto_digest_finish(void *_Nonnull context, uint8_t *_Nonnull digest);
void crypto_digest_free(void *_Nonnull context);

/// HMAC-SHA-256 in one go (RFC 2104): 32 bytes. The corresponding C function is `HMAC`.
bool crypto_hmac_sha256(
  const void *_Nullable key, size_t key_count, const void *_Nullable message, size_t message_count,
  uint8_t *_Nonnull digest);

#endif
