/* ngtcp2 behind ackclock_stack.h. It takes every time as an argument, and asks for random bytes and for cryptography through callbacks. */
#include <netinet/in.h>
#include <ngtcp2/ngtcp2.h>
#include "glue.h"

#define BUFFER 65536
#define TAG 16
#define SHIFT NGTCP2_SECONDS /* ngtcp2's clock is ahead by this, so that no time is 0 */

struct ackclock_end {
    uint64_t random;
    ngtcp2_conn *connection;
    ngtcp2_settings settings;
    ngtcp2_transport_params parameters;
    struct sockaddr_in local, peer;
    ngtcp2_path path;
    int64_t stream;
    uint64_t unsent, unread;
    bool is_server, fin, fin_sent, is_delivered;
    uint8_t own[512], theirs[512]; /* the transport parameters, after their length in two bytes */
    size_t has;                    /* the bytes of `theirs` that have arrived */
    const char *closed;
};

static uint8_t DATA[BUFFER];

#include "plain.h"

static void random_bytes(uint8_t *dest, size_t length, const ngtcp2_rand_ctx *context) { draw_bytes(context->native_handle, dest, length); }

static ngtcp2_cid new_id(ackclock_end *end, size_t length) {
    ngtcp2_cid id = { .datalen = length };
    draw_bytes(&end->random, id.data, length);
    return id;
}

static int new_connection_id(ngtcp2_conn *connection, ngtcp2_cid *id, ngtcp2_stateless_reset_token *token, size_t length, void *end) {
    *id = new_id(end, length);
    draw_bytes(&((ackclock_end *)end)->random, token->data, sizeof token->data);
    return 0;
}

static int path_challenge(ngtcp2_conn *connection, ngtcp2_path_challenge_data *data, void *end) {
    draw_bytes(&((ackclock_end *)end)->random, data->data, sizeof data->data);
    return 0;
}

static int stream_data(ngtcp2_conn *connection, uint32_t flags, int64_t stream, uint64_t offset, const uint8_t *data, size_t length, void *user, void *none) {
    ackclock_end *end = user;
    end->stream = stream;
    end->unread += length;
    return 0;
}

static int stream_closed(ngtcp2_conn *connection, uint32_t flags, int64_t stream, uint64_t code, void *end, void *none) {
    ((ackclock_end *)end)->is_delivered = true;
    return 0;
}

static const ngtcp2_callbacks CALLBACKS = {
    .client_initial = client_initial, .recv_client_initial = client_hello, .recv_crypto_data = crypto_data, .encrypt = encrypt, .decrypt = decrypt,
    .hp_mask = mask, .recv_stream_data = stream_data, .stream_close = stream_closed, .rand = random_bytes, .update_key = update_key,
    .delete_crypto_aead_ctx = no_aead, .delete_crypto_cipher_ctx = no_cipher, .get_new_connection_id2 = new_connection_id,
    .get_path_challenge_data2 = path_challenge, .recv_retry = retry,
};

uint32_t ackclock_stack_abi(void) { return ACKCLOCK_STACK_ABI; }

const char *ackclock_stack_about(const char *key) {
    if (!strcmp(key, "name")) return "ngtcp2";
    if (!strcmp(key, "version")) return ngtcp2_version(0)->version_str;
    if (!strcmp(key, "controls")) return "cubic reno bbr";
    if (!strcmp(key, "random")) return "";
    return strcmp(key, "licence") ? NULL : "MIT";
}

static void close_for(ackclock_end *end, int problem) {
    if (problem && !end->closed) end->closed = ngtcp2_strerror(problem);
}

static bool take(ackclock_end *end, const ackclock_option *option) {
    if (is(option, "control")) {
        const char *name = option->value;
        end->settings.cc_algo = !strcmp(name, "reno") ? NGTCP2_CC_ALGO_RENO : !strcmp(name, "bbr") ? NGTCP2_CC_ALGO_BBR : NGTCP2_CC_ALGO_CUBIC;
        return end->settings.cc_algo != NGTCP2_CC_ALGO_CUBIC || !strcmp(name, "cubic");
    }
    uint64_t value = number(option);
    if (is(option, "datagram")) return (end->settings.max_tx_udp_payload_size = value) >= 1200;
    if (is(option, "window")) return (end->parameters.initial_max_data = end->parameters.initial_max_stream_data_uni = value) > 0;
    return false;
}

ackclock_end *ackclock_stack_new(uint32_t role, uint64_t seed, const ackclock_option *options, size_t count, uint64_t now, char *error,
                                 size_t error_size) {
    ackclock_end *end = calloc(1, sizeof *end);
    if (!end) return NULL;
    end->random = seed, end->stream = -1, end->is_server = role == ACKCLOCK_SERVER;
    ngtcp2_settings_default(&end->settings);
    ngtcp2_transport_params_default(&end->parameters);
    end->settings.initial_ts = now + SHIFT;
    end->settings.rand_ctx.native_handle = &end->random;
    end->settings.no_pmtud = 1;
    end->settings.no_tx_udp_payload_size_shaping = 1;
    end->settings.handshake_timeout = UINT64_MAX;
    end->parameters.initial_max_streams_uni = 1;
    for (size_t i = 0; i < count; i++)
        if (!take(end, &options[i])) {
            refuse(&options[i], error, error_size);
            free(end);
            return NULL;
        }
    end->local = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(4433), .sin_addr = { htonl(0x0a000001u + end->is_server) } };
    end->peer = end->local;
    end->peer.sin_addr.s_addr = htonl(0x0a000002u - end->is_server);
    end->path = (ngtcp2_path){ { (void *)&end->local, sizeof end->local }, { (void *)&end->peer, sizeof end->peer }, NULL };
    if (!end->is_server) {
        ngtcp2_cid theirs = new_id(end, 8), ours = new_id(end, 8);
        close_for(end, ngtcp2_conn_client_new(&end->connection, &theirs, &ours, &end->path, NGTCP2_PROTO_VER_V1, &CALLBACKS, &end->settings,
                                              &end->parameters, NULL, end));
    }
    return end;
}

