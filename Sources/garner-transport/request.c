#include "request.h"

#include <string.h>
#include <strings.h>

static CURLcode append(struct curl_slist **list, const char *line) {
  struct curl_slist *longer = curl_slist_append(*list, line);
  if (longer == NULL) return CURLE_OUT_OF_MEMORY;
  *list = longer;
  return CURLE_OK;
}

static const char user_agent[] = "User-Agent: ";
static const char expectation[] = "Expect: ";

static CURLcode read_text(struct stream *stream, struct request *request, uint32_t item, const char *text) {
  switch (item) {
  case transport_field:
    if (strncasecmp(text, user_agent, sizeof user_agent - 1) == 0) request->user_agent = text + sizeof user_agent - 1;
    if (strncasecmp(text, expectation, sizeof expectation - 1) == 0) stream->expects_continue = true;
    return append(&stream->fields, text);
  case transport_resolve: return append(&stream->resolve, text);
  case transport_connect_to: return append(&stream->connect_to, text);
  default: break;
  }
  request->texts[item] = text;
  return CURLE_OK;
}

CURLcode request_read(struct stream *stream, struct request *request, const uint8_t *items, size_t count) {
  while (count > 0) {
    struct transport_item head;
    if (count < sizeof head) return CURLE_BAD_FUNCTION_ARGUMENT;
    memcpy(&head, items, sizeof head);
    const uint8_t *value = items + sizeof head;
    if (count - sizeof head < head.length) return CURLE_BAD_FUNCTION_ARGUMENT;
    if (head.item >= transport_url && head.item <= transport_last_text) {
      if (head.length == 0 || value[head.length - 1] != '\0') return CURLE_BAD_FUNCTION_ARGUMENT;
      CURLcode code = read_text(stream, request, head.item, (const char *)value);
      if (code != CURLE_OK) return code;
    } else if (head.item >= transport_is_head && head.item <= transport_last_number) {
      if (head.length != sizeof *request->numbers) return CURLE_BAD_FUNCTION_ARGUMENT;
      memcpy(&request->numbers[head.item], value, sizeof *request->numbers);
    } else if (head.item == transport_whole_content) {
      request->whole_content = value;
      request->whole_content_count = head.length;
    } else {
      return CURLE_BAD_FUNCTION_ARGUMENT;
    }
    items = value + head.length;
    count -= sizeof head + head.length;
  }
  return CURLE_OK;
}

void stream_remove_expectation(struct stream *stream) {
  for (struct curl_slist *field = stream->fields; field != NULL; field = field->next) {
    // Without a value, the field removes libcurl's own.
    if (strncasecmp(field->data, expectation, sizeof expectation - 1) == 0) field->data[sizeof expectation - 2] = '\0';
  }
}
