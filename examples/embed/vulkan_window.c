/*
** vulkan_window.c: a window by SDL2 and Vulkan whose picture a script computes. The script's array lies in memory of
** Vulkan's that the host maps, and Vulkan copies it to the window. vulkan.c shows how a script on a GPU writes memory
** of Vulkan's without the host.
**
**   cc -I../../include $(pkg-config --cflags luajit sdl2 vulkan) vulkan_window.c -o vulkan_window \
**     $(pkg-config --libs luajit sdl2 vulkan)
**   ./vulkan_window vulkan_window.lua [frames [picture.png]]
*/
#include <moonarray.h>

#include <SDL.h>
#include <SDL_vulkan.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

enum { SIZE = 512, BYTES = SIZE * SIZE * 4, MOST_IMAGES = 8 };

typedef struct host {
  SDL_Window *window;
  lua_State *L;
  const moonarray_api *ma;
  VkInstance instance;
  VkSurfaceKHR surface;
  VkPhysicalDevice card;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkSwapchainKHR chain;
  VkImage images[MOST_IMAGES];
  VkFormat format;
  VkBuffer picture; /* what the script writes; when a picture is saved, what the window shows is copied back here */
  VkDeviceMemory memory;
  void *pixels;
  VkSemaphore acquired, drawn;
  VkFence done;
  VkCommandPool pool;
  VkCommandBuffer commands;
} host;

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

#define TRY(call)                                           \
  do {                                                      \
    if ((call) != VK_SUCCESS) return fail(#call " failed"); \
  } while (0)

/* ==== The window ================================================================================================== */

static int open_window(host *h) {
  const char *extensions[16];
  unsigned n = 16;
  if (SDL_Init(SDL_INIT_VIDEO)) return fail(SDL_GetError());
  h->window = SDL_CreateWindow("moonarray", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, SIZE, SIZE,
                               SDL_WINDOW_VULKAN);
  if (!h->window) return fail(SDL_GetError());
  if (!SDL_Vulkan_GetInstanceExtensions(h->window, &n, extensions)) return fail(SDL_GetError());
  VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1 };
  VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                .pApplicationInfo = &application,
                                .enabledExtensionCount = n,
                                .ppEnabledExtensionNames = extensions };
  TRY(vkCreateInstance(&info, NULL, &h->instance));
  if (!SDL_Vulkan_CreateSurface(h->window, h->instance, &h->surface)) return fail(SDL_GetError());
  return 0;
}

/* The first card with a queue that can draw to the window. */
static int find_queue(host *h) {
  VkPhysicalDevice cards[16];
  uint32_t ncard = 16;
  if (vkEnumeratePhysicalDevices(h->instance, &ncard, cards) < 0) return fail("vkEnumeratePhysicalDevices failed");
  for (uint32_t k = 0; k < ncard; k++) {
    VkQueueFamilyProperties families[32];
    uint32_t nfamily = 32;
    vkGetPhysicalDeviceQueueFamilyProperties(cards[k], &nfamily, families);
    for (uint32_t f = 0; f < nfamily; f++) {
      VkBool32 shows = VK_FALSE;
      TRY(vkGetPhysicalDeviceSurfaceSupportKHR(cards[k], f, h->surface, &shows));
      if (!shows || !(families[f].queueFlags & VK_QUEUE_GRAPHICS_BIT)) continue;
      VkPhysicalDeviceProperties properties;
      vkGetPhysicalDeviceProperties(cards[k], &properties);
      printf("Vulkan by %s\n", properties.deviceName);
      h->card = cards[k];
      h->family = f;
      return 0;
    }
  }
  return fail("no card of Vulkan's draws to the window");
}

static int open_device(host *h) {
  static const char *const extensions[] = { VK_KHR_SWAPCHAIN_EXTENSION_NAME };
  static const float priority = 1;
  VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                    .queueFamilyIndex = h->family,
                                    .queueCount = 1,
                                    .pQueuePriorities = &priority };
  VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .enabledExtensionCount = 1,
                                .ppEnabledExtensionNames = extensions };
  VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                   .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                   .queueFamilyIndex = h->family };
  VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
  VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
  TRY(vkCreateDevice(h->card, &device, NULL, &h->device));
  vkGetDeviceQueue(h->device, h->family, 0, &h->queue);
  TRY(vkCreateCommandPool(h->device, &pool, NULL, &h->pool));
  VkCommandBufferAllocateInfo commands = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = h->pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1 };
  TRY(vkAllocateCommandBuffers(h->device, &commands, &h->commands));
  TRY(vkCreateSemaphore(h->device, &semaphore, NULL, &h->acquired));
  TRY(vkCreateSemaphore(h->device, &semaphore, NULL, &h->drawn));
  TRY(vkCreateFence(h->device, &fence, NULL, &h->done));
  return 0;
}

