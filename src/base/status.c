/* status.c: the message of the last failure of each thread. The core never prints and never raises: it returns a
** status, and the binding turns the message into an error. */
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Room for a compile log with numbered source; longer texts are cut. */
#define MESSAGE_SIZE 16384

static _Thread_local char message[MESSAGE_SIZE];

ma_status ma_fail(ma_status code, const char *format, ...) {
  /* The arguments may include the old message, so the new one is made in another buffer. */
  char text[MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  ma_vprint(text, sizeof text, format, args);
  va_end(args);
  memcpy(message, text, strlen(text) + 1);
  return code;
}

ma_status ma_fail_prefix(ma_status code, const char *format, ...) {
  char text[MESSAGE_SIZE];
  va_list args;
  va_start(args, format);
  int n = ma_vprint(text, sizeof text, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof text) snprintf(text + n, sizeof text - (size_t)n, "%s", message);
  memcpy(message, text, strlen(text) + 1);
  return code;
}

const char *ma_message(void) { return message; }

static _Thread_local char lacked[MA_LACKED]; /* "": nothing */

ma_status ma_lack(void) {
  snprintf(lacked, sizeof lacked, "%.*s", (int)sizeof lacked - 1, message);
  return MA_ERR_LACK;
}

const char *ma_lacked(void) { return *lacked ? lacked : NULL; }
void ma_lack_forget(void) { *lacked = 0; }
