/*
** vulkan.c: Vulkan and a script work on the same memory of a GPU, without a window. In each round the script writes it
** and Vulkan copies it. A timeline semaphore orders the rounds, and the host waits once, at the end.
**
**   cc -I../../include $(pkg-config --cflags luajit vulkan) vulkan.c -o vulkan $(pkg-config --libs luajit vulkan)
**   ./vulkan vulkan.lua 10000
*/
#include <moonarray.h>

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

enum { COUNT = 1024, BYTES = COUNT * 4 }; /* float32 that are shared */

typedef struct vulkan {
  VkInstance instance;
  VkPhysicalDevice card;
  VkDevice device;
  VkQueue queue;
  uint32_t family;
  VkBuffer shared, seen; /* what the script writes; a copy that the host reads */
  VkDeviceMemory shared_memory, seen_memory;
  VkDeviceSize shared_size;
  VkSemaphore semaphore;
  VkCommandPool pool;
} vulkan;

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

#define TRY(call)                                           \
  do {                                                      \
    if ((call) != VK_SUCCESS) return fail(#call " failed"); \
  } while (0)

/* ==== The card that CUDA calls by the same UUID =================================================================== */

static int find_card(vulkan *v, const moonarray_identity *identity) {
  VkPhysicalDevice cards[16];
  uint32_t n = 16;
  TRY(vkEnumeratePhysicalDevices(v->instance, &n, cards));
  for (uint32_t k = 0; k < n; k++) {
    VkPhysicalDeviceIDProperties id = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES };
    VkPhysicalDeviceProperties2 all = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id };
    vkGetPhysicalDeviceProperties2(cards[k], &all);
    if (memcmp(id.deviceUUID, identity->uuid, sizeof identity->uuid)) continue;
    printf("Vulkan on %s\n", all.properties.deviceName);
    v->card = cards[k];
    return 0;
  }
  return fail("Vulkan does not know the GPU that CUDA uses");
}

/* A family of queues that can copy. */
static int find_family(vulkan *v) {
  VkQueueFamilyProperties families[32];
  uint32_t n = 32;
  vkGetPhysicalDeviceQueueFamilyProperties(v->card, &n, families);
  for (v->family = 0; v->family < n; v->family++)
    if (families[v->family].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) return 0;
  return fail("no queue that can copy");
}

static int open_vulkan(vulkan *v, const moonarray_identity *identity) {
  static const char *const extensions[] = { VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                            VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME };
  static const float priority = 1;
  VkApplicationInfo application = { .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2 };
  VkInstanceCreateInfo instance = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application };
  TRY(vkCreateInstance(&instance, NULL, &v->instance));
  if (find_card(v, identity) || find_family(v)) return 1;
  VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE
  };
  VkDeviceQueueCreateInfo queue = { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                    .queueFamilyIndex = v->family,
                                    .queueCount = 1,
                                    .pQueuePriorities = &priority };
  VkDeviceCreateInfo device = { .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .pNext = &timeline,
                                .queueCreateInfoCount = 1,
                                .pQueueCreateInfos = &queue,
                                .enabledExtensionCount = 2,
                                .ppEnabledExtensionNames = extensions };
  TRY(vkCreateDevice(v->card, &device, NULL, &v->device));
  vkGetDeviceQueue(v->device, v->family, 0, &v->queue);
  VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = v->family };
  TRY(vkCreateCommandPool(v->device, &pool, NULL, &v->pool));
  return 0;
}

/* ==== Memory and the semaphore ==================================================================================== */

/* `next`: what exports it, or NULL. */
static int allocate(const vulkan *v, VkBuffer buffer, VkMemoryPropertyFlags wanted, const void *next,
                    VkDeviceMemory *memory, VkDeviceSize *size) {
  VkMemoryRequirements needs;
  VkPhysicalDeviceMemoryProperties has;
  vkGetBufferMemoryRequirements(v->device, buffer, &needs);
  vkGetPhysicalDeviceMemoryProperties(v->card, &has);
  uint32_t type = 0;
  while (type < has.memoryTypeCount &&
         (!(needs.memoryTypeBits >> type & 1) || (has.memoryTypes[type].propertyFlags & wanted) != wanted))
    type++;
  if (type == has.memoryTypeCount) return fail("no memory of the kind that is wanted");
  VkMemoryAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                .pNext = next,
                                .allocationSize = needs.size,
                                .memoryTypeIndex = type };
  TRY(vkAllocateMemory(v->device, &info, NULL, memory));
  TRY(vkBindBufferMemory(v->device, buffer, *memory, 0));
  *size = needs.size;
  return 0;
}

