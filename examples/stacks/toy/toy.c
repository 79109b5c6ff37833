/* A toy stack behind ackclock_stack.h: a handshake of one round trip, acknowledgements with a bitmap, loss detection by packet and time
 * threshold and probe timeout (RFC 9002), pacing, ECN, NewReno and CUBIC (RFC 9438). No encryption.
 * cc -O2 -shared -fPIC -I INCLUDE -o libtoy.so toy.c -lm builds it. */
#include "ackclock_stack.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 1 << 16, HEADER = 25, THRESHOLD = 3, HELLO = 1, WELCOME, DATA, ACK };
enum { FREE = 0, SENT, ACKED, LOST }; /* what became of a packet, or of a chunk of the stream: the data of one packet */

struct packet { uint64_t chunk, at; uint8_t fate, limited; };
struct chunk { uint16_t bytes; uint8_t fate; };

struct ackclock_end {
    uint32_t role, established, has_fin, probe;      /* probe: whether a probe is due */
    uint64_t connection, datagram, limit;           /* identifier; bytes of a full datagram; most chunks in flight */
    uint64_t waiting, chunks, base;                 /* bytes written and not sent; chunks cut; all chunks below are acknowledged (read) */
    uint64_t next, largest, oldest, flight;         /* packet numbers: to be sent, acknowledged, in question; packets in flight */
    uint64_t reduced_at, lost, reductions, ptos, sent; /* the first packet after the last reduction; counts */
    double window, threshold;                       /* in packets */
    uint32_t cubic, restarts;                       /* whether the law is CUBIC; whether its next epoch begins with K = 0 */
    double w_max, w_est, prior, k;                  /* RFC 9438 section 4.1, in packets and seconds */
    uint64_t epoch, grown_at, idle_at, free_at;     /* its times; and when the pacer lets the next packet leave */
    uint64_t srtt, rttvar, least, last, backoff, hello_at, loss_at; /* RFC 9002; the time of the last packet sent */
    uint64_t seen, bitmap, unread, owes;            /* the receiver: largest number, those below it, bytes in order, acknowledgements */
    uint64_t marks, marks_seen, capable, is_blind;  /* the receiver's counts of CE and ECT; whether the path clears the field */
    struct packet packets[RING];
    struct chunk ring[RING];
};

uint32_t ackclock_stack_abi(void) { return ACKCLOCK_STACK_ABI; }

const char *ackclock_stack_about(const char *key) {
    if (!strcmp(key, "name")) return "toy";
    if (!strcmp(key, "version")) return "1";
    if (!strcmp(key, "controls")) return "newreno cubic fixed";
    if (!strcmp(key, "random")) return "";
    return strcmp(key, "licence") ? NULL : "Apache-2.0 OR MIT";
}

ackclock_end *ackclock_stack_new(uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now, char *error,
                                 size_t error_size) {
    (void)now;
    ackclock_end *end = calloc(1, sizeof *end);
    if (!end) return NULL;
    uint64_t window = 0;
    end->role = role, end->connection = seed * 0x9e3779b97f4a7c15 >> 1, end->window = 10, end->threshold = 1e18, end->next = 1, end->oldest = 1;
    end->loss_at = ACKCLOCK_NEVER;
    for (size_t i = 0; i < count; i++) {
        const char *key = options[i].key, *value = options[i].value;
        char *rest = "";
        if (!strcmp(key, "control")) { end->cubic = !strcmp(value, "cubic"); if (!strcmp(value, "fixed")) end->threshold = -1; }
        else if (!strcmp(key, "datagram")) end->datagram = strtoull(value, &rest, 10);
        else if (!strcmp(key, "window")) window = strtoull(value, &rest, 10);
        else if (!strcmp(key, "initial")) end->window = strtod(value, &rest);
        else rest = "?";
        if (*rest || end->window < 2) {
            snprintf(error, error_size, "the option %s = %s: expected initial = 2 or more", key, value);
            free(end);
            return NULL;
        }
    }
    end->limit = window / (end->datagram - HEADER);
    if (end->limit > RING / 4) end->limit = RING / 4;
    return end;
}

static void lose(ackclock_end *end, struct packet *packet) {
    packet->fate = FREE, end->flight--, end->lost++;
    if (end->ring[packet->chunk % RING].fate == SENT) end->ring[packet->chunk % RING].fate = LOST;
}

static void reduce(ackclock_end *end, uint64_t number, uint64_t now) {
    if (number < end->reduced_at || end->threshold < 0) return;
    double left = end->window * (end->cubic ? 0.7 : 0.5);
    end->w_max = end->window < end->w_max ? end->window * 0.85 : end->window; /* fast convergence, section 4.7 */
    end->prior = end->window;
    end->threshold = end->window = end->w_est = left < 2 ? 2 : left;
    end->k = end->w_max > end->window ? cbrt((end->w_max - end->window) / 0.4) : 0;
    end->epoch = end->grown_at = now;
    end->reduced_at = end->next, end->reductions++;
}

