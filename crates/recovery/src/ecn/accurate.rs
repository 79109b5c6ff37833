//! Accurate ECN (RFC 9768): what the sender makes of a count of marks of which it sees three bits, and what the receiver's bytes
//! say beside it where they arrive.

/// What an acknowledgement says (RFC 9768 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccurateFeedback {
    /// The ACE field: how many packets have arrived marked, and five, modulo 8.
    pub ace: u8,
    /// ECEB: the payload of those, modulo 2^24, where the option is there.
    pub marked_bytes: Option<u32>,
}

/// The counters begin at five, so that a field of zeros in the first acknowledgement shows a middlebox that has cleared it
/// (section 3.2.1).
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
    /// How many packets more have arrived marked, by an acknowledgement of so many packets of so many payload bytes in all. One that
    /// acknowledges nothing new may have been overtaken, and tells of none.
    ///
    /// Section 3.2.2.5.2: up to seven the field tells. Beyond it may have wrapped, unseen, and the safest likely case is as many whole
    /// rounds as there were packets, but no more than the bytes show.
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

    /// An acknowledgement of so many packets of 100 bytes with this field after the five that both sides begin with.
    fn take(packets: u64, delta: u8, marked_bytes: Option<u32>) -> u64 {
        let feedback = AccurateFeedback { ace: (FIRST_CEP + delta) % 8, marked_bytes };
        AccurateCounters::default().take(feedback, packets, 100 * packets)
    }

    #[test]
    fn the_field_tells_up_to_seven_packets_and_the_safest_likely_case_beyond() {
        // Nothing wraps within five packets. Of ten one, or nine with a wrap; two, or ten: the document's own example.
        assert_eq!((take(5, 3, None), take(7, 7, None), take(0, 3, None)), (3, 7, 0));
        assert_eq!((take(10, 1, None), take(10, 2, None), take(10, 3, None)), (9, 10, 3));
        // 16 packets and a field that has not moved: two wraps, unless the bytes have not moved either.
        assert_eq!((take(16, 0, None), take(16, 0, Some(0))), (16, 0));
        // Nine packets' bytes of ten are nine, one packet's bytes are one.
        assert_eq!((take(10, 1, Some(900)), take(10, 1, Some(100))), (9, 1));
    }

    #[test]
    fn the_bytes_wrap_at_two_to_the_24() {
        let mut counters = AccurateCounters { marked: 5, bytes: BYTES - 100 };
        assert_eq!(counters.take(AccurateFeedback { ace: 6, marked_bytes: Some(0) }, 10, 1000), 1);
        assert_eq!(counters.bytes, 0);
    }

    /// Packets of 100 bytes, marked or not, and after how many the next acknowledgement is that arrives.
    fn marks() -> impl Strategy<Value = Vec<Vec<bool>>> {
        prop::collection::vec(prop::collection::vec(any::<bool>(), 1..40), 1..60)
    }

    proptest! {
        #[test]
        fn what_is_counted_is_what_was_marked(mut groups in marks(), options in any::<bool>()) {
            // Without a loss of acknowledgements there is one for no more than seven packets.
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
        fn where_acknowledgements_are_lost_the_bytes_tell_and_without_them_none_is_missed(groups in marks()) {
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
