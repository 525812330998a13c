#define _GNU_SOURCE
#include <features.h>

// What a static glibc does between the kernel and main, without asking the processor what it is.
//
// glibc asks that 40 to 70 times at every start, mostly for the sizes of caches. A virtual machine stops for each
// answer, which takes longer than everything else in a hit. In a static program that defines CPLATFORM_STATIC, the
// release link (`--wrap`) puts this file in the place of `__libc_start_main`. docs/decisions/0043 has the rest.

#if defined(CPLATFORM_STATIC)

typedef int program_main(int count, char **arguments, char **environment);
typedef void procedure(void);

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC__ == 2 && __GLIBC_MINOR__ == 36

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Internals of glibc 2.36, by the names that its object files share.
extern void *__libc_stack_end;
extern uintptr_t *_dl_random;
extern int __libc_enable_secure;
extern long __x86_shared_non_temporal_threshold, __x86_rep_movsb_stop_threshold;
void _dl_aux_init(ElfW(auxv_t) *);
void __tunables_init(char **environment);
void _dl_relocate_static_pie(void);
void __libc_setup_tls(void);
void __libc_early_init(_Bool is_initial);
void __libc_init_first(int count, char **arguments, char **environment);
void __libc_check_standard_fds(void);
void *_dl_debug_initialize(ElfW(Addr) base, long name_space);
int __cxa_atexit(void (*function)(void *), void *argument, void *library);

// Symbols of the linker and of the compiler's object files.
typedef void initializer(int count, char **arguments, char **environment);
extern const ElfW(Rela) __rela_iplt_start[], __rela_iplt_end[];
extern initializer *const __preinit_array_start[], *const __preinit_array_end[];
extern initializer *const __init_array_start[], *const __init_array_end[];
extern procedure *const __fini_array_start[], *const __fini_array_end[];
procedure _init, _fini;

// Chooses the variants of memcpy and its like. Each resolver asks what is known of the processor, which is nothing, and
// chooses the variant that runs on every x86-64.
static void choose_variants(void) {
  for (const ElfW(Rela) *entry = __rela_iplt_start; entry < __rela_iplt_end; entry++) {
    uintptr_t (*const chosen)(void) = (uintptr_t (*)(void))entry->r_addend;
    *(uintptr_t *)entry->r_offset = chosen();
  }
}

// Sets the number of bytes from which a copy bypasses the caches. glibc takes three quarters of the cache size that it
// finds out; this is the same share of the size that it assumes if it finds none.
static void set_copy_thresholds(void) {
  const long assumed_shared_cache = 1 << 20;
  __x86_shared_non_temporal_threshold = assumed_shared_cache / 4 * 3;
  __x86_rep_movsb_stop_threshold = __x86_shared_non_temporal_threshold;
}

// Sets two words of the thread, where the compiler and setjmp look for them: the stack canary, whose first byte is 0 so
// that no string operation copies it, and the value that pointers in a jmp_buf are mixed with.
static inline void set_guards(void) {
  const uintptr_t canary = _dl_random[0] & ~(uintptr_t)0xff;
  __asm__ volatile("mov %0, %%fs:0x28" : : "r"(canary));
  __asm__ volatile("mov %0, %%fs:0x30" : : "r"(_dl_random[1]));
}

static void initialize(initializer *const *from, initializer *const *end, int count, char **arguments) {
  for (; from < end; from++) (*from)(count, arguments, __environ);
}

static void finalize(void *unused) {
  (void)unused;
  for (ptrdiff_t index = __fini_array_end - __fini_array_start; index > 0; index--) __fini_array_start[index - 1]();
  _fini();
}

// Makes the calls of csu/libc-start.c, in glibc's order. No code may check the canary before it is set.
__attribute__((noreturn, no_stack_protector)) int __wrap___libc_start_main(
    program_main *program, int count, char **arguments, procedure *init, procedure *fini, procedure *loader_end,
    void *stack_end) {
  (void)init, (void)fini;
  __environ = arguments + count + 1;
  __libc_stack_end = stack_end;
  char **behind = __environ;
  while (*behind++) continue;
  _dl_aux_init((ElfW(auxv_t) *)behind);
  __tunables_init(__environ);
  set_copy_thresholds();
  _dl_relocate_static_pie();
  choose_variants();
  __libc_setup_tls();
  set_guards();
  if (loader_end) __cxa_atexit((void (*)(void *))loader_end, NULL, NULL);
  __libc_early_init(1);
  __libc_init_first(count, arguments, __environ);
  __cxa_atexit(finalize, NULL, NULL);
  if (__libc_enable_secure) __libc_check_standard_fds();
  initialize(__preinit_array_start, __preinit_array_end, count, arguments);
  _init();
  initialize(__init_array_start, __init_array_end, count, arguments);
  _dl_debug_initialize(0, 0);
  exit(program(count, arguments, __environ));
}

#else

// Nothing is known of the internals of other C libraries here.
int __real___libc_start_main(
    program_main *program, int count, char **arguments, procedure *init, procedure *fini, procedure *loader_end,
    void *stack_end);

int __wrap___libc_start_main(
    program_main *program, int count, char **arguments, procedure *init, procedure *fini, procedure *loader_end,
    void *stack_end) {
  return __real___libc_start_main(program, count, arguments, init, fini, loader_end, stack_end);
}

#endif
#endif