static int make_buffers(vulkan *v, int rounds) {
  VkDeviceSize size;
  VkExternalMemoryBufferCreateInfo shown = { .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
                                             .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
  VkExportMemoryAllocateInfo export = { .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
  VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                              .pNext = &shown,
                              .size = BYTES,
                              .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT };
  TRY(vkCreateBuffer(v->device, &info, NULL, &v->shared));
  info.pNext = NULL;
  info.size = BYTES + (VkDeviceSize)rounds * 4;
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  TRY(vkCreateBuffer(v->device, &info, NULL, &v->seen));
  if (allocate(v, v->shared, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &export, &v->shared_memory, &v->shared_size))
    return 1;
  return allocate(v, v->seen, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, NULL,
                  &v->seen_memory, &size);
}

static int make_semaphore(vulkan *v) {
  VkExportSemaphoreCreateInfo export = { .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                         .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT };
  VkSemaphoreTypeCreateInfo kind = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                     .pNext = &export,
                                     .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
  VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &kind };
  TRY(vkCreateSemaphore(v->device, &info, NULL, &v->semaphore));
  return 0;
}

/* Pushes the objects of the two for the script. The library duplicates the descriptors. */
static int push_memory(lua_State *L, const moonarray_api *ma, const vulkan *v) {
  PFN_vkGetMemoryFdKHR get = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(v->device, "vkGetMemoryFdKHR");
  VkMemoryGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                .memory = v->shared_memory,
                                .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT };
  moonarray_external memory = { 0 };
  if (!get) return fail("no vkGetMemoryFdKHR");
  memory.type = MOONARRAY_OPAQUE_FD;
  memory.size = v->shared_size;
  TRY(get(v->device, &info, &memory.fd));
  int failed = ma->external_memory(L, &memory);
  close(memory.fd);
  return failed ? fail(ma->message()) : 0;
}

static int push_semaphore(lua_State *L, const moonarray_api *ma, const vulkan *v) {
  PFN_vkGetSemaphoreFdKHR get = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(v->device, "vkGetSemaphoreFdKHR");
  VkSemaphoreGetFdInfoKHR info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                   .semaphore = v->semaphore,
                                   .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT };
  moonarray_external semaphore = { 0 };
  if (!get) return fail("no vkGetSemaphoreFdKHR");
  semaphore.type = MOONARRAY_TIMELINE_FD;
  TRY(get(v->device, &info, &semaphore.fd));
  int failed = ma->external_semaphore(L, &semaphore);
  close(semaphore.fd);
  return failed ? fail(ma->message()) : 0;
}

/* ==== Rounds ====================================================================================================== */

/* Copies all that the script wrote, and the first number to the place of the round. */
static int record(const vulkan *v, VkCommandBuffer commands, int round) {
  VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
  VkBufferCopy copies[2] = { { .size = BYTES }, { .dstOffset = BYTES + (VkDeviceSize)(round - 1) * 4, .size = 4 } };
  VkMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT };
  TRY(vkBeginCommandBuffer(commands, &begin));
  vkCmdCopyBuffer(commands, v->shared, v->seen, 2, copies);
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
  TRY(vkEndCommandBuffer(commands));
  return 0;
}

/* The copy waits for the script's signal, and signals the next value. */
static int submit(const vulkan *v, VkCommandBuffer commands, int round) {
  uint64_t wanted = 2 * (uint64_t)round - 1, given = wanted + 1;
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkTimelineSemaphoreSubmitInfo values = { .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                           .waitSemaphoreValueCount = 1,
                                           .pWaitSemaphoreValues = &wanted,
                                           .signalSemaphoreValueCount = 1,
                                           .pSignalSemaphoreValues = &given };
  VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                        .pNext = &values,
                        .waitSemaphoreCount = 1,
                        .pWaitSemaphores = &v->semaphore,
                        .pWaitDstStageMask = &stage,
                        .commandBufferCount = 1,
                        .pCommandBuffers = &commands,
                        .signalSemaphoreCount = 1,
                        .pSignalSemaphores = &v->semaphore };
  TRY(vkQueueSubmit(v->queue, 1, &info, VK_NULL_HANDLE));
  return 0;
}

