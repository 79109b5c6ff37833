// One SCTP association of usrsctp (the userland stack of FreeBSD) over one path, in virtual time.
//
// build: gcc -O2 -rdynamic usrsctp_path.c -o usrsctp_path -lusrsctp
// usage: usrsctp_path PATTERN MESSAGES LOST_DATA LOST_SACKS [NAME=VALUE ...]
//   LOST_DATA   TSNs from 0, each lost when it is sent first; 60/2 is the second time that 60 is sent; 60-63 are four; - for none
//   LOST_SACKS  packets with SACKs, counted from 1 as they are sent; 20-23 are four; - for none
//   NAME=VALUE  one of the options below
// Prints one JSON object. README.md defines the fields.
//
// The library asks gettimeofday() for the time: here it gets the simulated one, which is why the program is linked with
// -rdynamic. Its timers tick each millisecond of that time. The clock's zero is a whole second, so that no fraction differs.
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <usrsctp.h>

enum {
    BITS_PER_SECOND = 10000000,
    DELAY_NS = 20000000,
    TICK_NS = 1000000,
    IPV4_BYTES = 20,
    PAYLOAD_BYTES = 1452, // with 16 B of DATA, 12 B of common header and 20 B of IPv4 it makes 1500 B
    MTU_BYTES = 1500 - IPV4_BYTES,
    MOST_PACKETS = 100000,
    MOST_TSNS = 10000,
    SECONDS = 30, // after half a minute its HEARTBEAT timer, which sends none here, sends what is lost at a time drawn by chance
};

// ---- the clock ----

static uint64_t now_ns;

int gettimeofday(struct timeval *time, void *zone)
{
    (void)zone;
    const uint64_t micros = now_ns / 1000;
    time->tv_sec = 1000000000 + (time_t)(micros / 1000000);
    time->tv_usec = (suseconds_t)(micros % 1000000);
    return 0;
}

// ---- the path ----

enum { SENDER, RECEIVER };
static char end_of[2]; // their addresses are the addresses of the two ends

struct packet {
    uint64_t arrives_ns;
    size_t bytes;
    uint8_t *data;
};
struct direction {
    struct packet packets[MOST_PACKETS];
    size_t first, next;
    uint64_t free_ns;
};
static struct direction directions[2]; // by the end that sends

static bool lost_tsn[MOST_TSNS][8];
static bool lost_sack[MOST_PACKETS];
static uint8_t times_sent[MOST_TSNS];
static uint32_t first_tsn, sacks;
static bool knows_first_tsn;

static struct {
    double time_s;
    uint32_t tsn, times, cwnd;
    bool lost;
} sent[MOST_PACKETS];
static size_t sent_count, sent_with_cwnd;

static struct {
    double time_s;
    uint32_t cumulative, blocks;
    bool lost;
} answered[MOST_PACKETS];

