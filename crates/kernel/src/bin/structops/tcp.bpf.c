// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A congestion control of Linux TCP whose decisions a program in user space makes.
 *
 * What happens to a connection goes to the program as an event, through a ring buffer. The program writes its answer into the
 * connection's slot. After an acknowledgement, a loss and an undo, the kernel waits for the answer to this very event, for a short
 * time; then it takes the last answer. After a loss that is Reno's threshold instead, if it is lower, until the answer is there.
 * Without a heartbeat of the program, connections are under Reno.
 *
 * An object holds one control. `window` leaves the window in recovery to the kernel (PRR); `model` owns the window and is paced.
 * Of the kernel's structures only the fields that are used are declared: libbpf finds their places in the kernel's type
 * information.
 */
#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
};

struct sock_common {
	__u32 skc_daddr;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
};

struct sock {
	struct sock_common __sk_common;
	__u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
};

struct inet_connection_sock {
	__u8 icsk_ca_state : 5;
	__u8 icsk_retransmits;
	__u8 icsk_pending;
};

struct minmax_sample {
	__u32 v;
};

struct tcp_sock {
	__u32 packets_out, sacked_out, lost_out, retrans_out, max_packets_out;
	__u32 snd_cwnd, snd_ssthresh, snd_una, snd_nxt, snd_cwnd_clamp;
	__u32 mss_cache, srtt_us;
	__u32 delivered, delivered_ce, lost, app_limited;
	__u8 ecn_flags;
	__u8 is_cwnd_limited : 1;
};

struct ack_sample {
	__s32 rtt_us;
};

struct rate_sample {
	__u32 prior_delivered, prior_in_flight;
	__s32 delivered, acked_sacked;
	long interval_us, rtt_us;
	bool is_app_limited;
};

struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 state);
	void (*cwnd_event)(struct sock *sk, int event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	__u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample);
	__u32 (*undo_cwnd)(struct sock *sk);
	char name[16];
	__u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

#pragma clang attribute pop

#define FAMILY_INET6 10
#define SYN_SENT 2	 /* TCP_SYN_SENT */
#define STATE_CWR 2	 /* TCP_CA_CWR */
#define STATE_RECOVERY 3 /* TCP_CA_Recovery */
#define EVENT_TX_START 0 /* CA_EVENT_TX_START */
#define PACING_NEEDED 1	 /* SK_PACING_NEEDED: TCP paces by itself, without the queue discipline fq */
#define ECN_OK 1	 /* TCP_ECN_OK */

/* As in crates/kernel/src/event.rs, which says what each field means. */
enum kind { BEGIN = 1, ACK, LOSS, STATE, CWND_EVENT, UNDO, END };

enum flag {
	CWND_LIMITED = 1,
	APP_LIMITED = 2,
	SAMPLE_APP_LIMITED = 4,
	TIMER = 8,
	HAS_LOST = 16,
	ECN = 32,
};
#define STATE_SHIFT 8 /* the flags have the state of recovery from this bit on */

struct event {
	__u64 now_ns, connection, seq;
	__u32 kind, arg, flags;
	__u32 cwnd, ssthresh, inflight, unsacked;
	__u32 newly_acked, inflight_before;
	__u32 mss, srtt_us;
	__s32 rtt_us;
	__u32 una, nxt;
	__u32 delivered, delivered_ce, lost, sacked_out, retransmits;
	__s32 rate_delivered, rate_interval_us;
	__u32 rate_prior_delivered;
	__u32 peer[4];
};

/* As in crates/kernel/src/answer.rs. Everything but `answers` is read and written under the lock. */
struct slot {
	struct bpf_spin_lock lock;
	__u32 cwnd;
	__u64 answers; /* the number of the newest event that the answer takes into account */
	__u32 ssthresh, quantum;
	__u64 pacing_rate; /* bytes per second, 0 for none */
};

struct answer {
	__u32 cwnd, ssthresh, quantum;
	__u64 pacing_rate;
	bool late; /* it is not about the newest event */
};

