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

// Callbacks of libcurl, which do not use the context. Each is declared as libcurl requires it.
curl_socket_t sockets_open(void *context, curlsocktype purpose, struct curl_sockaddr *address);
int sockets_close(void *context, curl_socket_t descriptor);

/// The ends of a connection. Without ports, which Unix sockets do not have, it may be any Unix socket.
struct socket_ends {
  const char *remote_address;
  int remote_port, local_port;
};

/// Notes that a request is about to be sent, by a connection that is new or has been used.
///
/// Sets the number of its socket; 0 if that is not known. Returns whether it may be sent: false if something, perhaps
/// the end, has come by a used connection while nobody waited for a response. Frames of HTTP/2 may come at any time,
/// and are left to libcurl. What came in one TLS record with the end of a response has been taken from the socket
/// already.
bool sockets_begin(CURL *easy, const struct socket_ends *ends, bool is_new, uint64_t *number);

/// Notes that the request begun by that socket is over; `is_framed` if its response has come in frames of HTTP/2.
void sockets_end(uint64_t number, bool is_framed);

#endif
