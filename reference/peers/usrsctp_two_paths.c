// One SCTP association of usrsctp (the userland stack of FreeBSD) over two paths, in virtual time.
//
// build: gcc -O2 -rdynamic usrsctp_two_paths.c -o usrsctp_two_paths -lusrsctp -ldl
// usage: usrsctp_two_paths PATTERN MESSAGES LOST_DATA FROM UNTIL [NAME=VALUE ...]
//   LOST_DATA    TSNs from 0, each lost when it is sent first; 60/2 is the second time that 60 is sent; 60-63 are four; - for none
//   FROM, UNTIL  milliseconds since the first packet with data between which the first path delivers nothing either way; 0 0 for never
//   NAME=VALUE   one of the options below
// Prints one JSON object. README.md defines the fields.
//
// The library's own addresses for use without sockets (AF_CONN) are left out of INIT and INIT ACK, so an association has but one of
// them. Here it has IPv4 addresses: the library calls some functions of its own and of the system through its table of symbols, and
// finds those of this program there, which is linked with -rdynamic for that: what sends a packet, what receives one, what lists the
// interfaces of the machine, and what draws random numbers.
//
// The library asks gettimeofday() for the time: here it gets the simulated one, which is why the program is linked with
// -rdynamic. Its timers tick each millisecond of that time. The clock's zero is a whole second, so that no fraction differs.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
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
    FURTHER_NS = 13000, // of the second path, so that packets of both do not arrive at the same instant
    TICK_NS = 1000000,
    IPV4_BYTES = 20,
    PAYLOAD_BYTES = 1452, // with 16 B of DATA, 12 B of common header and 20 B of IPv4 it makes 1500 B
    MTU_BYTES = 1500 - IPV4_BYTES,
    MOST_PACKETS = 100000,
    MOST_TSNS = 100000,
    SECONDS = 200,
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

// ---- the paths ----

enum { SENDER, RECEIVER, PATHS = 2 };

// 198.18.PATH.END, both from 1.
static uint32_t ip_of(int path, int end) { return htonl(198u << 24 | 18u << 16 | (path + 1u) << 8 | (end + 1u)); }
static int path_of(uint32_t ip) { return (int)(ntohl(ip) >> 8 & 255) - 1; }
static int end_of(uint32_t ip) { return (int)(ntohl(ip) & 255) - 1; }

struct packet {
    uint64_t arrives_ns;
    uint32_t from, to;
    size_t bytes;
    uint8_t *data;
};
struct direction {
    struct packet packets[MOST_PACKETS];
    size_t first, next;
    uint64_t free_ns;
};
static struct direction directions[2][PATHS]; // by the end that sends

static uint64_t dead_from_ns, dead_until_ns; // since the first packet with data
static uint64_t began_ns;

static bool lost_tsn[MOST_TSNS][8];
static uint8_t times_sent[MOST_TSNS];
static uint32_t first_tsn;
static bool knows_first_tsn;

static struct {
    double time_s;
    uint32_t tsn, times, cwnd;
    int path;
    bool lost;
} sent[MOST_PACKETS];
static size_t sent_count, sent_with_cwnd;

static struct {
    double time_s;
    int path;
    bool lost;
} asked[MOST_PACKETS]; // HEARTBEATs of the sender
static size_t asked_count;