struct connection {
	__u64 id, seq;
	__u64 owed; /* the number of a loss whose threshold was late, or 0 */
	__u32 isn;
	__s32 held_rtt_us;
	__u32 held;    /* whether the event of an acknowledgement is still to be sent */
	__u32 quantum; /* of the last answer */
};

struct counts {
	__u64 in_time, late, reno, lost_events;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} connections SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 21);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} heartbeat SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counts);
} counts SEC(".maps");

__u64 last_id = 0;
/* The longest wait for an answer. */
#define WAIT_NS 50000
/* The age of the last heartbeat at which the program counts as gone. It sends one every 20 ms or more often. */
#define STALE_NS 100000000

extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

static __always_inline struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline struct inet_connection_sock *inet_csk(struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

static __always_inline struct connection *connection_of(struct sock *sk)
{
	return bpf_sk_storage_get(&connections, sk, 0, 0);
}

#define COUNT(field)                                                                                                             \
	do {                                                                                                                     \
		__u32 zero_ = 0;                                                                                                 \
		struct counts *counts_ = bpf_map_lookup_elem(&counts, &zero_);                                                   \
		if (counts_)                                                                                                     \
			__sync_fetch_and_add(&counts_->field, 1);                                                                \
	} while (0)

/* Whether the program has been heard of lately. */
static __always_inline bool alive(void)
{
	__u32 zero = 0;
	__u64 *last = bpf_map_lookup_elem(&heartbeat, &zero);
	/* The program may beat between the two readings: then the age is negative. */
	return last && (__s64)(bpf_ktime_get_ns() - *(volatile __u64 *)last) < STALE_NS;
}

/* As tcp_is_cwnd_limited. Bit fields move between kernels, so that they must be read by this macro. */
static __always_inline bool is_cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return true;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

/* Returns a reserved event with everything that each kind has, or null when the ring is full. */
static __always_inline struct event *reserve(struct sock *sk, struct connection *c, __u32 kind, __u32 arg)
{
	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);
	struct tcp_sock *tp = tcp_sk(sk);

	c->seq++;
	if (!e) {
		COUNT(lost_events);
		return 0;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->now_ns = bpf_ktime_get_ns();
	e->connection = c->id;
	e->seq = c->seq;
	e->kind = kind;
	e->arg = arg;
	if (is_cwnd_limited(tp))
		e->flags |= CWND_LIMITED;
	if (tp->app_limited)
		e->flags |= APP_LIMITED;
	/* The retransmission timer has nothing pending while it is handled; other callers have it or a probe pending. */
	if (!inet_csk(sk)->icsk_pending && tp->packets_out)
		e->flags |= TIMER;
	if (tp->lost_out)
		e->flags |= HAS_LOST;
	if (tp->ecn_flags & ECN_OK)
		e->flags |= ECN;
	e->flags |= (__u32)BPF_CORE_READ_BITFIELD(inet_csk(sk), icsk_ca_state) << STATE_SHIFT;
	e->cwnd = tp->snd_cwnd;
	e->ssthresh = tp->snd_ssthresh;
	e->unsacked = tp->packets_out - tp->sacked_out;
	e->inflight = e->unsacked - tp->lost_out + tp->retrans_out;
	e->mss = tp->mss_cache;
	e->srtt_us = tp->srtt_us >> 3;
	e->rtt_us = -1;
	e->una = tp->snd_una - c->isn;
	e->nxt = tp->snd_nxt - c->isn;
	e->delivered = tp->delivered;
	e->delivered_ce = tp->delivered_ce;
	e->lost = tp->lost;
	e->sacked_out = tp->sacked_out;
	e->retransmits = inet_csk(sk)->icsk_retransmits;
	e->rate_delivered = -1;
	e->rate_interval_us = -1;
	if (sk->__sk_common.skc_family == FAMILY_INET6 && bpf_core_field_exists(sk->__sk_common.skc_v6_daddr)) {
		e->peer[0] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0];
		e->peer[1] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1];
		e->peer[2] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2];
		e->peer[3] = sk->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3];
	} else {
		e->peer[0] = sk->__sk_common.skc_daddr;
	}
	return e;
}

