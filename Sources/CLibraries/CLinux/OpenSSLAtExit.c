// OpenSSL cleans up in a function that it gives to atexit(), while threads of ours may still be sealing a packet or
// closing a connection. A program that simply ends could crash in its last moment. The system takes everything back
// anyway, so OpenSSL is asked not to clean up. Only its first caller can ask, hence before main, also in apps that have
// a use of their own for it.
#include <stddef.h>
#include <stdint.h>

// OPENSSL_INIT_NO_ATEXIT of <openssl/crypto.h>, which this target does not need otherwise.
#define NO_ATEXIT 0x00080000L

// Weak: a program without OpenSSL has nothing to ask.
extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));

__attribute__((constructor)) static void keep_openssl_until_the_end(void) {
  if (OPENSSL_init_crypto) OPENSSL_init_crypto(NO_ATEXIT, NULL);
}
