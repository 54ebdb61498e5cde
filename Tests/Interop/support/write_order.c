// Records in which order an unmodified program writes files, has them synchronised to the disk, and sends on sockets:
// LD_PRELOAD this library, set WRITE_ORDER to a file that is there, and WRITE_ORDER_FOLDER to the folder whose files
// are meant.
//
// One record for each call, a line and then so many bytes and a line feed:
//   write PATH BYTES   they were given to the kernel
//   sync PATH 0        what was written to PATH before is on the disk
//   send - BYTES       they are about to leave on a socket
// A record of a file is made after its call has returned, one of a socket before its call is made. So "sync" before
// "send" means that the disk was first.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int order = -1;
static char folder[PATH_MAX];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("WRITE_ORDER"), *meant = getenv("WRITE_ORDER_FOLDER");
  if (!path || !meant) return;
  snprintf(folder, sizeof folder, "%s", meant);
  order = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

// One system call for a record, so that those of several threads do not mix.
static void record(const char *what, const char *path, const void *bytes, size_t count) {
  int before = errno;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%s %s %zu\n", what, path, count);
  struct iovec parts[3] = {{line, (size_t)length}, {(void *)bytes, count}, {(void *)"\n", 1}};
  syscall(SYS_writev, order, parts, 3);
  errno = before;
}

// Whether a descriptor is of a file or folder that is meant, and which.
static int is_meant(int descriptor, char path[PATH_MAX]) {
  if (order < 0) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int is_socket(int descriptor) {
  struct stat info;
  return order >= 0 && fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

#define ORIGINAL(type, name) \
  static type original; \
  if (!original) original = (type)dlsym(RTLD_NEXT, name)

typedef ssize_t (*Write)(int, const void *, size_t);
typedef ssize_t (*WriteAt)(int, const void *, size_t, off_t);
typedef int (*Sync)(int);
typedef ssize_t (*Send)(int, const void *, size_t, int);
typedef ssize_t (*SendTo)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
typedef ssize_t (*SendMessage)(int, const struct msghdr *, int);
typedef ssize_t (*WriteVector)(int, const struct iovec *, int);

static ssize_t written(int descriptor, const void *bytes, ssize_t count) {
  int before = errno;
  char path[PATH_MAX];
  if (count > 0 && is_meant(descriptor, path)) record("write", path, bytes, (size_t)count);
  errno = before;
  return count;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  ORIGINAL(Write, "write");
  if (is_socket(descriptor)) record("send", "-", bytes, count);
  return written(descriptor, bytes, original(descriptor, bytes, count));
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
  ORIGINAL(WriteAt, "pwrite");
  return written(descriptor, bytes, original(descriptor, bytes, count, place));
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t place) {
  ORIGINAL(WriteAt, "pwrite64");
  return written(descriptor, bytes, original(descriptor, bytes, count, place));
}

static int synchronised(int descriptor, int answer) {
  char path[PATH_MAX];
  if (answer == 0 && is_meant(descriptor, path)) record("sync", path, "", 0);
  return answer;
}

int fsync(int descriptor) {
  ORIGINAL(Sync, "fsync");
  return synchronised(descriptor, original(descriptor));
}

int fdatasync(int descriptor) {
  ORIGINAL(Sync, "fdatasync");
  return synchronised(descriptor, original(descriptor));
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  ORIGINAL(Send, "send");
  if (is_socket(socket)) record("send", "-", bytes, count);
  return original(socket, bytes, count, flags);
}

ssize_t sendto(int socket, const void *bytes, size_t count, int flags, const struct sockaddr *to, socklen_t length) {
  ORIGINAL(SendTo, "sendto");
  if (is_socket(socket)) record("send", "-", bytes, count);
  return original(socket, bytes, count, flags, to, length);
}

static void record_parts(int socket, const struct iovec *parts, size_t count) {
  for (size_t index = 0; index < count && is_socket(socket); index++) record("send", "-", parts[index].iov_base, parts[index].iov_len);
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  ORIGINAL(SendMessage, "sendmsg");
  record_parts(socket, message->msg_iov, message->msg_iovlen);
  return original(socket, message, flags);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  ORIGINAL(WriteVector, "writev");
  record_parts(descriptor, parts, (size_t)count);
  return original(descriptor, parts, count);
}
