#ifndef CJSON_H
#define CJSON_H

#include <yajl/yajl_parse.h>

#endif
