/* ackclock_stack.h: a QUIC stack as a shared library that runs whole inside the simulator ackclock. ABI 1.
 *
 * A library is a state machine. It gets every time, every random number and every datagram as an argument. It must not read a clock, open a
 * socket or a file, start a thread, or draw a random number that does not follow from `seed`. Calls of one process never overlap.
 *
 * Times are nanoseconds of the simulation, which begins at 0. ACKCLOCK_NEVER is no time. Time never goes back between calls.
 *
 * A library exports exactly the eleven functions below, by these names. No function may unwind (panic, throw) into the caller. A text is UTF-8
 * with a zero at its end.
 *
 * Versions: a function more, or another meaning of an argument, is another ACKCLOCK_STACK_ABI, and a library of another number is refused. Fields
 * may be added at the end of `ackclock_state` without a new number, and further keys to ackclock_stack_about and ackclock_stack_new's options.
 *
 * docs/any-stack.md says how to run a library. Apache-2.0 OR MIT: copy this file into your source. */
#ifndef ACKCLOCK_STACK_H
#define ACKCLOCK_STACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACKCLOCK_STACK_ABI 1
#define ACKCLOCK_NEVER UINT64_MAX

/* One end of one connection with one stream, which the client opens and writes. The library defines what it is. */
typedef struct ackclock_end ackclock_end;

enum ackclock_role { ACKCLOCK_CLIENT = 0, ACKCLOCK_SERVER = 1 };

/* The ECN field of IP (RFC 3168). */
enum ackclock_ecn { ACKCLOCK_NOT_ECT = 0, ACKCLOCK_ECT1 = 1, ACKCLOCK_ECT0 = 2, ACKCLOCK_CE = 3 };

/* An option of an end. These three are always there, the numbers in decimal:
 *   "control"   the congestion control of the client's sender: one of ackclock_stack_about("controls")
 *   "datagram"  the largest datagram in bytes: the payload of UDP. The stack does not look for a larger one.
 *   "window"    the most bytes of the stream that the server allows in flight: its flow control
 * All others come from the user, who wrote --stack PATH,key=value. */
typedef struct {
    const char *key;
    const char *value;
} ackclock_option;

/* What an end tells about itself. The host sets `size`, fills all numbers with ACKCLOCK_NEVER and `closed` with zeros before each call. A number
 * that the stack does not know stays ACKCLOCK_NEVER: results then have null, and without `delivered` no transfer of a given size completes.
 * A library that is newer than the host finds a smaller `size`, and must not write beyond it: see ACKCLOCK_STATE_HAS. */
typedef struct {
    uint64_t size;              /* the bytes of this struct, as the host knows it */
    uint64_t window_bytes;      /* the congestion window */
    uint64_t in_flight_bytes;   /* sent, neither acknowledged nor lost */
    uint64_t srtt_ns;           /* the smoothed round trip */
    uint64_t min_rtt_ns;        /* the least round trip */
    uint64_t pacing_bps;        /* the rate of pacing, in bits per second */
    uint64_t sent_packets;      /* since the beginning, as the next four */
    uint64_t lost_packets;      /* declared lost */
    uint64_t spurious_packets;  /* declared lost, and acknowledged later */
    uint64_t pto_count;         /* expired probe timeouts */
    uint64_t reductions;        /* reductions of the window: at most one for a window of data */
    uint64_t delivered;         /* 1 if everything written is acknowledged, the end of the stream included, else 0 */
    char closed[128];           /* why the connection is closed, in the stack's words; empty while it is open */
} ackclock_state;

/* Whether the host's struct has a field that a later version of this file has added. All fields above are always there. */
#define ACKCLOCK_STATE_HAS(state, field) \
    ((state)->size >= offsetof(ackclock_state, field) + sizeof((state)->field))

/* Returns ACKCLOCK_STACK_ABI of the header with which the library was built. Called first, and the only function that is called if the number
 * is not the host's. */
uint32_t ackclock_stack_abi(void);

/* Returns a fact about the library, or NULL for an unknown key. The text must stay.
 *   "name"      the name of the stack, such as "quiche" (lower-case letters, digits, '-'): scenarios say transport = "quiche"
 *   "version"   its version
 *   "controls"  its congestion controls with a space between two, the default first: scenarios say control = "quiche:cubic"
 *   "random"    empty if equal arguments give equal bytes at equal times; otherwise what differs
 *   "licence"   an SPDX expression */
const char *ackclock_stack_about(const char *key);

/* Returns a new end, or NULL with the reason in `error`, which holds `error_size` bytes: an unknown option, a value out of its range. `role` is
 * one of ackclock_role. A client begins its handshake with the next ackclock_stack_send; a server is made when the first datagram arrives.
 * Equal arguments must give ends that behave equally in all things: connection identifiers, keys, skipped packet numbers, jitter.
 * `options` need not stay after the call. The host also calls this function before the first run, to learn whether it takes the user's options,
 * and frees that end at once. */
ackclock_end *ackclock_stack_new(uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now,
                                 char *error, size_t error_size);

/* Takes a datagram that has arrived, with its ECN field. The library may change it, and must not keep it. What is wrong with a datagram is
 * the stack's matter. */
void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now);

/* Writes the next datagram into `buffer`, and returns its length, at most `size`: 0 if there is none now. Sets `ecn`, which is ACKCLOCK_NOT_ECT
 * before the call, and `at`, which is `now` before the call: the earliest time at which the datagram may leave. The host lets it leave then, and
 * calls this function for the next one after that. A stack that paces by its timer returns 0 instead, and names the time in
 * ackclock_stack_timeout. Called again and again until it returns 0, or a later `at`. */
size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now);

/* Returns when ackclock_stack_on_timeout is due, or ACKCLOCK_NEVER. Asked after the other calls of an event. A time that has passed is due at once.
 * An end that is due again and again at one time, without a datagram or a byte, fails the run. */
uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now);

/* Called when that time has come. ackclock_stack_send is called afterwards. */
void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now);

/* Offers `bytes` bytes without a meaning to the client's stream. Returns how many of them the stack took, which may keep those that it has not
 * sent; the host offers the rest again after the next event. With `fin` = 1, which comes with 0 bytes after all others were taken, offers the end
 * of the stream: returns 1 if the stack took it, or 0 to be offered it again. Before the handshake is over a stack takes nothing. The host
 * offers all that its application has, again at once while the stack takes all of it, and most applications have no end: return less than
 * was offered once a window or two are held. More than 1 GiB at one time fails the run. */
uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now);

/* Consumes what has arrived in order, so that flow control goes on. Returns the number of bytes. Called for the server. More bytes than the
 * client has taken fail the run. */
uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now);

/* Fills in what the end tells about itself: see ackclock_state. Called after each event. */
void ackclock_stack_state(ackclock_end *end, ackclock_state *state);

/* Frees an end. */
void ackclock_stack_free(ackclock_end *end);

#ifdef __cplusplus
}
#endif
#endif
