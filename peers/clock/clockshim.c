// A preloaded library: every clock of the program reads nanoseconds from a
// file that is shared with whoever sets the time. The file holds two int64:
// the wall clock since 1970 and the monotonic clock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *file;

static int64_t wall(void) {
  if (!file) {
    const char *name = getenv("CLOCKFILE");
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *p = fd < 0 ? MAP_FAILED : mmap(0, 16, PROT_READ, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) abort();
    close(fd);
    file = p;
  }
  return file[0];
}

// Who dies leaves no server behind.
__attribute__((constructor)) static void die_with_parent(void) { prctl(PR_SET_PDEATHSIG, SIGKILL); }

int clock_gettime(clockid_t c, struct timespec *ts) {
  int64_t n = wall();
  if (c == CLOCK_MONOTONIC || c == CLOCK_MONOTONIC_COARSE || c == CLOCK_MONOTONIC_RAW || c == CLOCK_BOOTTIME) n = file[1];
  ts->tv_sec = n / 1000000000;
  ts->tv_nsec = n % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *tv, void *zone) {
  (void)zone;
  int64_t n = wall();
  tv->tv_sec = n / 1000000000;
  tv->tv_usec = n % 1000000000 / 1000;
  return 0;
}

time_t time(time_t *t) {
  time_t s = wall() / 1000000000;
  if (t) *t = s;
  return s;
}
