//! Hashing of flows to queues.

use ackclock_base::Random;

/// Mixes the bits of `number` with the finaliser of SplitMix64 (Steele, Lea and Flood 2014): each bit of the number moves half
/// of the hash's.
pub(crate) fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Draws the salt that makes one link's hash differ from another's (RFC 8290 section 4.1.2).
pub(crate) fn draw_salt(random: &mut dyn Random) -> u64 {
    (random.uniform() * (1_u64 << 53) as f64) as u64
}

/// A table that hashes flows to buckets, and numbers the buckets in the order in which flows first use them,
/// so that memory and searches grow with the buckets in use.
#[derive(Clone, Debug)]
pub struct Buckets {
    /// The number of each bucket; `None` if no flow has used it.
    numbers: Vec<Option<u32>>,
    used: u32,
    /// The salt of the hash; drawn when the first packet arrives.
    salt: Option<u64>,
}

impl Buckets {
    /// Creates a table of `count` buckets, none of them used.
    pub fn new(count: usize) -> Self {
        Self { numbers: vec![None; count], used: 0, salt: None }
    }

    /// Returns the number of the bucket of `flow`. A bucket that no flow has used before gets the next number.
    pub fn number_of(&mut self, flow: u32, random: &mut dyn Random) -> u32 {
        let salt = *self.salt.get_or_insert_with(|| draw_salt(random));
        let bucket = mix(salt ^ u64::from(flow)) % self.numbers.len() as u64;
        let Self { numbers, used, .. } = self;
        *numbers[bucket as usize].get_or_insert_with(|| {
            *used += 1;
            *used - 1
        })
    }

    /// Draws another hash and forgets which buckets have been used.
    pub fn change_hash(&mut self, random: &mut dyn Random) {
        self.salt = Some(draw_salt(random));
        self.numbers.fill(None);
        self.used = 0;
    }
}
