// Program: uses and checks what needs a newer glibc than programs are linked for; prints "ok".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <pthread.h>
#include <random>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static int wrong = 0;
static void expect(bool holds, const char *what) {
  if (!holds) {
    wrong = 1;
    std::printf("wrong: %s\n", what);
  }
}

// Constructors run once each, in their order, and destructors run.
static int constructed = 0;
struct Static {
  int place;
  Static() : place(++constructed) {}
  ~Static() {
    if (place == 1 && !wrong)
      std::puts("ok");
  }
} first, second;

static std::string thrown(int depth) {
  try {
    std::string freed(100, 'x'); // what unwinding frees, if it finds the frame
    if (depth == 0)
      throw std::runtime_error("from below");
    return thrown(depth - 1) + "returned";
  } catch (const std::invalid_argument &) {
    return "another type";
  }
}
static bool catches() {
  try {
    return thrown(5).empty();
  } catch (const std::runtime_error &e) {
    return e.what() == std::string("from below");
  }
}

static void files(const char *self) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("tessera-glibc-" + std::to_string(getpid()));
  const fs::path file = folder / "file", link = folder / "link", pipe = folder / "pipe";
  fs::create_directory(folder);
  std::ofstream(file) << "12345";
  fs::create_symlink("file", link);
  struct stat at, of, itself;
  expect(stat(link.c_str(), &at) == 0 && S_ISREG(at.st_mode) && at.st_size == 5, "stat");
  expect(lstat(link.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode), "lstat");
  std::FILE *open = std::fopen(file.c_str(), "r");
  expect(open && fstat(fileno(open), &of) == 0 && of.st_ino == at.st_ino, "fstat");
  std::fclose(open);
  expect(mknod(pipe.c_str(), S_IFIFO | 0600, 0) == 0 && fs::is_fifo(pipe), "mknod");
  expect(fs::file_size(file) == 5 && fs::is_symlink(link), "std::filesystem");
  expect(fs::remove_all(folder) == 4, "remove_all"); // fstatat
  expect(stat(self, &at) == 0 && stat(folder.c_str(), &at) == -1,
         "stat of what is and what is not");
}

static void threads() {
  using std::chrono::milliseconds;
  using clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  {
    std::unique_lock lock(mutex);
    const auto begin = clock::now();
    expect(!changed.wait_for(lock, milliseconds(40), [&] { return done; }), "a wait that ends");
    expect(clock::now() - begin >= milliseconds(40), "a wait ends when its time is over");
    // A time that is over, and one whose nanoseconds carry into seconds.
    expect(changed.wait_until(lock, clock::now() - std::chrono::hours(1)) ==
               std::cv_status::timeout,
           "a wait for the past");
    for (int tenth = 1; tenth < 10; ++tenth) {
      const auto until = clock::now() + milliseconds(tenth);
      while (changed.wait_until(lock, until) != std::cv_status::timeout) {
      }
      expect(clock::now() >= until && clock::now() - until < std::chrono::seconds(20),
             "a short wait");
    }
  }
  // std::condition_variable waits again where a wait was too short.
  pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&plain);
  for (int tenth = 0; tenth < 10; ++tenth) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const auto begin = clock::now();
    until.tv_nsec += tenth * 1'000'000;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    expect(pthread_cond_clockwait(&never, &plain, CLOCK_MONOTONIC, &until) == ETIMEDOUT &&
               clock::now() - begin >= milliseconds(tenth) - std::chrono::microseconds(100),
           "a wait on the steady clock is long enough");
  }
  pthread_mutex_unlock(&plain);
  std::vector<std::thread> all;
  int caught = 0;
  for (int n = 0; n < 4; ++n)
    all.emplace_back([&] {
      const bool its = catches();
      std::lock_guard lock(mutex);
      caught += its;
      done = caught == 4;
      changed.notify_all();
    });
  {
    std::unique_lock lock(mutex);
    expect(changed.wait_for(lock, std::chrono::seconds(60), [&] { return done; }),
           "four threads that catch");
  }
  for (std::thread &thread : all)
    thread.join();
}

int main(int count, char **arguments) {
  setvbuf(stdout, nullptr, _IONBF, 0); // a copy of the library's variable, where code does not move
  expect(constructed == 2 && first.place == 1 && second.place == 2, "constructors");
  expect(catches(), "an exception through frames");
  files(arguments[0]);
  threads();
  std::random_device random;
  unsigned all = 0, any = 0xffffffff;
  for (int n = 0; n < 64; ++n) {
    const unsigned number = random();
    all |= number;
    any &= number;
  }
  expect(all == 0xffffffff && any == 0, "64 random numbers have each bit set and unset");
  volatile double two = 1 + count;
  expect(std::exp(std::log(two)) == 2 && std::pow(two, 10) == 1024 && std::exp2(two) == 4 &&
             std::log2(two) == 1,
         "functions of numbers");
  std::vector<std::unique_ptr<char[]>> held;
  const size_t before = mallinfo2().uordblks;
  for (int n = 0; n < 100; ++n)
    held.push_back(std::make_unique<char[]>(1000));
  const size_t grown = mallinfo2().uordblks - before;
  expect(grown >= 100'000 && grown < 200'000, "mallinfo2");
  void *libm = dlopen("libm.so.6", RTLD_NOW);
  expect(libm && dlsym(libm, "cos") && !dlsym(libm, "no such function"), "dlopen and dlsym");
  Dl_info place;
  expect(dladdr(reinterpret_cast<void *>(&catches), &place) != 0, "dladdr");
  return wrong;
}
