// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: makes one call of a system function fail, shortens reads and writes, or ends the
// program in the middle of a call.
//
//   FAIL_CALL=NAME FAIL_AT=N   call number N (from 1) of NAME fails; 0: none does
//   FAIL_SIGNAL=S              it sends the program the signal S instead, and goes on
//   FAIL_COUNT=FILE            gets the number of calls of NAME, as digits
//   SHORT_BYTES=N              reads and writes move at most N bytes at a time
//   SHRINK_FILE=PATH SHRINK_TO=N   PATH is cut to N bytes as soon as it has been mapped
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char* failing;
static long fail_at, short_bytes;
static int signal_number;
static int started;  // main() has, which opens a pipe first; what fails before ends any program
static atomic_long calls;

__attribute__((constructor)) static void Start(void) {
  const char* at = getenv("FAIL_AT");
  const char* bytes = getenv("SHORT_BYTES");
  fail_at = at ? atol(at) : 0;
  short_bytes = bytes ? atol(bytes) : 0;
  signal_number = getenv("FAIL_SIGNAL") ? atoi(getenv("FAIL_SIGNAL")) : 0;
  failing = getenv("FAIL_CALL");
  calls = 0;
  if (fail_at > 0) unsetenv("LD_PRELOAD");  // programs that are run are not meant
}

__attribute__((destructor)) static void End(void) {
  const char* path = getenv("FAIL_COUNT");
  char digits[32];
  if (path == NULL) return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  syscall(SYS_write, fd, digits, (size_t)snprintf(digits, sizeof digits, "%ld", (long)calls));
  syscall(SYS_close, fd);
}

static int Fails(const char* name, int code) {
  if (failing == NULL || strcmp(failing, name) != 0) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != fail_at) return 0;
  if (signal_number != 0) {
    syscall(SYS_kill, getpid(), signal_number);
    sleep(5);  // a thread of the program ends it
    return 0;
  }
  errno = code;
  return 1;
}

static size_t Shortened(size_t bytes) {
  return short_bytes > 0 && bytes > (size_t)short_bytes ? (size_t)short_bytes : bytes;
}

static int HasMode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

#define MODE_ARGUMENT(flags)                 \
  mode_t mode = 0;                           \
  if (HasMode(flags)) {                      \
    va_list list;                            \
    va_start(list, flags);                   \
    mode = (mode_t)va_arg(list, unsigned);   \
    va_end(list);                            \
  }

int open(const char* path, int flags, ...) {
  MODE_ARGUMENT(flags)
  if (Fails("open", EIO)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_ARGUMENT(flags)
  if (Fails("open", EIO)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_ARGUMENT(flags)
  if (Fails("open", EMFILE)) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
ssize_t read(int fd, void* to, size_t bytes) {
  if (Fails("read", EIO)) return -1;
  return syscall(SYS_read, fd, to, Shortened(bytes));
}
ssize_t write(int fd, const void* from, size_t bytes) {
  if (Fails("write", ENOSPC)) return -1;
  return syscall(SYS_write, fd, from, Shortened(bytes));
}
int close(int fd) {
  const int result = (int)syscall(SYS_close, fd);
  return Fails("close", EIO) ? -1 : result;
}
// Cuts SHRINK_FILE, if `fd` is it.
static void Shrink(int fd) {
  const char* path = getenv("SHRINK_FILE");
  const char* size = getenv("SHRINK_TO");
  struct stat meant, given;
  if (path == NULL || size == NULL || stat(path, &meant) != 0) return;
  if (syscall(SYS_fstat, fd, &given) != 0 || meant.st_ino != given.st_ino) return;
  if (truncate(path, atol(size)) != 0) abort();
}
void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (fd >= 0 && Fails("mmap", ENOMEM)) return MAP_FAILED;
  void* memory = (void*)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
  if (fd >= 0) Shrink(fd);
  return memory;
}
int fstat(int fd, struct stat* status) {
  if (Fails("fstat", EIO)) return -1;
  return (int)syscall(SYS_fstat, fd, status);
}
int rename(const char* from, const char* to) {
  if (Fails("rename", EIO)) return -1;
  return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  if (Fails("rename", EINVAL)) return -1;
  return (int)syscall(SYS_renameat2, a, from, b, to, flags);
}
int mkdir(const char* path, mode_t mode) {
  if (Fails("mkdir", EACCES)) return -1;
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int pipe2(int ends[2], int flags) {
  started = 1;
  if (Fails("pipe", EMFILE)) return -1;
  return (int)syscall(SYS_pipe2, ends, flags);
}
int posix_spawnp(pid_t* process, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[],
                 char* const variables[]) {
  static int (*next)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                     const posix_spawnattr_t*, char* const[], char* const[]);
  if (Fails("fork", EAGAIN)) return EAGAIN;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "posix_spawnp");
  return next(process, file, actions, attributes, arguments, variables);
}

void* malloc(size_t bytes) {
  static void* (*next)(size_t);
  if (started && Fails("malloc", ENOMEM)) return NULL;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "malloc");
  return next(bytes);
}
// operator new, which an allocator may bring with it; built with -fexceptions.
extern void _ZSt17__throw_bad_allocv(void);
void* _Znwm(size_t bytes) {
  static void* (*next)(size_t);
  if (started && Fails("malloc", ENOMEM)) _ZSt17__throw_bad_allocv();
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "_Znwm");
  return next(bytes);
}