static void grow(ackclock_end *end, int limited, uint64_t now) {
    uint64_t waited = now - end->grown_at;
    end->grown_at = now;
    if (end->threshold < 0) return;
    if (limited) { end->epoch += waited; return; } /* the application does not use the window */
    if (end->window < end->threshold) { end->window++; return; }
    if (!end->cubic) { end->window += 1 / end->window; return; }
    if (end->restarts) end->restarts = 0, end->epoch = now, end->k = 0, end->w_max = end->w_est = end->prior = end->window;
    double t = (double)(now - end->epoch) / 1e9, ahead = t + (double)end->srtt / 1e9;
    double there = 0.4 * (t - end->k) * (t - end->k) * (t - end->k) + end->w_max;
    double target = 0.4 * (ahead - end->k) * (ahead - end->k) * (ahead - end->k) + end->w_max;
    target = target > 1.5 * end->window ? 1.5 * end->window : target;
    end->w_est += (end->w_est < end->prior ? 9.0 / 17 : 1) / end->window;
    if (there < end->w_est) { if (end->window < end->w_est) end->window = end->w_est; }
    else if (target > end->window) end->window += (target - end->window) / end->window;
}

/* Declares lost what three later packets overtook, or one of them for nine eighths of a round trip. Sets when it has to be called again. */
static void find_losses(ackclock_end *end, uint64_t now) {
    uint64_t wait = end->srtt + end->srtt / 8;
    end->loss_at = ACKCLOCK_NEVER;
    for (uint64_t number = end->oldest; number < end->largest; number++) {
        struct packet *packet = &end->packets[number % RING];
        if (packet->fate != SENT) { end->oldest += number == end->oldest; continue; }
        if (number + THRESHOLD <= end->largest || packet->at + wait <= now) lose(end, packet), reduce(end, number, now);
        else if (packet->at + wait < end->loss_at) end->loss_at = packet->at + wait;
    }
}

static void acknowledge(ackclock_end *end, uint64_t largest, uint64_t bitmap, uint64_t counts, uint64_t now) {
    uint64_t marks = counts & 0xffffffff, capable = counts >> 32, probes = end->backoff;
    for (uint64_t back = 0; back < 64 && back < largest; back++) {
        struct packet *packet = &end->packets[(largest - back) % RING];
        if (!(bitmap >> back & 1) || largest - back < end->oldest || packet->fate != SENT) continue;
        if (back == 0) {
            uint64_t rtt = now - packet->at, off = end->srtt > rtt ? end->srtt - rtt : rtt - end->srtt;
            end->least = !end->least || rtt < end->least ? rtt : end->least;
            end->rttvar = end->srtt ? (3 * end->rttvar + off) / 4 : rtt / 2;
            end->srtt = end->srtt ? (7 * end->srtt + rtt) / 8 : rtt;
        }
        packet->fate = ACKED, end->flight--, end->backoff = 0;
        end->ring[packet->chunk % RING].fate = ACKED;
        if (!end->flight) end->idle_at = now;
        if (largest - back >= end->reduced_at) grow(end, packet->limited, now);
    }
    if (largest > end->largest) end->largest = largest;
    find_losses(end, now);
    if (probes >= 3 && end->threshold >= 0) { /* persistent congestion: nothing came back for three probe timeouts */
        end->window = 2, end->restarts = 1, end->reduced_at = end->next;
    }
    if (marks > end->marks_seen) end->marks_seen = marks, reduce(end, largest, now);
    if (largest > 20 && !marks && !capable) end->is_blind = 1; /* RFC 9000 section 13.4.2 */
    for (; end->base < end->chunks && end->ring[end->base % RING].fate == ACKED; end->base++) end->ring[end->base % RING].fate = FREE;
}

void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now) {
    uint64_t number, other;
    if (length < HEADER) return;
    memcpy(&number, datagram + 1, 8), memcpy(&other, datagram + 9, 8);
    if (*datagram == HELLO) end->owes = end->established = 1, end->connection = number;
    if (*datagram == WELCOME && number == end->connection && !end->established)
        end->established = 1, end->backoff = 0, end->srtt = end->least = now - end->last, end->rttvar = end->srtt / 2;
    if (*datagram == ACK) { uint64_t marks; memcpy(&marks, datagram + 17, 8), acknowledge(end, number, other, marks, now); }
    if (*datagram != DATA) return;
    end->owes = 1, end->marks += ecn == ACKCLOCK_CE, end->capable += ecn == ACKCLOCK_ECT0;
    if (number > end->seen) end->bitmap = number - end->seen < 64 ? end->bitmap << (number - end->seen) | 1 : 1, end->seen = number;
    else if (end->seen - number < 64) end->bitmap |= 1ull << (end->seen - number);
    struct chunk *chunk = &end->ring[other % RING];
    if (other >= end->base && other < end->base + RING && chunk->fate == FREE) chunk->fate = ACKED, chunk->bytes = (uint16_t)(length - HEADER);
    for (; end->ring[end->base % RING].fate == ACKED; end->base++) end->unread += end->ring[end->base % RING].bytes, end->ring[end->base % RING].fate = FREE;
}

