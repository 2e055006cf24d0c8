#include <cstring>
#include <mutex>
#include <thread>
#include <unistd.h>

std::mutex first, second;

__attribute__((noinline)) void store() {
  std::lock_guard<std::mutex> a(first);
  usleep(100000);
  std::lock_guard<std::mutex> b(second);
}

__attribute__((noinline)) void load() {
  std::lock_guard<std::mutex> b(second);
  usleep(100000);
  std::lock_guard<std::mutex> a(first);
}

__attribute__((noinline)) void spin() {
  volatile unsigned x = 1;
  while (x != 0) x = 1;
}

int main(int, char **argv) {
  if (strcmp(argv[1], "endless") == 0) spin();
  std::thread one(store), two(load);
  one.join();
  two.join();
}
