/* picoquic behind ackclock_stack.h. picoquic is in no registry of packages, so this glue is not built in ackclock's tests: it was last run with picoquic 1.1.52,
 * behind an earlier draft of the header. picoquic takes every time as an argument, in microseconds. Its private random bytes come from a provider that can be
 * registered, those of OpenSSL from a RAND_METHOD, and its generator of public numbers is one for the process, which a run has for itself. */
#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED
#include <netinet/in.h>
#include <openssl/rand.h>
#include <sys/mman.h>
#include <unistd.h>
#include <picoquic.h>
#include <picotls.h>
#include <picoquic_crypto_provider_api.h>
#include <picoquic_utils.h>
#include "certificate.h"
#include "glue.h"

#define STREAM 2 /* the client's first one in one direction */
#define BUFFER 65536

struct ackclock_end {
    uint64_t random, now_us, unsent, unread;
    picoquic_quic_t *quic;
    picoquic_cnx_t *connection;
    picoquic_tp_t parameters;
    struct sockaddr_in local, peer;
    bool fin, fin_sent;
};

static ackclock_end outside, *current = &outside;

void picoquic_register_all_congestion_control_algorithms(void);

static void random_bytes(void *out, size_t length) { draw_bytes(&current->random, out, length); }
static int openssl_bytes(unsigned char *out, int length) { return random_bytes(out, (size_t)length), 1; }
static int openssl_status(void) { return 1; }
static const RAND_METHOD METHOD = { .bytes = openssl_bytes, .pseudorand = openssl_bytes, .status = openssl_status };

static void enter(ackclock_end *end, uint64_t now) {
    end->now_us = now / 1000;
    current = end;
}

static int event(picoquic_cnx_t *connection, uint64_t stream, uint8_t *bytes, size_t length, picoquic_call_back_event_t what, void *user, void *none) {
    (void)stream, (void)none;
    ackclock_end *end = user;
    end->connection = connection;
    if (what == picoquic_callback_stream_data || what == picoquic_callback_stream_fin) end->unread += length;
    if (what != picoquic_callback_prepare_to_send) return 0;
    size_t taken = end->unsent < length ? (size_t)end->unsent : length;
    bool last = end->fin && taken == end->unsent;
    uint8_t *space = picoquic_provide_stream_data_buffer(bytes, taken, last, taken < end->unsent);
    if (space) {
        memset(space, 0, taken);
        end->unsent -= taken;
        end->fin_sent |= last;
    }
    return 0;
}

uint32_t ackclock_stack_abi(void) { return ACKCLOCK_STACK_ABI; }

const char *ackclock_stack_about(const char *key) {
    if (!strcmp(key, "name")) return "picoquic";
    if (!strcmp(key, "version")) return PICOQUIC_VERSION;
    if (!strcmp(key, "controls")) return "bbr newreno cubic bbr1 c4 fast prague";
    if (!strcmp(key, "random")) return "";
    return strcmp(key, "licence") ? NULL : "MIT";
}

