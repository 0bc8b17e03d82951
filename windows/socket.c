/* socket.c: connections between processes, which ma.distributed does not make on Windows. */
#include "system/system.h"

static ma_status refuse(void) { return ma_fail(MA_ERR_LIBRARY, "ranks without MPI are not there on Windows"); }

ma_status ma_socket_is_local(const char *host, bool *is_local) { return refuse(); }
ma_status ma_socket_listen(const char *host, int port, int *fd) { return refuse(); }
ma_status ma_socket_connect(const char *host, int port, double limit, int *fd) { return refuse(); }
int ma_socket_accept(int fd, bool *is_full) { return -1; }
ptrdiff_t ma_socket_read(int fd, void *bytes, size_t n) { return -1; }
ptrdiff_t ma_socket_write(int fd, const void *bytes, size_t n) { return -1; }
bool ma_socket_send(int fd, const void *bytes, size_t n, double limit) { return false; }
bool ma_socket_receive(int fd, void *bytes, size_t n, double limit) { return false; }
void ma_socket_poll(ma_socket_wait *list, int n, double seconds) {}
void ma_socket_close(int fd) {}
