#define _GNU_SOURCE
#include "sockets.h"

#include "channel.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct socket {
  uint64_t number;
  curl_socket_t descriptor;
  /// The number of requests that wait for their responses.
  int waiting_count;
  /// Whether it has carried frames of HTTP/2.
  bool is_framed;
  /// Whether it is a Unix socket, which has no ports.
  bool is_local;
  /// 0 until the socket is connected and `look_at_ends` has read them.
  int remote_port, local_port;
  char remote_address[INET6_ADDRSTRLEN];
};

static struct socket *sockets;
static size_t socket_count, socket_room;

curl_socket_t sockets_open(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)context;
  (void)purpose;
  int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (descriptor < 0) return CURL_SOCKET_BAD;
  if (socket_count == socket_room) {
    size_t room = socket_room * 2 + 8;
    struct socket *larger = reallocarray(sockets, room, sizeof *sockets);
    if (larger == NULL) channel_break(transport_exit_no_resources);
    sockets = larger;
    socket_room = room;
  }
  static uint64_t last_number;
  sockets[socket_count++] = (struct socket){
      .number = ++last_number, .descriptor = descriptor, .is_local = address->family == AF_UNIX};
  return descriptor;
}

int sockets_close(void *context, curl_socket_t descriptor) {
  (void)context;
  for (size_t index = 0; index < socket_count; index++) {
    if (sockets[index].descriptor != descriptor) continue;
    sockets[index] = sockets[--socket_count];
    break;
  }
  return close(descriptor);
}

union address {
  struct sockaddr any;
  struct sockaddr_in ip4;
  struct sockaddr_in6 ip6;
};

static int port_of(const union address *address) {
  switch (address->any.sa_family) {
  case AF_INET: return ntohs(address->ip4.sin_port);
  case AF_INET6: return ntohs(address->ip6.sin6_port);
  default: return 0;
  }
}

static void look_at_ends(struct socket *socket) {
  union address local = {0}, remote = {0};
  socklen_t local_size = sizeof local, remote_size = sizeof remote;
  if (getsockname(socket->descriptor, &local.any, &local_size) != 0) return;
  if (getpeername(socket->descriptor, &remote.any, &remote_size) != 0) return;
  bool is_ip4 = remote.any.sa_family == AF_INET;
  const void *bytes = is_ip4 ? (const void *)&remote.ip4.sin_addr : &remote.ip6.sin6_addr;
  if (inet_ntop(remote.any.sa_family, bytes, socket->remote_address, sizeof socket->remote_address) == NULL) return;
  socket->remote_port = port_of(&remote);
  socket->local_port = port_of(&local);
}

static bool has_ends(struct socket *socket, const struct socket_ends *ends) {
  if (socket->is_local) return false;
  if (socket->local_port == 0) look_at_ends(socket);
  return socket->local_port == ends->local_port && socket->remote_port == ends->remote_port &&
      strcmp(socket->remote_address, ends->remote_address) == 0;
}

static struct socket *find(const struct socket_ends *ends) {
  struct socket *found = NULL;
  for (size_t index = 0; index < socket_count; index++) {
    struct socket *socket = &sockets[index];
    if (ends->local_port != 0) {
      if (has_ends(socket, ends)) return socket;
    } else if (socket->is_local) {
      // If there are several, nobody knows which one it is.
      if (found != NULL) return NULL;
      found = socket;
    }
  }
  return found;
}

/// Whether TLS holds bytes that have not been read. The function is OpenSSL's, which is loaded if libcurl uses it.
static bool is_pending(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || session == NULL) return false;
  if (session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) return false;
  int (*has_pending)(const void *) = (int (*)(const void *))dlsym(RTLD_DEFAULT, "SSL_has_pending");
  return has_pending != NULL && has_pending(session->internals) != 0;
}

static bool has_input(CURL *easy, const struct socket *socket) {
  struct pollfd looked = {.fd = socket->descriptor, .events = POLLIN};
  return poll(&looked, 1, 0) > 0 || is_pending(easy);
}

bool sockets_begin(CURL *easy, const struct socket_ends *ends, bool is_new, uint64_t *number) {
  *number = 0;
  struct socket *socket = find(ends);
  if (socket == NULL) return true;
  bool is_idle = !is_new && !socket->is_framed && socket->waiting_count == 0;
  if (is_idle && has_input(easy, socket)) return false;
  socket->waiting_count++;
  *number = socket->number;
  return true;
}

void sockets_end(uint64_t number, bool is_framed) {
  for (size_t index = 0; index < socket_count; index++) {
    struct socket *socket = &sockets[index];
    if (socket->number != number) continue;
    socket->waiting_count--;
    socket->is_framed |= is_framed;
  }
}
