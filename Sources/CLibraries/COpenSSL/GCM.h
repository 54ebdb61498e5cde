#pragma once
// AES-GCM encryption through the functions of OpenSSL's provider (provider-cipher(7)), which is what EVP calls as well.
//
// With OpenSSL 3.0, EVP asks the provider by name for the length of the nonce with every nonce; for packets of about a
// kilobyte these look-ups cost as much as a third of encrypting them.
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <string.h>

// The functions of one cipher.
typedef struct parley_gcm {
  EVP_CIPHER *cipher;  // holds on to the provider
  void *provider;
  OSSL_FUNC_cipher_newctx_fn *make;
  OSSL_FUNC_cipher_freectx_fn *free;
  OSSL_FUNC_cipher_encrypt_init_fn *begin;
  OSSL_FUNC_cipher_update_fn *update;
  OSSL_FUNC_cipher_final_fn *final;
  OSSL_FUNC_cipher_get_ctx_params_fn *get;
} parley_gcm;

// Finds the functions of the cipher `name` ("AES-128-GCM"), to be kept for as long as the process lives; NULL when the
// provider does not show them.
static inline const parley_gcm *parley_gcm_load(const char *name) {
  parley_gcm *gcm = (parley_gcm *)OPENSSL_zalloc(sizeof *gcm);
  if (!gcm) return NULL;
  gcm->cipher = EVP_CIPHER_fetch(NULL, name, NULL);
  const OSSL_PROVIDER *provider = gcm->cipher ? EVP_CIPHER_get0_provider(gcm->cipher) : NULL;
  int uncached = 0;
  const OSSL_ALGORITHM *entry =
      provider ? OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &uncached) : NULL;
  size_t length = strlen(name);
  while (entry && entry->algorithm_names &&
         (strncmp(entry->algorithm_names, name, length) != 0 ||
          (entry->algorithm_names[length] != ':' && entry->algorithm_names[length] != 0)))
    entry++;
  if (entry && entry->algorithm_names) {
    gcm->provider = OSSL_PROVIDER_get0_provider_ctx(provider);
    for (const OSSL_DISPATCH *at = entry->implementation; at->function_id != 0; at++) {
      switch (at->function_id) {
      case OSSL_FUNC_CIPHER_NEWCTX: gcm->make = OSSL_FUNC_cipher_newctx(at); break;
      case OSSL_FUNC_CIPHER_FREECTX: gcm->free = OSSL_FUNC_cipher_freectx(at); break;
      case OSSL_FUNC_CIPHER_ENCRYPT_INIT: gcm->begin = OSSL_FUNC_cipher_encrypt_init(at); break;
      case OSSL_FUNC_CIPHER_UPDATE: gcm->update = OSSL_FUNC_cipher_update(at); break;
      case OSSL_FUNC_CIPHER_FINAL: gcm->final = OSSL_FUNC_cipher_final(at); break;
      case OSSL_FUNC_CIPHER_GET_CTX_PARAMS: gcm->get = OSSL_FUNC_cipher_get_ctx_params(at); break;
      default: break;
      }
    }
  }
  if (gcm->make && gcm->free && gcm->begin && gcm->update && gcm->final && gcm->get) return gcm;
  EVP_CIPHER_free(gcm->cipher);
  OPENSSL_free(gcm);
  return NULL;
}

// A context that encrypts with the `length` bytes of `key`, or NULL. The caller frees it.
static inline void *parley_gcm_make(const parley_gcm *gcm, const unsigned char *key, size_t length) {
  void *context = gcm->make(gcm->provider);
  if (context && gcm->begin(context, key, length, NULL, 0, NULL) != 1) {
    gcm->free(context);
    context = NULL;
  }
  return context;
}

// Wipes the key as well.
static inline void parley_gcm_free(const parley_gcm *gcm, void *context) { gcm->free(context); }

// Encrypts `length` bytes of `input` to `output` and writes the 16-byte tag behind them; `nonce` has 12 bytes,
// `trailer` 4 that are authenticated after `aad`, or is NULL. `output` is `input` or does not overlap it. Returns 1 on
// success.
static inline int parley_gcm_seal(const parley_gcm *gcm, void *context, const unsigned char *nonce,
                                  const unsigned char *aad, size_t aad_length, const unsigned char *trailer,
                                  const unsigned char *input, size_t length, unsigned char *output) {
  size_t written = 0;
  if (gcm->begin(context, NULL, 0, nonce, 12, NULL) != 1) return 0;
  if (gcm->update(context, NULL, &written, aad_length, aad, aad_length) != 1) return 0;
  if (trailer && gcm->update(context, NULL, &written, 4, trailer, 4) != 1) return 0;
  if (length > 0 && gcm->update(context, output, &written, length, input, length) != 1) return 0;
  if (gcm->final(context, output + length, &written, 16) != 1) return 0;
  OSSL_PARAM tag[2] = {OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, output + length, 16), OSSL_PARAM_END};
  return gcm->get(context, tag);
}
