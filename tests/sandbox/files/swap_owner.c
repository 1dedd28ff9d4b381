/* Waits in the directory argv[1] for temporary files of a Write. Replaces each of them at once by a
 * symlink to argv[2]. Ends when it has replaced argv[3] files, and prints how many it replaced. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <poll.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc != 4 || chdir(argv[1]) != 0) return 2;
  int watch = inotify_init1(IN_NONBLOCK);
  inotify_add_watch(watch, ".", IN_CREATE);
  const long count = atol(argv[3]);
  long swapped = 0, made = 0;
  char link[64];
  snprintf(link, sizeof link, "link%ld", made);
  if (symlink(argv[2], link) != 0) return 3;
  printf("ready\n");
  fflush(stdout);
  while (swapped < count) {
    char buffer[4096] __attribute__((aligned(8)));
    struct pollfd ready = {watch, POLLIN, 0};
    if (poll(&ready, 1, -1) <= 0) continue;
    ssize_t length = read(watch, buffer, sizeof buffer);
    for (char *at = buffer; at < buffer + length;) {
      struct inotify_event *event = (struct inotify_event *)at;
      at += sizeof *event + event->len;
      if (event->len == 0 || strstr(event->name, ".toolcall-") == NULL) continue;
      if (rename(link, event->name) == 0) {
        swapped++;
        snprintf(link, sizeof link, "link%ld", ++made);
        if (symlink(argv[2], link) != 0) return 4;
      }
    }
  }
  unlink(link);
  printf("swapped %ld\n", swapped);
  return 0;
}
