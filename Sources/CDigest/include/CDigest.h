#ifndef CDIGEST_H
#define CDIGEST_H

// The low-level SHA-1 and SHA-2 of libcrypto, a handful of objects of its static archive. OpenSSL prefers its EVP
// functions, which bring providers, configuration files and threads; its deprecation warnings are suppressed.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

// Asks the processor what it can do, once; before that, each function uses its slowest code. libcrypto has this called
// at every start of a program, but the release link leaves that out (Scripts/sections.ld).
void OPENSSL_cpuid_setup(void);

#endif
