/* event.h: the event object, for what records events and asks after them. */
#ifndef MOONARRAY_BIND_EVENT_H
#define MOONARRAY_BIND_EVENT_H

#include "bind/bind.h"

/* handle: the backend's, made by the first record, of that device for ever. */
typedef struct ma_lua_event {
  uint64_t magic;
  ma_device *device;
  ma_stream *stream; /* of the last record; NULL: none yet */
  void *handle;
  uint32_t flags; /* MA_EVENT_... */
} ma_lua_event;

ma_lua_event *ma_lua_toevent(lua_State *L, int index);                           /* NULL if it is none */
ma_lua_event *ma_lua_pushevent(lua_State *L, ma_device *device, uint32_t flags); /* one that holds nothing yet */
void ma_lua_record(lua_State *L, ma_lua_event *event, ma_stream *stream);
bool ma_lua_isdone(lua_State *L, const ma_lua_event *event); /* of a recorded one */

#endif
