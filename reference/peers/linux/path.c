/* One connection of Linux's TCP over one path with fixed losses, packet by packet.
 *
 * This program is the only one of a virtual machine: the kernel starts it as /init with the words behind "--" of its
 * command line. It makes two hosts, each a network namespace with a TUN interface, and is the path between them. A client on the
 * first host sends PACKETS full packets to a server on the second, which reads at once. Both are sockets of the kernel.
 *
 *     PATTERN CONTROL PACKETS LOST LATE LOST_ACKS OUTAGE [rate=BIT/S] [delay=NS] [queue=PACKETS] [stall=FROM-UNTIL]...
 *
 * LOST names packets with data by their order from 0 (120,130-133), LATE those that take some milliseconds longer (120:8),
 * LOST_ACKS the server's packets by their order from 1, and OUTAGE the seconds in which both directions lose everything
 * (0.2-0.22). "-" stands for none. Time 0 is the first packet with data. `queue` is how many packets wait at most before the
 * one that is being sent; `stall` are the seconds in which nothing arrives that would have, until they are over. It prints
 * a line of JSON on the console.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MTU = 1500, PAYLOAD = 1448, MOST = 32768, PORT = 5001 };

/* What is lost or late: bits for each place, and milliseconds. */
static uint8_t lost_data[MOST], lost_acks[MOST], late_ms[MOST];
static double outage_from = -1, outage_until = -1;
static struct {
    double from, until;
} stalls[8];
static int stall_count;

/* A packet in flight. Late packets make the order of arrival differ from that of sending. */
struct packet {
    uint64_t due;
    uint16_t bytes;
    uint8_t data[MTU];
};

/* The packets on their way in one direction, sorted by arrival. */
struct way {
    struct packet *packets;
    int count;
};

/* A packet with data, as it left the client. */
struct sent {
    uint64_t at;
    uint32_t number, cwnd, ssthresh;
    int lost;
};

static struct way forth, back;
static struct sent log_of_sent[MOST];
static int sent_count, with_window, acks;
static uint64_t began, link_free;
static uint32_t first_sequence;
static uint64_t ns_per_byte_1024 = 800 * 1024; /* 10 Mbit/s */
static uint64_t delay_ns = 20000000;
static uint64_t queue_limit = UINT64_MAX;

/* Ends the machine. */
static void end(void) {
    fflush(stdout);
    reboot(RB_POWER_OFF);
}