/* Images of four bytes a pixel, red first or blue first. */
static int make_images(host *h) {
  VkSurfaceCapabilitiesKHR can;
  VkSurfaceFormatKHR formats[64];
  uint32_t nformat = 64, nimage = MOST_IMAGES, k = 0;
  TRY(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(h->card, h->surface, &can));
  if (vkGetPhysicalDeviceSurfaceFormatsKHR(h->card, h->surface, &nformat, formats) < 0) return fail("no formats");
  while (k < nformat && formats[k].format != VK_FORMAT_R8G8B8A8_UNORM && formats[k].format != VK_FORMAT_B8G8R8A8_UNORM)
    k++;
  if (k == nformat) return fail("the window has no format of four bytes");
  h->format = formats[k].format;
  VkSwapchainCreateInfoKHR info = { .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                    .surface = h->surface,
                                    .minImageCount = can.minImageCount,
                                    .imageFormat = h->format,
                                    .imageColorSpace = formats[k].colorSpace,
                                    .imageExtent = { SIZE, SIZE },
                                    .imageArrayLayers = 1,
                                    .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                    .preTransform = can.currentTransform,
                                    .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                    .presentMode = VK_PRESENT_MODE_FIFO_KHR };
  TRY(vkCreateSwapchainKHR(h->device, &info, NULL, &h->chain));
  TRY(vkGetSwapchainImagesKHR(h->device, h->chain, &nimage, h->images));
  return 0;
}

static int make_picture(host *h) {
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties has;
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .size = BYTES,
                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT };
  TRY(vkCreateBuffer(h->device, &info, NULL, &h->picture));
  vkGetBufferMemoryRequirements(h->device, h->picture, &needs);
  vkGetPhysicalDeviceMemoryProperties(h->card, &has);
  uint32_t type = 0;
  while (type < has.memoryTypeCount &&
         (!(needs.memoryTypeBits >> type & 1) || (has.memoryTypes[type].propertyFlags & wanted) != wanted))
    type++;
  if (type == has.memoryTypeCount) return fail("no memory that the host sees");
  VkMemoryAllocateInfo memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                  .allocationSize = needs.size,
                                  .memoryTypeIndex = type };
  TRY(vkAllocateMemory(h->device, &memory, NULL, &h->memory));
  TRY(vkBindBufferMemory(h->device, h->picture, h->memory, 0));
  TRY(vkMapMemory(h->device, h->memory, 0, VK_WHOLE_SIZE, 0, &h->pixels));
  return 0;
}

/* ==== The script ================================================================================================== */

/* Runs the script, which gets the array over Vulkan's memory and the place of red, and leaves its function. */
static int load(host *h, const char *path) {
  moonarray_tensor t = { 0 };
  h->L = luaL_newstate();
  if (!h->L) return fail("no memory for a Lua state");
  luaL_openlibs(h->L);
  h->ma = moonarray_get_api(h->L);
  if (!h->ma) return fail(lua_tostring(h->L, -1));
  t.data = h->pixels;
  t.dtype = MOONARRAY_UINT8;
  t.device = MOONARRAY_CPU;
  t.ndim = 3;
  t.shape[0] = t.shape[1] = SIZE;
  t.shape[2] = 4;
  if (luaL_loadfile(h->L, path)) return fail(lua_tostring(h->L, -1));
  if (h->ma->push(h->L, &t, NULL, NULL)) return fail(h->ma->message());
  lua_pushvalue(h->L, -1);
  lua_setglobal(h->L, "pixels");
  lua_pushinteger(h->L, h->format == VK_FORMAT_R8G8B8A8_UNORM ? 1 : 3);
  lua_pushvalue(h->L, -1);
  lua_setglobal(h->L, "red");
  if (lua_pcall(h->L, 2, 1, 0)) return fail(lua_tostring(h->L, -1));
  return 0;
}

/* Calls the script's function, which writes the picture. */
static int update(const host *h, int frame) {
  lua_pushvalue(h->L, -1);
  lua_pushinteger(h->L, frame);
  if (lua_pcall(h->L, 1, 0, 0)) return fail(lua_tostring(h->L, -1));
  return 0;
}

static int save(const host *h, const char *path) {
  if (luaL_loadstring(h->L, "local ma, path = require 'moonarray', ...\n"
                            "ma.image.write(path, ma.take(pixels, { red, 2, 4 - red }, 3))\n"))
    return fail(lua_tostring(h->L, -1));
  lua_pushstring(h->L, path);
  if (lua_pcall(h->L, 1, 0, 0)) return fail(lua_tostring(h->L, -1));
  return 0;
}

