#include "CryptoBinding.h"

#include <dlfcn.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdio.h>

#define EACH_FUNCTION(DO) \
  DO(EVP_MD_CTX_new) \
  DO(EVP_MD_CTX_free) \
  DO(EVP_sha256) \
  DO(EVP_sha512) \
  DO(EVP_DigestInit_ex) \
  DO(EVP_DigestUpdate) \
  DO(EVP_DigestFinal_ex) \
  DO(HMAC)

_Static_assert(CRYPTO_DIGEST_MAXIMUM_SIZE >= EVP_MAX_MD_SIZE, "a digest would not fit");

// The prototypes are OpenSSL's own, so that a call which no longer fits one does not compile.
#define MEMBER(name) __typeof__(name) *name;
static struct {
  EACH_FUNCTION(MEMBER)
} library;

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Long enough for the dynamic linker's sentence with a path in it.
static char load_failure[512];

static void load(void) {
  void *object = dlopen("libcrypto.so.3", RTLD_LAZY | RTLD_LOCAL);
  if (object == NULL) {
    snprintf(load_failure, sizeof load_failure, "%s", dlerror());
    return;
  }
#define BIND(name) \
  library.name = (__typeof__(name) *)dlsym(object, #name); \
  if (library.name == NULL) { \
    snprintf(load_failure, sizeof load_failure, "libcrypto.so.3 has no function %s", #name); \
    return; \
  }
  EACH_FUNCTION(BIND)
}

const char *crypto_load(void) {
  pthread_once(&once, load);
  return load_failure[0] == '\0' ? NULL : load_failure;
}

void *crypto_digest_start(crypto_algorithm algorithm) {
  EVP_MD_CTX *context = library.EVP_MD_CTX_new();
  if (context == NULL) return NULL;
  const EVP_MD *type = algorithm == crypto_sha256 ? library.EVP_sha256() : library.EVP_sha512();
  if (library.EVP_DigestInit_ex(context, type, NULL) == 1) return context;
  library.EVP_MD_CTX_free(context);
  return NULL;
}

bool crypto_digest_update(void *context, const void *bytes, size_t count) {
  return library.EVP_DigestUpdate(context, bytes, count) == 1;
}

bool crypto_digest_finish(void *context, uint8_t *digest) {
  return library.EVP_DigestFinal_ex(context, digest, NULL) == 1;
}

void crypto_digest_free(void *context) { library.EVP_MD_CTX_free(context); }

bool crypto_hmac_sha256(
  const void *key, size_t key_count, const void *message, size_t message_count, uint8_t *digest) {
  // HMAC takes the count as an int, and NULL for "the key of before", which an empty key is not.
  if (key_count > INT_MAX) return false;
  const void *present_key = key_count == 0 ? "" : key;
  return library.HMAC(library.EVP_sha256(), present_key, (int)key_count, message, message_count, digest, NULL) != NULL;
}
