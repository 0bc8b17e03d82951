/* socket.c: connections between processes. */
#include "system/system.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int milliseconds(double seconds) {
  return seconds < 0 ? 0 : seconds > 1e6 ? 1000000000 : (int)(seconds * 1e3) + 1;
}

static ma_status find(const char *host, int port, struct addrinfo **list) {
  struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
  char service[16];
  snprintf(service, sizeof service, "%d", port);
  int code = getaddrinfo(host, service, &hints, list);
  return code == 0 ? MA_OK : ma_fail(MA_ERR_IO, "no address of %s: %s", host, gai_strerror(code));
}

ma_status ma_socket_listen(const char *host, int port, int *fd) {
  struct addrinfo *list;
  int one = 1, why = 0;
  MA_TRY(find(host, port, &list));
  *fd = -1;
  for (const struct addrinfo *at = list; at && *fd < 0; at = at->ai_next) {
    int made = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) continue;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(made, at->ai_addr, at->ai_addrlen) == 0 && listen(made, 1024) == 0) *fd = made;
    else why = errno, close(made);
  }
  freeaddrinfo(list);
  if (*fd >= 0) return MA_OK;
  return ma_fail(MA_ERR_IO, "%s:%d cannot be opened: %s", host, port, strerror(why));
}

/* One attempt; errno says why it failed. */
static int try_connect(const struct addrinfo *at, double limit) {
  int made = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, why = 0;
  socklen_t size = sizeof why;
  if (made < 0) return -1;
  if (connect(made, at->ai_addr, at->ai_addrlen) != 0) why = errno;
  if (why == EINPROGRESS) {
    struct pollfd wait = { .fd = made, .events = POLLOUT };
    why = ETIMEDOUT;
    if (poll(&wait, 1, milliseconds(limit)) > 0) getsockopt(made, SOL_SOCKET, SO_ERROR, &why, &size);
  }
  if (why == 0) {
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return made;
  }
  close(made);
  errno = why;
  return -1;
}

ma_status ma_socket_connect(const char *host, int port, double limit, int *fd) {
  double begun = clock_now();
  int why = 0;
  struct addrinfo *list;
  MA_TRY(find(host, port, &list));
  *fd = -1;
  do {
    for (const struct addrinfo *at = list; at && *fd < 0; at = at->ai_next)
      if ((*fd = try_connect(at, limit - (clock_now() - begun))) < 0) why = errno;
    if (*fd < 0) nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
  } while (*fd < 0 && clock_now() - begun < limit);
  freeaddrinfo(list);
  return *fd >= 0 ? MA_OK : ma_fail(MA_ERR_IO, "%s:%d: %s", host, port, strerror(why));
}

int ma_socket_accept(int fd) {
  int one = 1, made = accept(fd, NULL, NULL);
  if (made >= 0) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return made;
}

/* Waits until the socket can be read or written; false: the time is over. */
static bool is_ready(int fd, short events, double until) {
  struct pollfd wait = { .fd = fd, .events = events };
  double left = until - clock_now();
  return left > 0 && poll(&wait, 1, milliseconds(left)) > 0;
}

bool ma_socket_send(int fd, const void *bytes, size_t n, double limit) {
  double until = clock_now() + limit;
  for (const char *at = bytes; n > 0;) {
    ssize_t sent = is_ready(fd, POLLOUT, until) ? send(fd, at, n, MSG_NOSIGNAL | MSG_DONTWAIT) : -1;
    if (sent < 0 && (errno == EAGAIN || errno == EINTR) && clock_now() < until) continue;
    if (sent <= 0) return false;
    at += sent;
    n -= (size_t)sent;
  }
  return true;
}

bool ma_socket_receive(int fd, void *bytes, size_t n, double limit) {
  double until = clock_now() + limit;
  for (char *at = bytes; n > 0;) {
    errno = 0;
    ssize_t got = is_ready(fd, POLLIN, until) ? recv(fd, at, n, MSG_DONTWAIT) : -1;
    if (got < 0 && (errno == EAGAIN || errno == EINTR) && clock_now() < until) continue;
    if (got <= 0) return false;
    at += got;
    n -= (size_t)got;
  }
  return true;
}

void ma_socket_poll(const int *fds, bool *ready, int n, double seconds) {
  struct pollfd waits[MA_SOCKETS];
  int many = n < MA_SOCKETS ? n : MA_SOCKETS;
  for (int k = 0; k < many; k++) waits[k] = (struct pollfd){ .fd = fds[k], .events = POLLIN };
  int found = poll(waits, (nfds_t)many, milliseconds(seconds));
  for (int k = 0; k < n; k++) ready[k] = k < many && found > 0 && waits[k].revents != 0;
}

void ma_socket_close(int fd) { close(fd); }
