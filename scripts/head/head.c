/*
 * The native head of the self-extracting executable on Linux. A warm start needs nothing but this
 * code: it checks that the unpacked program is whole and that no other user could have written it,
 * and becomes the program. In every other case it becomes a shell with the script of
 * head.sh, which does the same check, unpacks, and says what is wrong.
 *
 * There is no C library here. `deno task head` compiles this file into machine code, which
 * native_head.ts puts before the values below. The rules of the check are those of the functions
 * "unpacked", "private" and "start" of the script. It is linked as one read-only segment, so it has
 * no variables outside of functions.
 */
#include <linux/auxvec.h>
#include <linux/elf.h>
#include <linux/fcntl.h>
#include <linux/limits.h>
#include <linux/mman.h>
#include <linux/resource.h>
#include <linux/stat.h>
#include <asm/unistd.h>

typedef unsigned long word;
typedef struct statx facts;

/*
 * The values that native_head.ts appends: the size of the checked files, and lists of strings. Each
 * string and each list ends with a NUL.
 */
extern const struct {
  word size;
  char lists[];
} values __attribute__((visibility("hidden")));

/* The size of the buffer for a path. */
enum { PATH = PATH_MAX + 256 };

/* Makes a system call, whose sixth argument is 0; a negative result is an error. */
static long call(long number, word a, word b, word c, word d, word e) {
#if defined(__x86_64__)
  register word r10 asm("r10") = d;
  register word r8 asm("r8") = e;
  register word r9 asm("r9") = 0;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register word x8 asm("x8") = number;
  register word x0 asm("x0") = a;
  register word x1 asm("x1") = b;
  register word x2 asm("x2") = c;
  register word x3 asm("x3") = d;
  register word x4 asm("x4") = e;
  register word x5 asm("x5") = 0;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#endif
}

static word length(const char *text) {
  const char *end = text;
  while (*end) end++;
  return end - text;
}

/* Returns the rest of `text` after `start`, or 0 if it does not begin with `start`. */
static const char *after(const char *text, const char *start) {
  while (*start)
    if (*text++ != *start++) return 0;
  return text;
}

/* Copies a string to `to`, and returns its end there. */
static char *put(char *to, const char *text) {
  while ((*to = *text++)) to++;
  return to;
}

/* Returns the list after this one. */
static const char *next_list(const char *list) {
  while (*list) list += length(list) + 1;
  return list + 1;
}

static int is_absent(long error) { return error == -2 /* ENOENT */ || error == -20 /* ENOTDIR */; }

static long look(int directory, const char *path, int flags, facts *found) {
  return call(__NR_statx, directory, (word)path, flags,
              STATX_TYPE | STATX_MODE | STATX_UID | STATX_MTIME | STATX_SIZE | STATX_INO,
              (word)found);
}

static int is_type(const facts *found, int type) { return (found->stx_mode & S_IFMT) == type; }

/* Whether only this user, or root, can have written a file or directory. */
static int is_private(const facts *found, word user) {
  return (found->stx_uid == user || found->stx_uid == 0) && !(found->stx_mode & 022);
}

/* Whether a limit of the system is below what the program needs; then the script says so. */
static int is_limited(int resource, word least) {
  struct rlimit64 limit;
  return call(__NR_prlimit64, 0, resource, 0, (word)&limit, 0) == 0 && limit.rlim_cur < least;
}

static int has_limits(word user) {
  enum { KIB = 1024 };
  return is_limited(RLIMIT_NOFILE, 32) || is_limited(RLIMIT_AS, 64000000UL * KIB) ||
         is_limited(RLIMIT_DATA, 2000000UL * KIB) || is_limited(RLIMIT_STACK, 2048 * KIB) ||
         (user != 0 && is_limited(RLIMIT_NPROC, 32)) || is_limited(RLIMIT_FSIZE, RLIM64_INFINITY);
}

/* The variables of the environment that matter here; 0 for one that is not set. */
struct variables {
  const char *home, *cache, *xdg_cache, *xdg_config, *pwd;
};

/* Reads the environment. Returns 0 if one of the variables that the script puts aside is set. */
static int read_environment(char **environment, const char *put_aside, struct variables *found) {
  *found = (struct variables){0};
  for (; *environment; environment++) {
    const char *text = *environment, *value;
    if (after(text, "TOOLCALL_ENV_")) return 0;
    for (const char *name = put_aside; *name; name += length(name) + 1)
      if ((value = after(text, name)) && *value == '=') return 0;
    if ((value = after(text, "HOME="))) found->home = value;
    if ((value = after(text, "PWD="))) found->pwd = value;
    if ((value = after(text, "TOOLCALL_CACHE_DIR="))) found->cache = value;
    if ((value = after(text, "XDG_CACHE_HOME="))) found->xdg_cache = value;
    if ((value = after(text, "XDG_CONFIG_HOME="))) found->xdg_config = value;
  }
  return 1;
}

