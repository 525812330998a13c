#define _GNU_SOURCE
#include "CPlatform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

// What happens before main, and what of the libraries' beginnings and endings is left out.

static char *no_arguments[] = {NULL};
static char **arguments = no_arguments;

// glibc hands to constructors what it hands to main.
__attribute__((constructor)) static void note_arguments(int count, char **values) {
  (void)count;
  arguments = values;
}

char **cplatform_arguments(void) { return arguments; }

// Swift's runtime finds the arguments at every start, wanted or not, by reading /proc/self/maps. Where the program has
// these two functions, that part of the runtime is not linked.
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = 0;
  while (arguments[*count]) (*count)++;
  return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
  (void)count;
  arguments = values;
}

// Swift's runtime looks at every start for the program that prints backtraces of crashes: a dozen system calls. Where
// the program has these two, what it asks for is off, and that part of the runtime is not linked.
__attribute__((weak)) bool _swift_backtrace_isThunkFunction(const char *name) {
  (void)name;
  return false;
}

__attribute__((weak)) char _swift_backtraceSettings[256];

// The names of all characters take half a megabyte. Nothing here asks for one; the release link (`--wrap`) has this in
// the place of the runtime's, which nothing refers to then.
int64_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *name, int64_t capacity) {
  (void)scalar, (void)name, (void)capacity;
  return 0;
}

// What kind of character one is, since when there is it, and in which scripts it is used: nothing here asks for that
// either (TidyTests).
uint8_t __wrap__swift_stdlib_getGeneralCategory(uint32_t scalar) {
  (void)scalar;
  return 0;
}

uint16_t __wrap__swift_stdlib_getAge(uint32_t scalar) {
  (void)scalar;
  return 0;
}

uint8_t __wrap__swift_stdlib_getScript(uint32_t scalar) {
  (void)scalar;
  return 0;
}

const uint8_t *__wrap__swift_stdlib_getScriptExtensions(uint32_t scalar, uint8_t *count) {
  (void)scalar;
  *count = 0;
  return NULL;
}

uint64_t __wrap__swift_stdlib_getBinaryProperties(uint32_t scalar) {
  (void)scalar;
  return 0;
}

uint8_t __wrap__swift_stdlib_getNumericType(uint32_t scalar) {
  (void)scalar;
  return 0;
}

double __wrap__swift_stdlib_getNumericValue(uint32_t scalar) {
  (void)scalar;
  return 0;
}

const char *__wrap__swift_stdlib_getNameAlias(uint32_t scalar) {
  (void)scalar;
  return NULL;
}

uint8_t __wrap__swift_stdlib_getWordBreakProperty(uint32_t scalar) {
  (void)scalar;
  return 0;
}

// Letters beyond ASCII have one case: what is written in upper or lower case here is garner's own, and words that it
// knows.
int32_t __wrap__swift_stdlib_getMapping(uint32_t scalar, uint8_t mapping) {
  (void)scalar, (void)mapping;
  return 0;
}

const uint8_t *__wrap__swift_stdlib_getSpecialMapping(uint32_t scalar, uint8_t mapping, intptr_t *length) {
  (void)scalar, (void)mapping;
  *length = 0;
  return NULL;
}

void __wrap__swift_stdlib_getCaseMapping(uint32_t scalar, uint32_t *mapped) { *mapped = scalar; }

// The names of C++ functions are for traces of crashes, and reading them takes 40 KB: they are shown as they are.
char *__wrap___cxa_demangle(const char *name, char *buffer, size_t *length, int *status) {
  (void)name, (void)buffer, (void)length;
  const int out_of_memory = -1;
  if (status != NULL) *status = out_of_memory;
  return NULL;
}

// The names of types are for what the runtime says before it ends a process by a trap, and writing them takes 60 KB: it
// leaves them out. The result is what libstdc++ takes for an empty std::string that is on the heap.
struct heap_string {
  char *bytes;
  size_t length, capacity, unused;
};

struct heap_string __wrap__ZN5swift8Demangle9__runtime12nodeToStringB5cxx11EPNS1_4NodeERKNS1_15DemangleOptionsE(
    const void *node, const void *options) {
  (void)node, (void)options;
  const size_t capacity = 15;
  return (struct heap_string){.bytes = calloc(1, capacity + 1), .capacity = capacity};
}

// A static glibc asks at every start which file the program is, for libraries that are looked for beside it; a name
// below /proc is made for the process then, and taken away when it ends. Nothing here loads a library, and glibc knows
// this answer: the origin is unknown. It takes the place of glibc's in the release link (`--wrap`).
char *__wrap__dl_get_origin(void) { return (char *)-1; }

// What a hit touches of .bss lies side by side, in front of this mark (Scripts/hit.order): a dozen pages, most of them
// read, then written, and each a fault both times. They are asked for in one call; a page more than is used would cost
// as much as a fault saves. Where the kernel is older than 5.14, all is as it was.
__attribute__((section(".bss.end_of_hit"))) static char cplatform_end_of_hit[1];
extern char __bss_start[];

__attribute__((constructor(101))) static void populate_bss(void) {
  const uintptr_t page_mask = 4095;
  uintptr_t start = ((uintptr_t)__bss_start + page_mask) & ~page_mask;
  uintptr_t end = ((uintptr_t)cplatform_end_of_hit + page_mask) & ~page_mask;
  if (start < end) madvise((void *)start, end - start, MADV_POPULATE_WRITE);
}

// The frames of a hit are 50 KB deep: a fault for each page. The kernel makes the stack 128 KB large to begin with, and
// what is asked for has to lie in that, below what it has put there itself.
__attribute__((constructor(102))) static void populate_stack(void) {
  const uintptr_t page_mask = 4095, depth = 40 << 10;
  uintptr_t end = (uintptr_t)__builtin_frame_address(0) & ~page_mask;
  madvise((void *)(end - depth), depth, MADV_POPULATE_WRITE);
}
