#include "CurlBinding.h"

#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>

#define EACH_FUNCTION(DO) \
  DO(curl_global_init) \
  DO(curl_easy_init) \
  DO(curl_easy_cleanup) \
  DO(curl_easy_reset) \
  DO(curl_easy_perform) \
  DO(curl_easy_strerror) \
  DO(curl_easy_setopt) \
  DO(curl_easy_getinfo) \
  DO(curl_slist_append) \
  DO(curl_slist_free_all)

// The prototypes are curl.h's own, so that a call which no longer fits one does not compile.
#define MEMBER(name) __typeof__(name) *name;
static struct {
  EACH_FUNCTION(MEMBER)
} library;


static pthread_once_t once = PTHREAD_ONCE_INIT;

// Long enough for the dynamic linker's sentence with a path in it.
static char load_failure[512];

static void load(void) {
  // The soname promises the ABI that curl.h describes. Lazy: most of what libcurl imports is never called here.
  void *object = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (object == NULL) {
    snprintf(load_failure, sizeof load_failure, "%s", dlerror());
    return;
  }
#define BIND(name) \
  library.name = (__typeof__(name) *)dlsym(object, #name); \
  if (library.name == NULL) { \
    snprintf(load_failure, sizeof load_failure, "libcurl.so.4 has no function %s", #name); \
    return; \
  }
  EACH_FUNCTION(BIND)
  CURLcode code = library.curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    snprintf(load_failure, sizeof load_failure, "libcurl.so.4 does not start: %s", library.curl_easy_strerror(code));
  }
}

CURL *libcurl_easy_init(const char **failure) {
  pthread_once(&once, load);
  if (load_failure[0] != '\0') {
    *failure = load_failure;
    return NULL;
  }
  CURL *handle = library.curl_easy_init();
  if (handle == NULL) *failure = "libcurl gives no handle";
  return handle;
}

void libcurl_easy_cleanup(CURL *handle) { library.curl_easy_cleanup(handle); }

void libcurl_easy_reset(CURL *handle) { library.curl_easy_reset(handle); }

CURLcode libcurl_easy_perform(CURL *handle) { return library.curl_easy_perform(handle); }

CURLcode libcurl_easy_perform_in_utf8(CURL *handle) {
  locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (utf8 == (locale_t)0) return library.curl_easy_perform(handle);
  locale_t previous = uselocale(utf8);
  CURLcode code = library.curl_easy_perform(handle);
  uselocale(previous);
  freelocale(utf8);
  return code;
}

const char *libcurl_easy_strerror(CURLcode code) { return library.curl_easy_strerror(code); }

// In parentheses, because curl.h has macros of these two names.
#define SET(value) (library.curl_easy_setopt)(handle, option, value)
#define GET(value) (library.curl_easy_getinfo)(handle, info, value)

CURLcode libcurl_set_long(CURL *handle, CURLoption option, long value) { return SET(value); }

CURLcode libcurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) { return SET(value); }

CURLcode libcurl_set_string(CURL *handle, CURLoption option, const char *value) { return SET(value); }

CURLcode libcurl_set_pointer(CURL *handle, CURLoption option, const void *value) { return SET(value); }

CURLcode libcurl_set_list(CURL *handle, CURLoption option, const struct curl_slist *value) { return SET(value); }

CURLcode libcurl_set_write_function(CURL *handle, CURLoption option, curl_write_callback function) {
  return SET(function);
}

CURLcode libcurl_set_progress_function(CURL *handle, curl_xferinfo_callback function) {
  CURLoption option = CURLOPT_XFERINFOFUNCTION;
  return SET(function);
}

CURLcode libcurl_set_debug_function(CURL *handle, curl_debug_callback function) {
  CURLoption option = CURLOPT_DEBUGFUNCTION;
  return SET(function);
}

CURLcode libcurl_get_long(CURL *handle, CURLINFO info, long *value) { return GET(value); }

CURLcode libcurl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) { return GET(value); }

CURLcode libcurl_get_string(CURL *handle, CURLINFO info, const char **value) { return GET(value); }

struct curl_slist *libcurl_list_append(struct curl_slist *list, const char *line) {
  return library.curl_slist_append(list, line);
}

void libcurl_list_free(struct curl_slist *list) { library.curl_slist_free_all(list); }
