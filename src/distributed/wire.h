/*
** wire.h: what ranks and rank 0's store send each other where there is no MPI. A rank begins, and no message is sent
** before the one in front of it was read:
**     rank    hello        who it is, and a nonce
**     store   challenge    a nonce
**     rank    proof        that it knows the secret
**     store   verdict      whether the rank is taken, and if so the proof that the store knows the secret
** After that a rank makes one call at a time:
**     rank    request      then the ranks of the group's members, and its bytes
**     store   reply        then the bytes of all members, or why there are none
** Nothing has padding, whose bytes would be what was in memory before.
*/
#ifndef MOONARRAY_WIRE_H
#define MOONARRAY_WIRE_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

#define MA_WIRE_HELLO 0x6d6173746f726532u     /* another number for another protocol */
#define MA_WIRE_CHALLENGE 0x6d6173746f726533u /* and for the answer, so that an echo is none */
#define MA_WIRE_SECONDS 10.0                  /* in which a message that has begun must end */
#define MA_WIRE_FOREVER 1e6                   /* seconds, where there is no limit */
#define MA_WIRE_BYTES (1 << 24)               /* most that one member shares in a call */
#define MA_NONCE 32
#define MA_PROOF 32

typedef struct ma_hello {
  uint64_t magic;
  int32_t rank, size;
  uint8_t nonce[MA_NONCE];
} ma_hello;

typedef struct ma_challenge {
  uint64_t magic;
  uint8_t nonce[MA_NONCE];
} ma_challenge;

typedef enum ma_verdict_code { MA_WELCOME, MA_OTHER_SECRET, MA_OTHER_SIZE, MA_TAKEN } ma_verdict_code;
typedef struct ma_verdict {
  uint64_t code;
  uint8_t proof[MA_PROOF]; /* zeros to a rank that is not taken */
} ma_verdict;

typedef struct ma_request {
  uint64_t key, number; /* of the group, and of the call in it */
  double limit;         /* seconds; 0: none */
  int32_t index, size;  /* of the member in its group */
  int64_t nbytes;
} ma_request;

typedef struct ma_reply {
  uint64_t key, number; /* the request's */
  int64_t failed, nbytes;
} ma_reply;

_Static_assert(sizeof(ma_hello) == 48 && sizeof(ma_challenge) == 40 && sizeof(ma_verdict) == 40 &&
                 sizeof(ma_request) == 40 && sizeof(ma_reply) == 32,
               "a message has padding");

#define MA_WHY 300 /* bytes of text that follow a reply that failed */

/* ==== secret.c =================================================================================================== */

typedef enum ma_prover { MA_PROVER_RANK, MA_PROVER_STORE } ma_prover;

ma_status ma_secret_need(void); /* looks at MOONARRAY_STORE_SECRET; an error where it cannot be used */
bool ma_secret_is_set(void);
ma_status ma_secret_nonce(uint8_t nonce[MA_NONCE]);
/* Zeros where there is no secret. */
void ma_secret_prove(ma_prover prover, const ma_hello *hello, const ma_challenge *challenge, uint8_t proof[MA_PROOF]);
bool ma_secret_is_proof(ma_prover prover, const ma_hello *hello, const ma_challenge *challenge,
                        const uint8_t proof[MA_PROOF]);

#pragma GCC visibility pop
#endif