static void check(int done, const char *what) {
    if (done < 0) {
        printf("error: %s: %s\n", what, strerror(errno));
        end();
    }
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Reads a list such as 120,130-133 or, with `values`, 120:8. */
static void read_list(const char *text, uint8_t *places, int values) {
    for (char *copy = strdup(text), *part; (part = strsep(&copy, ","));) {
        int from, until, value = 1;
        if (values && sscanf(part, "%d:%d", &from, &value) == 2)
            until = from;
        else if (sscanf(part, "%d-%d", &from, &until) != 2) {
            if (sscanf(part, "%d", &from) != 1)
                continue;
            until = from;
        }
        for (int place = from; place <= until && place < MOST; place++)
            places[place] = value;
    }
}

static void load(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/%s.ko", name);
    int file = open(path, O_RDONLY);
    check(file, path);
    check(syscall(SYS_finit_module, file, "", 0), path);
    close(file);
}

/* Switches segmentation offload off, which otherwise TCP uses above any interface: one segment at a time. */
static void send_single_segments(int index) {
    struct {
        struct nlmsghdr header;
        struct ifinfomsg interface;
        struct rtattr attribute;
        uint32_t value;
    } message = {
        .header = {.nlmsg_len = sizeof message, .nlmsg_type = RTM_NEWLINK, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .interface = {.ifi_family = AF_UNSPEC, .ifi_index = index},
        .attribute = {.rta_len = RTA_LENGTH(4), .rta_type = IFLA_GSO_MAX_SEGS},
        .value = 1,
    };
    struct {
        struct nlmsghdr header;
        struct nlmsgerr error;
        char rest[256];
    } answer;
    int netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    check(send(netlink, &message, sizeof message, 0), "netlink");
    check(recv(netlink, &answer, sizeof answer, 0), "netlink");
    errno = -answer.error.error;
    check(answer.error.error ? -1 : 0, "gso_max_segs");
    close(netlink);
}

/* Makes the interface of the host in whose namespace this is called. */
static int interface(const char *address) {
    int tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK), control = socket(AF_INET, SOCK_DGRAM, 0);
    struct ifreq request = {.ifr_name = "path"};
    check(tun, "/dev/net/tun");
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    check(ioctl(tun, TUNSETIFF, &request), "TUNSETIFF");
    struct sockaddr_in *name = (struct sockaddr_in *)&request.ifr_addr;
    *name = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(address)};
    check(ioctl(control, SIOCSIFADDR, &request), "address");
    name->sin_addr.s_addr = inet_addr("255.255.255.0");
    check(ioctl(control, SIOCSIFNETMASK, &request), "netmask");
    request.ifr_qlen = 10000;
    check(ioctl(control, SIOCSIFTXQLEN, &request), "queue length");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    check(ioctl(control, SIOCSIFFLAGS, &request), "up");
    check(ioctl(control, SIOCGIFINDEX, &request), "index");
    send_single_segments(request.ifr_ifindex);
    close(control);
    return tun;
}

/* Whether a time lies in an interval of seconds since the first packet with data. */
static int is_within(uint64_t at, double from, double until) {
    double seconds = began ? (at - began) * 1e-9 : -1;
    return from <= seconds && seconds < until;
}

static int is_out(uint64_t at) {
    return is_within(at, outage_from, outage_until);
}

static void put(struct way *way, uint64_t due, const uint8_t *data, int bytes) {
    if (way->count == MOST)
        check(-1, "too many packets in flight");
    for (int stall = 0; stall < stall_count; stall++)
        if (is_within(due, stalls[stall].from, stalls[stall].until))
            due = began + (uint64_t)(stalls[stall].until * 1e9);
    int place = way->count++;
    for (; place > 0 && way->packets[place - 1].due > due; place--)
        way->packets[place] = way->packets[place - 1];
    way->packets[place].due = due;
    way->packets[place].bytes = bytes;
    memcpy(way->packets[place].data, data, bytes);
}


/* The payload of a packet of TCP over IPv4 in bytes, -1 for any other packet. */
static int payload(const uint8_t *data, int bytes) {
    if (bytes < 40 || data[0] >> 4 != 4 || data[9] != IPPROTO_TCP)
        return -1;
    int header = (data[0] & 15) * 4;
    return bytes - header - (data[header + 12] >> 4) * 4;
}

static uint32_t sequence(const uint8_t *data) {
    uint32_t value;
    memcpy(&value, data + (data[0] & 15) * 4 + 4, 4);
    return ntohl(value);
}

/* Clears the push flag, and keeps the checksum right (RFC 1624). A kernel sets it at the end of each write and of each half of
 * the window, and acknowledges such a packet at once: how the application writes shall not matter here. */
static void clear_push(uint8_t *data) {
    uint8_t *tcp = data + (data[0] & 15) * 4;
    if (tcp[13] & 8) {
        uint32_t sum = (uint16_t)~(tcp[16] << 8 | tcp[17]) + (0xffff - 8);
        sum = (sum & 0xffff) + (sum >> 16);
        tcp[13] &= ~8;
        tcp[16] = (uint8_t)(~sum >> 8), tcp[17] = (uint8_t)~sum;
    }
}

