//! Counts of times in logarithmic bins: octaves, each divided into 1024 equal parts. Only pages of bins that
//! contain samples take memory.

/// The binary logarithm of the number of bins per octave. A bin is 1/1024 of the lower bound of its octave
/// wide, so a sample is known within 0.098 %.
const SUB_BITS: u32 = 10;
const SUB: u64 = 1 << SUB_BITS;
#[cfg(test)]
const BINS: usize = ((64 - SUB_BITS + 1) as usize) << SUB_BITS;
/// The binary logarithm of the number of bins per page: 64 bins, a sixteenth of an octave.
const PAGE_BITS: u32 = 6;
const PAGE: usize = 1 << PAGE_BITS;
/// The number of pages that are allocated at a time.
const ROOM: usize = 8;
/// The directory entry of a page without memory, which leads every bin to a place beyond all counts.
const NO_PAGE: u32 = 1 << 31;

/// The number of samples in each bin.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins {
    /// For each page from the first to the last with samples, the number that is added, wrapping, to the
    /// number of a bin to find the place of its count.
    directory: Vec<u32>,
    first_page: usize,
    counts: Counts,
}

/// The counts in the narrowest type that holds them. A flow of a few thousand packets seldom has 256 samples
/// in a bin.
#[derive(Clone, Debug)]
enum Counts {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

impl Default for Counts {
    fn default() -> Self {
        Self::Narrow(Vec::new())
    }
}

impl Counts {
    fn pages(&self) -> usize {
        match self {
            Self::Narrow(counts) => counts.len() >> PAGE_BITS,
            Self::Wide(counts) => counts.len() >> PAGE_BITS,
        }
    }

    fn add_page(&mut self) {
        match self {
            Self::Narrow(counts) => grow(counts),
            Self::Wide(counts) => grow(counts),
        }
    }

    fn get(&self, place: usize) -> u32 {
        match self {
            Self::Narrow(counts) => u32::from(counts[place]),
            Self::Wide(counts) => counts[place],
        }
    }

    fn add(&mut self, place: usize, count: u32) {
        if let Self::Narrow(counts) = self {
            match u8::try_from(u64::from(counts[place]) + u64::from(count)) {
                Ok(sum) => {
                    counts[place] = sum;
                    return;
                }
                Err(_) => *self = Self::Wide(counts.iter().map(|count| u32::from(*count)).collect()),
            }
        }
        if let Self::Wide(counts) = self {
            counts[place] = counts[place].saturating_add(count);
        }
    }
}

/// Adds a page, and reserves memory for a few more, because a histogram has few pages and an allocation costs
/// more than a page.
fn grow<T: Clone + Default>(counts: &mut Vec<T>) {
    if counts.len() == counts.capacity() {
        counts.reserve_exact(ROOM * PAGE);
    }
    counts.resize(counts.len() + PAGE, T::default());
}

impl Bins {
    /// Counts samples.
    pub(super) fn take(&mut self, mut samples: &[u64]) {
        loop {
            let Self { directory, first_page, counts } = self;
            let counted = match counts {
                Counts::Narrow(counts) => {
                    count(samples, directory, *first_page, counts, |n| n.checked_add(1))
                }
                Counts::Wide(counts) => count(samples, directory, *first_page, counts, |n| n.checked_add(1)),
            };
            let Some((&ns, others)) = samples[counted..].split_first() else { return };
            self.add(bin_of(ns), 1);
            samples = others;
        }
    }

    /// Adds the counts of another histogram.
    pub(super) fn absorb(&mut self, other: &Self) {
        for (bin, count) in other.filled() {
            self.add(bin, count);
        }
    }

    /// Returns an estimate of the sample of this rank, counted from 1, as if the samples of its bin lay
    /// evenly in it. The estimate and the sample lie in the same bin. Returns `None` for a rank beyond the
    /// last.
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

    /// Returns the bins that contain samples, in order, with their counts.
    fn filled(&self) -> impl Iterator<Item = (usize, u32)> {
        let pages = self.directory.iter().enumerate().filter(|(_, page)| **page != NO_PAGE);
        pages.flat_map(move |(n, page)| {
            let first_bin = (self.first_page + n) << PAGE_BITS;
            let counts =
                (first_bin..first_bin + PAGE).map(|bin| (bin, self.counts.get(place_of(bin, *page))));
            counts.filter(|(_, count)| *count > 0)
        })
    }

