#define _GNU_SOURCE
#include "CChild.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The exit code of a program is a byte; the keeper tells more through its own pipe.
static int exit_number(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

static void move_descriptor(int from, int to) {
    if (from != to) dup2(from, to);
    fcntl(to, F_SETFD, 0);
}

// The program itself, between fork and exec: only calls that are safe there.
static void become(const char *path, char *const words[], const char *folder, int failure, pid_t keeper) {
    setpgid(0, 0);
    // Should the keeper be killed, nobody else would end this process.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != keeper) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    // This process ignores some signals; a program must begin with the usual handling.
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (chdir(folder) == 0) execv(path, words);
    int number = errno;
    if (write(failure, &number, sizeof number) < 0) _exit(126);
    _exit(127);
}

// Tells how the program ended.
static void keep(const char *path, char *const words[], const char *folder, int hold, int report, int priority) {
    setpgid(0, 0);
    if (priority > 0) setpriority(PRIO_PROCESS, 0, priority);
    // ioprio_set(2): IOPRIO_WHO_PROCESS, this process, the class IOPRIO_CLASS_IDLE.
    if (priority == 19) syscall(SYS_ioprio_set, 1, 0, 3 << 13);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_SETMASK, &ended, NULL);
    int signals = signalfd(-1, &ended, SFD_CLOEXEC);
    int failure[2];
    if (signals < 0 || pipe2(failure, O_CLOEXEC) != 0) {
        int number = -errno;
        (void)!write(report, &number, sizeof number);
        _exit(1);
    }
    pid_t keeper = getpid();
    pid_t program = fork();
    if (program == 0) become(path, words, folder, failure[1], keeper);
    close(failure[1]);
    int number = program < 0 ? -errno : 0;
    if (program > 0) {
        setpgid(program, program);
        int why = 0;
        ssize_t count;
        do count = read(failure[0], &why, sizeof why);
        while (count < 0 && errno == EINTR);
        struct pollfd waits[] = {{.fd = hold, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
        int status = 0;
        pid_t gone = 0;
        while (gone == 0) {
            if (poll(waits, 2, -1) < 0 && errno != EINTR) break;
            // The other end is held open as long as the program is wanted, and nothing is ever written there.
            if (waits[0].revents != 0) break;
            struct signalfd_siginfo facts;
            if (waits[1].revents != 0 && read(signals, &facts, sizeof facts) < 0) break;
            gone = waitpid(program, &status, WNOHANG);
        }
        // Also processes that the program left behind.
        kill(-program, SIGKILL);
        if (gone <= 0) waitpid(program, &status, 0);
        number = count == sizeof why ? -why : exit_number(status);
    }
    (void)!write(report, &number, sizeof number);
    _exit(0);
}

kept_child child_start(const char *path, char *const words[], const char *folder, int output, int errors, int priority) {
    kept_child child = {.keeper = -1, .hold = -1, .report = -1, .error = 0};
    int hold[2], report[2];
    if (pipe2(hold, O_CLOEXEC) != 0) {
        child.error = errno;
        return child;
    }
    if (pipe2(report, O_CLOEXEC) != 0) {
        child.error = errno;
        close(hold[0]);
        close(hold[1]);
        return child;
    }
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    child.keeper = fork();
    if (child.keeper == 0) {
        // Descriptors above those in use, so that moving one cannot overwrite another.
        int held = fcntl(hold[0], F_DUPFD, 64), told = fcntl(report[1], F_DUPFD, 64);
        int out = fcntl(output, F_DUPFD, 64), err = fcntl(errors, F_DUPFD, 64), in = fcntl(empty, F_DUPFD, 64);
        move_descriptor(in, 0);
        move_descriptor(out, 1);
        move_descriptor(err, 2);
        dup2(held, 3);
        dup2(told, 4);
        fcntl(3, F_SETFD, FD_CLOEXEC);
        fcntl(4, F_SETFD, FD_CLOEXEC);
        // Among the others are the ends that keep other programs alive.
        close_range(5, ~0U, 0);
        keep(path, words, folder, 3, 4, priority);
    }
    if (child.keeper < 0) child.error = errno;
    if (empty >= 0) close(empty);
    close(hold[0]);
    close(report[1]);
    if (child.keeper < 0) {
        close(hold[1]);
        close(report[0]);
        return child;
    }
    child.hold = hold[1];
    child.report = report[0];
    return child;
}

// Reads the report, for which it waits.
static void finish(kept_child child, int *status) {
    int number = 0;
    ssize_t count;
    do count = read(child.report, &number, sizeof number);
    while (count < 0 && errno == EINTR);
    // Without a report, the keeper itself was killed, and with it the program.
    *status = count == sizeof number ? number : 128 + SIGKILL;
    close(child.report);
    while (waitpid(child.keeper, NULL, 0) < 0 && errno == EINTR) {}
}

int child_wait(kept_child child, int milliseconds, int *status) {
    struct pollfd wait = {.fd = child.report, .events = POLLIN};
    if (poll(&wait, 1, milliseconds) <= 0) return 0;
    finish(child, status);
    close(child.hold);
    return 1;
}

void child_end(kept_child child) {
    int status;
    close(child.hold);
    finish(child, &status);
}
