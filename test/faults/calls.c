/*
 * Preloaded into a process (LD_PRELOAD), it acts on the calls that make things durable, or put them in
 * their place: fsync, fdatasync, rename and unlink, counted over all threads. Children are left alone.
 *
 *   CALLS_DIE_AT   as in fsync:12, the process is killed before it makes that call for the 12th time
 *   CALLS_COUNTED  the file that has, when the process ends in order, how often it made each: a line each
 *   SLOW_SYNC_MS   every sync takes so many milliseconds longer
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { FSYNC, FDATASYNC, RENAME, UNLINK, CALLS };
static const char *names[CALLS] = {"fsync", "fdatasync", "rename", "unlink"};
static atomic_long made[CALLS];
static long die_at[CALLS];
static const char *counted;
static int slow_ms;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("CALLS_DIE_AT"), *ms = getenv("SLOW_SYNC_MS");
  for (int call = 0; at && call < CALLS; call += 1) {
    size_t length = strlen(names[call]);
    if (strncmp(at, names[call], length) == 0 && at[length] == ':') die_at[call] = atol(at + length + 1);
  }
  counted = getenv("CALLS_COUNTED");
  slow_ms = ms ? atoi(ms) : 0;
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
  FILE *file = counted ? fopen(counted, "w") : NULL;
  if (!file) return;
  for (int call = 0; call < CALLS; call += 1) fprintf(file, "%s %ld\n", names[call], (long)made[call]);
  fclose(file);
}

static void count(int call) {
  if (atomic_fetch_add(&made[call], 1) + 1 == die_at[call]) kill(getpid(), SIGKILL);
}

int fsync(int fd) {
  count(FSYNC);
  if (slow_ms) usleep(1000 * slow_ms);
  return REAL(fsync)(fd);
}

int fdatasync(int fd) {
  count(FDATASYNC);
  if (slow_ms) usleep(1000 * slow_ms);
  return REAL(fdatasync)(fd);
}

int rename(const char *from, const char *to) {
  count(RENAME);
  return REAL(rename)(from, to);
}

int unlink(const char *path) {
  count(UNLINK);
  return REAL(unlink)(path);
}
