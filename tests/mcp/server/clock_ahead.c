/* A clock that is two hours ahead while the file that CLOCK_AHEAD names exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t ahead(void) {
  const char *path = getenv("CLOCK_AHEAD");
  return path != NULL && access(path, F_OK) == 0 ? 7200 : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*system_time)(clockid_t, struct timespec *);
  if (system_time == NULL) system_time = dlsym(RTLD_NEXT, "clock_gettime");
  int result = system_time(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += ahead();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  static int (*system_time)(struct timeval *, void *);
  if (system_time == NULL) system_time = dlsym(RTLD_NEXT, "gettimeofday");
  int result = system_time(time, zone);
  if (result == 0) time->tv_sec += ahead();
  return result;
}