static size_t put(uint8_t *buffer, uint8_t kind, uint64_t number, uint64_t other, uint64_t more, size_t length) {
    memset(buffer, 0, length);
    *buffer = kind, memcpy(buffer + 1, &number, 8), memcpy(buffer + 9, &other, 8), memcpy(buffer + 17, &more, 8);
    return length;
}

size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now) {
    (void)size;
    if (end->role == ACKCLOCK_SERVER) {
        if (!end->owes) return 0;
        end->owes = 0, end->sent++;
        return end->seen ? put(buffer, ACK, end->seen, end->bitmap, end->capable << 32 | end->marks, HEADER) : put(buffer, WELCOME, end->connection, 0, 0, HEADER);
    }
    if (!end->established) {
        if (now < end->hello_at) return 0;
        if (!end->sent++) end->last = now;
        end->hello_at = now + (1000000000ull << end->backoff++);
        return put(buffer, HELLO, end->connection, 0, 0, HEADER);
    }
    uint64_t chunk = end->base;
    if (end->probe) {
        chunk = end->packets[end->oldest % RING].chunk;
    } else {
        if (end->flight >= (uint64_t)end->window) return 0;
        while (chunk < end->chunks && end->ring[chunk % RING].fate != LOST) chunk++;
    }
    if (chunk == end->chunks) {
        uint64_t full = end->datagram - HEADER;
        if (!end->waiting || chunk - end->base >= end->limit) return 0;
        end->ring[chunk % RING].bytes = (uint16_t)(end->waiting < full ? end->waiting : full);
        end->waiting -= end->ring[chunk % RING].bytes, end->chunks++;
    }
    if (!end->flight && end->idle_at) end->epoch += now - end->idle_at, end->grown_at = now;
    /* The pacer: bursts of up to ten packets, and five windows in four round trips. */
    uint64_t gap = end->threshold < 0 || !end->srtt ? 0 : (uint64_t)((double)end->srtt / (1.25 * end->window));
    if (end->free_at + 10 * gap < now) end->free_at = now - 10 * gap;
    end->free_at += gap, *at = end->free_at > now && !end->probe ? end->free_at : now;
    end->probe = 0;
    end->ring[chunk % RING].fate = SENT;
    end->flight++;
    end->packets[end->next % RING] = (struct packet){ chunk, *at, SENT, end->flight < (uint64_t)end->window && !end->waiting };
    end->sent++, end->last = *at, *ecn = end->is_blind ? ACKCLOCK_NOT_ECT : ACKCLOCK_ECT0;
    return put(buffer, DATA, end->next++, chunk, 0, HEADER + end->ring[chunk % RING].bytes);
}

uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now) {
    (void)now;
    if (end->role == ACKCLOCK_SERVER) return ACKCLOCK_NEVER;
    if (!end->established) return end->hello_at;
    uint64_t pto = end->srtt ? end->srtt + 4 * end->rttvar + 25000000 : 1000000000;
    if (!end->flight) return ACKCLOCK_NEVER;
    uint64_t probe = end->last + (pto << end->backoff);
    return end->loss_at < probe ? end->loss_at : probe;
}

void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now) {
    if (!end->established) return;
    if (end->loss_at <= now) { find_losses(end, now); return; }
    end->last = now, end->ptos++, end->backoff += end->backoff < 6;
    while (end->oldest < end->next && end->packets[end->oldest % RING].fate != SENT) end->oldest++;
    end->probe = end->oldest < end->next; /* a probe repeats the oldest data in question, whatever the window is */
}

uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now) {
    (void)now;
    if (!end->established) return 0;
    if (fin) return end->has_fin = 1;
    uint64_t room = 2 * end->limit * (end->datagram - HEADER) - end->waiting;
    if (bytes > room) bytes = room;
    end->waiting += bytes;
    return bytes;
}

uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now) {
    (void)now;
    uint64_t bytes = end->unread;
    end->unread = 0;
    return bytes;
}

void ackclock_stack_state(ackclock_end *end, ackclock_state *state) {
    state->window_bytes = (uint64_t)(end->window * (double)end->datagram), state->in_flight_bytes = end->flight * end->datagram;
    state->min_rtt_ns = end->least ? end->least : ACKCLOCK_NEVER;
    state->srtt_ns = end->srtt ? end->srtt : ACKCLOCK_NEVER, state->sent_packets = end->sent, state->lost_packets = end->lost;
    state->pto_count = end->ptos, state->reductions = end->reductions;
    state->delivered = end->has_fin && !end->waiting && end->base == end->chunks;
}

void ackclock_stack_free(ackclock_end *end) { free(end); }