/* Returns a file with this text, whose name is in `path`. */
static int file(const char *text, size_t length, char path[64]) {
    int file = memfd_create("pem", 0);
    if (file < 0 || write(file, text, length) != (ssize_t)length) abort();
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

static bool take(ackclock_end *end, const ackclock_option *option) {
    uint64_t value = number(option);
    if (is(option, "control")) {
        if (!picoquic_get_congestion_algorithm(option->value)) return false;
        picoquic_set_default_congestion_algorithm_by_name(end->quic, option->value);
        return true;
    }
    if (is(option, "datagram")) return picoquic_set_mtu_max(end->quic, (uint32_t)value + 28), value >= 1200;
    if (is(option, "window")) return (end->parameters.initial_max_data = end->parameters.initial_max_stream_data_uni = value) > 0;
    return false;
}

ackclock_end *ackclock_stack_new(uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now, char *error,
                                 size_t error_size) {
    ackclock_end *end = calloc(1, sizeof *end);
    if (!end) return NULL;
    bool is_server = role == ACKCLOCK_SERVER;
    uint8_t reset[PICOQUIC_RESET_SECRET_SIZE];
    char certificate[64], key[64];
    end->random = seed;
    enter(end, now);
    RAND_set_rand_method(&METHOD);
    draw_bytes(&end->random, reset, sizeof reset);
    int files[2] = { file(CERTIFICATE, sizeof CERTIFICATE - 1, certificate), file(KEY, sizeof KEY - 1, key) };
    picoquic_register_all_congestion_control_algorithms();
    end->quic = picoquic_create(4, is_server ? certificate : NULL, is_server ? key : NULL, NULL, "hq", event, end, NULL, NULL, reset, end->now_us,
                                &end->now_us, NULL, NULL, 0);
    close(files[0]), close(files[1]);
    picoquic_register_crypto_random_provider_fn(random_bytes);
    picoquic_set_null_verifier(end->quic);
    end->parameters = *picoquic_get_default_tp(end->quic);
    end->parameters.max_idle_timeout = 0;
    for (size_t i = 0; i < count; i++)
        if (!take(end, &options[i])) {
            refuse(&options[i], error, error_size);
            ackclock_stack_free(end);
            return NULL;
        }
    picoquic_set_default_tp(end->quic, &end->parameters);
    end->local = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(4433), .sin_addr = { htonl(0x0a000001u + is_server) } };
    end->peer = end->local;
    end->peer.sin_addr.s_addr = htonl(0x0a000002u - is_server);
    if (!is_server) {
        end->connection = picoquic_create_cnx(end->quic, picoquic_null_connection_id, picoquic_null_connection_id, (struct sockaddr *)&end->peer,
                                              end->now_us, 0, "peer", "hq", 1);
        picoquic_set_callback(end->connection, event, end);
        picoquic_start_client_cnx(end->connection);
    }
    return end;
}

void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now) {
    enter(end, now);
    picoquic_incoming_packet(end->quic, datagram, length, (struct sockaddr *)&end->peer, (struct sockaddr *)&end->local, 0, (unsigned char)ecn, end->now_us);
}

size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now) {
    (void)ecn, (void)at; /* picoquic leaves marking to its sockets */
    struct sockaddr_storage to, from;
    picoquic_connection_id_t id;
    picoquic_cnx_t *connection;
    size_t length = 0;
    int interface = 0;
    enter(end, now);
    if (picoquic_prepare_next_packet(end->quic, end->now_us, buffer, size < 1536 ? size : 1536, &length, &to, &from, &interface, &id, &connection)) return 0;
    return length;
}

uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now) {
    uint64_t at = picoquic_get_next_wake_time(end->quic, now / 1000);
    return at == UINT64_MAX ? ACKCLOCK_NEVER : at * 1000 < now ? now : at * 1000;
}

void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now) { enter(end, now); /* the next call of `send` does the rest */ }

uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now) {
    enter(end, now);
    if (!end->connection || picoquic_get_cnx_state(end->connection) < picoquic_state_client_ready_start) return 0;
    uint64_t taken = BUFFER - end->unsent < bytes ? BUFFER - end->unsent : bytes;
    end->unsent += taken;
    end->fin |= fin;
    if (taken || (fin && !end->fin_sent)) picoquic_mark_active_stream(end->connection, STREAM, 1, end);
    return fin ? 1 : taken;
}

uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now) {
    uint64_t bytes = end->unread;
    enter(end, now);
    end->unread = 0;
    return bytes;
}

void ackclock_stack_state(ackclock_end *end, ackclock_state *state) {
    state->delivered = 0;
    if (!end->connection) return;
    picoquic_path_quality_t path;
    picoquic_get_default_path_quality(end->connection, &path);
    state->window_bytes = path.cwin;
    state->in_flight_bytes = path.bytes_in_transit;
    state->srtt_ns = path.rtt * 1000;
    state->min_rtt_ns = path.rtt_min * 1000;
    state->pacing_bps = path.pacing_rate * 8;
    state->sent_packets = path.sent;
    state->lost_packets = path.lost;
    state->spurious_packets = path.spurious_losses;
    /* picoquic does not tell whether a stream is acknowledged. */
    state->delivered = end->fin_sent && path.bytes_in_transit == 0;
    if (picoquic_get_cnx_state(end->connection) >= picoquic_state_disconnecting)
        snprintf(state->closed, sizeof state->closed, "error 0x%llx", (unsigned long long)picoquic_get_local_error(end->connection));
}

void ackclock_stack_free(ackclock_end *end) {
    enter(end, end->now_us * 1000);
    picoquic_free(end->quic);
    current = &outside;
    free(end);
}
