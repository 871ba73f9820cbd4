/* How a program for an older glibc begins: its constructors run, whichever glibc runs it. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * crt1.o of glibc 2.34 and later passes no function that runs them, because __libc_start_main of
 * that version does it itself; the older one, whose symbol the program names, does not.
 * --wrap=__libc_start_main brings crt1.o's call here. Newer versions call what a program passes and
 * then leave its constructors alone.
 */
typedef void Function(void);
typedef int Main(int, char **, char **);
typedef void Constructor(int, char **, char **);

extern Function _init;
extern Constructor *__init_array_start[] __attribute__((visibility("hidden")));
extern Constructor *__init_array_end[] __attribute__((visibility("hidden")));

/* The destructors and those before all constructors are the loader's. */
static void construct(int count, char **arguments, char **environment) {
  _init();
  for (Constructor **next = __init_array_start; next != __init_array_end; ++next)
    (*next)(count, arguments, environment);
}

int __real___libc_start_main(Main *, int, char **, Constructor *, Function *, Function *, void *);
int __wrap___libc_start_main(Main *, int, char **, Constructor *, Function *, Function *, void *);
int __wrap___libc_start_main(Main *program, int count, char **arguments, Constructor *none,
                             Function *nothing, Function *loader, void *stack) {
  (void)none;
  (void)nothing;
  return __real___libc_start_main(program, count, arguments, construct, 0, loader, stack);
}
