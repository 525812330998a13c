#ifndef SOCKETS_H
#define SOCKETS_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

// The sockets that libcurl has open.
//
// "A client that receives data on a connection that does not have outstanding requests MUST NOT consider that data to
// be a valid response to a not-yet-issued request" (RFC 9112 section 9.2). libcurl 7.88 sends the request all the
// same, and every answer of that connection is then the answer to the request before.

// What libcurl calls; the context is of no account. Each is declared as libcurl has it.
curl_socket_t sockets_open(void *context, curlsocktype purpose, struct curl_sockaddr *address);
int sockets_close(void *context, curl_socket_t descriptor);

/// The ends of a connection; without ports, as those of a Unix socket are, it may be any of them.
struct socket_ends {
  const char *remote_address;
  int remote_port, local_port;
};

/// A request is about to be sent, by a connection that is new or has been used.
///
/// Sets the number of its socket; 0 where that is not known. Returns whether it may be sent: false where something has
/// come by a used one, be it its end, while nobody waited for a response. Frames of HTTP/2 may come at any time, and
/// are libcurl's to read. What came in one record of TLS with the end of a response has been taken from the socket.
bool sockets_begin(CURL *easy, const struct socket_ends *ends, bool is_new, uint64_t *number);

/// The request that was begun by that socket is over; its response has come in frames of HTTP/2 where `is_framed`.
void sockets_end(uint64_t number, bool is_framed);

#endif