    fn add(&mut self, bin: usize, count: u32) {
        let number = bin >> PAGE_BITS;
        let page = match self.directory.get(number.wrapping_sub(self.first_page)) {
            Some(page) if *page != NO_PAGE => *page,
            _ => self.new_page(number),
        };
        self.counts.add(place_of(bin, page), count);
    }

    #[cold]
    fn new_page(&mut self, number: usize) -> u32 {
        if self.directory.is_empty() {
            self.first_page = number;
        }
        if number < self.first_page {
            let more = self.first_page - number;
            self.directory.splice(0..0, std::iter::repeat_n(NO_PAGE, more));
            self.first_page = number;
        }
        let place = number - self.first_page;
        if place >= self.directory.len() {
            self.directory.reserve_exact(place + 1 - self.directory.len());
            self.directory.resize(place + 1, NO_PAGE);
        }
        let page = (self.counts.pages() as u32).wrapping_sub(number as u32) << PAGE_BITS;
        self.counts.add_page();
        self.directory[place] = page;
        page
    }

    /// Returns the memory used in bytes.
    #[cfg(test)]
    pub(super) fn room(&self) -> usize {
        let counts = match &self.counts {
            Counts::Narrow(counts) => counts.capacity(),
            Counts::Wide(counts) => counts.capacity() * size_of::<u32>(),
        };
        size_of::<Self>() + self.directory.capacity() * size_of::<u32>() + counts
    }
}

/// Counts samples one by one up to the first whose bin has no memory or is full. Returns how many were
/// counted.
#[inline]
fn count<T: Copy>(
    samples: &[u64],
    directory: &[u32],
    first_page: usize,
    counts: &mut [T],
    one_more: impl Fn(T) -> Option<T>,
) -> usize {
    for (counted, &ns) in samples.iter().enumerate() {
        let bin = bin_of(ns);
        let page = directory.get((bin >> PAGE_BITS).wrapping_sub(first_page));
        let place = page.and_then(|page| counts.get_mut(place_of(bin, *page)));
        let Some(place) = place else { return counted };
        let Some(more) = one_more(*place) else { return counted };
        *place = more;
    }
    samples.len()
}

/// Returns the place of the count of a bin, which is in the page with the directory entry `page`.
#[inline]
fn place_of(bin: usize, page: u32) -> usize {
    (bin as u32).wrapping_add(page) as usize
}

/// Returns the bin of a time. Up to twice [`SUB`] each nanosecond has its own bin; after that each octave
/// begins [`SUB`] bins after the previous one.
#[inline]
fn bin_of(ns: u64) -> usize {
    let octave = (ns | SUB).ilog2() - SUB_BITS;
    ((u64::from(octave) << SUB_BITS) + (ns >> octave)) as usize
}

/// Returns the first and the last nanosecond of a bin.
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
        // Up to 2047 ns there is a bin per nanosecond, then one per two nanoseconds, and so on up to the
        // last.
        assert_eq!((bounds_of(0), bounds_of(2047), bounds_of(2048)), ((0, 0), (2047, 2047), (2048, 2049)));
        for bin in 1..BINS {
            assert_eq!(bounds_of(bin - 1).1 + 1, bounds_of(bin).0, "{bin}");
        }
        assert_eq!(bounds_of(BINS - 1).1, u64::MAX);
    }

    #[test]
    fn counts_are_exact_beyond_255() {
        // The bin of 5000 ns gets 255 samples, then one more; the bins of 7 ns and of 100,000 ns must not
        // change.
        let mut bins = Bins::default();
        bins.take(&[5000; 255]);
        bins.take(&[100_000, 100_000, 7]);
        let narrow = bins.room();
        bins.take(&[5000]);
        assert!(bins.room() > narrow);
        let mut twice = bins.clone();
        twice.absorb(&bins);
        let counts = |bins: &Bins| bins.filled().map(|(_, count)| count).collect::<Vec<_>>();
        assert_eq!((counts(&bins), counts(&twice)), (vec![1, 256, 2], vec![2, 512, 4]));
        assert_eq!(bins.filled().map(|(bin, _)| bin).collect::<Vec<_>>(), [7, 5000, 100_000].map(bin_of));
    }

    proptest! {
        #[test]
        fn a_time_lies_in_a_narrow_bin(magnitude in 0_u32..64, ns in any::<u64>()) {
            let ns = ns >> magnitude;
            let (low, last) = bounds_of(bin_of(ns));
            prop_assert!(low <= ns && ns <= last);
            prop_assert!(last - low <= low / SUB);
        }
    }
}
