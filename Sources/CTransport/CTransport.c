#include "CTransport.h"

_Static_assert(sizeof(struct transport_frame) == 12, "a frame's head has no padding");
_Static_assert(sizeof(struct transport_item) == 8, "an item's head has no padding");