/* Sends an event. Returns whether the ring had room for it. */
static __always_inline bool tell(struct sock *sk, struct connection *c, __u32 kind, __u32 arg)
{
	struct event *e = reserve(sk, c, kind, arg);

	if (e)
		bpf_ringbuf_submit(e, 0);
	return e;
}

/* Sends the event of the acknowledgement that `acked` has held. */
static __always_inline bool tell_held(struct sock *sk, struct connection *c, __u32 newly_acked)
{
	struct event *e = reserve(sk, c, ACK, 0);

	c->held = 0;
	if (!e)
		return false;
	e->rtt_us = c->held_rtt_us;
	e->newly_acked = newly_acked;
	bpf_ringbuf_submit(e, 0);
	return true;
}

struct waiting {
	struct slot *slot;
	__u64 seq, until;
	bool answered;
};

static long look(__u32 round, void *context)
{
	struct waiting *w = context;

	if (*(volatile __u64 *)&w->slot->answers >= w->seq) {
		w->answered = true;
		return 1;
	}
	return (round & 15) == 15 && bpf_ktime_get_ns() > w->until;
}

/* Waits for the answer to the newest event, and takes the last answer if it comes too late. Returns whether there is an answer. */
static __always_inline bool ask(struct connection *c, struct answer *answer)
{
	__u64 id = c->id;
	struct slot *slot = bpf_map_lookup_elem(&slots, &id);
	struct waiting w = { .slot = slot, .seq = c->seq };

	if (!slot || !alive())
		return false;
	w.until = bpf_ktime_get_ns() + WAIT_NS;
	bpf_loop(1 << 20, look, &w, 0);
	bpf_spin_lock(&slot->lock);
	answer->cwnd = slot->cwnd;
	answer->ssthresh = slot->ssthresh;
	answer->quantum = slot->quantum;
	answer->pacing_rate = slot->pacing_rate;
	bpf_spin_unlock(&slot->lock);
	answer->late = !w.answered;
	if (w.answered)
		COUNT(in_time);
	else
		COUNT(late);
	c->quantum = answer->quantum;
	return answer->cwnd > 0;
}

static __always_inline void set_cwnd(struct tcp_sock *tp, __u32 cwnd)
{
	tp->snd_cwnd = cwnd < tp->snd_cwnd_clamp ? cwnd : tp->snd_cwnd_clamp;
}

static __always_inline void begin(struct sock *sk)
{
	struct connection *c = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	struct slot empty = {};

	if (!c)
		return;
	c->id = __sync_fetch_and_add(&last_id, 1) + 1;
	c->seq = 0;
	c->owed = 0;
	c->held = 0;
	c->quantum = 0;
	c->isn = tcp_sk(sk)->snd_una;
	bpf_map_update_elem(&slots, &c->id, &empty, BPF_NOEXIST);
	tell(sk, c, BEGIN, 0);
}

SEC("struct_ops")
void BPF_PROG(window_init, struct sock *sk)
{
	begin(sk);
}

SEC("struct_ops")
void BPF_PROG(model_init, struct sock *sk)
{
	__sync_val_compare_and_swap(&sk->sk_pacing_status, 0, PACING_NEEDED);
	begin(sk);
}

SEC("struct_ops")
void BPF_PROG(release, struct sock *sk)
{
	struct connection *c = connection_of(sk);
	__u64 id;

	if (!c)
		return;
	tell(sk, c, END, 0);
	id = c->id;
	bpf_map_delete_elem(&slots, &id);
	/* A socket that is reset changes its state after this, which would begin another connection. */
	bpf_sk_storage_delete(&connections, sk);
}

static __always_inline __u32 at_least_two(__u32 ssthresh)
{
	return ssthresh < 2 ? 2 : ssthresh;
}