/* Takes what the client's host has sent. */
static void take_forth(int tun) {
    uint8_t data[MTU];
    for (int bytes; (bytes = read(tun, data, sizeof data)) > 0;) {
        int length = payload(data, bytes);
        if (length < 0)
            continue;
        uint64_t at = now_ns();
        int lost = 0, late = 0;
        if (length > 0) {
            clear_push(data);
            if (!began)
                began = at, first_sequence = sequence(data);
            lost = lost_data[sent_count] || is_out(at);
            late = late_ms[sent_count];
        }
        uint64_t serial = bytes * ns_per_byte_1024 / 1024;
        if (link_free > at && (link_free - at) / serial > queue_limit)
            lost = 1;
        else
            link_free = (link_free > at ? link_free : at) + serial;
        if (length > 0)
            log_of_sent[sent_count++] =
                (struct sent){.at = at, .number = (sequence(data) - first_sequence) / PAYLOAD, .lost = lost};
        if (sent_count == MOST)
            check(-1, "too many packets");
        if (!lost)
            put(&forth, link_free + delay_ns + late * 1000000ull, data, bytes);
    }
}

/* Takes what the server's host has sent. */
static void take_back(int tun) {
    uint8_t data[MTU];
    for (int bytes; (bytes = read(tun, data, sizeof data)) > 0;) {
        if (payload(data, bytes) < 0)
            continue;
        uint64_t at = now_ns();
        acks += began != 0;
        if (!(began && lost_acks[acks]) && !is_out(at))
            put(&back, at + delay_ns, data, bytes);
    }
}

/* Hands over what has arrived. */
static void deliver(struct way *way, int tun) {
    if (way->count && way->packets[0].due <= now_ns()) {
        check(write(tun, way->packets[0].data, way->packets[0].bytes), "a packet arrives");
        memmove(way->packets, way->packets + 1, --way->count * sizeof *way->packets);
    }
}

static struct tcp_info ask(int client) {
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    check(getsockopt(client, IPPROTO_TCP, TCP_INFO, &info, &size), "TCP_INFO");
    return info;
}

static void report(char **words, uint32_t packets) {
    struct utsname kernel;
    uname(&kernel);
    printf("\n{\"simulator\":\"linux\",\"version\":\"%s\",\"workload\":\"tcp-one-path\",\"pattern\":\"%s\",\"control\":\"%s\","
           "\"messages\":%u,\"lost_data\":\"%s\",\"late\":\"%s\",\"lost_acks\":\"%s\",\"outage\":\"%s\",\"acks\":%d,\"packets\":[",
           kernel.release, words[1], words[2], packets, words[4], words[5], words[6], words[7], acks);
    for (int place = 0; place < sent_count; place++) {
        struct sent *sent = &log_of_sent[place];
        int32_t ssthresh = sent->ssthresh >= 0x7fffffff ? -1 : (int32_t)sent->ssthresh;
        printf("%s[%.6f,%u,%u,%d,%d]", place ? "," : "", (sent->at - began) * 1e-9, sent->number, sent->cwnd, ssthresh,
               sent->lost);
    }
    printf("]}\n");
}