static uint32_t word(const uint8_t *at) { return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]; }
static uint32_t half(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

// Notes a packet's chunks; says whether the path loses it.
static bool note(const uint8_t *data, size_t bytes)
{
    bool lost = false;
    for (size_t at = 12; at + 4 <= bytes; at += (half(data + at + 2) + 3) & ~3u) {
        const uint8_t type = data[at];
        if (type == 0) {
            const uint32_t absolute = word(data + at + 4);
            if (!knows_first_tsn) first_tsn = absolute;
            knows_first_tsn = true;
            const uint32_t tsn = absolute - first_tsn;
            const uint8_t times = ++times_sent[tsn];
            lost |= times < 8 && lost_tsn[tsn][times];
            sent[sent_count].time_s = now_ns * 1e-9;
            sent[sent_count].tsn = tsn;
            sent[sent_count].times = times;
            sent[sent_count++].lost = lost;
        } else if (type == 3) {
            lost |= lost_sack[sacks + 1];
            answered[sacks].time_s = now_ns * 1e-9;
            answered[sacks].cumulative = word(data + at + 4) + 1 - first_tsn; // the first that is missing
            answered[sacks].blocks = half(data + at + 12);
            answered[sacks++].lost = lost;
        }
        if (half(data + at + 2) == 0) break;
    }
    return lost;
}

static int output(void *address, void *data, size_t bytes, uint8_t tos, uint8_t set_df)
{
    (void)tos, (void)set_df;
    struct direction *way = &directions[address == &end_of[SENDER] ? SENDER : RECEIVER];
    const uint64_t begins = way->free_ns > now_ns ? way->free_ns : now_ns;
    way->free_ns = begins + (bytes + IPV4_BYTES) * 8 * (1000000000ull / BITS_PER_SECOND);
    if (note(data, bytes)) return 0; // it has taken its time on the wire, and does not arrive
    struct packet *packet = &way->packets[way->next++];
    *packet = (struct packet){way->free_ns + DELAY_NS, bytes, malloc(bytes)};
    memcpy(packet->data, data, bytes);
    return 0;
}

// ---- the ends ----

static uint64_t delivered;

static int received(struct socket *sock, union sctp_sockstore from, void *data, size_t bytes, struct sctp_rcvinfo info,
                    int flags, void *argument)
{
    (void)sock, (void)from, (void)info, (void)argument;
    if (data && !(flags & MSG_NOTIFICATION)) delivered += bytes / PAYLOAD_BYTES;
    free(data);
    return 1;
}

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static struct sockaddr_conn address_of(int end)
{
    struct sockaddr_conn address = {.sconn_family = AF_CONN, .sconn_port = htons(5001), .sconn_addr = &end_of[end]};
    return address;
}

static struct socket *open_socket(int end)
{
    usrsctp_register_address(&end_of[end]);
    struct socket *sock = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, received, NULL, 0, NULL);
    must(sock, "socket");
    must(!usrsctp_set_non_blocking(sock, 1), "non-blocking");
    const int room = 16 << 20, on = 1;
    must(!usrsctp_setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), "SO_SNDBUF");
    must(!usrsctp_setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), "SO_RCVBUF");
    must(!usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on), "SCTP_NODELAY");
    struct sctp_paddrparams path = {.spp_pathmtu = MTU_BYTES, .spp_flags = SPP_PMTUD_DISABLE | SPP_HB_DISABLE};
    path.spp_address.ss_family = AF_CONN;
    must(!usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), "SCTP_PEER_ADDR_PARAMS");
    struct sockaddr_conn own = address_of(end);
    must(!usrsctp_bind(sock, (struct sockaddr *)&own, sizeof own), "bind");
    return sock;
}

static struct sctp_status status_of(struct socket *sock)
{
    struct sctp_status status = {0};
    socklen_t length = sizeof status;
    if (usrsctp_getsockopt(sock, IPPROTO_SCTP, SCTP_STATUS, &status, &length)) memset(&status, 0, sizeof status);
    return status;
}

// ---- what is run ----

static void read_list(const char *text, bool tsns)
{
    if (!strcmp(text, "-")) return;
    for (char *copy = strdup(text), *part = strtok(copy, ","); part; part = strtok(NULL, ",")) {
        unsigned from, to, times = 1;
        if (sscanf(part, "%u-%u", &from, &to) != 2) sscanf(part, "%u/%u", &from, &times), to = from;
        for (; from <= to; from++) *(tsns ? &lost_tsn[from][times] : &lost_sack[from]) = true;
    }
}

static void set(const char *text)
{
    unsigned value;
    if (sscanf(text, "initial_window=%u", &value) == 1) usrsctp_sysctl_set_sctp_initial_cwnd(value);
    else if (sscanf(text, "burst=%u", &value) == 1) usrsctp_sysctl_set_sctp_max_burst_default(value);
    else if (sscanf(text, "fast_burst=%u", &value) == 1) usrsctp_sysctl_set_sctp_fr_max_burst_default(value);
    else if (sscanf(text, "credit=%u", &value) == 1) usrsctp_sysctl_set_sctp_L2_abc_variable(value);
    else must(false, text);
}