/* The script's function is on top of the stack. */
static int play(lua_State *L, const vulkan *v, int rounds, VkCommandBuffer *commands) {
  VkCommandBufferAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                       .commandPool = v->pool,
                                       .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                       .commandBufferCount = (uint32_t)rounds };
  TRY(vkAllocateCommandBuffers(v->device, &info, commands));
  for (int round = 1; round <= rounds; round++) {
    lua_pushvalue(L, -1);
    lua_pushinteger(L, round);
    if (lua_pcall(L, 1, 0, 0)) return fail(lua_tostring(L, -1));
    if (record(v, commands[round - 1], round) || submit(v, commands[round - 1], round)) return 1;
  }
  uint64_t last = 2 * (uint64_t)rounds;
  VkSemaphoreWaitInfo wait = {
    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &v->semaphore, .pValues = &last
  };
  TRY(vkWaitSemaphores(v->device, &wait, UINT64_MAX));
  return 0;
}

/* Each round wrote its number to the first element, and the numbers behind it to the others. */
static int compare(const vulkan *v, int rounds) {
  void *at;
  int wrong = 0;
  TRY(vkMapMemory(v->device, v->seen_memory, 0, VK_WHOLE_SIZE, 0, &at));
  const float *numbers = at;
  for (int k = 0; k < COUNT; k++) wrong += numbers[k] != (float)(rounds + k);
  for (int round = 1; round <= rounds; round++) wrong += numbers[COUNT + round - 1] != (float)round;
  vkUnmapMemory(v->device, v->seen_memory);
  if (wrong) return fail("Vulkan copied other numbers than the script wrote");
  printf("%d rounds: Vulkan copied what the script wrote\n", rounds);
  return 0;
}

static int run(lua_State *L, vulkan *v, const char *script, int rounds) {
  moonarray_identity identity;
  const moonarray_api *ma = moonarray_get_api(L);
  if (!ma) return fail(lua_tostring(L, -1));
  if (ma->identity(L, 0, &identity)) return fail(ma->message());
  if (open_vulkan(v, &identity) || make_buffers(v, rounds) || make_semaphore(v)) return 1;
  if (luaL_loadfile(L, script)) return fail(lua_tostring(L, -1));
  if (push_memory(L, ma, v) || push_semaphore(L, ma, v)) return 1;
  if (lua_pcall(L, 2, 1, 0)) return fail(lua_tostring(L, -1));
  VkCommandBuffer *commands = calloc((size_t)rounds, sizeof *commands);
  if (!commands) return fail("no memory");
  int failed = play(L, v, rounds, commands) || compare(v, rounds);
  free(commands);
  return failed;
}

/* Vulkan waits for its work; objects that were not made are NULL, which it takes. */
static void close_vulkan(vulkan *v) {
  if (v->device) {
    vkDeviceWaitIdle(v->device);
    vkDestroyCommandPool(v->device, v->pool, NULL);
    vkDestroySemaphore(v->device, v->semaphore, NULL);
    vkDestroyBuffer(v->device, v->shared, NULL);
    vkDestroyBuffer(v->device, v->seen, NULL);
    vkFreeMemory(v->device, v->shared_memory, NULL);
    vkFreeMemory(v->device, v->seen_memory, NULL);
    vkDestroyDevice(v->device, NULL);
  }
  if (v->instance) vkDestroyInstance(v->instance, NULL);
}

int main(int argc, char **argv) {
  vulkan v = { 0 };
  int rounds = argc > 2 ? atoi(argv[2]) : 1000;
  lua_State *L = luaL_newstate();
  if (argc < 2 || rounds < 1 || !L) return fail("usage: vulkan vulkan.lua [rounds]");
  luaL_openlibs(L);
  int failed = run(L, &v, argv[1], rounds);
  lua_close(L); /* before the memory that its arrays show */
  close_vulkan(&v);
  return failed;
}
