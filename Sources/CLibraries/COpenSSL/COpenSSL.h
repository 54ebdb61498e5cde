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
#include <time.h>
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

// Nobody is there to be asked for a passphrase; without this OpenSSL asks at the terminal, and waits. Notes that it was
// asked for.
static inline int parley_no_passphrase(char *buffer, int size, int writing, void *asked) {
  (void)buffer, (void)size, (void)writing;
  if (asked) *(int *)asked = 1;
  return -1;
}

// Reads a certificate in PEM form, or NULL.
static inline X509 *parley_read_certificate(BIO *file) {
  X509 *certificate = PEM_read_bio_X509(file, NULL, parley_no_passphrase, NULL);
  if (!certificate) ERR_clear_error();
  return certificate;
}

// Reads a private key in PEM form, or NULL; then `locked` is 1 when it is protected by a passphrase.
static inline EVP_PKEY *parley_read_private_key(BIO *file, int *locked) {
  *locked = 0;
  EVP_PKEY *key = PEM_read_bio_PrivateKey(file, NULL, parley_no_passphrase, locked);
  if (!key) ERR_clear_error();
  return key;
}

// Frees a chain with its certificates; NULL is none. (The typed stack functions are macros.)
static inline void parley_certificates_free(STACK_OF(X509) *chain) { sk_X509_pop_free(chain, X509_free); }

// Reads the certificates that are left in a PEM file; NULL is none. Sets `problem` to 0, 1 when there are more than
// `limit`, 2 when one is cut short or damaged, 3 when there is no memory.
static inline STACK_OF(X509) *parley_read_chain(BIO *file, int limit, int *problem) {
  STACK_OF(X509) *chain = NULL;
  *problem = 0;
  ERR_clear_error();
  for (;;) {
    X509 *next = PEM_read_bio_X509(file, NULL, parley_no_passphrase, NULL);
    if (!next) break;
    if (!chain) chain = sk_X509_new_null();
    *problem = !chain ? 3 : sk_X509_num(chain) >= limit ? 1 : sk_X509_push(chain, next) > 0 ? 0 : 3;
    if (*problem) {
      X509_free(next);
      return chain;
    }
  }
  // The end of the file is "no start line".
  unsigned long code = ERR_peek_last_error();
  if (ERR_GET_LIB(code) != ERR_LIB_PEM || ERR_GET_REASON(code) != PEM_R_NO_START_LINE) *problem = 2;
  ERR_clear_error();
  return chain;
}

// A time of a certificate in seconds since 1970.
static inline int64_t parley_asn1_seconds(const ASN1_TIME *time) {
  struct tm parts;
  return ASN1_TIME_to_tm(time, &parts) == 1 ? (int64_t)timegm(&parts) : 0;
}

// The least version of a TLS server, and what it leaves out.
static inline void parley_tls_server_settings(SSL_CTX *ctx) {
  SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
}

// A P-256 key of a private scalar of 32 bytes (big-endian), or NULL when it is zero or not below the group's order.
static inline EVP_PKEY *parley_p256_private(const unsigned char *scalar) {
  EC_KEY *ec = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
  const EC_GROUP *group = ec ? EC_KEY_get0_group(ec) : NULL;
  EC_POINT *point = group ? EC_POINT_new(group) : NULL;
  BIGNUM *number = BN_bin2bn(scalar, 32, NULL);
  if (number) BN_set_flags(number, BN_FLG_CONSTTIME);
  EVP_PKEY *key = NULL;
  if (point && number && !BN_is_zero(number) && BN_cmp(number, EC_GROUP_get0_order(group)) < 0 &&
      EC_POINT_mul(group, point, number, NULL, NULL, NULL) == 1 && EC_KEY_set_private_key(ec, number) == 1 &&
      EC_KEY_set_public_key(ec, point) == 1)
    key = EVP_PKEY_new();
  if (key && EVP_PKEY_assign(key, EVP_PKEY_EC, ec) == 1) {
    ec = NULL;  // `key` owns it now.
  } else {
    EVP_PKEY_free(key);
    key = NULL;
  }
  BN_clear_free(number);
  EC_POINT_free(point);
  EC_KEY_free(ec);
  return key;
}

// A P-256 public key of 65 bytes (uncompressed, SEC 1 section 2.3.3), or NULL when they are not a point of the curve.
static inline EVP_PKEY *parley_p256_public(const unsigned char *point) {
  EC_KEY *ec = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
  EVP_PKEY *key = ec && point[0] == 4 && EC_KEY_oct2key(ec, point, 65, NULL) == 1 ? EVP_PKEY_new() : NULL;
  if (key && EVP_PKEY_assign(key, EVP_PKEY_EC, ec) == 1) return key;
  EVP_PKEY_free(key);
  EC_KEY_free(ec);
  return NULL;
}

// Writes the 65 bytes of the public half of a key that one of the functions above has made. Returns 1 on success.
static inline int parley_p256_public_bytes(EVP_PKEY *key, unsigned char *out) {
  const EC_KEY *ec = EVP_PKEY_get0_EC_KEY(key);
  const EC_POINT *point = ec ? EC_KEY_get0_public_key(ec) : NULL;
  return point &&
         EC_POINT_point2oct(EC_KEY_get0_group(ec), point, POINT_CONVERSION_UNCOMPRESSED, out, 65, NULL) == 65;
}

// Writes the 64 bytes r ‖ s of an ECDSA signature over P-256 in DER form. Returns 1 on success.
static inline int parley_ecdsa_raw(const unsigned char *der, size_t length, unsigned char *out) {
  ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)length);
  int ok = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, 32) == 32 &&
           BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + 32, 32) == 32;
  ECDSA_SIG_free(signature);
  return ok;
}

// Writes the DER form, at most 72 bytes, of an ECDSA signature r ‖ s over P-256. Returns its length, or 0.
static inline size_t parley_ecdsa_der(const unsigned char *raw, unsigned char *out) {
  ECDSA_SIG *signature = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(raw, 32, NULL), *s = BN_bin2bn(raw + 32, 32, NULL);
  int length = 0;
  if (signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1) {
    r = s = NULL;  // `signature` owns them now.
    length = i2d_ECDSA_SIG(signature, &out);
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(signature);
  return length > 0 ? (size_t)length : 0;
}
