/* A disk that is slow to sync: SLOW_SYNC_MS milliseconds more for each fsync and fdatasync. For LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void pause_before(void) {
  const char *ms = getenv("SLOW_SYNC_MS");
  long wanted = ms ? atol(ms) : 0;
  struct timespec pause = {wanted / 1000, (wanted % 1000) * 1000000};
  nanosleep(&pause, NULL);
}

int fdatasync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  pause_before();
  return real(fd);
}

int fsync(int fd) {
  static int (*real)(int);
  if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  pause_before();
  return real(fd);
}
