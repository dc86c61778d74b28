/* Preloaded into a process (LD_PRELOAD), it makes every sync take SLOW_SYNC_MS milliseconds longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void wait_for_disk(void) {
  const char *ms = getenv("SLOW_SYNC_MS");
  if (ms) usleep(1000 * atoi(ms));
}

int fsync(int fd) {
  wait_for_disk();
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  wait_for_disk();
  return REAL(fdatasync)(fd);
}
