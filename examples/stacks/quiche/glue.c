/* quiche behind ackclock_stack.h, through its own C interface. quiche reads a clock and draws random numbers itself, so this file has functions of libc that it
 * finds first: they are hidden, so all references from quiche's archive bind to them, and the rest of the process keeps its own. quiche is unchanged. */
#define _GNU_SOURCE
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <quiche.h>
#include "certificate.h"
#include "glue.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define EPOCH_S 1000000   /* the monotonic clock has run for a while, so that quiche may subtract from it */
#define WALL_S 1767225600 /* 2026-01-01 */
#define STREAM 2          /* the client's first one in one direction */

typedef void (*destroy)(void *);

struct ackclock_end {
    uint64_t now, random;
    uint64_t release; /* the earliest time of the next packet, by quiche's pacer */
    void *generator; /* BoringSSL's generator of random numbers, which it has for each thread */
    destroy destroy_generator;
    quiche_config *config;
    quiche_conn *connection;
    struct sockaddr_in local, peer;
    bool has_ended;
    bool greedy; /* writes as soon as there is room for a byte */
    size_t datagram;
};

static ackclock_end outside; /* while the library is loaded, and between the calls */
static ackclock_end *current = &outside;
static const uint8_t DATA[65536];

HIDDEN int clock_gettime(clockid_t clock, struct timespec *time) {
    time->tv_sec = (clock == CLOCK_REALTIME ? WALL_S : EPOCH_S) + (time_t)(current->now / 1000000000);
    time->tv_nsec = (long)(current->now % 1000000000);
    return 0;
}

HIDDEN int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    time->tv_sec = WALL_S + (time_t)(current->now / 1000000000);
    time->tv_usec = (suseconds_t)(current->now % 1000000000 / 1000);
    return 0;
}

HIDDEN time_t time(time_t *out) {
    time_t now = WALL_S + (time_t)(current->now / 1000000000);
    return out ? *out = now : now;
}

HIDDEN ssize_t getrandom(void *out, size_t length, unsigned flags) {
    (void)flags;
    draw_bytes(&current->random, out, length);
    return (ssize_t)length;
}

/* BoringSSL's generator has a state for each thread, seeded by the system and by an instruction. Here the state is that of the end, and the seed ours: these
 * functions come before those of its archive (-z muldefs). */
#define BSSL(name) __asm__("_ZN4bssl" name)
#define SLOTS 8
#define RANDOM_SLOT 1
HIDDEN void seed(uint8_t *out, size_t length) BSSL("14CRYPTO_sysrandEPhm");
HIDDEN void *get_slot(unsigned slot) BSSL("23CRYPTO_get_thread_localENS_19thread_local_data_tE");
HIDDEN int set_slot(unsigned slot, void *value, destroy destroy) BSSL("23CRYPTO_set_thread_localENS_19thread_local_data_tEPvPFvS1_E");
HIDDEN int CRYPTO_rdrand_multiple8_buf(uint8_t *out, size_t length);

static void *slots[SLOTS]; /* a run has one thread */

void seed(uint8_t *out, size_t length) { draw_bytes(&current->random, out, length); }
int CRYPTO_rdrand_multiple8_buf(uint8_t *out, size_t length) { return (void)out, (void)length, 0; }
void *get_slot(unsigned slot) { return slot == RANDOM_SLOT ? current->generator : slots[slot]; }

int set_slot(unsigned slot, void *value, destroy destroy) {
    if (slot == RANDOM_SLOT) current->generator = value, current->destroy_generator = destroy;
    else slots[slot] = value;
    return 1;
}

static quiche_conn *enter(ackclock_end *end, uint64_t now) {
    end->now = now;
    current = end;
    return end->connection;
}

uint32_t ackclock_stack_abi(void) { return ACKCLOCK_STACK_ABI; }