static uint32_t word(const uint8_t *at) { return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]; }
static uint32_t half(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

// Notes a packet's chunks; says whether the path loses it.
static bool note(int path, int end, const uint8_t *data, size_t bytes)
{
    bool lost = knows_first_tsn && path == 0 && now_ns >= began_ns + dead_from_ns && now_ns < began_ns + dead_until_ns;
    for (size_t at = 12; at + 4 <= bytes; at += (half(data + at + 2) + 3) & ~3u) {
        const uint8_t type = data[at];
        if (type == 0) {
            const uint32_t absolute = word(data + at + 4);
            if (!knows_first_tsn) first_tsn = absolute, began_ns = now_ns;
            knows_first_tsn = true;
            const uint32_t tsn = absolute - first_tsn;
            const uint8_t times = ++times_sent[tsn];
            lost |= times < 8 && lost_tsn[tsn][times];
            sent[sent_count].time_s = now_ns * 1e-9;
            sent[sent_count].path = path;
            sent[sent_count].tsn = tsn;
            sent[sent_count].times = times;
            sent[sent_count++].lost = lost;
        } else if (type == 4 && end == SENDER) {
            asked[asked_count].time_s = now_ns * 1e-9;
            asked[asked_count].path = path;
            asked[asked_count++].lost = lost;
        }
        if (half(data + at + 2) == 0) break;
    }
    return lost;
}

// ---- what the library finds in the place of its own ----

struct mbuf;
void m_copydata(const struct mbuf *from, int offset, int bytes, char *to);
void m_freem(struct mbuf *packet);

void sctp_userspace_ip_output(int *result, struct mbuf *packet, void *route, void *association, uint32_t router)
{
    (void)route, (void)association, (void)router;
    uint8_t header[IPV4_BYTES];
    uint16_t total;
    uint32_t to;
    m_copydata(packet, 0, sizeof header, (char *)header);
    memcpy(&total, header + 2, sizeof total); // not yet in the order of the wire
    memcpy(&to, header + 16, sizeof to);
    const size_t bytes = total - IPV4_BYTES;
    uint8_t *data = malloc(bytes);
    m_copydata(packet, IPV4_BYTES, (int)bytes, (char *)data);
    m_freem(packet);
    *result = 0;

    const int path = path_of(to), end = end_of(to) == RECEIVER ? SENDER : RECEIVER;
    struct direction *way = &directions[end][path];
    const uint64_t begins = way->free_ns > now_ns ? way->free_ns : now_ns;
    way->free_ns = begins + total * 8 * (1000000000ull / BITS_PER_SECOND);
    if (note(path, end, data, bytes)) return; // it has taken its time on the wire, and does not arrive
    // Without the system's routes the library does not know which interface a packet leaves by, and takes any address of its own as
    // the source. A host takes that of the interface, and SACKs are sent there.
    way->packets[way->next++] = (struct packet){way->free_ns + DELAY_NS + path * FURTHER_NS, ip_of(path, end), to, bytes, data};
}

static const struct packet *arriving;

// usrsctp_conninput() makes the library's form of a packet and comes here with addresses of its own kind. Checksums are not looked at:
// the library leaves those of IPv4 to the system.
void sctp_common_input_processing(struct mbuf **packet, int header, int offset, int bytes, struct sockaddr *from, struct sockaddr *to,
                                  void *common, void *chunk, uint8_t check, uint8_t ecn, uint32_t router, uint16_t port)
{
    (void)check;
    static void (*real)(struct mbuf **, int, int, int, struct sockaddr *, struct sockaddr *, void *, void *, uint8_t, uint8_t, uint32_t,
                        uint16_t);
    if (!real) real = (void *)dlsym(RTLD_NEXT, "sctp_common_input_processing");
    struct sockaddr_in source = {AF_INET, ((struct sockaddr_conn *)from)->sconn_port, {arriving->from}, {0}};
    struct sockaddr_in target = {AF_INET, ((struct sockaddr_conn *)to)->sconn_port, {arriving->to}, {0}};
    real(packet, header, offset, bytes, (struct sockaddr *)&source, (struct sockaddr *)&target, common, chunk, 0, ecn, router, port);
}

// The same numbers in each run.
void read_random(void *to, size_t bytes)
{
    static uint64_t state = 1;
    for (uint8_t *at = to; bytes; bytes--, at++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        *at = (uint8_t)(state >> 56);
    }
}

int getifaddrs(struct ifaddrs **list)
{
    static struct ifaddrs interfaces[2 * PATHS];
    static struct sockaddr_in addresses[2 * PATHS];
    static char names[2 * PATHS][2];
    for (int place = 0; place < 2 * PATHS; place++) {
        addresses[place] = (struct sockaddr_in){AF_INET, 0, {ip_of(place / 2, place % 2)}, {0}};
        names[place][0] = (char)('a' + place);
        interfaces[place] = (struct ifaddrs){
            .ifa_next = place + 1 < 2 * PATHS ? &interfaces[place + 1] : NULL,
            .ifa_name = names[place],
            .ifa_flags = IFF_UP,
            .ifa_addr = (struct sockaddr *)&addresses[place],
        };
    }
    *list = interfaces;
    return 0;
}

void freeifaddrs(struct ifaddrs *list) { (void)list; }

unsigned if_nametoindex(const char *name) { return (unsigned)(name[0] - 'a' + 1); }

// ---- the ends ----

static uint64_t delivered;
static uint32_t heartbeat_ms = 30000;
static uint16_t path_errors = 5;

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

static struct sockaddr_in address_of(int path, int end)
{
    return (struct sockaddr_in){AF_INET, htons(5001 + end), {ip_of(path, end)}, {0}};
}

static struct socket *open_socket(int end)
{
    struct socket *sock = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, received, NULL, 0, NULL);
    must(sock, "socket");
    must(!usrsctp_set_non_blocking(sock, 1), "non-blocking");
    const int room = 16 << 20, on = 1;
    must(!usrsctp_setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &room, sizeof room), "SO_SNDBUF");
    must(!usrsctp_setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), "SO_RCVBUF");
    must(!usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on), "SCTP_NODELAY");
    struct sctp_paddrparams path = {.spp_flags = SPP_HB_ENABLE, .spp_hbinterval = heartbeat_ms, .spp_pathmaxrxt = path_errors};
    path.spp_address.ss_family = AF_INET;
    must(!usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path), "SCTP_PEER_ADDR_PARAMS");
    struct sockaddr_in own[PATHS];
    for (int place = 0; place < PATHS; place++) own[place] = address_of(place, end);
    must(!usrsctp_bindx(sock, (struct sockaddr *)own, PATHS, SCTP_BINDX_ADD_ADDR), "bindx");
    return sock;
}

