#include "shares.h"

#include "channel.h"

#include <stdlib.h>
#include <string.h>

struct resolution_share {
  struct resolution_share *next;
  struct resolution resolution;
  CURLSH *share;
};

static struct resolution_share *shares;

static bool is_same_text(const char *one, const char *other) {
  return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

static bool is_same_list(const struct curl_slist *one, const struct curl_slist *other) {
  for (; one != NULL && other != NULL; one = one->next, other = other->next) {
    if (strcmp(one->data, other->data) != 0) return false;
  }
  return one == other;
}

// The certificates that TLS trusts matter only if the address of a host is asked for over TLS.
static bool is_same_resolution(const struct resolution *one, const struct resolution *other) {
  return is_same_list(one->resolve, other->resolve) && is_same_text(one->doh_url, other->doh_url) &&
      (one->doh_url == NULL || (is_same_text(one->authority_file, other->authority_file) &&
                                is_same_text(one->authority_directory, other->authority_directory)));
}

static struct curl_slist *copy_list(const struct curl_slist *list) {
  struct curl_slist *copied = NULL;
  for (; list != NULL; list = list->next) {
    struct curl_slist *longer = curl_slist_append(copied, list->data);
    if (longer == NULL) channel_break(transport_exit_no_resources);
    copied = longer;
  }
  return copied;
}

static const char *copy_text(const char *text) {
  if (text == NULL) return NULL;
  const char *copied = strdup(text);
  if (copied == NULL) channel_break(transport_exit_no_resources);
  return copied;
}

static CURLSH *new_share(void) {
  CURLSH *share = curl_share_init();
  // Only one thread uses it, so there is nothing to lock.
  if (share == NULL) channel_break(transport_exit_no_resources);
  if (curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_CONNECT) != CURLSHE_OK ||
      curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK)
    channel_break(transport_exit_libcurl);
  return share;
}

CURLSH *shares_for(const struct resolution *resolution) {
  if (resolution->resolve == NULL && resolution->doh_url == NULL) return NULL;
  for (const struct resolution_share *entry = shares; entry != NULL; entry = entry->next) {
    if (is_same_resolution(&entry->resolution, resolution)) return entry->share;
  }
  struct resolution_share *entry = calloc(1, sizeof *entry);
  if (entry == NULL) channel_break(transport_exit_no_resources);
  entry->resolution.resolve = copy_list(resolution->resolve);
  entry->resolution.doh_url = copy_text(resolution->doh_url);
  entry->resolution.authority_file = copy_text(resolution->authority_file);
  entry->resolution.authority_directory = copy_text(resolution->authority_directory);
  entry->share = new_share();
  entry->next = shares;
  shares = entry;
  return entry->share;
}

void shares_end(void) {
  for (const struct resolution_share *entry = shares; entry != NULL; entry = entry->next) {
    curl_share_cleanup(entry->share);
  }
}
