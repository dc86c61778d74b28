/*
 * Preloaded into a process (LD_PRELOAD), it writes down what a power cut could take back: which size
 * of which file was synced last, and which names were made, moved or removed since their directory
 * was synced. Files that are removed or replaced are kept by a hard link, so that they can return.
 * `power-loss.ts` reads the journal when the process is dead and does what the cut would have done.
 *
 *   POWER_ROOT     what lies below it is watched
 *   POWER_JOURNAL  the file written, one operation a line; fields are divided by tabs
 *   POWER_TRASH    directory on the same file system for the hard links
 *   POWER_DIE_AT   the process is killed before the n-th operation; 0: never
 *   POWER_LIES     when set, syncs are not written down: a disk that says yes and does nothing
 *
 * One lock for all threads: the journal has the operations in the order in which they happened.
 * LevelDB writes through stdio, which no preloaded function sees; sizes are asked for at each sync.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX], trash[PATH_MAX];
static int journal = -1;
static long die_at, operations, kept;
static int lies;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("POWER_DIE_AT");
  if (!getenv("POWER_ROOT") || !getenv("POWER_JOURNAL") || !getenv("POWER_TRASH")) return;
  strncpy(root, getenv("POWER_ROOT"), PATH_MAX - 1);
  strncpy(trash, getenv("POWER_TRASH"), PATH_MAX - 1);
  die_at = at ? atol(at) : 0;
  lies = getenv("POWER_LIES") != NULL;
  journal = REAL(open)(getenv("POWER_JOURNAL"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  /* Children are other programs: this process alone is watched. */
  unsetenv("LD_PRELOAD");
}

/* An absolute path without links: the directory resolved, the last name as it is. */
static int resolve(const char *path, char *into) {
  char copy[PATH_MAX], name[PATH_MAX];
  if (journal < 0) return 0;
  strncpy(copy, path, PATH_MAX - 1);
  copy[PATH_MAX - 1] = 0;
  strncpy(name, basename(copy), PATH_MAX - 1);
  strncpy(copy, path, PATH_MAX - 1);
  if (!realpath(dirname(copy), into)) return 0;
  if (strlen(into) + strlen(name) + 2 > PATH_MAX) return 0;
  strcat(into, "/");
  strcat(into, name);
  return strncmp(into, root, strlen(root)) == 0 && into[strlen(root)] == '/';
}

/* Before an operation: dies here when its number has come. */
static void count(void) {
  operations += 1;
  if (operations == die_at) kill(getpid(), SIGKILL);
}

static void note(const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list values;
  va_start(values, format);
  int length = vsnprintf(line, sizeof line, format, values);
  va_end(values);
  if (write(journal, line, length) != length) abort();
}

/* A second name for what is about to lose its only one. Returns the number it is kept under, or 0. */
static long keep(const char *path) {
  char copy[PATH_MAX + 32];
  struct stat found;
  if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return 0;
  snprintf(copy, sizeof copy, "%s/%ld", trash, ++kept);
  if (link(path, copy) != 0) abort();
  return kept;
}

static int synced(int fd, int (*sync)(int)) {
  char link[64], path[PATH_MAX];
  struct stat before;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = journal < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
  if (length > 0) path[length] = 0;
  if (length <= 0 || strncmp(path, root, strlen(root)) != 0) return sync(fd);
  pthread_mutex_lock(&lock);
  count();
  fstat(fd, &before);
  int result = sync(fd);
  if (lies) result = 0;
  else if (result == 0 && S_ISDIR(before.st_mode)) note("D\t%s\n", path);
  else if (result == 0) note("S\t%s\t%lu\t%ld\n", path, before.st_ino, (long)before.st_size);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int fd) { return synced(fd, REAL(fsync)); }
int fdatasync(int fd) { return synced(fd, REAL(fdatasync)); }

int rename(const char *from, const char *to) {
  char old[PATH_MAX], new[PATH_MAX];
  if (!resolve(from, old) || !resolve(to, new)) return REAL(rename)(from, to);
  pthread_mutex_lock(&lock);
  count();
  long replaced = keep(new);
  int result = REAL(rename)(from, to);
  if (result == 0) note("R\t%s\t%s\t%ld\n", old, new, replaced);
  pthread_mutex_unlock(&lock);
  return result;
}

int unlink(const char *given) {
  char path[PATH_MAX];
  if (!resolve(given, path)) return REAL(unlink)(given);
  pthread_mutex_lock(&lock);
  count();
  long removed = keep(path);
  int result = REAL(unlink)(given);
  if (result == 0 && removed) note("U\t%s\t%ld\n", path, removed);
  pthread_mutex_unlock(&lock);
  return result;
}

int mkdir(const char *given, mode_t mode) {
  char path[PATH_MAX];
  if (!resolve(given, path)) return REAL(mkdir)(given, mode);
  pthread_mutex_lock(&lock);
  count();
  int result = REAL(mkdir)(given, mode);
  if (result == 0) note("M\t%s\n", path);
  pthread_mutex_unlock(&lock);
  return result;
}

/* Making a file, whichever function did it. */
#define MAKING(given, type, call)                                                                  \
  char path[PATH_MAX];                                                                             \
  struct stat found;                                                                               \
  if (!resolve(given, path)) return call;                                                          \
  pthread_mutex_lock(&lock);                                                                       \
  int missing = lstat(path, &found) != 0;                                                          \
  if (missing) count();                                                                            \
  type result = call;                                                                              \
  if (missing && lstat(path, &found) == 0) note("C\t%s\t%lu\n", path, found.st_ino);               \
  pthread_mutex_unlock(&lock);                                                                     \
  return result;

#define MODE                                                                                       \
  mode_t mode = 0;                                                                                 \
  if (flags & O_CREAT) {                                                                           \
    va_list values;                                                                                \
    va_start(values, flags);                                                                       \
    mode = va_arg(values, mode_t);                                                                 \
    va_end(values);                                                                                \
  }

int open(const char *given, int flags, ...) {
  MODE
  if (!(flags & O_CREAT)) return REAL(open)(given, flags);
  MAKING(given, int, REAL(open)(given, flags, mode))
}
int open64(const char *given, int flags, ...) {
  MODE
  if (!(flags & O_CREAT)) return REAL(open64)(given, flags);
  MAKING(given, int, REAL(open64)(given, flags, mode))
}
FILE *fopen(const char *given, const char *mode) {
  if (mode[0] == 'r') return REAL(fopen)(given, mode);
  MAKING(given, FILE *, REAL(fopen)(given, mode))
}
FILE *fopen64(const char *given, const char *mode) {
  if (mode[0] == 'r') return REAL(fopen64)(given, mode);
  MAKING(given, FILE *, REAL(fopen64)(given, mode))
}
