/* aioquic behind ackclock_stack.h: hands each call to glue.py, which is part of this library and runs in the Python that runs ackclock. So nothing is linked, and
 * no second interpreter starts; a host without Python cannot load the library. The folder `packages` beside it has aioquic and what aioquic needs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ackclock_stack.h"

/* Of Python's stable interface. */
int PyGILState_Ensure(void);
void PyGILState_Release(int);
int PyRun_SimpleStringFlags(const char *, void *);

__asm__(".section .rodata\nglue: .incbin \"glue.py\"\n.byte 0\nrequirements: .incbin \"requirements.txt\"\n.byte 0\n.previous");
extern const char glue[], requirements[]; /* another version of aioquic makes another library, so no kept run of it is taken */

/* glue.py fills this in. */
static struct {
    const char *(*about)(const char *);
    ackclock_end *(*create)(uint32_t, uint64_t, const ackclock_option *, size_t, uint64_t, char *, size_t);
    void (*recv)(ackclock_end *, uint8_t *, size_t, uint32_t, uint64_t);
    size_t (*send)(ackclock_end *, uint8_t *, size_t, uint64_t);
    uint64_t (*timeout)(ackclock_end *, uint64_t);
    void (*on_timeout)(ackclock_end *, uint64_t);
    uint64_t (*write)(ackclock_end *, uint64_t, uint32_t, uint64_t);
    uint64_t (*read)(ackclock_end *);
    void (*state)(ackclock_end *, ackclock_state *);
    void (*free)(ackclock_end *);
} python;

static void start(void) {
    static char code[512], packages[4096];
    Dl_info self;
    if (python.about) return;
    if (!dladdr(glue, &self)) abort();
    snprintf(packages, sizeof packages, "%s", self.dli_fname);
    char *slash = strrchr(packages, '/');
    strcpy(slash ? slash + 1 : packages, "packages");
    snprintf(code, sizeof code,
             "exec(compile(__import__('ctypes').string_at(%zu), 'glue.py', 'exec'), dict(TABLE=%zu, PACKAGES=__import__('ctypes').string_at(%zu).decode(), "
             "REQUIREMENTS=__import__('ctypes').string_at(%zu).decode()))",
             (size_t)glue, (size_t)&python, (size_t)packages, (size_t)requirements);
    int held = PyGILState_Ensure();
    int problem = PyRun_SimpleStringFlags(code, NULL);
    PyGILState_Release(held);
    if (problem || !python.about) abort(); /* after Python's message */
}

uint32_t ackclock_stack_abi(void) { return ACKCLOCK_STACK_ABI; }

const char *ackclock_stack_about(const char *key) {
    start();
    return python.about(key);
}

ackclock_end *ackclock_stack_new(uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now, char *error, size_t size) {
    start();
    return python.create(role, seed, options, count, now, error, size);
}

void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now) { python.recv(end, datagram, length, ecn, now); }

size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now) {
    (void)ecn, (void)at; /* aioquic neither marks its datagrams nor names a later time */
    return python.send(end, buffer, size, now);
}

uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now) { return python.timeout(end, now); }
void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now) { python.on_timeout(end, now); }
uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now) { return python.write(end, bytes, fin, now); }

uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now) {
    (void)now;
    return python.read(end);
}

void ackclock_stack_state(ackclock_end *end, ackclock_state *state) { python.state(end, state); }
void ackclock_stack_free(ackclock_end *end) { python.free(end); }
