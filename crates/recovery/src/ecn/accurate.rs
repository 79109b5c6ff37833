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
}

impl Default for AccurateCounters {
    fn default() -> Self {
        Self { marked: u64::from(FIRST_CEP), bytes: 0 }
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
    /// than the bytes show.
    pub fn take(&mut self, feedback: AccurateFeedback, packets: u64, bytes: u64) -> u64 {
        if packets == 0 {
            return 0;
        }
        let delta = (u64::from(feedback.ace) + FIELD - self.marked % FIELD) % FIELD;
        let new_bytes = feedback.marked_bytes.map(|marked| marked.wrapping_sub(self.bytes) % BYTES);
        let new = if packets < FIELD {
            delta
        } else {
            let safer = packets - (packets - delta) % FIELD;
            match new_bytes {
                None => safer,
                Some(0) => delta,
                Some(new_bytes) => safer.min((u64::from(new_bytes) * packets).div_ceil(bytes.max(1))),
            }
        };
        self.marked += new;
        self.bytes = feedback.marked_bytes.unwrap_or(self.bytes);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the marks counted at the first acknowledgement, of `packets` packets of 100 bytes, if the ACE
    /// field has advanced by `delta`.
    fn take(packets: u64, delta: u8, marked_bytes: Option<u32>) -> u64 {
        let feedback = AccurateFeedback { ace: (FIRST_CEP + delta) % 8, marked_bytes };
        AccurateCounters::default().take(feedback, packets, 100 * packets)
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
        let mut counters = AccurateCounters { marked: 5, bytes: BYTES - 100 };
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
            let (mut told, mut blind) = (AccurateCounters::default(), AccurateCounters::default());
            let (mut marked, mut counted, mut assumed) = (0, 0, 0);
            for group in &groups {
                marked += group.iter().filter(|mark| **mark).count() as u64;
                let ace = ((u64::from(FIRST_CEP) + marked) % 8) as u8;
                let (packets, bytes) = (group.len() as u64, 100 * group.len() as u64);
                let marked_bytes = Some(100 * marked as u32);
                counted += told.take(AccurateFeedback { ace, marked_bytes }, packets, bytes);
                prop_assert_eq!(counted, marked);
                assumed += blind.take(AccurateFeedback { ace, marked_bytes: None }, packets, bytes);
                prop_assert!(assumed >= marked && (assumed - marked) % 8 == 0);
            }
        }
    }
}
