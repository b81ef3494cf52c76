/* Preloaded into a program, it puts the time of day wrong, and nothing else: by the seconds that the
   file WRONG_CLOCK names says, looked at ten times a second. It is what happens when somebody sets a
   machine's clock: sleeps, time-outs and the clocks that can't be set go on as they were. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t wrong_by(void)
{
    static volatile time_t seconds;
    static volatile long long looked_at = -1;
    struct timespec now;
    char text[32] = "";

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long long tenth = now.tv_sec * 10LL + now.tv_nsec / 100000000;
    if (tenth != looked_at) {
        const char *name = getenv("WRONG_CLOCK");
        int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        if (file >= 0) {
            if (read(file, text, sizeof text - 1) > 0)
                seconds = atol(text);
            close(file);
        }
        looked_at = tenth;
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    int failed = syscall(SYS_clock_gettime, clock, at);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += wrong_by();
    return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    int failed = syscall(SYS_gettimeofday, at, zone);
    if (!failed)
        at->tv_sec += wrong_by();
    return failed;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}
