//! A control in the kernel.

use crate::missing;
use ackclock_kernel::{Answer, Offer, Report, offer};
use libbpf_rs::{ErrorKind, Link, MapCore, MapFlags, MapHandle, Object, ObjectBuilder};

/// The kernel's side, compiled by the build script.
const OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tcp.bpf.o"));
/// The bytes of a name in the kernel, with its zero (`TCP_CA_NAME_MAX`).
const NAME_BYTES: usize = offer::NAME_BYTES + 1;
/// Any user may choose the control (`TCP_CONG_NON_RESTRICTED`).
const FOR_ALL_USERS: u32 = 1;
/// Connections ask for ECN (`TCP_CONG_NEEDS_ECN`).
const NEEDS_ECN: u32 = 2;
const ZERO: [u8; 4] = [0; 4];

/// A control that the kernel offers until this value is dropped. Programs live on until the last socket that uses them closes.
pub struct Loaded {
    name: String,
    slots: MapHandle,
    heartbeat: MapHandle,
    counts: MapHandle,
    object: Object,
    /// What keeps the name in the kernel's list.
    _link: Link,
}

impl Loaded {
    /// Offers a control under this name. Returns `None` if the kernel has a control of this name.
    pub fn new(offer: &Offer, name: String) -> Result<Option<Self>, String> {
        let rejected = |error| missing::rejected(&error);
        let bytes = OBJECT.to_vec(); // aligned, as libelf wants it
        let mut open = ObjectBuilder::default().open_memory(&bytes).map_err(rejected)?;
        let (ours, other) = if offer.owns_window() { ("model", "window") } else { ("window", "model") };
        for mut map in open.maps_mut() {
            if map.name() == other {
                map.set_autocreate(false).map_err(rejected)?;
            } else if map.name() == ours {
                let flags = FOR_ALL_USERS | if offer.counts_marks() { NEEDS_ECN } else { 0 };
                rename(map.initial_value_mut().unwrap_or_default(), ours, &name, flags)?;
            }
        }
        let mut object = open.load().map_err(rejected)?;
        let handle = |name: &str| {
            let map = object.maps().find(|map| map.name() == name);
            let map = map.ok_or_else(|| format!("the BPF program has no map `{name}`"))?;
            MapHandle::try_from(&map).map_err(rejected)
        };
        let (slots, heartbeat, counts) = (handle("slots")?, handle("heartbeat")?, handle("counts")?);
        let control = object.maps_mut().find(|map| map.name() == ours);
        match control.ok_or("the BPF program contains no congestion control")?.attach_struct_ops() {
            Ok(link) => Ok(Some(Self { name, slots, heartbeat, counts, object, _link: link })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(rejected(error)),
        }
    }

    /// The name in the kernel.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ring buffer of events.
    pub fn events(&self) -> Option<libbpf_rs::Map<'_>> {
        self.object.maps().find(|map| map.name() == "events")
    }

    /// Answers everything up to event `seq` of a connection.
    pub fn answer(&self, connection: u64, seq: u64, answer: &Answer) {
        let flags = MapFlags::EXIST | MapFlags::LOCK;
        // It fails for a connection that has ended meanwhile, whose slot is gone.
        let _ = self.slots.update(&connection.to_ne_bytes(), &answer.to_bytes(seq), flags);
    }

    /// Returns whether the kernel still has this connection.
    pub fn has(&self, connection: u64) -> bool {
        // After an error it counts as one that is still there.
        self.slots.lookup(&connection.to_ne_bytes(), MapFlags::ANY).map_or(true, |slot| slot.is_some())
    }

    /// Tells the kernel that this program lives, at a time of the monotonic clock.
    pub fn beat(&self, now_ns: u64) {
        // It cannot fail: the array has the place.
        let _ = self.heartbeat.update(&ZERO, &now_ns.to_ne_bytes(), MapFlags::ANY);
    }

    /// Returns the kernel's counts: decisions in time, late, by Reno; events without room.
    pub fn counts(&self) -> Report {
        let bytes = self.counts.lookup(&ZERO, MapFlags::ANY).ok().flatten().unwrap_or_default();
        let mut words = bytes.chunks_exact(8).map(|word| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(word);
            u64::from_ne_bytes(bytes)
        });
        let mut next = || words.next().unwrap_or_default();
        Report { in_time: next(), late: next(), reno: next(), lost_events: next(), ..Report::default() }
    }
}

/// Writes name and flags into a `struct tcp_congestion_ops` in the layout of the object, where the flags follow the name.
fn rename(value: &mut [u8], map: &str, name: &str, flags: u32) -> Result<(), String> {
    let present = format!("ackclock_{map}\0");
    let at = value.windows(present.len()).position(|bytes| bytes == present.as_bytes());
    let field = at.and_then(|at| value.get_mut(at..at + NAME_BYTES + size_of_val(&flags)));
    let field = field.ok_or("the BPF program contains a congestion control without a name")?;
    field.fill(0);
    field[..name.len()].copy_from_slice(name.as_bytes());
    field[NAME_BYTES..].copy_from_slice(&flags.to_ne_bytes());
    Ok(())
}