/*
 * A threshold from before the loss would make the kernel reduce nothing for the whole of recovery, as it asks only once. So Reno's
 * holds until the answer is there, unless the older one is lower.
 */
SEC("struct_ops")
__u32 BPF_PROG(window_ssthresh, struct sock *sk)
{
	struct connection *c = connection_of(sk);
	struct answer answer;
	__u32 of_reno = tcp_reno_ssthresh(sk);

	if (!c)
		goto reno;
	c->owed = 0;
	if (!tell(sk, c, LOSS, 0) || !ask(c, &answer))
		goto reno;
	if (answer.late) {
		c->owed = c->seq;
		if (of_reno < answer.ssthresh)
			return of_reno;
	}
	return at_least_two(answer.ssthresh);
reno:
	COUNT(reno);
	return of_reno;
}

/* Takes the threshold of a loss whose answer was late, once it is there. */
static __always_inline void take_owed(struct sock *sk, struct connection *c)
{
	__u64 id = c->id;
	struct slot *slot = bpf_map_lookup_elem(&slots, &id);
	__u64 answers;
	__u32 ssthresh;

	if (!slot)
		return;
	bpf_spin_lock(&slot->lock);
	answers = slot->answers;
	ssthresh = slot->ssthresh;
	bpf_spin_unlock(&slot->lock);
	if (answers < c->owed)
		return;
	c->owed = 0;
	tcp_sk(sk)->snd_ssthresh = at_least_two(ssthresh);
}

/* A model reduces its window by itself: its threshold has no part in that. */
SEC("struct_ops")
__u32 BPF_PROG(model_ssthresh, struct sock *sk)
{
	struct connection *c = connection_of(sk);
	struct answer answer;

	if (!c || !tell(sk, c, LOSS, 0) || !ask(c, &answer)) {
		COUNT(reno);
		return tcp_reno_ssthresh(sk);
	}
	return at_least_two(answer.ssthresh);
}

SEC("struct_ops")
__u32 BPF_PROG(undo, struct sock *sk)
{
	struct connection *c = connection_of(sk);
	struct answer answer;

	if (!c || !tell(sk, c, UNDO, 0) || !ask(c, &answer)) {
		COUNT(reno);
		return tcp_reno_undo_cwnd(sk);
	}
	return answer.cwnd;
}

SEC("struct_ops")
void BPF_PROG(state, struct sock *sk, __u8 new_state)
{
	struct connection *c = connection_of(sk);

	if (!c)
		return;
	tell(sk, c, STATE, new_state);
	/* A loss that an acknowledgement showed comes before the acknowledgement. */
	if (c->held && (new_state == STATE_CWR || new_state == STATE_RECOVERY))
		tell_held(sk, c, 0);
}

SEC("struct_ops")
void BPF_PROG(window_event, struct sock *sk, int event)
{
	struct connection *c = connection_of(sk);

	if (c)
		tell(sk, c, CWND_EVENT, event);
}

/* Comes with each acknowledgement, before losses are found; `cong_avoid` comes after, but not in recovery. */
SEC("struct_ops")
void BPF_PROG(acked, struct sock *sk, const struct ack_sample *sample)
{
	struct connection *c = connection_of(sk);
	__u8 now;

	if (!c)
		return;
	if (c->held)
		tell_held(sk, c, 0);
	c->held = 1;
	c->held_rtt_us = sample->rtt_us;
	now = BPF_CORE_READ_BITFIELD(inet_csk(sk), icsk_ca_state);
	if (now == STATE_CWR || now == STATE_RECOVERY) {
		if (c->owed)
			take_owed(sk, c);
		tell_held(sk, c, 0);
	} else {
		c->owed = 0;
	}
}

