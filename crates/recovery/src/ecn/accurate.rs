//! Accurate ECN (RFC 9768): how the sender reconstructs a count of marks of which it sees three bits, with
//! the help of the receiver's byte count if that arrives.

/// The feedback of an acknowledgement (RFC 9768 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccurateFeedback {
    /// The ACE field: the number of marked packets that have arrived plus five, modulo 8.
    pub ace: u8,
    /// ECEB: the payload bytes of those packets, modulo 2^24; `None` without the option.
    pub marked_bytes: Option<u32>,
}

/// The initial value of the packet counters, so that a field of zeros in the first acknowledgement reveals a
/// middlebox that clears it (section 3.2.1).
pub const FIRST_CEP: u8 = 5;
const FIELD: u64 = 8;
const BYTES: u32 = 1 << 24;

/// The sender's counters: s.cep and s.ceb.
#[derive(Clone, Copy, Debug)]
pub struct AccurateCounters {
    marked: u64,
    bytes: u32,
    /// The mean number of packets that an acknowledgement newly acknowledges, times [`PRECISION`]; zero before
    /// the first.
    covered: u64,
}

/// The weight of a new value in the mean number of packets per acknowledgement is one in 64, and the mean is kept in
/// 64ths (Linux, PKTS_ACKED_WEIGHT and PKTS_ACKED_PREC).
const WEIGHT: u64 = 64;
const PRECISION: u64 = 64;

/// Acknowledgements that cover more packets than this in the mean are thinned on their way or by the receiver (Linux,
/// ACK_COMP_THRESH).
const THINNED: u64 = 4;

impl Default for AccurateCounters {
    fn default() -> Self {
        Self { marked: u64::from(FIRST_CEP), bytes: 0, covered: 0 }
    }
}

impl AccurateCounters {
    /// Returns the number of marks counted since the connection began.
    pub fn counted(&self) -> u64 {
        self.marked - u64::from(FIRST_CEP)
    }

    /// Returns how many more packets have arrived marked, by an acknowledgement that newly acknowledges
    /// `packets` packets with `bytes` bytes of payload in total. An acknowledgement of nothing new may have
    /// been overtaken, and reports zero.
    ///
    /// Up to seven packets, the field gives the number (section 3.2.2.5.2). Beyond that it may have wrapped
    /// unseen. The safest likely case assumes as many whole wraps as fit into the packets, but no more marks
    /// than the bytes show. Without the bytes it assumes none if acknowledgements usually cover many packets, because
    /// then an acknowledgement of many is no sign that others were lost (Linux, __tcp_accecn_process; the RFC
    /// leaves to the sender what is likely).
    pub fn take(&mut self, feedback: AccurateFeedback, packets: u64, bytes: u64) -> u64 {
        if packets == 0 {
            return 0;
        }
        self.note_covered(packets);
        let delta = (u64::from(feedback.ace) + FIELD - self.marked % FIELD) % FIELD;
        let new_bytes = feedback.marked_bytes.map(|marked| marked.wrapping_sub(self.bytes) % BYTES);
        let new = if packets < FIELD {
            delta
        } else {
            let safer = packets - (packets - delta) % FIELD;
            match new_bytes {
                None if self.covered > THINNED * PRECISION => delta,
                None => safer,
                Some(0) => delta,
                Some(new_bytes) => safer.min((u64::from(new_bytes) * packets).div_ceil(bytes.max(1))),
            }
        };
        self.marked += new;
        self.bytes = feedback.marked_bytes.unwrap_or(self.bytes);
        new
    }