int main(int count, char **arguments)
{
    must(count >= 5, "usage: usrsctp_path PATTERN MESSAGES LOST_DATA LOST_SACKS [NAME=VALUE ...]");
    const unsigned messages = strtoul(arguments[2], NULL, 10);
    read_list(arguments[3], true);
    read_list(arguments[4], false);
    usrsctp_init_nothreads(0, output, NULL);
    usrsctp_sysctl_set_sctp_ecn_enable(0);
    usrsctp_sysctl_set_sctp_rto_initial_default(1000); // RFC 9260; this release has 3 s
    for (int place = 5; place < count; place++) set(arguments[place]);

    struct socket *listener = open_socket(RECEIVER), *sender = open_socket(SENDER);
    must(!usrsctp_listen(listener, 1), "listen");
    struct sockaddr_conn far = address_of(SENDER);
    must(!usrsctp_connect(sender, (struct sockaddr *)&far, sizeof far) || errno == EINPROGRESS, "connect");

    static const char payload[PAYLOAD_BYTES];
    unsigned written = 0;
    uint64_t tick_ns = TICK_NS;
    uint64_t done_ns = 0;
    bool accepted = false;
    while (now_ns < SECONDS * 1000000000ull && !done_ns) {
        // The next event: a tick, or an arrival. Arrivals go before a tick of the same time.
        struct direction *soonest = NULL;
        uint64_t at_ns = tick_ns;
        for (int end = 0; end < 2; end++) {
            struct direction *way = &directions[end];
            if (way->first < way->next && way->packets[way->first].arrives_ns <= at_ns) {
                at_ns = way->packets[way->first].arrives_ns;
                soonest = way;
            }
        }
        now_ns = at_ns;
        if (soonest) {
            struct packet packet = soonest->packets[soonest->first++];
            void *to = &end_of[soonest == &directions[SENDER] ? RECEIVER : SENDER];
            usrsctp_conninput(to, packet.data, packet.bytes, 0);
            free(packet.data);
        } else {
            usrsctp_handle_timers(1);
            tick_ns += TICK_NS;
        }
        if (!accepted) {
            struct socket *socket = usrsctp_accept(listener, NULL, NULL);
            if (socket) accepted = true, usrsctp_set_non_blocking(socket, 1);
        }
        struct sctp_status status = status_of(sender);
        if (status.sstat_state == SCTP_ESTABLISHED) {
            struct sctp_sndinfo info = {0};
            while (written < messages
                   && usrsctp_sendv(sender, payload, sizeof payload, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) > 0)
                written++;
            status = status_of(sender);
            if (written == messages && !status.sstat_unackdata && !status.sstat_penddata) done_ns = now_ns;
        }
        for (; sent_with_cwnd < sent_count; sent_with_cwnd++)
            sent[sent_with_cwnd].cwnd = status.sstat_primary.spinfo_cwnd;
    }

    printf("{\"simulator\": \"usrsctp\", \"version\": \"0.9.5.0\", \"workload\": \"sctp-one-path\", \"pattern\": \"%s\", "
           "\"messages\": %u, \"lost_data\": \"%s\", \"lost_sacks\": \"%s\", \"settings\": [",
           arguments[1], messages, arguments[3], arguments[4]);
    for (int place = 5; place < count; place++) printf("%s\"%s\"", place > 5 ? ", " : "", arguments[place]);
    printf("], \"delivered\": %lu, \"done_s\": %.9f, \"packets\": [", delivered, done_ns * 1e-9);
    for (size_t place = 0; place < sent_count; place++)
        printf("%s[%.9f, %u, %u, %u, %s]", place ? ", " : "", sent[place].time_s, sent[place].tsn, sent[place].times,
               sent[place].cwnd, sent[place].lost ? "true" : "false");
    printf("], \"sacks\": [");
    for (uint32_t place = 0; place < sacks; place++)
        printf("%s[%.9f, %u, %u, %s]", place ? ", " : "", answered[place].time_s, answered[place].cumulative,
               answered[place].blocks, answered[place].lost ? "true" : "false");
    printf("]}\n");
    fflush(stdout);
    _Exit(0); // the library's own end waits for its timers
}
