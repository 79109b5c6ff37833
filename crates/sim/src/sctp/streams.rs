//! Streams (RFC 9260 sections 2.2, 6.5, 6.6): messages of one stream are delivered in their order, and those
//! of other streams do not wait for them. Messages fill one chunk each and take the streams in turn, so that
//! a TSN determines its stream.

/// The delivery to the application.
#[derive(Clone, Debug)]
pub struct Streams {
    /// For each stream, the next TSN to deliver; empty if messages are unordered.
    next: Vec<u64>,
    delivered: u64,
}

impl Streams {
    /// Creates the state of `streams` streams before any delivery.
    pub fn new(streams: u32, ordered: bool) -> Self {
        let streams = if ordered { u64::from(streams.max(1)) } else { 0 };
        Self { next: (0..streams).collect(), delivered: 0 }
    }

    /// Returns the number of messages delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// Called when chunk `tsn` arrives for the first time. `has` tells whether another chunk has arrived.
    /// Returns the number of messages that can be delivered now.
    #[inline]
    pub fn on_arrival(&mut self, tsn: u64, has: impl Fn(u64) -> bool) -> u64 {
        let before = self.delivered;
        let streams = self.next.len() as u64;
        if streams == 0 {
            self.delivered += 1;
        } else {
            let next = &mut self.next[(tsn % streams) as usize];
            if tsn == *next {
                loop {
                    *next += streams;
                    self.delivered += 1;
                    if !has(*next) {
                        break;
                    }
                }
            }
        }
        self.delivered - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns, for each arrival, the number of messages that it delivers.
    fn deliveries(mut streams: Streams, arrivals: &[u64]) -> Vec<u64> {
        let on = |index: usize| {
            let here = &arrivals[..=index];
            streams.on_arrival(arrivals[index], |tsn| here.contains(&tsn))
        };
        (0..arrivals.len()).map(on).collect()
    }

    #[test]
    fn a_missing_message_holds_back_its_own_stream_only() {
        // Chunk 1 arrives last. With one stream, 2, 3 and 4 wait for it. With two streams, 2 and 4 belong to
        // the other one. Without order, no message waits.
        let arrivals = [0, 2, 3, 4, 1];
        assert_eq!(deliveries(Streams::new(1, true), &arrivals), [1, 0, 0, 0, 4]);
        assert_eq!(deliveries(Streams::new(2, true), &arrivals), [1, 1, 0, 1, 2]);
        assert_eq!(deliveries(Streams::new(2, false), &arrivals), [1; 5]);
    }
}
