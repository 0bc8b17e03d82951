/*
** window.c: a window by SDL2 and OpenGL whose picture a script computes. On a GPU the script writes OpenGL's texture
** itself, so no pixel passes through the host's memory. On the CPU the host uploads what the script returns.
**
**   cc -I../../include $(pkg-config --cflags luajit sdl2) window.c -o window $(pkg-config --libs luajit sdl2 gl)
**   ./window window.lua [frames [picture.png]]
*/
#include <moonarray.h>

#include <SDL.h>
#include <SDL_opengl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 512 };

typedef struct host {
  SDL_Window *window;
  SDL_GLContext context;
  lua_State *L;
  const moonarray_api *ma;
  GLuint texture;
} host;

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

/* ==== The window ================================================================================================= */

static int open_window(host *h) {
  if (SDL_Init(SDL_INIT_VIDEO)) return fail(SDL_GetError());
  SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
  h->window = SDL_CreateWindow("moonarray", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, SIZE, SIZE,
                               SDL_WINDOW_OPENGL);
  if (!h->window) return fail(SDL_GetError());
  h->context = SDL_GL_CreateContext(h->window);
  if (!h->context) return fail(SDL_GetError());
  printf("OpenGL by %s\n", (const char *)glGetString(GL_RENDERER));
  return 0;
}

static void make_texture(host *h) {
  glGenTextures(1, &h->texture);
  glBindTexture(GL_TEXTURE_2D, h->texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
}

/* The texture over the whole window, its first row at the top. */
static void draw(const host *h) {
  static const float corner[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
  glEnable(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, h->texture);
  glBegin(GL_TRIANGLE_FAN);
  for (int k = 0; k < 4; k++) {
    glTexCoord2f(corner[k][0], corner[k][1]);
    glVertex2f(2 * corner[k][0] - 1, 1 - 2 * corner[k][1]);
  }
  glEnd();
}

/* ==== The script ================================================================================================= */

/* Runs the script, which gets the texture's name and size and leaves its function on the stack. */
static int load(host *h, const char *path) {
  h->L = luaL_newstate();
  if (!h->L) return fail("no memory for a Lua state");
  luaL_openlibs(h->L);
  h->ma = moonarray_get_api(h->L);
  if (!h->ma) return fail(lua_tostring(h->L, -1));
  if (luaL_loadfile(h->L, path)) return fail(lua_tostring(h->L, -1));
  lua_pushinteger(h->L, (lua_Integer)h->texture);
  lua_pushinteger(h->L, SIZE);
  if (lua_pcall(h->L, 2, 1, 0)) return fail(lua_tostring(h->L, -1));
  return 0;
}

/* Calls the script's function. What it returns, if anything, is (SIZE, SIZE, 4) of uint8 on the CPU. */
static int update(host *h, int frame) {
  moonarray_tensor t;
  lua_pushvalue(h->L, -1);
  lua_pushinteger(h->L, frame);
  if (lua_pcall(h->L, 1, 1, 0)) return fail(lua_tostring(h->L, -1));
  if (!lua_isnil(h->L, -1)) {
    if (h->ma->get(h->L, -1, MOONARRAY_READ, &t)) return fail(h->ma->message());
    if (t.device != MOONARRAY_CPU || t.dtype != MOONARRAY_UINT8 || t.ndim != 3 || t.strided || t.shape[0] != SIZE ||
        t.shape[1] != SIZE || t.shape[2] != 4)
      return fail("the script's picture has another form than the texture");
    glBindTexture(GL_TEXTURE_2D, h->texture);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, t.data);
  }
  lua_pop(h->L, 1);
  return 0;
}

/* Writes what the window shows: as an array, by ma.image. */
static int save(host *h, const char *path) {
  moonarray_tensor t = { 0 };
  t.dtype = MOONARRAY_UINT8;
  t.device = MOONARRAY_CPU;
  t.ndim = 3;
  t.shape[0] = t.shape[1] = SIZE;
  t.shape[2] = 4;
  if (luaL_loadstring(h->L, "local pixels, path = ...\n"
                            "local ma = require 'moonarray'\n"
                            "ma.image.write(path, ma.flip(pixels, 1)[{ {}, {}, { 1, 3 } }])\n"))
    return fail(lua_tostring(h->L, -1));
  if (h->ma->create(h->L, &t)) return fail(h->ma->message());
  glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, t.data);
  lua_pushstring(h->L, path);
  if (lua_pcall(h->L, 2, 0, 0)) return fail(lua_tostring(h->L, -1));
  return 0;
}

static int is_closed(void) {
  SDL_Event event;
  while (SDL_PollEvent(&event))
    if (event.type == SDL_QUIT || (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE)) return 1;
  return 0;
}

static int play(host *h, const char *script, int frames, const char *picture) {
  if (open_window(h)) return 1;
  make_texture(h);
  if (load(h, script)) return 1;
  for (int frame = 0; !is_closed() && (frames == 0 || frame < frames); frame++) {
    if (update(h, frame)) return 1;
    draw(h);
    if (picture && frame == frames - 1 && save(h, picture)) return 1;
    SDL_GL_SwapWindow(h->window);
  }
  return 0;
}

int main(int argc, char **argv) {
  host h = { 0 };
  if (argc < 2 || argc > 4) return fail("usage: window SCRIPT [FRAMES [PICTURE.png]]");
  int code = play(&h, argv[1], argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? argv[3] : NULL);
  if (h.L) lua_close(h.L); /* while the context is there, since the script's textures belong to it */
  if (h.context) SDL_GL_DeleteContext(h.context);
  if (h.window) SDL_DestroyWindow(h.window);
  SDL_Quit();
  return code;
}