    fn note_covered(&mut self, packets: u64) {
        let now = packets * PRECISION;
        let mean = if self.covered == 0 { now } else { (self.covered * (WEIGHT - 1) + now) / WEIGHT };
        self.covered = mean.min(u64::from(u16::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns counters to which acknowledgements of `packets` packets have been usual, without marks.
    fn used_to(packets: u64) -> AccurateCounters {
        AccurateCounters { covered: packets * PRECISION, ..AccurateCounters::default() }
    }

    /// Returns the marks counted at the first mark after acknowledgements of two packets each, by an acknowledgement of
    /// `packets` packets of 100 bytes, if the ACE field has advanced by `delta`.
    fn take(packets: u64, delta: u8, marked_bytes: Option<u32>) -> u64 {
        let feedback = AccurateFeedback { ace: (FIRST_CEP + delta) % 8, marked_bytes };
        used_to(2).take(feedback, packets, 100 * packets)
    }

    #[test]
    fn where_acknowledgements_are_thinned_a_field_without_bytes_is_taken_as_it_is() {
        // Acknowledgements cover ten packets each. A field that has not moved means no mark, one that has moved by one
        // means one mark, and the bytes of nine packets mean nine. The first acknowledgement counts as usual.
        let thinned = |delta, marked_bytes| {
            let feedback = AccurateFeedback { ace: (FIRST_CEP + delta) % 8, marked_bytes };
            used_to(10).take(feedback, 10, 1000)
        };
        assert_eq!((thinned(0, None), thinned(1, None), thinned(1, Some(900))), (0, 1, 9));
        let first = AccurateFeedback { ace: FIRST_CEP, marked_bytes: None };
        assert_eq!(AccurateCounters::default().take(first, 10, 1000), 0);
        // From a mean of two, n acknowledgements of ten packets make 10 - 8 (63/64)^n, which is 4.07 at the 19th. The mean
        // is rounded down to 64ths each time, so it exceeds four one acknowledgement later.
        let mut counters = used_to(2);
        let counts: Vec<u64> = (0..20).map(|_| counters.take(first, 10, 1000)).collect();
        assert_eq!(counts.iter().position(|marks| *marks == 0), Some(19));
        assert!(counts[..19].iter().all(|marks| *marks == 8));
    }

    #[test]
    fn the_field_counts_up_to_seven_packets_and_the_safest_likely_case_holds_beyond() {
        // Nothing wraps within seven packets. With ten packets, a field that has advanced by one means nine
        // marks, with a wrap, and one that has advanced by two means ten: the example of RFC 9768.
        assert_eq!((take(5, 3, None), take(7, 7, None), take(0, 3, None)), (3, 7, 0));
        assert_eq!((take(10, 1, None), take(10, 2, None), take(10, 3, None)), (9, 10, 3));
        // With 16 packets, a field that has not moved means two wraps, unless the bytes have not moved
        // either.
        assert_eq!((take(16, 0, None), take(16, 0, Some(0))), (16, 0));
        // The bytes of nine packets mean nine marks, those of one packet one mark.
        assert_eq!((take(10, 1, Some(900)), take(10, 1, Some(100))), (9, 1));
    }

    #[test]
    fn the_bytes_wrap_at_two_to_the_24() {
        let mut counters = AccurateCounters { bytes: BYTES - 100, ..AccurateCounters::default() };
        assert_eq!(counters.take(AccurateFeedback { ace: 6, marked_bytes: Some(0) }, 10, 1000), 1);
        assert_eq!(counters.bytes, 0);
    }

    /// Generates groups of packets of 100 bytes, marked or not. After each group an acknowledgement arrives.
    fn marks() -> impl Strategy<Value = Vec<Vec<bool>>> {
        prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 1..60)
    }

    proptest! {
        #[test]
        fn the_count_is_the_number_of_marked_packets(mut groups in marks(), options in any::<bool>()) {
            // No acknowledgement is lost in this test, and each covers at most seven packets, so the field
            // never wraps unseen.
            groups.iter_mut().for_each(|group| group.truncate(7));
            let (mut counters, mut marked, mut counted) = (AccurateCounters::default(), 0, 0);
            for group in &groups {
                marked += group.iter().filter(|mark| **mark).count() as u64;
                let feedback = AccurateFeedback {
                    ace: ((u64::from(FIRST_CEP) + marked) % 8) as u8,
                    marked_bytes: options.then_some(100 * marked as u32),
                };
                counted += counters.take(feedback, group.len() as u64, 100 * group.len() as u64);
                prop_assert_eq!(counted, marked);
            }
        }

        #[test]
        fn if_acknowledgements_are_lost_bytes_give_the_count_and_without_bytes_no_mark_is_missed(groups in marks()) {
            // Most acknowledgements arrive, so the mean stays at two packets, and those lost leave gaps.
            let (mut told, mut blind) = (AccurateCounters::default(), AccurateCounters::default());
            let (mut marked, mut counted, mut assumed) = (0, 0, 0);
            for group in &groups {
                marked += group.iter().filter(|mark| **mark).count() as u64;
                let ace = ((u64::from(FIRST_CEP) + marked) % 8) as u8;
                let (packets, bytes) = (group.len() as u64, 100 * group.len() as u64);
                let marked_bytes = Some(100 * marked as u32);
                counted += told.take(AccurateFeedback { ace, marked_bytes }, packets, bytes);
                prop_assert_eq!(counted, marked);
                blind.covered = 2 * PRECISION;
                assumed += blind.take(AccurateFeedback { ace, marked_bytes: None }, packets, bytes);
                prop_assert!(assumed >= marked && (assumed - marked) % 8 == 0);
            }
        }
    }
}