SEC("struct_ops")
void BPF_PROG(cong_avoid, struct sock *sk, __u32 ack, __u32 newly_acked)
{
	struct connection *c = connection_of(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	struct answer answer;

	if (!c || !tell_held(sk, c, newly_acked) || !ask(c, &answer)) {
		COUNT(reno);
		tcp_reno_cong_avoid(sk, ack, newly_acked);
		return;
	}
	tp->snd_ssthresh = answer.ssthresh;
	set_cwnd(tp, answer.cwnd);
}

static __always_inline void apply(struct sock *sk, const struct answer *answer)
{
	set_cwnd(tcp_sk(sk), answer->cwnd);
	if (answer->pacing_rate)
		sk->sk_pacing_rate = answer->pacing_rate;
}

/* Reno for a control that owns the window: the kernel then reduces nothing by itself. */
static __always_inline void reno(struct sock *sk, __u32 ack, __u32 newly_acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	__u8 now = BPF_CORE_READ_BITFIELD(inet_csk(sk), icsk_ca_state);

	COUNT(reno);
	sk->sk_pacing_rate = ~0UL;
	if (now == STATE_CWR || now == STATE_RECOVERY) {
		if (tp->snd_cwnd > tp->snd_ssthresh)
			tp->snd_cwnd = tp->snd_ssthresh;
	} else {
		tcp_reno_cong_avoid(sk, ack, newly_acked);
	}
}

static __always_inline bool tell_sample(struct sock *sk, struct connection *c, const struct rate_sample *sample)
{
	struct event *e = reserve(sk, c, ACK, 0);

	if (!e)
		return false;
	e->newly_acked = sample->acked_sacked;
	e->inflight_before = sample->prior_in_flight;
	e->rtt_us = sample->rtt_us;
	e->rate_delivered = sample->delivered;
	e->rate_interval_us = sample->interval_us;
	e->rate_prior_delivered = sample->prior_delivered;
	if (sample->is_app_limited)
		e->flags |= SAMPLE_APP_LIMITED;
	bpf_ringbuf_submit(e, 0);
	return true;
}

SEC("struct_ops")
void BPF_PROG(cong_control, struct sock *sk, __u32 ack, int flag, const struct rate_sample *sample)
{
	struct connection *c = connection_of(sk);
	struct answer answer;

	/* The answer to the handshake comes before `init`. */
	if (!c && sk->__sk_common.skc_state == SYN_SENT)
		return;
	if (c && tell_sample(sk, c, sample) && ask(c, &answer))
		apply(sk, &answer);
	else
		reno(sk, ack, sample->acked_sacked);
}

/* A model sets its rate anew when a pause ends. */
SEC("struct_ops")
void BPF_PROG(model_event, struct sock *sk, int event)
{
	struct connection *c = connection_of(sk);
	struct answer answer;

	if (!c)
		return;
	if (tell(sk, c, CWND_EVENT, event) && event == EVENT_TX_START && ask(c, &answer))
		apply(sk, &answer);
}

SEC("struct_ops")
__u32 BPF_PROG(quantum, struct sock *sk)
{
	struct connection *c = connection_of(sk);

	return c && c->quantum ? c->quantum : 2;
}

/* The name and the flags are set before the object is loaded, and one of the two is left out. */
SEC(".struct_ops.link")
struct tcp_congestion_ops window = {
	.init = (void *)window_init,
	.release = (void *)release,
	.ssthresh = (void *)window_ssthresh,
	.cong_avoid = (void *)cong_avoid,
	.pkts_acked = (void *)acked,
	.set_state = (void *)state,
	.cwnd_event = (void *)window_event,
	.undo_cwnd = (void *)undo,
	.flags = 1,
	.name = "ackclock_window",
};

SEC(".struct_ops.link")
struct tcp_congestion_ops model = {
	.init = (void *)model_init,
	.release = (void *)release,
	.ssthresh = (void *)model_ssthresh,
	.cong_control = (void *)cong_control,
	.set_state = (void *)state,
	.cwnd_event = (void *)model_event,
	.undo_cwnd = (void *)undo,
	.min_tso_segs = (void *)quantum,
	.flags = 1,
	.name = "ackclock_model",
};
