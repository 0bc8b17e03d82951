/* ticket.c: export and import, which pass an array to another Lua state of the process without a copy. */
//# files
#include "array/ticket.h"
#include "bind/bind.h"

/* Fails for memory that this Lua state keeps alive: it cannot outlive the state. */
static void check_own(lua_State *L, const ma_array *array) {
  if (ma_lua_borrowed(array->buffer))
    ma_lua_fail(L, "an array over memory that this Lua state keeps (frombuffer); export a:copy()");
}

static int ticket_export(lua_State *L) {
  char text[MA_TICKET_SIZE];
  const void *address;
  const ma_array *array = ma_lua_checkarray(L, 1);
  int64_t imports = lua_isnil(L, 2) ? 1 : ma_lua_checkint(L, 2, "imports");
  if (imports < 1)
    ma_lua_fail(L, "imports is %lld; wanted how often the ticket may be imported, 1 or more", (long long)imports);
  check_own(L, array);
  /* Computes what is pending. */
  MA_LUA_TRY(L, ma_hazard_expose(array->buffer, ma_lua_streamfor(L, array)));
  MA_LUA_TRY(L, ma_array_read(array, ma_lua_streamfor(L, array), &address));
  MA_LUA_TRY(L, ma_ticket_new(array, imports, text));
  lua_pushstring(L, text);
  return 1;
}

static const char *check_ticket(lua_State *L, size_t *size) {
  if (lua_type(L, 1) != LUA_TSTRING)
    ma_lua_fail(L, "ticket is %s; wanted the string that moonarray.export returned", ma_lua_describe(L, 1));
  return lua_tolstring(L, 1, size);
}

static int ticket_import(lua_State *L) {
  size_t size;
  const char *text = check_ticket(L, &size);
  ma_lua_check(L, ma_ticket_take(text, size, ma_lua_newarray(L)));
  return 1;
}

static int ticket_revoke(lua_State *L) {
  size_t size;
  bool was_open;
  const char *text = check_ticket(L, &size);
  ma_lua_check(L, ma_ticket_revoke(text, size, &was_open));
  lua_pushboolean(L, was_open);
  return 1;
}

static int open_tickets(lua_State *L) {
  lua_pushnumber(L, (double)ma_ticket_open());
  return 1;
}

static const ma_function functions[] = {
  //> export import: ma.import(ma.export(ma.ones(2)))
  { "export(a: data, imports?: integer) -> string", ticket_export,
    "A ticket, a string, by which another Lua state of this process imports the array without a copy. It holds the "
    "memory until it was "
    "imported `imports` times (default 1) or is revoked." },
  { "import(ticket: string) -> array", ticket_import,
    "The array of a ticket that export gave in any Lua state of this process: the same memory, no copy." },
  //> revoke: ma.revoke(ma.export(ma.ones(2)))
  { "revoke(ticket: string) -> boolean", ticket_revoke,
    "Gives up a ticket and its hold on the memory. True if it was still good." },
  { "core.open_tickets()", open_tickets, NULL },
  { NULL, NULL, NULL }
};

void ma_open_ticket(lua_State *L) { ma_lua_register(L, functions); }