const char *ackclock_stack_about(const char *key) {
    if (!strcmp(key, "name")) return "quiche";
    if (!strcmp(key, "version")) return quiche_version();
    if (!strcmp(key, "controls")) return "cubic reno bbr2";
    if (!strcmp(key, "random")) return "";
    return strcmp(key, "licence") ? NULL : "BSD-2-Clause";
}

/* Gives quiche a text where its C interface wants a file. */
static void load(quiche_config *config, int (*loads)(quiche_config *, const char *), const char *text, size_t length) {
    char path[64];
    int file = memfd_create("pem", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, text, length) != (ssize_t)length || loads(config, path)) abort();
    close(file);
}

static bool take(ackclock_end *end, const ackclock_option *option) {
    quiche_config *config = end->config;
    uint64_t value = number(option);
    bool is_on = !strcmp(option->value, "true"), is_switch = is_on || !strcmp(option->value, "false");
    if (is(option, "control")) return !quiche_config_set_cc_algorithm_name(config, option->value);
    if (is(option, "datagram")) {
        quiche_config_set_max_send_udp_payload_size(config, end->datagram = value);
        return value >= 1200;
    }
    if (is(option, "window")) {
        quiche_config_set_initial_max_data(config, value);
        quiche_config_set_initial_max_stream_data_uni(config, value);
        quiche_config_set_max_connection_window(config, value);
        quiche_config_set_max_stream_window(config, value);
        return value > 0;
    }
    if (is(option, "pacing")) quiche_config_enable_pacing(config, is_on);
    else if (is(option, "hystart")) quiche_config_enable_hystart(config, is_on);
    else if (is(option, "greedy")) end->greedy = is_on;
    else return false;
    return is_switch;
}

ackclock_end *ackclock_stack_new(uint32_t role, uint64_t random, const ackclock_option *options, size_t count, uint64_t now, char *error,
                                 size_t error_size) {
    ackclock_end *end = calloc(1, sizeof *end);
    if (!end) return NULL;
    bool is_server = role == ACKCLOCK_SERVER;
    uint8_t id[8];
    end->random = random;
    enter(end, now);
    quiche_config *config = end->config = quiche_config_new(QUICHE_PROTOCOL_VERSION);
    quiche_config_set_application_protos(config, (const uint8_t *)"\x02hq", 3);
    quiche_config_verify_peer(config, false);
    quiche_config_grease(config, false);
    quiche_config_set_initial_max_streams_uni(config, 1);
    quiche_config_set_disable_active_migration(config, true);
    for (size_t i = 0; i < count; i++)
        if (!take(end, &options[i])) {
            refuse(&options[i], error, error_size);
            ackclock_stack_free(end);
            return NULL;
        }
    end->local = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(4433), .sin_addr = { htonl(0x0a000001u + is_server) } };
    end->peer = end->local;
    end->peer.sin_addr.s_addr = htonl(0x0a000002u - is_server);
    const struct sockaddr *local = (struct sockaddr *)&end->local, *peer = (struct sockaddr *)&end->peer;
    draw_bytes(&end->random, id, sizeof id);
    if (is_server) {
        load(config, quiche_config_load_cert_chain_from_pem_file, CERTIFICATE, sizeof CERTIFICATE - 1);
        load(config, quiche_config_load_priv_key_from_pem_file, KEY, sizeof KEY - 1);
        end->connection = quiche_accept(id, sizeof id, NULL, 0, local, sizeof end->local, peer, sizeof end->peer, config);
    } else {
        end->connection = quiche_connect("peer", id, sizeof id, local, sizeof end->local, peer, sizeof end->peer, config);
    }
    if (end->connection) return end;
    snprintf(error, error_size, "quiche makes no connection");
    ackclock_stack_free(end);
    return NULL;
}

void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now) {
    (void)ecn; /* quiche does not take it */
    quiche_recv_info info = { (struct sockaddr *)&end->peer, sizeof end->peer, (struct sockaddr *)&end->local, sizeof end->local };
    quiche_conn_recv(enter(end, now), datagram, length, &info);
}

