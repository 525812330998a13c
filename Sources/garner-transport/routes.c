#include "routes.h"

#include "channel.h"

#include <stdlib.h>
#include <string.h>

struct route {
  struct route *next;
  struct way way;
  CURLSH *share;
};

static struct route *routes;

static bool is_same_text(const char *one, const char *other) {
  return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool is_same_list(const struct curl_slist *one, const struct curl_slist *other) {
  for (; one != NULL && other != NULL; one = one->next, other = other->next) {
    if (strcmp(one->data, other->data) != 0) return false;
  }
  return one == other;
}

// The certificates that TLS trusts matter only where the address of a host is asked for over TLS.
static bool is_same_way(const struct way *one, const struct way *other) {
  return is_same_list(one->resolve, other->resolve) && is_same_text(one->doh_url, other->doh_url) &&
      (one->doh_url == NULL || (is_same_text(one->authority_file, other->authority_file) &&
                                is_same_text(one->authority_directory, other->authority_directory)));
}

static struct curl_slist *copy_list(const struct curl_slist *list) {
  struct curl_slist *copied = NULL;
  for (; list != NULL; list = list->next) {
    struct curl_slist *longer = curl_slist_append(copied, list->data);
    if (longer == NULL) channel_break(transport_exit_want);
    copied = longer;
  }
  return copied;
}

static const char *copy_text(const char *text) {
  if (text == NULL) return NULL;
  const char *copied = strdup(text);
  if (copied == NULL) channel_break(transport_exit_want);
  return copied;
}

static CURLSH *new_share(void) {
  CURLSH *share = curl_share_init();
  // Only one thread uses it, so there is nothing to lock.
  if (share == NULL) channel_break(transport_exit_want);
  if (curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK ||
      curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK)
    channel_break(transport_exit_libcurl);
  return share;
}

CURLSH *routes_share(const struct way *way) {
  if (way->resolve == NULL && way->doh_url == NULL) return NULL;
  for (const struct route *route = routes; route != NULL; route = route->next) {
    if (is_same_way(&route->way, way)) return route->share;
  }
  struct route *route = calloc(1, sizeof *route);
  if (route == NULL) channel_break(transport_exit_want);
  route->way.resolve = copy_list(way->resolve);
  route->way.doh_url = copy_text(way->doh_url);
  route->way.authority_file = copy_text(way->authority_file);
  route->way.authority_directory = copy_text(way->authority_directory);
  route->share = new_share();
  route->next = routes;
  routes = route;
  return route->share;
}

void routes_end(void) {
  for (const struct route *route = routes; route != NULL; route = route->next) curl_share_cleanup(route->share);
}
