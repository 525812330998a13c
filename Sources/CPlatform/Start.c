#define _GNU_SOURCE
#include "CPlatform.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

// What happens before main, and which parts of the libraries' start and end are left out.

static char *no_arguments[] = {NULL};
static char **arguments = no_arguments;

// glibc passes the arguments of main to constructors, too.
__attribute__((constructor)) static void note_arguments(int count, char **values) {
  (void)count;
  arguments = values;
}

char **cplatform_arguments(void) { return arguments; }

// At every start, Swift's runtime finds the arguments by reading /proc/self/maps, whether they are needed or not. Where
// the program defines these two functions, that part of the runtime is not linked.
char **_swift_stdlib_getUnsafeArgvArgc(int *count) {
  *count = 0;
  while (arguments[*count]) (*count)++;
  return arguments;
}

void _swift_stdlib_overrideUnsafeArgvArgc(char **values, int count) {
  (void)count;
  arguments = values;
}

// At every start, Swift's runtime looks for the program that prints backtraces of crashes, which takes a dozen system
// calls. Where the program defines these two symbols, backtraces are off, and that part of the runtime is not linked.
__attribute__((weak)) bool _swift_backtrace_isThunkFunction(const char *name) {
  (void)name;
  return false;
}

__attribute__((weak)) char _swift_backtraceSettings[256];

// The names of all characters take half a megabyte, and nothing here asks for one. The release link (`--wrap`) puts
// this function in the place of the runtime's, to which nothing refers then.
int64_t __wrap__swift_stdlib_getScalarName(uint32_t scalar, uint8_t *name, int64_t capacity) {
  (void)scalar, (void)name, (void)capacity;
  return 0;
}

// A character's category, the version of Unicode that introduced it, its scripts and other properties: nothing here
// asks for them either (TidyTests).
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

// Letters beyond ASCII keep their case: only garner's own words, and words that it knows, are converted to upper or
// lower case here.
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

// Readable names of C++ functions serve only in traces of crashes, and decoding them takes 40 KB: they are shown
// encoded.
char *__wrap___cxa_demangle(const char *name, char *buffer, size_t *length, int *status) {
  (void)name, (void)buffer, (void)length;
  const int out_of_memory = -1;
  if (status != NULL) *status = out_of_memory;
  return NULL;
}

// Names of types serve only in the message that the runtime prints before it ends a process by a trap, and writing them
// takes 60 KB: the message leaves them out. The result is what libstdc++ takes for an empty std::string on the heap.
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

// At every start, a static glibc asks for the path of the program, to look for libraries beside it. The kernel then
// creates a name below /proc for the process, and removes it when the process ends. Nothing here loads a library, and
// glibc understands this answer, which says that the path is unknown. The release link (`--wrap`) puts this function in
// the place of glibc's.
char *__wrap__dl_get_origin(void) { return (char *)-1; }

// The parts of .bss that a hit touches lie side by side, in front of this mark (Scripts/hit.order): a dozen pages, most
// of which are first read and then written, with a page fault each time. One call populates them all. One page more
// than is used would cost as much as a fault saves. Before Linux 5.14, the call fails and changes nothing.
__attribute__((section(".bss.end_of_hit"))) static char cplatform_end_of_hit[1];
extern char __bss_start[];

__attribute__((constructor(101))) static void populate_bss(void) {
  const uintptr_t page_mask = 4095;
  uintptr_t start = ((uintptr_t)__bss_start + page_mask) & ~page_mask;
  uintptr_t end = ((uintptr_t)cplatform_end_of_hit + page_mask) & ~page_mask;
  if (start < end) madvise((void *)start, end - start, MADV_POPULATE_WRITE);
}

// The frames of a hit are 50 KB deep, with a page fault for each page. The kernel makes the stack 128 KB large at
// first, and the populated range has to lie in that, below what the kernel itself has put there.
__attribute__((constructor(102))) static void populate_stack(void) {
  const uintptr_t page_mask = 4095, depth = 40 << 10;
  uintptr_t end = (uintptr_t)__builtin_frame_address(0) & ~page_mask;
  madvise((void *)(end - depth), depth, MADV_POPULATE_WRITE);
}
