/* Faults below the database: what a process asks of its files, delayed, refused, cut short or noted down.
 *
 * Preloaded into a Python that then arms it (`shim.py`). Only files whose path begins with a prefix are
 * touched. Built for Linux with the C compiler that is there; nothing but the C library is needed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WRITES = 1, SYNCS = 2, NAMES = 4 };                            /* what is counted */
enum { COUNT = 0, KILL = 1, TEAR = 2, FAIL_ONCE = 3, FAIL = 4, DELAY = 5, LIE = 6 }; /* what is done */

static char prefix[1024];
static int what, how, error;
static long nth, seen, micros;
static char kinds[65536]; /* of the calls that were counted */
static int notes = -1;

void torture_arm(const char *path, int of, long number, int act, int code, long wait) {
    strncpy(prefix, path, sizeof prefix - 1);
    what = of, nth = number, how = act, error = code, micros = wait, seen = 0;
}

long torture_seen(void) { return seen; }

const char *torture_kinds(void) { return kinds; }

static int is_ours(const char *path) { return prefix[0] && !strncmp(path, prefix, strlen(prefix)); }

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

/* One record of the log: kind, place, length of the data, length of the path; then path and data. */
static void note(char kind, const char *path, long long place, const void *data, long long length) {
    struct { long long kind, place, length, path; } head = {kind, place, length, strlen(path)};
    if (notes < 0) return;
    syscall(SYS_write, notes, &head, sizeof head);
    syscall(SYS_write, notes, path, head.path);
    if (length) syscall(SYS_write, notes, data, length);
}

void torture_note(const char *path) {
    notes = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

void torture_mark(const char *said) { note('A', said, 0, "", 0); }

/* Return 0 to go on, 1 to tear the write and die, -1 to fail with errno set, 2 to do nothing and say well. */
static int strike(int kind) {
    if (!(kind & what)) return 0;
    long number = seen++;
    if (number < (long)sizeof kinds) kinds[number] = kind;
    if (how == DELAY) usleep(micros);
    if (how == COUNT || how == DELAY) return 0;
    if (number < nth || (number > nth && how != FAIL && how != LIE)) return 0;
    if (how == KILL) kill(getpid(), SIGKILL);
    if (how == TEAR) return 1;
    if (how == LIE) return 2;
    errno = error;
    return -1;
}

static ssize_t put(int fd, const void *data, size_t length, off_t place, int has_place) {
    char path[1024];
    int ours = path_of(fd, path, sizeof path);
    if (ours) {
        int struck = strike(WRITES);
        if (struck < 0) return -1;
        if (struck == 1) {
            size_t half = length / 2;
            if (has_place) syscall(SYS_pwrite64, fd, data, half, place);
            else syscall(SYS_write, fd, data, half);
            kill(getpid(), SIGKILL);
        }
        if (!has_place) place = lseek(fd, 0, SEEK_CUR);
    }
    ssize_t done = has_place ? syscall(SYS_pwrite64, fd, data, length, place) : syscall(SYS_write, fd, data, length);
    if (ours && done > 0) note('W', path, place, data, done);
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t place) { return put(fd, data, length, place, 1); }
ssize_t pwrite64(int fd, const void *data, size_t length, off_t place) { return put(fd, data, length, place, 1); }
ssize_t write(int fd, const void *data, size_t length) { return put(fd, data, length, 0, 0); }

static int cut(int fd, off_t length) {
    char path[1024];
    int ours = path_of(fd, path, sizeof path);
    if (ours && strike(WRITES) < 0) return -1;
    int done = syscall(SYS_ftruncate, fd, length);
    if (ours && !done) note('T', path, length, "", 0);
    return done;
}

int ftruncate(int fd, off_t length) { return cut(fd, length); }
int ftruncate64(int fd, off_t length) { return cut(fd, length); }

static int to_disk(int fd, long call) {
    char path[1024];
    int ours = path_of(fd, path, sizeof path);
    int struck = ours ? strike(SYNCS) : 0;
    if (struck < 0) return -1;
    if (struck == 2) return 0;
    int done = syscall(call, fd);
    if (ours && !done) note('S', path, 0, "", 0);
    return done;
}

int fsync(int fd) { return to_disk(fd, SYS_fsync); }
int fdatasync(int fd) { return to_disk(fd, SYS_fdatasync); }

int unlink(const char *path) {
    if (is_ours(path) && strike(NAMES) < 0) return -1;
    int done = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (is_ours(path) && !done) note('U', path, 0, "", 0);
    return done;
}
