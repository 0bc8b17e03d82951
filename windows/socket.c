/* socket.c: connections between processes, which ma.distributed does not make on Windows. */
#include "system/system.h"

static ma_status refuse(void) { return ma_fail(MA_ERR_LIBRARY, "ranks without MPI are not there on Windows"); }

ma_status ma_socket_listen(const char *host, int port, int *fd) { return refuse(); }
ma_status ma_socket_connect(const char *host, int port, double limit, int *fd) { return refuse(); }
int ma_socket_accept(int fd) { return -1; }
bool ma_socket_send(int fd, const void *bytes, size_t n, double limit) { return false; }
bool ma_socket_receive(int fd, void *bytes, size_t n, double limit) { return false; }
void ma_socket_poll(const int *fds, bool *ready, int n, double seconds) {}
void ma_socket_close(int fd) {}
