/* socket.c: connections between processes. No program that is started inherits one. */
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

static bool is_loopback(const struct sockaddr *address) {
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  if (address->sa_family == AF_INET) {
    memcpy(&v4, address, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  if (address->sa_family != AF_INET6) return false;
  memcpy(&v6, address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) ||
         (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127);
}

ma_status ma_socket_is_local(const char *host, bool *is_local) {
  struct addrinfo *list;
  MA_TRY(find(host, 0, &list));
  *is_local = true;
  for (const struct addrinfo *at = list; at; at = at->ai_next) *is_local &= is_loopback(at->ai_addr);
  freeaddrinfo(list);
  return MA_OK;
}

ma_status ma_socket_listen(const char *host, int port, int *fd) {
  struct addrinfo *list;
  int one = 1, why = 0;
  MA_TRY(find(host, port, &list));
  *fd = -1;
  for (const struct addrinfo *at = list; at && *fd < 0; at = at->ai_next) {
    int made = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) why = errno;
    if (made < 0) continue;
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(made, at->ai_addr, at->ai_addrlen) == 0 && listen(made, 1024) == 0) *fd = made;
    else why = errno, close(made);
  }
  freeaddrinfo(list);
  if (*fd >= 0) return MA_OK;
  return ma_fail(MA_ERR_IO, "%s:%d cannot be opened: %s", host, port, strerror(why));
}

/* A socket that tries a port of its own machine where nobody listens may get this very port for its own end. */
static bool is_to_itself(int fd) {
  struct sockaddr_storage here, there;
  socklen_t nhere = sizeof here, nthere = sizeof there;
  return getsockname(fd, (struct sockaddr *)&here, &nhere) == 0 &&
         getpeername(fd, (struct sockaddr *)&there, &nthere) == 0 && nhere == nthere && !memcmp(&here, &there, nhere);
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
  if (why == 0 && is_to_itself(made)) why = ECONNREFUSED;
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

int ma_socket_accept(int fd, bool *is_full) {
  int one = 1, made = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  *is_full = made < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (made >= 0) setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return made;
}

static bool is_later(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

ptrdiff_t ma_socket_write(int fd, const void *bytes, size_t n) {
  ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
  return sent >= 0 ? sent : is_later() ? 0 : -1;
}

ptrdiff_t ma_socket_read(int fd, void *bytes, size_t n) {
  ssize_t got = recv(fd, bytes, n, 0);
  return got > 0 ? got : got < 0 && is_later() ? 0 : -1;
}

bool ma_socket_send(int fd, const void *bytes, size_t n, double limit) {
  double until = clock_now() + limit;
  ma_socket_wait wait = { .fd = fd, .writes = true };
  for (const char *at = bytes; n > 0;) {
    ptrdiff_t sent = ma_socket_write(fd, at, n);
    if (sent < 0) return false;
    at += sent;
    n -= (size_t)sent;
    double left = until - clock_now();
    if (sent == 0 && left <= 0) return false;
    if (sent == 0) ma_socket_poll(&wait, 1, left);
  }
  return true;
}

bool ma_socket_receive(int fd, void *bytes, size_t n, double limit) {
  double until = clock_now() + limit;
  ma_socket_wait wait = { .fd = fd };
  for (char *at = bytes; n > 0;) {
    ptrdiff_t got = ma_socket_read(fd, at, n);
    if (got < 0) return false;
    at += got;
    n -= (size_t)got;
    double left = until - clock_now();
    if (got == 0 && left <= 0) return false;
    if (got == 0) ma_socket_poll(&wait, 1, left);
  }
  return true;
}

/* poll() refuses a longer list than the process may have descriptors, so those that are none are left out. */
void ma_socket_poll(ma_socket_wait *list, int n, double seconds) {
  struct pollfd waits[MA_SOCKETS];
  int many = 0, at = 0;
  for (int k = 0; k < n; k++)
    if (list[k].fd >= 0 && many < MA_SOCKETS)
      waits[many++] = (struct pollfd){ .fd = list[k].fd, .events = list[k].writes ? POLLOUT : POLLIN };
  int found = poll(waits, (nfds_t)many, milliseconds(seconds));
  for (int k = 0; k < n; k++) list[k].ready = list[k].fd >= 0 && at < many && waits[at++].revents != 0 && found > 0;
}

void ma_socket_close(int fd) { close(fd); }