/* ==== Frames ====================================================================================================== */

/* Orders what is copied next behind what was copied, and lets the host see it. */
static void change(const host *h, VkImage image, VkImageLayout from, VkImageLayout to) {
  VkAccessFlags later = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_HOST_READ_BIT;
  VkMemoryBarrier memory = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                             .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                             .dstAccessMask = later };
  VkImageMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = later,
                                   .oldLayout = from,
                                   .newLayout = to,
                                   .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                   .image = image,
                                   .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 } };
  vkCmdPipelineBarrier(h->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, NULL, 1,
                       &barrier);
}

/* Copies the picture to the window's image and, if it is to be saved, back. */
static int record(const host *h, VkImage image, int is_saved) {
  VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  VkBufferImageCopy copy = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
                             .imageExtent = { SIZE, SIZE, 1 } };
  VkImageLayout now = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
  TRY(vkBeginCommandBuffer(h->commands, &begin));
  change(h, image, VK_IMAGE_LAYOUT_UNDEFINED, now);
  vkCmdCopyBufferToImage(h->commands, h->picture, image, now, 1, &copy);
  if (is_saved) {
    change(h, image, now, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    now = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    vkCmdFillBuffer(h->commands, h->picture, 0, BYTES, 0); /* what comes back is the image's */
    change(h, image, now, now);
    vkCmdCopyImageToBuffer(h->commands, image, now, h->picture, 1, &copy);
  }
  change(h, image, now, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  TRY(vkEndCommandBuffer(h->commands));
  return 0;
}

/* Shows the picture, and waits until Vulkan has copied it, because the script writes it again. */
static int show(const host *h, int is_saved) {
  uint32_t image;
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  TRY(vkAcquireNextImageKHR(h->device, h->chain, UINT64_MAX, h->acquired, VK_NULL_HANDLE, &image));
  if (record(h, h->images[image], is_saved)) return 1;
  VkSubmitInfo submit = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                          .waitSemaphoreCount = 1,
                          .pWaitSemaphores = &h->acquired,
                          .pWaitDstStageMask = &stage,
                          .commandBufferCount = 1,
                          .pCommandBuffers = &h->commands,
                          .signalSemaphoreCount = 1,
                          .pSignalSemaphores = &h->drawn };
  VkPresentInfoKHR present = { .sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &h->drawn,
                               .swapchainCount = 1,
                               .pSwapchains = &h->chain,
                               .pImageIndices = &image };
  TRY(vkQueueSubmit(h->queue, 1, &submit, h->done));
  TRY(vkQueuePresentKHR(h->queue, &present));
  TRY(vkWaitForFences(h->device, 1, &h->done, VK_TRUE, UINT64_MAX));
  TRY(vkResetFences(h->device, 1, &h->done));
  return 0;
}

static int is_closed(void) {
  SDL_Event event;
  while (SDL_PollEvent(&event))
    if (event.type == SDL_QUIT || (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE)) return 1;
  return 0;
}

static int play(host *h, const char *script, int frames, const char *picture) {
  if (open_window(h) || find_queue(h) || open_device(h) || make_images(h) || make_picture(h) || load(h, script))
    return 1;
  for (int frame = 0; !is_closed() && (frames == 0 || frame < frames); frame++) {
    int is_saved = picture && frame == frames - 1;
    if (update(h, frame) || show(h, is_saved) || (is_saved && save(h, picture))) return 1;
  }
  return 0;
}

static void close_vulkan(host *h) {
  if (h->device) {
    vkDeviceWaitIdle(h->device);
    vkDestroyBuffer(h->device, h->picture, NULL);
    vkFreeMemory(h->device, h->memory, NULL);
    vkDestroyFence(h->device, h->done, NULL);
    vkDestroySemaphore(h->device, h->acquired, NULL);
    vkDestroySemaphore(h->device, h->drawn, NULL);
    vkDestroyCommandPool(h->device, h->pool, NULL);
    if (h->chain) vkDestroySwapchainKHR(h->device, h->chain, NULL);
    vkDestroyDevice(h->device, NULL);
  }
  if (h->surface) vkDestroySurfaceKHR(h->instance, h->surface, NULL);
  if (h->instance) vkDestroyInstance(h->instance, NULL);
}

int main(int argc, char **argv) {
  host h = { 0 };
  if (argc < 2 || argc > 4) return fail("usage: vulkan_window SCRIPT [FRAMES [PICTURE.png]]");
  int code = play(&h, argv[1], argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? argv[3] : NULL);
  if (h.L) lua_close(h.L); /* before the memory that its array shows */
  close_vulkan(&h);
  if (h.window) SDL_DestroyWindow(h.window);
  SDL_Quit();
  return code;
}
