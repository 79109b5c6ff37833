//! Counts of times in logarithmic bins: octaves, each divided into 1024 equal parts. Only the pages of bins in which
//! something lies take room.

/// A bin is 1/1024 of its octave's beginning wide, so what lies in it is known within 0.098 %.
const SUB_BITS: u32 = 10;
const SUB: u64 = 1 << SUB_BITS;
const BINS: usize = ((64 - SUB_BITS + 1) as usize) << SUB_BITS;
/// Bins that take room together: 64, a sixteenth of an octave in 256 bytes.
const PAGE_BITS: u32 = 6;
const PAGE: usize = 1 << PAGE_BITS;
const PAGES: usize = BINS >> PAGE_BITS;
const NO_PAGE: u16 = u16::MAX;

/// How many samples lie in each bin.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    /// Which page of `counts` holds these bins.
    directory: Box<[u16]>,
    counts: Vec<u32>,
}

impl Bins {
    pub(super) fn new() -> Self {
        Self { directory: vec![NO_PAGE; PAGES].into(), counts: Vec::new() }
    }

    /// Counts samples.
    pub(super) fn take(&mut self, samples: &[u64]) {
        for &ns in samples {
            self.add(bin_of(ns), 1);
        }
    }

    /// Counts what another has counted.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (bin, count) in other.filled() {
            self.add(bin, count);
        }
    }

    /// About the sample of that rank, counted from 1: as if those of its bin lay evenly in it. It and the sample lie in
    /// the same bin. `None` for a rank beyond the last.
    pub(super) fn at_rank(&self, rank: u64) -> Option<f64> {
        let mut below = 0;
        self.filled().find_map(|(bin, count)| {
            let place = rank - below;
            below += u64::from(count);
            (below >= rank).then(|| {
                let (low, last) = bounds_of(bin);
                low as f64 + (last - low) as f64 * (place as f64 - 0.5) / f64::from(count)
            })
        })
    }

    /// The bins in which something lies, in order, with how much.
    fn filled(&self) -> impl Iterator<Item = (usize, u32)> {
        self.directory.iter().enumerate().filter(|(_, page)| **page != NO_PAGE).flat_map(|(n, page)| {
            let counts = &self.counts[usize::from(*page) << PAGE_BITS..][..PAGE];
            let bins = counts.iter().enumerate().filter(|(_, count)| **count > 0);
            bins.map(move |(offset, count)| ((n << PAGE_BITS) + offset, *count))
        })
    }

    #[inline]
    fn add(&mut self, bin: usize, count: u32) {
        let mut page = self.directory[bin >> PAGE_BITS];
        if page == NO_PAGE {
            page = self.new_page(bin >> PAGE_BITS);
        }
        let counted = &mut self.counts[(usize::from(page) << PAGE_BITS) | (bin & (PAGE - 1))];
        *counted = counted.saturating_add(count);
    }

    #[cold]
    fn new_page(&mut self, number: usize) -> u16 {
        let page = (self.counts.len() >> PAGE_BITS) as u16;
        self.counts.reserve_exact(PAGE);
        self.counts.resize(self.counts.len() + PAGE, 0);
        self.directory[number] = page;
        page
    }

    /// Bytes of memory.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.directory) + self.counts.capacity() * size_of::<u32>()
    }
}

#[inline]
fn bin_of(ns: u64) -> usize {
    if ns < SUB {
        return ns as usize;
    }
    let octave = 63 - ns.leading_zeros() - SUB_BITS;
    (((u64::from(octave) + 1) << SUB_BITS) + ((ns >> octave) - SUB)) as usize
}

/// The first and the last nanosecond of a bin.
fn bounds_of(bin: usize) -> (u64, u64) {
    let (octave, sub) = ((bin as u64) >> SUB_BITS, (bin as u64) & (SUB - 1));
    if octave == 0 {
        return (sub, sub);
    }
    let low = (SUB + sub) << (octave - 1);
    (low, low + ((1 << (octave - 1)) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bins_follow_each_other_without_gaps() {
        // Up to 2047 ns a bin for each nanosecond, then two to a bin, and so on to the last of all.
        assert_eq!((bounds_of(0), bounds_of(2047), bounds_of(2048)), ((0, 0), (2047, 2047), (2048, 2049)));
        for bin in 1..BINS {
            assert_eq!(bounds_of(bin - 1).1 + 1, bounds_of(bin).0, "{bin}");
        }
        assert_eq!(bounds_of(BINS - 1).1, u64::MAX);
    }

    proptest! {
        #[test]
        fn a_time_lies_in_its_bin_which_is_narrow(magnitude in 0_u32..64, ns in any::<u64>()) {
            let ns = ns >> magnitude;
            let (low, last) = bounds_of(bin_of(ns));
            prop_assert!(low <= ns && ns <= last);
            prop_assert!(last - low <= low / SUB);
        }
    }
}