static uint32_t window_of(struct socket *sock, int path)
{
    struct sctp_paddrinfo info = {0};
    const struct sockaddr_in far = address_of(path, RECEIVER);
    memcpy(&info.spinfo_address, &far, sizeof far);
    socklen_t length = sizeof info;
    return usrsctp_getsockopt(sock, IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &info, &length) ? 0 : info.spinfo_cwnd;
}

static struct sctp_status status_of(struct socket *sock)
{
    struct sctp_status status = {0};
    socklen_t length = sizeof status;
    if (usrsctp_getsockopt(sock, IPPROTO_SCTP, SCTP_STATUS, &status, &length)) memset(&status, 0, sizeof status);
    return status;
}

// ---- what is run ----

static void read_list(const char *text)
{
    if (!strcmp(text, "-")) return;
    for (char *copy = strdup(text), *part = strtok(copy, ","); part; part = strtok(NULL, ",")) {
        unsigned from, to, times = 1;
        if (sscanf(part, "%u-%u", &from, &to) != 2) sscanf(part, "%u/%u", &from, &times), to = from;
        for (; from <= to; from++) lost_tsn[from][times] = true;
    }
}

static void set(const char *text)
{
    unsigned value;
    if (sscanf(text, "initial_window=%u", &value) == 1) usrsctp_sysctl_set_sctp_initial_cwnd(value);
    else if (sscanf(text, "burst=%u", &value) == 1) usrsctp_sysctl_set_sctp_max_burst_default(value);
    else if (sscanf(text, "fast_burst=%u", &value) == 1) usrsctp_sysctl_set_sctp_fr_max_burst_default(value);
    else if (sscanf(text, "credit=%u", &value) == 1) usrsctp_sysctl_set_sctp_L2_abc_variable(value);
    else if (sscanf(text, "heartbeat_ms=%u", &value) == 1) heartbeat_ms = value;
    else if (sscanf(text, "path_errors=%u", &value) == 1) path_errors = (uint16_t)value;
    else must(false, text);
}

