#include "routes.h"

#include "channel.h"

#include <stdlib.h>
#include <string.h>

struct route {
  struct route *next;
  struct curl_slist *resolve;
  char *doh_url;
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

static struct curl_slist *copy(const struct curl_slist *list) {
  struct curl_slist *copied = NULL;
  for (; list != NULL; list = list->next) {
    struct curl_slist *longer = curl_slist_append(copied, list->data);
    if (longer == NULL) channel_break(transport_exit_want);
    copied = longer;
  }
  return copied;
}

static CURLSH *new_share(void) {
  CURLSH *share = curl_share_init();
  // One thread uses it: there is nothing to lock.
  if (share == NULL) channel_break(transport_exit_want);
  if (curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK ||
      curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK)
    channel_break(transport_exit_libcurl);
  return share;
}

CURLSH *routes_share(const struct curl_slist *resolve, const char *doh_url) {
  if (resolve == NULL && doh_url == NULL) return NULL;
  for (const struct route *route = routes; route != NULL; route = route->next) {
    if (is_same_list(route->resolve, resolve) && is_same_text(route->doh_url, doh_url)) return route->share;
  }
  struct route *route = calloc(1, sizeof *route);
  if (route == NULL) channel_break(transport_exit_want);
  route->resolve = copy(resolve);
  route->doh_url = doh_url != NULL ? strdup(doh_url) : NULL;
  if (doh_url != NULL && route->doh_url == NULL) channel_break(transport_exit_want);
  route->share = new_share();
  route->next = routes;
  routes = route;
  return route->share;
}

void routes_end(void) {
  for (const struct route *route = routes; route != NULL; route = route->next) curl_share_cleanup(route->share);
}
