/*
** secret.c: how a rank and rank 0's store prove to each other that they know MOONARRAY_STORE_SECRET, which neither
** sends. A proof is HMAC-SHA256, with the secret as its key, of who proves, of the rank, and of a nonce from each side,
** so that none can be used again. libcrypto computes it.
*/
#include "distributed/wire.h"
#include "base/once.h"
#include "system/system.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/random.h>

#define LEAST 16 /* bytes; a proof that was overheard shall not tell the secret to who tries all */

static struct {
  const void *(*sha256)(void);
  unsigned char *(*hmac)(const void *hash, const void *key, int nkey, const unsigned char *text, size_t ntext,
                         unsigned char *proof, unsigned *nproof);
  int (*differ)(const void *a, const void *b, size_t n); /* takes as long wherever the bytes differ */
} crypto;

static const struct {
  const char *name;
  void *to;
} symbols[] = {
  { "EVP_sha256", &crypto.sha256 },
  { "HMAC", &crypto.hmac },
  { "CRYPTO_memcmp", &crypto.differ },
};

static ma_status open_library(void) {
  static const char *const files[MA_NSYSTEM][2] = { { "libcrypto.so.3", "libcrypto.so.1.1" },
                                                    { "libcrypto-3-x64.dll", "libcrypto-1_1-x64.dll" } };
  void *library = dlopen(files[ma_system.id][0], RTLD_NOW | RTLD_LOCAL);
  if (!library) library = dlopen(files[ma_system.id][1], RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return ma_fail(MA_ERR_LIBRARY,
                   "MOONARRAY_STORE_SECRET needs OpenSSL's libcrypto (%s or %s), which was not found; install the "
                   "package openssl, or where all ranks are on one machine leave the variable empty",
                   files[ma_system.id][0], files[ma_system.id][1]);
  for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
    void *address = dlsym(library, symbols[k].name);
    if (!address) return ma_fail(MA_ERR_LIBRARY, "libcrypto has no %s; OpenSSL 1.1 or 3 is wanted", symbols[k].name);
    memcpy(symbols[k].to, &address, sizeof address);
  }
  return MA_OK;
}

bool ma_secret_is_set(void) { return *ma_config_string(MA_CONFIG_STORE_SECRET) != 0; }

ma_status ma_secret_need(void) {
  static ma_once once = MA_ONCE;
  size_t n = strlen(ma_config_string(MA_CONFIG_STORE_SECRET));
  if (n == 0) return MA_OK;
  if (n < LEAST)
    return ma_fail(MA_ERR_VALUE, "MOONARRAY_STORE_SECRET has %zu bytes; wanted a random text of %d or more", n, LEAST);
  return ma_once_try(&once, open_library);
}

ma_status ma_secret_nonce(uint8_t nonce[MA_NONCE]) {
  if (getrandom(nonce, MA_NONCE, 0) == MA_NONCE) return MA_OK;
  return ma_fail(MA_ERR_IO, "the system gave no random bytes");
}

/* False: libcrypto failed. */
static bool prove(ma_prover prover, const ma_hello *hello, const ma_challenge *challenge, uint8_t proof[MA_PROOF]) {
  static const char *const names[] = { [MA_PROVER_RANK] = "moonarray rank", [MA_PROVER_STORE] = "moonarray store" };
  struct {
    char prover[16];
    int32_t rank, size;
    uint8_t nonces[2][MA_NONCE];
  } text = { .rank = hello->rank, .size = hello->size };
  const char *secret = ma_config_string(MA_CONFIG_STORE_SECRET);
  unsigned n = 0;
  memset(proof, 0, MA_PROOF);
  if (!*secret) return true;
  strcpy(text.prover, names[prover]);
  memcpy(text.nonces[0], hello->nonce, MA_NONCE);
  memcpy(text.nonces[1], challenge->nonce, MA_NONCE);
  return crypto.hmac(crypto.sha256(), secret, (int)strlen(secret), (const unsigned char *)&text, sizeof text, proof,
                     &n) != NULL &&
         n == MA_PROOF;
}

void ma_secret_prove(ma_prover prover, const ma_hello *hello, const ma_challenge *challenge, uint8_t proof[MA_PROOF]) {
  if (!prove(prover, hello, challenge, proof)) memset(proof, 0, MA_PROOF); /* which the other side refuses */
}

bool ma_secret_is_proof(ma_prover prover, const ma_hello *hello, const ma_challenge *challenge,
                        const uint8_t proof[MA_PROOF]) {
  static const uint8_t zeros[MA_PROOF];
  uint8_t wanted[MA_PROOF];
  if (!ma_secret_is_set()) return memcmp(proof, zeros, MA_PROOF) == 0;
  return prove(prover, hello, challenge, wanted) && crypto.differ(proof, wanted, MA_PROOF) == 0;
}
