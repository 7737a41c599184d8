/* Preloaded into PostgreSQL, this makes every flush to disk take a millisecond longer, as on a network disk. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_a_millisecond(void) {
  struct timespec delay = {0, 1000000};
  nanosleep(&delay, 0);
}

int fsync(int file) {
  wait_a_millisecond();
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  wait_a_millisecond();
  return (int)syscall(SYS_fdatasync, file);
}