static int is_absolute(const char *path) {
  return path && *path == '/' && length(path) < PATH_MAX;
}

/* Writes the path of the usual cache directory to `path`. Returns 0 if the script has to choose. */
static int cache_path(const struct variables *given, char *path) {
  char *end;
  if (given->cache && *given->cache) {
    if (!is_absolute(given->cache)) return 0;
    end = put(path, given->cache);
  } else if (is_absolute(given->xdg_cache)) {
    end = put(put(path, given->xdg_cache), "/toolcall");
  } else if (is_absolute(given->home)) {
    end = put(put(path, given->home), "/.cache/toolcall");
  } else {
    return 0;
  }
  while (end > path && end[-1] == '/') *--end = 0;
  return end > path;
}

/*
 * Writes the real path of an open directory to `path`. Returns its end, or 0 if other users can
 * write it or a directory above it. Sticky directories, such as /tmp, will do above it.
 */
static char *private_path(int directory, word user, char *path) {
  char link[64] = "/proc/self/fd/", *digit = link + 16;
  if (directory > 99) return 0;
  link[14] = '0' + directory / 10;
  link[15] = '0' + directory % 10;
  if (link[14] == '0') link[14] = link[15], digit--;
  *digit = 0;
  long size = call(__NR_readlinkat, AT_FDCWD, (word)link, (word)path, PATH_MAX, 0);
  if (size <= 0 || size >= PATH_MAX || *path != '/') return 0;
  path[size] = 0;
  facts found;
  if (look(directory, "", AT_EMPTY_PATH, &found) != 0 || found.stx_uid != user ||
      !is_private(&found, user))
    return 0;
  for (const char *at = path + 1; *at; at++) {
    if (*at != '/' && at != path + 1) continue;
    directory = call(__NR_openat, directory, (word) "..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0);
    if (directory < 0 || look(directory, "", AT_EMPTY_PATH, &found) != 0) return 0;
    int is_sticky = found.stx_mode & S_ISVTX && (found.stx_uid == user || found.stx_uid == 0);
    if (!is_private(&found, user) && !is_sticky) return 0;
  }
  return path + size;
}

/* Reads the name of the directory of this version. Returns 0 if it is missing. */
static int read_name(int cache, const char *key, word user, char *name, facts *pointer) {
  int file = call(__NR_openat, cache, (word)key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0, 0);
  if (file < 0 || look(file, "", AT_EMPTY_PATH, pointer) != 0 || !is_type(pointer, S_IFREG) ||
      pointer->stx_uid != user || !is_private(pointer, user))
    return 0;
  long size = call(__NR_read, file, (word)name, NAME_MAX, 0, 0);
  if (size <= 0) return 0;
  name[size] = 0;
  const char *rest = after(name, key);
  if (!rest || *rest != '.') return 0;
  while (*rest == '.' || (*rest >= '0' && *rest <= '9')) rest++;
  if (*rest != '\n') return 0;
  name[rest - name] = 0;
  return 1;
}

static int is_newer(const struct statx_timestamp *a, const struct statx_timestamp *b) {
  return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/*
 * Writes the path of the unpacked program to `path`. Returns its end, or 0 if it is not there and
 * whole. `files` are the names of the files whose sizes are checked.
 */
static char *unpacked(char *path, const char *key, const char *files, word user) {
  int cache = call(__NR_openat, AT_FDCWD, (word)path,
                   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0);
  if (cache < 0) return 0;
  char *end = private_path(cache, user, path);
  char name[NAME_MAX + 1];
  facts pointer, found;
  if (!end || !read_name(cache, key, user, name, &pointer)) return 0;
  int place = call(__NR_openat, cache, (word)name,
                   O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0, 0);
  if (place < 0 || look(place, "", AT_EMPTY_PATH, &found) != 0 || !is_private(&found, user) ||
      is_newer(&found.stx_mtime, &pointer.stx_mtime))
    return 0;
  word size = 0;
  for (; *files; files += length(files) + 1) {
    if (look(place, files, AT_SYMLINK_NOFOLLOW, &found) != 0 || !is_type(&found, S_IFREG) ||
        !is_private(&found, user))
      return 0;
    size += found.stx_size;
  }
  if (size != values.size || length(name) + (end - path) > PATH_MAX) return 0;
  return put(put(end, "/"), name);
}

/* Whether a page of a file that is mapped at this address is in memory. */
static int is_in_memory(word address, word page) {
  char found;
  return call(__NR_mincore, address & -page, 1, (word)&found, 0, 0) != 0 || found & 1;
}

/* Whether the beginning of each segment of an executable is in memory (elf(5)). */
static int is_loaded(word content, word page) {
  const Elf64_Ehdr *file = (const Elf64_Ehdr *)content;
  if (!is_in_memory(content, page)) return 0;
  if (!after((const char *)content, "\177ELF")) return 1;
  const Elf64_Phdr *segment = (const Elf64_Phdr *)(content + file->e_phoff);
  const Elf64_Phdr *end = segment + file->e_phnum;
  if ((word)end - content > page) return 1;
  for (; segment < end; segment++)
    if (segment->p_type == PT_LOAD && !is_in_memory(content + segment->p_offset, page)) return 0;
  return 1;
}

/*
 * Reads the whole runtime into memory in pieces of 2 MiB, if parts of it are missing there. Otherwise
 * the system would read what this start uses in small pieces, and each later start would be slower.
 */
static void load(const char *runtime, word page) {
  facts found;
  int file = call(__NR_openat, AT_FDCWD, (word)runtime, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0, 0);
  if (file < 0 || look(file, "", AT_EMPTY_PATH, &found) != 0 || found.stx_size < page) return;
  long content = call(__NR_mmap, 0, found.stx_size, PROT_READ, MAP_PRIVATE, file);
  if ((content < 0 && content > -4096) || is_loaded(content, page)) return;
  if (call(__NR_madvise, content, found.stx_size, MADV_HUGEPAGE, 0, 0) == 0)
    call(__NR_madvise, content, found.stx_size, MADV_POPULATE_READ, 0, 0);
}

/* Whether no configuration exists. A directory that may not be entered could contain one. */
static int has_no_configuration(const struct variables *given) {
  char path[PATH];
  facts found;
  if (!is_absent(look(AT_FDCWD, "toolcall.json", AT_SYMLINK_NOFOLLOW, &found))) return 0;
  if (is_absolute(given->xdg_config)) {
    put(put(path, given->xdg_config), "/toolcall");
  } else if (is_absolute(given->home)) {
    put(put(path, given->home), "/.config/toolcall");
  } else {
    return 0;
  }
  return is_absent(look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &found));
}

/* Whether the runtime's code cache has no log that the program should empty. */
static int has_short_log(const char *program) {
  enum { MAX_LOG_BYTES = 512 * 1024 };
  char path[PATH];
  facts found;
  put(put(path, program), "/state/v8_code_cache_v2-wal");
  long error = look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &found);
  return error == 0 ? found.stx_size <= MAX_LOG_BYTES : is_absent(error);
}