int main(int count, char **arguments)
{
    must(count >= 6, "usage: usrsctp_two_paths PATTERN MESSAGES LOST_DATA FROM UNTIL [NAME=VALUE ...]");
    const unsigned messages = strtoul(arguments[2], NULL, 10);
    read_list(arguments[3]);
    dead_from_ns = strtoull(arguments[4], NULL, 10) * 1000000;
    dead_until_ns = strtoull(arguments[5], NULL, 10) * 1000000;
    usrsctp_init_nothreads(0, NULL, NULL);
    usrsctp_sysctl_set_sctp_ecn_enable(0);
    usrsctp_sysctl_set_sctp_rto_initial_default(1000); // RFC 9260; this release has 3 s
    for (int place = 6; place < count; place++) set(arguments[place]);

    struct socket *listener = open_socket(RECEIVER), *sender = open_socket(SENDER);
    must(!usrsctp_listen(listener, 1), "listen");
    struct sockaddr_in far[PATHS];
    for (int path = 0; path < PATHS; path++) far[path] = address_of(path, RECEIVER);
    must(!usrsctp_connectx(sender, (struct sockaddr *)far, PATHS, NULL) || errno == EINPROGRESS, "connectx");

    static const char payload[PAYLOAD_BYTES];
    unsigned written = 0;
    uint64_t tick_ns = TICK_NS;
    uint64_t done_ns = 0;
    bool accepted = false;
    while (now_ns < SECONDS * 1000000000ull && !done_ns) {
        // The next event: a tick, or an arrival. Arrivals go before a tick of the same time.
        struct direction *soonest = NULL;
        uint64_t at_ns = tick_ns;
        for (int place = 0; place < 2 * PATHS; place++) {
            struct direction *way = &directions[place / PATHS][place % PATHS];
            if (way->first < way->next && way->packets[way->first].arrives_ns <= at_ns) {
                at_ns = way->packets[way->first].arrives_ns;
                soonest = way;
            }
        }
        now_ns = at_ns;
        if (soonest) {
            struct packet packet = soonest->packets[soonest->first++];
            arriving = &packet;
            usrsctp_conninput(NULL, packet.data, packet.bytes, 0);
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
        if (status.sstat_state == SCTP_ESTABLISHED && now_ns >= 100000000) {
            struct sctp_sndinfo info = {0};
            while (written < messages
                   && usrsctp_sendv(sender, payload, sizeof payload, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0) > 0)
                written++;
            status = status_of(sender);
            if (written == messages && !status.sstat_unackdata && !status.sstat_penddata) done_ns = now_ns;
        }
        for (; sent_with_cwnd < sent_count; sent_with_cwnd++) sent[sent_with_cwnd].cwnd = window_of(sender, sent[sent_with_cwnd].path);
    }

    printf("{\"simulator\": \"usrsctp\", \"version\": \"0.9.5.0\", \"workload\": \"sctp-two-paths-packets\", \"pattern\": \"%s\", "
           "\"messages\": %u, \"lost_data\": \"%s\", \"dead_ms\": [%s, %s], \"settings\": [",
           arguments[1], messages, arguments[3], arguments[4], arguments[5]);
    for (int place = 6; place < count; place++) printf("%s\"%s\"", place > 6 ? ", " : "", arguments[place]);
    printf("], \"delivered\": %lu, \"done_s\": %.9f, \"packets\": [", delivered, done_ns * 1e-9);
    for (size_t place = 0; place < sent_count; place++)
        printf("%s[%.7f, %d, %u, %u, %u, %s]", place ? ", " : "", sent[place].time_s, sent[place].path + 1, sent[place].tsn,
               sent[place].times, sent[place].cwnd, sent[place].lost ? "true" : "false");
    printf("], \"heartbeats\": [");
    for (size_t place = 0; place < asked_count; place++)
        printf("%s[%.9f, %d, %s]", place ? ", " : "", asked[place].time_s, asked[place].path + 1, asked[place].lost ? "true" : "false");
    printf("]}\n");
    fflush(stdout);
    _Exit(0); // the library's own end waits for its timers
}
