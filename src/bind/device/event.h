/* event.h: the event object, for files that record events and query them. */
#ifndef MOONARRAY_BIND_EVENT_H
#define MOONARRAY_BIND_EVENT_H

#include "bind/bind.h"

/* handle: the backend's event, made by the first record; it stays on that device. */
typedef struct ma_lua_event {
  uint64_t magic;
  ma_device *device;
  ma_stream *stream; /* stream of the last record; NULL: none yet */
  void *handle;
  uint32_t flags; /* MA_EVENT_... */
} ma_lua_event;

ma_lua_event *ma_lua_toevent(lua_State *L, int index);                           /* NULL if it is not an event */
ma_lua_event *ma_lua_pushevent(lua_State *L, ma_device *device, uint32_t flags); /* an event without a record */
void ma_lua_record(lua_State *L, ma_lua_event *event, ma_stream *stream);
bool ma_lua_isdone(lua_State *L, const ma_lua_event *event); /* the event must have a record */

#endif
