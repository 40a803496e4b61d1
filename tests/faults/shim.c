/* Loaded before the C library (LD_PRELOAD): what changes files below a folder is counted, and from a given
   operation on it fails; or the process is killed there, or the folder moved away. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, KILL, FAIL, VANISH };

static char folder[PATH_MAX];
static int kind, fault_errno;
static long at, count;

/* What happens at operation `operation` (from 1) of those below `where`. */
void fault_arm(const char *where, int what, long operation, int error) {
  snprintf(folder, sizeof folder, "%s", where);
  kind = what, at = operation, fault_errno = error, count = 0;
}

long fault_count(void) { return count; }

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int below(const char *path) {
  char whole[PATH_MAX];
  if (folder[0] == 0 || path == NULL) return 0;
  if (path[0] != '/') {
    if (getcwd(whole, sizeof whole) == NULL) return 0;
    strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    path = whole;
  }
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int below_open(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path);
}

static void vanish(void) {
  char gone[PATH_MAX + 8];
  snprintf(gone, sizeof gone, "%s.gone", folder);
  ((int (*)(const char *, const char *))real("rename"))(folder, gone);
}

/* 1 if this operation fails. */
static int fails(void) {
  count++;
  if (kind == KILL && count == at) kill(getpid(), SIGKILL);
  if (kind == VANISH && count == at) vanish();
  if (kind != FAIL || count < at) return 0;
  errno = fault_errno;
  return 1;
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
  if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && below(path) && fails()) return -1;
  return ((int (*)(const char *, int, mode_t))real(name))(path, flags, mode);
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); \
  mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return opened("open", path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return opened("open64", path, flags, mode); }

ssize_t write(int file, const void *data, size_t size) {
  ssize_t (*next)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))real("write");
  if (folder[0] && below_open(file)) {
    if (kind == KILL && count + 1 == at) next(file, data, size / 2);
    if (fails()) return -1;
  }
  return next(file, data, size);
}

int fsync(int file) {
  if (folder[0] && below_open(file) && fails()) return -1;
  return ((int (*)(int))real("fsync"))(file);
}

int rename(const char *from, const char *to) {
  if (below(to) && fails()) return -1;
  return ((int (*)(const char *, const char *))real("rename"))(from, to);
}

int mkdir(const char *path, mode_t mode) {
  if (below(path) && fails()) return -1;
  return ((int (*)(const char *, mode_t))real("mkdir"))(path, mode);
}

int link(const char *from, const char *to) {
  if (below(to) && fails()) return -1;
  return ((int (*)(const char *, const char *))real("link"))(from, to);
}

int linkat(int one, const char *from, int other, const char *to, int flags) {
  if (below(to) && fails()) return -1;
  return ((int (*)(int, const char *, int, const char *, int))real("linkat"))(one, from, other, to, flags);
}

/* Nothing is removed by a killed process; a full disk lets files be removed. */
int unlink(const char *path) {
  if (below(path) && (kind == KILL || kind == NOTHING)) fails();
  return ((int (*)(const char *))real("unlink"))(path);
}

int rmdir(const char *path) {
  if (below(path) && (kind == KILL || kind == NOTHING)) fails();
  return ((int (*)(const char *))real("rmdir"))(path);
}