/* Writes a variable to `to` that only the process with that ID uses, and returns its end. */
static char *put_for(char *to, const char *name, word process) {
  char digits[24], *digit = digits + 23;
  *digit = 0;
  for (; process; process /= 10) *--digit = '0' + process % 10;
  return put(put(to, name), digit);
}

/* Whether PWD names the working directory. */
static int is_here(const char *pwd) {
  facts named, here;
  return *pwd == '/' && look(AT_FDCWD, pwd, 0, &named) == 0 && look(AT_FDCWD, ".", 0, &here) == 0 &&
         named.stx_ino == here.stx_ino && named.stx_dev_major == here.stx_dev_major &&
         named.stx_dev_minor == here.stx_dev_minor;
}

/*
 * Becomes the program, if it is unpacked, and returns if not. `stack` is the initial stack, and `page`
 * the size of a page.
 */
static void start(word *stack, const char *self, word page) {
  word count = *stack;
  char **arguments = (char **)(stack + 1), **environment = arguments + count + 1;
  const char *key = values.lists, *files = next_list(key), *put_aside = next_list(files),
             *flags = next_list(put_aside), *rest;
  struct variables given;
  if (count > 1 && (rest = after(arguments[1], key)) && after(rest, ".unpack")) return;
  if (call(__NR_fcntl, 1, F_GETFD, 0, 0, 0) < 0) return;
  if (!read_environment(environment, put_aside, &given)) return;
  char program[PATH], here[PATH];
  word user = call(__NR_geteuid, 0, 0, 0, 0, 0);
  if (call(__NR_getcwd, (word)here, PATH_MAX, 0, 0, 0) <= 0 || *here != '/') return;
  if (has_limits(user) || !cache_path(&given, program)) return;
  char *end = unpacked(program, key, files, user);
  if (!end) return;

  word many = 0;
  while (environment[many]) many++;
  char *variables[many + 9], **variable = variables;
  /* The strings of all new variables and arguments. */
  word long_home = given.home ? length(given.home) : 0;
  char texts[6 * PATH + long_home + length(self)], *text = texts;
  for (char **each = environment; *each; each++) {
    if (after(*each, "HOME=") || after(*each, "TOOLCALL_NO_CONFIG=") ||
        after(*each, "TOOLCALL_SHORT_LOG=") || after(*each, "TOOLCALL_EXECUTABLE="))
      continue;
    *variable++ = *each;
    if (!after(*each, "PWD=") || is_here(given.pwd)) continue;
    variable[-1] = text;
    text = put(put(text, "PWD="), here) + 1;
  }
  *variable++ = "DENO_NO_UPDATE_CHECK=1";
  *variable++ = text;
  text = put(put(put(text, "DENO_DIR="), program), "/state") + 1;
  *variable++ = text;
  text = put(put(put(text, "HOME="), program), "/state") + 1;
  *variable++ = text;
  text = put(put(text, "TOOLCALL_EXECUTABLE="), self) + 1;
  if (given.home) {
    *variable++ = text;
    text = put(put(text, "TOOLCALL_ENV_HOME="), given.home) + 1;
  }
  word process = call(__NR_getpid, 0, 0, 0, 0, 0);
  if (has_no_configuration(&given)) {
    *variable++ = text;
    text = put_for(text, "TOOLCALL_NO_CONFIG=", process) + 1;
  }
  if (has_short_log(program)) {
    *variable++ = text;
    text = put_for(text, "TOOLCALL_SHORT_LOG=", process) + 1;
  }
  *variable = 0;

  word options = 0;
  for (const char *flag = flags; *flag; flag += length(flag) + 1) options++;
  char *command[options + count + 4], **part = command;
  *part++ = text;
  char *runtime = text;
  text = put(put(text, program), "/deno") + 1;
  *part++ = "run";
  for (const char *flag = flags; *flag; flag += length(flag) + 1) *part++ = (char *)flag;
  *part++ = text;
  put(put(text, program), "/main.js");
  for (word at = 1; at <= count; at++) *part++ = arguments[at];
  if (count == 0) *part = 0;
  load(runtime, page);
  call(__NR_execve, (word)runtime, (word)command, (word)variables, 0, 0);
}

