#define _GNU_SOURCE
#include "authorities.h"
#include "request.h"
#include "shares.h"
#include "sockets.h"
#include "stream.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

// Sets libcurl's options from the items of a request. No other file sets options.

#define SET(option, value) \
  do { \
    CURLcode code = curl_easy_setopt(stream->easy, option, value); \
    if (code != CURLE_OK) return code; \
  } while (0)

#define SET_TEXT(option, item) \
  do { \
    if (request->texts[item] != NULL) SET(option, request->texts[item]); \
  } while (0)

#define TRY(call) \
  do { \
    CURLcode code = call; \
    if (code != CURLE_OK) return code; \
  } while (0)

// The size that took the least processor time of those tried: 100 MB over plain http took 34 ms with it, 42 ms with
// libcurl's 16 KiB (four times the system calls) and 47 ms with 512 KiB (beyond the second-level cache).
static const long buffer_bytes = 64 << 10;

// MARK: The request

static CURLcode set_target(struct stream *stream, const struct request *request) {
  SET(CURLOPT_URL, request->texts[transport_url]);
  // The target is sent as it is, and garner follows redirects itself.
  SET(CURLOPT_PATH_AS_IS, 1L);
  SET(CURLOPT_FOLLOWLOCATION, 0L);
  SET(CURLOPT_PROTOCOLS_STR, "http,https");
  SET(CURLOPT_NOSIGNAL, 1L);
  // Content is stored with its content coding; a transfer coding belongs to the connection.
  SET(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  SET(CURLOPT_HTTP_TRANSFER_DECODING, 1L);
  SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // A rate holds back at most one buffer: what may pass in a tenth of a second. libcurl accepts no buffer below 1 KiB.
  const int64_t rate = stream->rate.limit = request->numbers[transport_maximum_rate];
  const long bytes = rate == 0 || rate / 10 > buffer_bytes ? buffer_bytes : (long)rate / 10 + 1;
  // Only a preference: libcurl refuses it while it keeps the buffer of a transfer that never had a connection.
  curl_easy_setopt(stream->easy, CURLOPT_BUFFERSIZE, bytes);
  // libidn2 reads a proxy's name in the encoding of the locale; the host's name is in ASCII. Setting a locale opens
  // four files.
  if (request->numbers[transport_is_international] != 0) setlocale(LC_CTYPE, "C.UTF-8");
  return CURLE_OK;
}

static CURLcode set_content(struct stream *stream, const struct request *request) {
  bool is_open_ended = request->numbers[transport_content_is_open_ended] != 0;
  int64_t count = request->numbers[transport_content_count];
  SET(CURLOPT_POST, 1L);
  // -1, for content of unknown length, is sent in chunks if HTTP/1.1 needs them.
  SET(CURLOPT_POSTFIELDSIZE_LARGE, is_open_ended ? (curl_off_t)-1 : (curl_off_t)count);
  if (count == (int64_t)request->whole_content_count) {
    // Allocated even for content without a byte: libcurl takes NULL for "ask the read function".
    stream->whole_content = malloc(request->whole_content_count + 1);
    if (stream->whole_content == NULL) return CURLE_OUT_OF_MEMORY;
    if (count > 0) memcpy(stream->whole_content, request->whole_content, request->whole_content_count);
    SET(CURLOPT_POSTFIELDS, stream->whole_content);
    return CURLE_OK;
  }
  stream->upload.is_read_once = request->numbers[transport_content_is_read_once] != 0;
  stream->upload.is_open_ended = is_open_ended;
  stream->upload.count = is_open_ended ? INT64_MAX : count;
  SET(CURLOPT_READFUNCTION, stream_read_content);
  SET(CURLOPT_READDATA, stream);
  SET(CURLOPT_SEEKFUNCTION, stream_seek_content);
  SET(CURLOPT_SEEKDATA, stream);
  return CURLE_OK;
}

static CURLcode set_method(struct stream *stream, const struct request *request) {
  const char *method = request->texts[transport_method];
  bool has_content =
      request->numbers[transport_content_count] >= 0 || request->numbers[transport_content_is_open_ended] != 0;
  stream->is_idempotent = request->numbers[transport_is_idempotent] != 0;
  stream->is_head = request->numbers[transport_is_head] != 0;
  if (stream->is_head) {
    SET(CURLOPT_NOBODY, 1L);
    if (strcmp(method, "HEAD") == 0) return CURLE_OK;
    SET(CURLOPT_CUSTOMREQUEST, method);
    // The origin sends content all the same, for which libcurl does not wait.
    SET(CURLOPT_FORBID_REUSE, 1L);
    return CURLE_OK;
  }
  stream->has_content = has_content;
  if (has_content) {
    TRY(set_content(stream, request));
  } else {
    SET(CURLOPT_HTTPGET, 1L);
  }
  SET(CURLOPT_CUSTOMREQUEST, method);
  return CURLE_OK;
}

// MARK: The transfer

static CURLcode set_callbacks(struct stream *stream, const struct request *request) {
  SET(CURLOPT_ERRORBUFFER, stream->reason);
  SET(CURLOPT_PRIVATE, stream);
  SET(CURLOPT_HEADERFUNCTION, stream_receive_line);
  SET(CURLOPT_HEADERDATA, stream);
  SET(CURLOPT_WRITEFUNCTION, stream_receive_content);
  SET(CURLOPT_WRITEDATA, stream);
  SET(CURLOPT_OPENSOCKETFUNCTION, sockets_open);
  SET(CURLOPT_CLOSESOCKETFUNCTION, sockets_close);
  SET(CURLOPT_PREREQFUNCTION, stream_begin_request);
  SET(CURLOPT_PREREQDATA, stream);
  if (request->numbers[transport_wants_trace] == 0) return CURLE_OK;
  SET(CURLOPT_DEBUGFUNCTION, stream_receive_trace);
  SET(CURLOPT_DEBUGDATA, stream);
  SET(CURLOPT_VERBOSE, 1L);
  return CURLE_OK;
}

static CURLcode set_limits(struct stream *stream, const struct request *request) {
  const int64_t *numbers = request->numbers;
  // 0 means no limit, also if the item is absent; libcurl then limits connecting to 300 s all the same.
  stream->time_limit = numbers[transport_time_limit_milliseconds];
  SET(CURLOPT_TIMEOUT_MS, (long)stream->time_limit);
  SET(CURLOPT_CONNECTTIMEOUT_MS, (long)numbers[transport_connect_time_limit_milliseconds]);
  SET(CURLOPT_LOW_SPEED_LIMIT, (long)numbers[transport_floor_bytes_per_second]);
  SET(CURLOPT_LOW_SPEED_TIME, (long)numbers[transport_floor_seconds]);
  SET(CURLOPT_MAX_SEND_SPEED_LARGE, (curl_off_t)numbers[transport_maximum_rate]);
#if LIBCURL_VERSION_NUM >= 0x075700
  // Without this option, when the time is over, libcurl waits for the thread that asks a name server, for as long as
  // the resolver likes. A libcurl that does not know the option waits, too, and its refusal is no failure.
  curl_easy_setopt(stream->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  return CURLE_OK;
}

static long curl_http_version(int64_t preference) {
  switch (preference) {
  case transport_http_10: return CURL_HTTP_VERSION_1_0;
  case transport_http_11: return CURL_HTTP_VERSION_1_1;
  case transport_http_2: return CURL_HTTP_VERSION_2_0;
  case transport_http_2_prior_knowledge: return CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
  default: return CURL_HTTP_VERSION_2TLS;
  }
}

/// Every handle reads the file of alternatives once, and none writes it: libcurl would empty it first, even behind a
/// link, and each handle would overwrite what another one has written. garner writes the file.
static CURLcode set_alternatives(struct stream *stream, const char *file) {
  static const long reading_only = CURLALTSVC_H1 | CURLALTSVC_H2 | CURLALTSVC_H3 | CURLALTSVC_READONLYFILE;
  if (file == NULL || stream->has_alternatives) return CURLE_OK;
  SET(CURLOPT_ALTSVC_CTRL, reading_only);
  SET(CURLOPT_ALTSVC, file);
  stream->has_alternatives = true;
  return CURLE_OK;
}

static bool asks_to_close(const struct curl_slist *fields) {
  static const char name[] = "connection:";
  for (; fields != NULL; fields = fields->next) {
    if (strncasecmp(fields->data, name, sizeof name - 1) == 0 && strcasestr(fields->data, "close") != NULL) return true;
  }
  return false;
}

static CURLcode set_connection(struct stream *stream, const struct request *request) {
  SET(CURLOPT_HTTP_VERSION, curl_http_version(request->numbers[transport_http_version]));
  switch (request->numbers[transport_address_family]) {
  case 4: SET(CURLOPT_IPRESOLVE, (long)CURL_IPRESOLVE_V4); break;
  case 6: SET(CURLOPT_IPRESOLVE, (long)CURL_IPRESOLVE_V6); break;
  default: break;
  }
  stream->window = request->numbers[transport_window];
  stream->ends_run = request->numbers[transport_is_last] != 0;
  // A stream of a connection that is being made is cheaper than a connection of its own. Over plain http there is no
  // such stream to share, and libcurl would wait for the first response.
  bool may_share = request->numbers[transport_is_secure] != 0 && stream->window > 0;
  SET(CURLOPT_PIPEWAIT, may_share ? 1L : 0L);
  // libcurl 7.88 cannot reuse a connection with prior knowledge of HTTP/2: the second request ends with CURLE_HTTP2.
  bool is_unshared = request->numbers[transport_http_version] == transport_http_2_prior_knowledge;
  SET(CURLOPT_FRESH_CONNECT, is_unshared ? 1L : 0L);
  // "A client that sends a 'close' connection option MUST NOT send further requests on that connection" (RFC 9112
  // section 9.6).
  if (is_unshared || asks_to_close(stream->fields)) SET(CURLOPT_FORBID_REUSE, 1L);
  const struct resolution resolution = {
      .resolve = stream->resolve,
      .doh_url = request->texts[transport_doh_url],
      .authority_file = request->texts[transport_authority_file],
      .authority_directory = request->texts[transport_authority_directory],
  };
  SET(CURLOPT_SHARE, shares_for(&resolution));
  SET(CURLOPT_RESOLVE, stream->resolve);
  SET(CURLOPT_CONNECT_TO, stream->connect_to);
  SET_TEXT(CURLOPT_INTERFACE, transport_interface);
  SET_TEXT(CURLOPT_UNIX_SOCKET_PATH, transport_unix_socket);
  SET_TEXT(CURLOPT_ABSTRACT_UNIX_SOCKET, transport_abstract_unix_socket);
  SET_TEXT(CURLOPT_DOH_URL, transport_doh_url);
  return set_alternatives(stream, request->texts[transport_alt_svc_file]);
}

static CURLcode set_proxy(struct stream *stream, const struct request *request) {
  // An empty name makes libcurl ignore its environment variables.
  SET_TEXT(CURLOPT_PROXY, transport_proxy);
  SET_TEXT(CURLOPT_NOPROXY, transport_no_proxy);
  SET_TEXT(CURLOPT_PROXYUSERPWD, transport_proxy_credentials);
  SET(CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
  // A field without a value removes libcurl's own from CONNECT: "... clients are encouraged not to send the
  // Proxy-Connection header field in any requests" (RFC 9112 appendix C.2.2).
  static char proxy_connection[] = "Proxy-Connection:";
  static struct curl_slist tunnel_fields = {.data = proxy_connection};
  SET(CURLOPT_PROXYHEADER, &tunnel_fields);
  // Only for CONNECT: the request itself has the field among its own.
  if (request->user_agent != NULL) SET(CURLOPT_USERAGENT, request->user_agent);
  return CURLE_OK;
}

// MARK: TLS

/// Sets the certificates by which the origin, an https proxy and a server of DNS over HTTPS are verified. A request
/// over plain http may use the last two.
static CURLcode set_trust(struct stream *stream, const struct request *request) {
  static const char system_directory[] = "/etc/ssl/certs";
  const char *file = request->texts[transport_authority_file];
  const char *directory = request->texts[transport_authority_directory];
  bool trusts_anybody = request->numbers[transport_trusts_anybody] != 0;
  SET(CURLOPT_SSL_VERIFYPEER, trusts_anybody ? 0L : 1L);
  SET(CURLOPT_SSL_VERIFYHOST, trusts_anybody ? 0L : 2L);
  SET(CURLOPT_PROXY_SSL_VERIFYPEER, trusts_anybody ? 0L : 1L);
  SET(CURLOPT_PROXY_SSL_VERIFYHOST, trusts_anybody ? 0L : 2L);
  if (file != NULL || directory != NULL) {
    SET(CURLOPT_CAINFO, file);
    SET(CURLOPT_CAPATH, directory);
    SET(CURLOPT_PROXY_CAINFO, file);
    SET(CURLOPT_PROXY_CAPATH, directory);
  } else if (
      request->numbers[transport_is_secure] != 0 && authorities_are_hashed(system_directory) &&
      // A libcurl whose TLS does not support directories keeps its bundle.
      curl_easy_setopt(stream->easy, CURLOPT_CAPATH, system_directory) == CURLE_OK) {
    SET(CURLOPT_CAINFO, NULL);
  }
  return CURLE_OK;
}

/// Sets the client's certificate and key. Nobody is asked for a pass phrase.
static CURLcode set_client(struct stream *stream, const struct request *request) {
  SET_TEXT(CURLOPT_SSLCERT, transport_client_certificate);
  SET_TEXT(CURLOPT_SSLKEY, transport_client_key);
  const char *passphrase = request->texts[transport_client_key_passphrase];
  bool has_key =
      request->texts[transport_client_certificate] != NULL || request->texts[transport_client_key] != NULL;
  // OpenSSL would ask for one on the terminal, and leave that without echo if the run ends meanwhile; or on standard
  // input, which is the pipe here.
  if (passphrase == NULL && has_key) passphrase = "";
  if (passphrase != NULL) SET(CURLOPT_KEYPASSWD, passphrase);
  return CURLE_OK;
}

static CURLcode set_security(struct stream *stream, const struct request *request) {
  // Not every libcurl can report certificates.
  if (request->numbers[transport_wants_certificates] != 0) curl_easy_setopt(stream->easy, CURLOPT_CERTINFO, 1L);
  long versions = request->numbers[transport_minimum_tls] == 13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2;
  switch (request->numbers[transport_maximum_tls]) {
  case 12: versions |= CURL_SSLVERSION_MAX_TLSv1_2; break;
  case 13: versions |= CURL_SSLVERSION_MAX_TLSv1_3; break;
  default: break;
  }
  SET(CURLOPT_SSLVERSION, versions);
  TRY(set_client(stream, request));
  SET_TEXT(CURLOPT_PINNEDPUBLICKEY, transport_pinned_public_key);
  SET_TEXT(CURLOPT_SSL_CIPHER_LIST, transport_ciphers);
  SET_TEXT(CURLOPT_TLS13_CIPHERS, transport_tls13_ciphers);
  return CURLE_OK;
}

CURLcode stream_set_options(struct stream *stream, const uint8_t *items, size_t count) {
  struct request request = {.numbers = {[transport_content_count] = -1}};
  curl_easy_reset(stream->easy);
  stream->reason[0] = '\0';
  TRY(request_read(stream, &request, items, count));
  if (request.texts[transport_url] == NULL || request.texts[transport_method] == NULL) {
    return CURLE_BAD_FUNCTION_ARGUMENT;
  }
  TRY(set_callbacks(stream, &request));
  TRY(set_target(stream, &request));
  TRY(set_method(stream, &request));
  SET(CURLOPT_HTTPHEADER, stream->fields);
  TRY(set_limits(stream, &request));
  TRY(set_connection(stream, &request));
  TRY(set_proxy(stream, &request));
  TRY(set_trust(stream, &request));
  return request.numbers[transport_is_secure] != 0 ? set_security(stream, &request) : CURLE_OK;
}

CURLcode stream_set_second_attempt(struct stream *stream, int64_t rest) {
  SET(CURLOPT_TIMEOUT_MS, (long)rest);
  SET(CURLOPT_FRESH_CONNECT, 1L);
  return CURLE_OK;
}

void stream_set_length_check(struct stream *stream, bool is_checked) {
  curl_easy_setopt(stream->easy, CURLOPT_IGNORE_CONTENT_LENGTH, is_checked ? 0L : 1L);
}

void stream_forget(struct stream *stream) {
  curl_easy_setopt(stream->easy, CURLOPT_HTTPHEADER, NULL);
  curl_easy_setopt(stream->easy, CURLOPT_RESOLVE, NULL);
  curl_easy_setopt(stream->easy, CURLOPT_CONNECT_TO, NULL);
  curl_easy_setopt(stream->easy, CURLOPT_POSTFIELDS, NULL);
  curl_easy_setopt(stream->easy, CURLOPT_VERBOSE, 0L);
  curl_slist_free_all(stream->fields);
  curl_slist_free_all(stream->resolve);
  curl_slist_free_all(stream->connect_to);
  free(stream->whole_content);
  stream_forget_content(stream);
  *stream = (struct stream){
      .next = stream->next, .easy = stream->easy, .has_alternatives = stream->has_alternatives};
}