size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now) {
    (void)ecn, (void)at; /* quiche does not mark */
    quiche_conn *connection = enter(end, now);
    quiche_send_info info;
    if (end->release > now) return 0;
    ssize_t length = quiche_conn_send(connection, buffer, size, &info);
    if (length <= 0) return 0;
    /* The pacer counts a packet before it names `info.at`, and takes `now` for the time at which the packet left, so `info.at` is the next one's. */
    end->release = (uint64_t)(info.at.tv_sec - EPOCH_S) * 1000000000 + (uint64_t)info.at.tv_nsec;
    return (size_t)length;
}

uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now) {
    uint64_t left = quiche_conn_timeout_as_nanos(enter(end, now));
    uint64_t timer = left == UINT64_MAX ? ACKCLOCK_NEVER : now + left;
    return end->release > now && end->release < timer ? end->release : timer;
}

void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now) { quiche_conn_on_timeout(enter(end, now)); }

uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now) {
    quiche_conn *connection = enter(end, now);
    uint64_t taken = 0, error;
    if (!quiche_conn_is_established(connection)) return 0;
    if (fin) {
        end->has_ended = end->has_ended || quiche_conn_stream_send(connection, STREAM, DATA, 0, true, &error) >= 0;
        return end->has_ended;
    }
    /* As an application with much to send would: quiche_conn_stream_writable names a low-water mark, without which quiche cuts small packets. */
    if (!end->greedy && bytes >= end->datagram && quiche_conn_stream_writable(connection, STREAM, end->datagram) == 0) return 0;
    while (taken < bytes) {
        size_t most = bytes - taken < sizeof DATA ? (size_t)(bytes - taken) : sizeof DATA;
        ssize_t written = quiche_conn_stream_send(connection, STREAM, DATA, most, false, &error);
        if (written <= 0) break;
        taken += (uint64_t)written;
        if ((size_t)written < most) break;
    }
    return taken;
}

uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now) {
    static uint8_t buffer[65536];
    quiche_conn *connection = enter(end, now);
    uint64_t bytes = 0, error;
    bool fin = false;
    ssize_t length;
    while (!fin && (length = quiche_conn_stream_recv(connection, STREAM, buffer, sizeof buffer, &fin, &error)) >= 0) bytes += (uint64_t)length;
    return bytes;
}

void ackclock_stack_state(ackclock_end *end, ackclock_state *state) {
    quiche_conn *connection = enter(end, end->now);
    quiche_path_stats path;
    quiche_stats stats;
    const uint8_t *reason;
    size_t length;
    uint64_t code;
    bool is_app;
    if (quiche_conn_path_stats(connection, 0, &path) == 0) {
        quiche_conn_stats(connection, &stats);
        state->window_bytes = path.cwnd;
        state->srtt_ns = path.rtt;
        state->min_rtt_ns = path.min_rtt;
        state->sent_packets = path.sent;
        state->lost_packets = path.lost;
        state->spurious_packets = stats.spurious_lost;
        state->pto_count = path.total_pto_count;
    }
    /* quiche forgets a stream that has ended and is acknowledged. */
    state->delivered = end->has_ended && quiche_conn_stream_capacity(connection, STREAM) < 0;
    if (quiche_conn_is_timed_out(connection)) snprintf(state->closed, sizeof state->closed, "idle timeout");
    else if (quiche_conn_local_error(connection, &is_app, &code, &reason, &length) || quiche_conn_peer_error(connection, &is_app, &code, &reason, &length))
        snprintf(state->closed, sizeof state->closed, "error 0x%llx %.*s", (unsigned long long)code, (int)length, (const char *)reason);
    else if (quiche_conn_is_closed(connection)) snprintf(state->closed, sizeof state->closed, "closed");
}

void ackclock_stack_free(ackclock_end *end) {
    enter(end, end->now);
    if (end->connection) quiche_conn_free(end->connection);
    quiche_config_free(end->config);
    if (end->generator) end->destroy_generator(end->generator);
    current = &outside;
    free(end);
}