/* Starts with the initial stack: the number of arguments, these, the environment, and facts. */
__attribute__((noreturn, used)) void head(word *stack) {
  word count = *stack;
  char **arguments = (char **)(stack + 1), **environment = arguments + count + 1;
  word *fact = stack + 2 + count;
  while (*fact++) {}
  const char *self = count ? arguments[0] : "toolcall";
  /* The largest pages, until the system has told the size. */
  word page = 0x10000;
  for (; *fact; fact += 2) {
    if (*fact == AT_EXECFN) self = (const char *)fact[1];
    if (*fact == AT_PAGESZ) page = fact[1];
  }
  start(stack, self, page);
  /* The last list is the script. */
  const char *script = values.lists;
  for (int skipped = 0; skipped < 4; skipped++) script = next_list(script);
  char *command[count + 5], **part = command;
  *part++ = "/bin/sh";
  *part++ = "-c";
  *part++ = (char *)script;
  *part++ = (char *)self;
  for (word at = 1; at < count; at++) *part++ = arguments[at];
  *part = 0;
  call(__NR_execve, (word) "/bin/sh", (word)command, (word)environment, 0, 0);
  static const char missing[] = "toolcall: Cannot start: /bin/sh cannot be executed\n";
  call(__NR_write, 2, (word)missing, sizeof missing - 1, 0, 0);
  for (;;) call(__NR_exit_group, 8, 0, 0, 0, 0);
}

#if defined(__x86_64__)
asm(".section .text.start, \"ax\"\n.globl _start\n_start: xor %ebp, %ebp\nmov %rsp, %rdi\n"
    "and $-16, %rsp\ncall head\n");
#elif defined(__aarch64__)
asm(".section .text.start, \"ax\"\n.globl _start\n_start: mov x29, #0\nmov x0, sp\nbl head\n");
#endif