int main(int count, char **words) {
    mkdir("/proc", 0755), mkdir("/dev", 0755), mkdir("/dev/net", 0755);
    mount("proc", "/proc", "proc", 0, "");
    mknod("/dev/net/tun", S_IFCHR | 0600, makedev(10, 200));
    setvbuf(stdout, NULL, _IOFBF, 1 << 20);
    prctl(PR_SET_TIMERSLACK, 1);
    /* The kernel's own work at its start would hold packets up by milliseconds. */
    struct sched_param priority = {.sched_priority = 50};
    check(sched_setscheduler(0, SCHED_FIFO, &priority), "SCHED_FIFO");
    if (count < 8)
        errno = EINVAL, check(-1, "PATTERN CONTROL PACKETS LOST LATE LOST_ACKS OUTAGE");
    const char *control = words[2];
    uint32_t packets = atoi(words[3]);
    read_list(words[4], lost_data, 0);
    read_list(words[5], late_ms, 1);
    read_list(words[6], lost_acks, 0);
    sscanf(words[7], "%lf-%lf", &outage_from, &outage_until);
    for (int place = 8; place < count; place++) {
        uint64_t rate;
        if (sscanf(words[place], "rate=%lu", &rate) == 1)
            ns_per_byte_1024 = 8000000000ull * 1024 / rate;
        sscanf(words[place], "delay=%lu", &delay_ns);
        sscanf(words[place], "queue=%lu", &queue_limit);
        if (stall_count < 8)
            stall_count += sscanf(words[place], "stall=%lf-%lf", &stalls[stall_count].from, &stalls[stall_count].until) == 2;
    }
    load("tun");
    if (!strcmp(control, "bbr"))
        load("tcp_bbr");
    forth.packets = malloc(MOST * sizeof *forth.packets);
    back.packets = malloc(MOST * sizeof *back.packets);

    /* Sockets and interfaces stay in the namespace in which they were made. */
    int here = open("/proc/self/ns/net", O_RDONLY);
    int first = interface("10.0.0.1"), yes = 1, huge = 64 << 20;
    struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("10.0.0.2"), .sin_port = htons(PORT)};
    check(unshare(CLONE_NEWNET), "unshare");
    int second = interface("10.0.0.2"), listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), server = -1;
    check(bind(listening, (struct sockaddr *)&name, sizeof name), "bind");
    check(listen(listening, 1), "listen");
    check(setns(here, CLONE_NEWNET), "setns");
    sleep(10);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check(setsockopt(client, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)), control);
    check(setsockopt(client, SOL_SOCKET, SO_SNDBUFFORCE, &huge, sizeof huge), "SO_SNDBUFFORCE");
    check(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "TCP_NODELAY");
    if (connect(client, (struct sockaddr *)&name, sizeof name) < 0 && errno != EINPROGRESS)
        check(-1, "connect");

    static uint8_t zeros[PAYLOAD * 256], sink[1 << 20];
    uint64_t unwritten = (uint64_t)packets * PAYLOAD, unread = unwritten;
    for (;;) {
        take_forth(first);
        take_back(second);
        if (with_window < sent_count) {
            struct tcp_info info = ask(client);
            for (; with_window < sent_count; with_window++) {
                log_of_sent[with_window].cwnd = info.tcpi_snd_cwnd;
                log_of_sent[with_window].ssthresh = info.tcpi_snd_ssthresh;
            }
        }
        if (!unread && ask(client).tcpi_unacked == 0)
            break;
        uint64_t next = UINT64_MAX, now = now_ns();
        if (forth.count)
            next = forth.packets[0].due;
        if (back.count && back.packets[0].due < next)
            next = back.packets[0].due;
        uint64_t wait = next > now ? next - now : 0;
        struct timespec span = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
        struct pollfd ends[] = {
            {.fd = first, .events = POLLIN},
            {.fd = second, .events = POLLIN},
            {.fd = client, .events = unwritten ? POLLOUT : 0},
            {.fd = server < 0 ? listening : server, .events = POLLIN},
        };
        check(ppoll(ends, 4, next == UINT64_MAX ? NULL : &span, NULL), "poll");
        if (ends[2].revents & (POLLERR | POLLHUP) && began)
            check(-1, "the connection has failed");
        while (unwritten && ends[2].revents & POLLOUT) {
            ssize_t taken = write(client, zeros, unwritten < sizeof zeros ? unwritten : sizeof zeros);
            if (taken < 0)
                break;
            unwritten -= taken;
        }
        if (ends[3].revents & POLLIN && server < 0)
            server = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
        deliver(&forth, second);
        for (ssize_t taken; server >= 0 && (taken = read(server, sink, sizeof sink)) > 0;)
            unread -= taken;
        take_back(second);
        deliver(&back, first);
    }
    report(words, packets);
    end();
}
