/*
 * Is linked into the plugin's C and C++ programs: a thread that has libgcov write what was counted at each cue, into a
 * folder of that stretch. Without PTH_COVERAGE it does nothing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void __gcov_dump(void);
extern void __gcov_reset(void);

static const char *folder;
static int last;

static int current(void) {
  char path[4096];
  int cue = 0;
  struct dirent *entry;
  snprintf(path, sizeof path, "%s/cue", folder);
  DIR *listing = opendir(path);
  if (!listing) return last;
  while ((entry = readdir(listing))) {
    int number = atoi(entry->d_name);
    if (number > cue) cue = number;
  }
  closedir(listing);
  return cue;
}

static void aim(int cue) {
  char path[4096];
  snprintf(path, sizeof path, "%s/gcda/%d", folder, cue);
  setenv("GCOV_PREFIX", path, 1);
}

static void say(const char *cue, const char *ending) {
  char hidden[4096], path[4096];
  snprintf(hidden, sizeof hidden, "%s/data/.gcov-%d-%s", folder, getpid(), cue);
  snprintf(path, sizeof path, "%s/data/gcov-%d-%s.json", folder, getpid(), cue);
  FILE *file = fopen(hidden, "w");
  if (!file) return;
  fprintf(file, "{\"kind\":\"gcov\",\"ending\":%s}", ending);
  fclose(file);
  rename(hidden, path);
}

static void *follow(void *unused) {
  for (;;) {
    usleep(4000);
    int cue = current();
    if (cue <= last) continue;
    char number[16];
    last = cue;
    aim(cue);
    __gcov_dump();
    __gcov_reset();
    aim(cue + 1);
    snprintf(number, sizeof number, "%d", cue);
    say(number, "false");
  }
  return unused;
}

__attribute__((constructor)) static void pth_start(void) {
  folder = getenv("PTH_COVERAGE");
  if (!folder) return;
  char path[4096];
  pthread_t thread;
  last = current();
  aim(last + 1);
  snprintf(path, sizeof path, "%s/live/gcov-%d", folder, getpid());
  FILE *file = fopen(path, "w");
  if (file) fclose(file);
  if (pthread_create(&thread, NULL, follow, NULL) == 0) pthread_detach(thread);
}

__attribute__((destructor)) static void pth_end(void) {
  if (!folder) return;
  char path[4096];
  say("end", "true");
  snprintf(path, sizeof path, "%s/live/gcov-%d", folder, getpid());
  unlink(path);
}