void ackclock_stack_recv(ackclock_end *end, uint8_t *datagram, size_t length, uint32_t ecn, uint64_t now) {
    if (!end->connection) {
        ngtcp2_pkt_hd header;
        if (ngtcp2_accept(&header, datagram, length)) return;
        ngtcp2_cid ours = new_id(end, 8);
        end->settings.initial_ts = now + SHIFT;
        end->parameters.original_dcid = header.dcid;
        end->parameters.original_dcid_present = 1;
        close_for(end, ngtcp2_conn_server_new(&end->connection, &header.scid, &ours, &end->path, header.version, &CALLBACKS, &end->settings,
                                              &end->parameters, NULL, end));
    }
    ngtcp2_pkt_info info = { .ecn = (uint8_t)ecn };
    if (!end->closed) close_for(end, ngtcp2_conn_read_pkt(end->connection, &end->path, &info, datagram, length, now + SHIFT));
}

size_t ackclock_stack_send(ackclock_end *end, uint8_t *buffer, size_t size, uint32_t *ecn, uint64_t *at, uint64_t now) {
    if (!end->connection || end->closed) return 0;
    ngtcp2_conn *connection = end->connection;
    size_t most = ngtcp2_conn_get_max_tx_udp_payload_size2(connection);
    size = size < most ? size : most;
    bool writes = end->stream >= 0 && !end->is_server && !end->fin_sent && (end->unsent || end->fin);
    for (;;) {
        ngtcp2_vec data = { DATA, end->unsent < BUFFER ? end->unsent : BUFFER };
        ngtcp2_pkt_info info = { 0 };
        ngtcp2_ssize taken = -1;
        uint32_t flags = writes && end->fin && data.len == end->unsent ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0;
        ngtcp2_ssize length = ngtcp2_conn_writev_stream(connection, NULL, &info, buffer, size, &taken, flags, writes ? end->stream : -1, &data,
                                                        writes ? 1 : 0, now + SHIFT);
        if (writes && (length == NGTCP2_ERR_STREAM_DATA_BLOCKED || length == NGTCP2_ERR_STREAM_SHUT_WR || length == NGTCP2_ERR_STREAM_NOT_FOUND)) {
            writes = false;
            continue;
        }
        if (length < 0) close_for(end, (int)length);
        if (taken >= 0) {
            end->unsent -= (uint64_t)taken;
            end->fin_sent |= flags && !end->unsent;
        }
        ngtcp2_conn_update_pkt_tx_time(connection, now + SHIFT);
        *ecn = info.ecn;
        return length > 0 ? (size_t)length : 0;
    }
}

uint64_t ackclock_stack_timeout(ackclock_end *end, uint64_t now) {
    if (!end->connection || end->closed) return ACKCLOCK_NEVER;
    uint64_t at = ngtcp2_conn_get_expiry2(end->connection);
    return at == UINT64_MAX ? ACKCLOCK_NEVER : at < now + SHIFT ? now : at - SHIFT;
}

void ackclock_stack_on_timeout(ackclock_end *end, uint64_t now) { close_for(end, ngtcp2_conn_handle_expiry(end->connection, now + SHIFT)); }

uint64_t ackclock_stack_write(ackclock_end *end, uint64_t bytes, uint32_t fin, uint64_t now) {
    if (end->closed || !ngtcp2_conn_get_handshake_completed2(end->connection)) return 0;
    if (end->stream < 0 && ngtcp2_conn_open_uni_stream(end->connection, &end->stream, NULL)) return 0;
    if (fin) return end->fin = 1;
    uint64_t taken = BUFFER - end->unsent < bytes ? BUFFER - end->unsent : bytes;
    end->unsent += taken;
    return taken;
}

uint64_t ackclock_stack_read(ackclock_end *end, uint64_t now) {
    uint64_t bytes = end->unread;
    if (!bytes) return 0;
    end->unread = 0;
    ngtcp2_conn_extend_max_stream_offset(end->connection, end->stream, bytes);
    ngtcp2_conn_extend_max_offset(end->connection, bytes);
    return bytes;
}

void ackclock_stack_state(ackclock_end *end, ackclock_state *state) {
    state->delivered = end->is_delivered;
    if (end->closed) snprintf(state->closed, sizeof state->closed, "%s", end->closed);
    if (!end->connection) return;
    ngtcp2_conn_info info;
    ngtcp2_conn_get_conn_info2(end->connection, &info);
    state->window_bytes = info.cwnd;
    state->in_flight_bytes = info.bytes_in_flight;
    state->srtt_ns = info.smoothed_rtt;
    state->min_rtt_ns = info.min_rtt;
    state->sent_packets = info.pkt_sent;
    state->lost_packets = info.pkt_lost;
}

void ackclock_stack_free(ackclock_end *end) {
    if (end->connection) ngtcp2_conn_del(end->connection);
    free(end);
}
