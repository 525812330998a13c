#ifndef CURL_BINDING_H
#define CURL_BINDING_H

#include <CCurl.h>

// libcurl, loaded when the first handle is made: a run that sends nothing never maps it.
//
// Every function but libcurl_easy_init expects that libcurl_easy_init has given a handle before.

/// A new handle, or NULL with the reason in *failure (a text that lives as long as the process).
/// Loads and initialises libcurl at the first call; safe from any thread.
CURL *_Nullable libcurl_easy_init(const char *_Nullable *_Nonnull failure);
void libcurl_easy_cleanup(CURL *_Nonnull handle);
void libcurl_easy_reset(CURL *_Nonnull handle);
CURLcode libcurl_easy_perform(CURL *_Nonnull handle);
/// The same in a locale of UTF-8, for this thread: libidn2 reads a host's name in the locale's encoding.
CURLcode libcurl_easy_perform_in_utf8(CURL *_Nonnull handle);
const char *_Nonnull libcurl_easy_strerror(CURLcode code);

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one function for each type of argument.

CURLcode libcurl_set_long(CURL *_Nonnull handle, CURLoption option, long value);
CURLcode libcurl_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value);
CURLcode libcurl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value);
CURLcode libcurl_set_pointer(CURL *_Nonnull handle, CURLoption option, const void *_Nullable value);
CURLcode libcurl_set_list(CURL *_Nonnull handle, CURLoption option, const struct curl_slist *_Nullable value);
CURLcode libcurl_set_write_function(CURL *_Nonnull handle, CURLoption option, curl_write_callback _Nonnull function);
CURLcode libcurl_set_progress_function(CURL *_Nonnull handle, curl_xferinfo_callback _Nonnull function);
CURLcode libcurl_set_debug_function(CURL *_Nonnull handle, curl_debug_callback _Nonnull function);

CURLcode libcurl_get_long(CURL *_Nonnull handle, CURLINFO info, long *_Nonnull value);
CURLcode libcurl_get_offset(CURL *_Nonnull handle, CURLINFO info, curl_off_t *_Nonnull value);
CURLcode libcurl_get_string(CURL *_Nonnull handle, CURLINFO info, const char *_Nullable *_Nonnull value);

/// The list with a copy of `line` at its end, or NULL without memory: the old list is then still valid.
struct curl_slist *_Nullable libcurl_list_append(struct curl_slist *_Nullable list, const char *_Nonnull line);
void libcurl_list_free(struct curl_slist *_Nullable list);

#endif
