#pragma once
// The border to OpenSSL 3 (TLS, DTLS, EVP, X.509).
// Function-like macros, variadic functions and computed constants do not reach Swift; each is given a name here.
//
// SRTP's HMAC keeps SHA-1 states by value through the low-level SHA1_* functions: OpenSSL 3.0's EVP_MAC allocates
// twice for every message, which the packet path cannot afford. Those functions are marked as deprecated.
#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED
#endif
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/time.h>
#include "GCM.h"

// A fresh P-256 key, or NULL. (EVP_EC_gen is a macro over a variadic function.)
static inline EVP_PKEY *parley_generate_p256(void) { return EVP_EC_gen("P-256"); }

// The options of every DTLS context: no renegotiation, tickets, compression or path MTU queries.
static inline void parley_dtls_set_options(SSL_CTX *ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_NO_QUERY_MTU | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                               SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                               SSL_OP_SINGLE_ECDH_USE);
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
}

// Allows exactly DTLS 1.2. Returns 1 on success.
static inline int parley_dtls_pin_version(SSL_CTX *ctx) {
  return SSL_CTX_set_min_proto_version(ctx, DTLS1_2_VERSION) == 1 &&
         SSL_CTX_set_max_proto_version(ctx, DTLS1_2_VERSION) == 1;
}

// Sets the key agreement groups by name. Returns 1 on success.
static inline int parley_ssl_set_groups(SSL_CTX *ctx, const char *list) {
  return (int)SSL_CTX_set1_groups_list(ctx, list);
}

// Bounds the peer's certificate message, in bytes.
static inline void parley_ssl_set_max_cert_list(SSL_CTX *ctx, long bytes) {
  SSL_CTX_set_max_cert_list(ctx, bytes);
}

// The pseudorandom function of TLS 1.2 (RFC 5246 section 5) with the hash `digest`; `seed` begins with the label.
// Returns 1 on success.
static inline int parley_tls12_prf(const EVP_MD *digest, const unsigned char *secret, size_t secret_length,
                                   const unsigned char *seed, size_t seed_length, unsigned char *out, size_t length) {
  EVP_KDF *function = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_TLS1_PRF, NULL);
  EVP_KDF_CTX *context = function ? EVP_KDF_CTX_new(function) : NULL;
  EVP_KDF_free(function);
  if (!context || !digest) {
    EVP_KDF_CTX_free(context);
    return 0;
  }
  // The parameters are only read.
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)EVP_MD_get0_name(digest), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, (void *)secret, secret_length),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, (void *)seed, seed_length),
      OSSL_PARAM_construct_end(),
  };
  int ok = EVP_KDF_derive(context, out, length, parameters) == 1;
  EVP_KDF_CTX_free(context);
  return ok;
}

// Sets the size that no datagram of `ssl` exceeds. Returns 0 when OpenSSL finds it too small.
static inline long parley_dtls_set_mtu(SSL *ssl, long mtu) { return SSL_set_mtu(ssl, mtu); }

// The name of OpenSSL's reason in the oldest queued error, or NULL.
static inline const char *parley_error_reason(unsigned long code) { return ERR_reason_error_string(code); }

// SSL_CTX_use_certificate and friends want DER; these give an object's DER form. The caller frees with parley_free.
static inline int parley_certificate_der(X509 *certificate, unsigned char **out) { return i2d_X509(certificate, out); }
static inline int parley_private_key_der(EVP_PKEY *key, unsigned char **out) { return i2d_PrivateKey(key, out); }
static inline void parley_free(void *memory) { OPENSSL_free(memory); }
static inline void parley_clear_free(void *memory, size_t length) { OPENSSL_clear_free(memory, length); }

// The settings of a TLS client: TLS 1.2 and later, no session cache. Returns 1 on success.
static inline int parley_tls_client_settings(SSL_CTX *ctx) {
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1;
}

// Sends `name` as the server's name (SNI). Returns 1 on success.
static inline int parley_tls_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}
