//! The properties of a link as the scenario declares them: rate, delay, queue, losses, and what differs in
//! the reverse direction.

use super::delay::{self, DELAYS, Delay};
use super::jitter::{self, Jitter};
use super::{detour, outage, shares};
use crate::language::choice::{self, Choice};
use crate::language::document::Span as Place_;
use crate::language::keys::{Form, Key, Table};
use crate::language::reader::TableReader;
use crate::language::registry;
use crate::language::values::rate::{self, Pace};
use ackclock_aqm::entry::QueueLimit;
use ackclock_base::link::LinkRules;
use ackclock_base::{Kind, Quantity, Span};
use ackclock_sim::alteration::EcnRule;
use ackclock_sim::outage::Outage;
use ackclock_sim::timeline::Timeline;

/// The keys that a link has in each direction.
pub(super) static LINK_KEYS: &[Key] = &[
    Key::new("rate", rate::RATE_FORMS, "The rate at which the link sends").such_as("\"10 Mbit/s\""),
    Key::new(
        "delay",
        delay::FORMS,
        "The one-way propagation delay of the link, without transmission and queueing delays",
    )
    .such_as("\"10 ms\""),
    Key::new("outage", &[Form::Table(&outage::OUTAGE)], "Periods in which the link sends nothing and packets wait"),
    Key::new("queue", &[Form::Named(Kind::Queue)], "The queue discipline in front of the link, with its `limit`")
        .otherwise("`droptail` with its default limit; unlimited for access links")
        .such_as("\"droptail\""),
    Key::new("loss", shares::LOSS_FORMS, "The loss model that corrupts packets after they leave the queue; or a \
                                          probability of corruption that changes over time")
        .such_as("{ name = \"independent\", probability = 0.01 }"),
    Key::new("duplicate", shares::DUPLICATE_FORMS, "The share of the packets that are duplicated, each copy \
     arriving directly after its original; or a table for correlated duplicates or a share that changes over time")
        .such_as("0.01"),
    Key::new(
        "ecn",
        &[Form::choice::<EcnRule>()],
        "The ECN field that the link sets in every packet: Not-ECT (clear), ECT(0), ECT(1) or CE; or \"drop\" to drop \
         every packet whose ECN field is not Not-ECT",
    )
    .otherwise("packets keep their ECN field; `left` and `right` inherit the value of `access`"),
    Key::new(
        "jitter",
        jitter::FORMS,
        "The maximum of the random delay that is added to `delay` for each packet, drawn uniformly from 0; or a table \
         for another distribution, for bursts, or for a maximum that changes over time",
    )
    .such_as("\"2 ms\""),
    Key::new("detour", &[Form::Table(&detour::DETOUR)], "An interval in which packets take a longer path"),
    Key::new(
        "reorder",
        shares::REORDER_FORMS,
        "Whether a packet with a shorter delay overtakes earlier packets (if not, it waits for them); or a table \
         with the share of packets that skip the delay",
    )
    .or("false"),
    Key::new(
        "hold",
        &[Form::time(DELAYS)],
        "The length of time slots, counted from the start of the run; all packets due within a slot arrive at its end",
    )
    .or("\"0 s\""),
    Key::new("medium", &[Form::Text], "The name of the medium in `[[media]]` that the link uses")
        .otherwise("the link shares no medium")
        .such_as("\"air\""),
];

/// Returns the keys of a link whose value is a quantity with a unit or a number, and nothing else, for generators of random
/// scenarios.
pub fn plain_link_keys() -> impl Iterator<Item = (&'static str, Quantity)> {
    LINK_KEYS.iter().filter_map(|key| match key.forms {
        [Form::Quantity(Quantity::Choice(_), _)] => None,
        [Form::Quantity(quantity, _)] => Some((key.name, *quantity)),
        _ => None,
    })
}

static REVERSE: &[Key] = &[Key::new(
    "reverse",
    &[Form::Table(&DIRECTION)],
    "The settings in which the reverse direction differs from the forward direction",
)
.otherwise("the settings of the forward direction, except that `loss`, `duplicate` and `ecn` are off")];

static DIRECTION: Table = Table::new(
    "direction",
    "Settings of the reverse direction of a link; a key that is not given has the value of the forward direction, \
     except that `loss`, `duplicate` and `ecn` are off",
    &[LINK_KEYS],
)
.inheriting("the value of the forward direction", &["loss", "duplicate", "ecn"]);
/// The keys of a difference from another link.
pub(super) static DIFFERENCE: Table = Table::new(
    "difference",
    "Settings of the links on one side of a dumbbell; a key that is not given has the value in `access`, if `access` \
     is given",
    &[LINK_KEYS, REVERSE],
)
.inheriting("the value in `access`, if `access` is given", &[]);
/// The keys of a bidirectional link.
pub(super) static LINK: Table =
    Table::new("link", "A bidirectional link", &[LINK_KEYS, REVERSE]).requiring(&["rate", "delay"]);
/// The keys of a bidirectional link whose delay a round trip may set.
pub(super) static LINK_OF_RTT: Table = Table::new(
    "link_of_rtt",
    "A bidirectional link, whose `delay` can be omitted if an `rtt` is given",
    &[LINK_KEYS, REVERSE],
)
.requiring(&["rate"]);
/// The keys of a link with its ends.
pub(super) static NAMED_LINK: Table = Table::new(
    "named_link",
    "A link between two nodes",
    &[
        &[
            Key::new("name", &[Form::Text], "The name of the link in results")
                .otherwise("the two nodes, as in `server-tower`")
                .such_as("\"radio\""),
            Key::new(
                "between",
                &[Form::List(&Form::Text, [2, 2])],
                "The two nodes that a bidirectional link connects; its forward direction leads from the first node to \
                 the second",
            )
            .such_as("[\"a\", \"b\"]"),
            Key::new("from", &[Form::Text], "The node at the sending end of a one-way link, instead of `between`")
                .such_as("\"a\""),
            Key::new("to", &[Form::Text], "The node at the receiving end of a one-way link, instead of `between`")
                .such_as("\"b\""),
        ],
        LINK_KEYS,
        REVERSE,
    ],
)
.requiring(&["rate", "delay"])
.one_of(&[&["between"], &["from", "to"]]);

/// The properties of a link, or of one direction of it, before it has ends.
#[derive(Clone, Debug)]
pub struct WirePlan {
    /// The sending rate.
    pub pace: Pace,
    pub(super) delay: Delay,
    /// The outages; `None` if there are none.
    pub outage: Option<Outage>,
    /// The queue; `None` for a queue without limit.
    pub queue: Option<Choice>,
    /// What corrupts packets; `None` if nothing does.
    pub loss: Option<Loss>,
    /// What happens to the ECN field; `None` if it is kept.
    pub ecn: Option<EcnRule>,
    /// What the link may do to packets.
    pub rules: LinkRules,
    /// How jitter is drawn.
    pub jitter: Jitter,
    /// The share of duplicated packets over time; `None` if it does not change.
    pub duplicates: Option<Timeline<f64>>,
    /// The named medium; `None` if the link has no medium.
    pub medium: Option<NamedMedium>,
    /// What differs in the reverse direction; `None` if nothing is declared.
    pub(super) reverse: Option<Box<WirePlan>>,
}

/// What corrupts packets on a wire.
#[derive(Clone, Debug)]
pub enum Loss {
    /// A loss model of the registry.
    Model(Choice),
    /// Independent losses, whose probability changes over time.
    OverTime(Timeline<f64>),
}

impl Loss {
    /// Returns the name of the loss model.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Model(model) => model.descriptor.name,
            Self::OverTime(_) => "independent",
        }
    }
}

impl WirePlan {
    /// Returns the reverse direction if the file declares none: the same link without corruption, duplicates
    /// and rules for the ECN field.
    pub(super) fn way_back(&self) -> Self {
        let rules = LinkRules { duplicates: None, ..self.rules };
        Self { loss: None, rules, ecn: None, duplicates: None, reverse: None, ..self.clone() }
    }
}

/// The defaults of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    /// Whether the queue has a limit.
    limited: bool,
    /// The delay; `None` if it has to be given.
    delay: Option<Span>,
}

impl Defaults {
    pub(super) const BOTTLENECK: Self = Self { limited: true, delay: None };
    pub(super) const ACCESS: Self = Self { limited: false, delay: None };

    /// Returns the defaults for a network whose round trips are given.
    pub(super) fn without_delay(self) -> Self {
        Self { delay: Some(Span::ZERO), ..self }
    }
}

pub(super) fn required_wire(table: &TableReader<'_>, key: &str, defaults: Defaults) -> Option<WirePlan> {
    table.required(key)?;
    wire(table, key, None, defaults)
}

/// Reads a link's properties under a key, on top of `base`. Without the key, returns `base`.
pub(super) fn wire(
    table: &TableReader<'_>,
    key: &str,
    base: Option<&WirePlan>,
    defaults: Defaults,
) -> Option<WirePlan> {
    if table.get(key).is_none() {
        return base.cloned();
    }
    read_wire(&table.open(key)?, base, defaults)
}

/// Reads a link's properties from a table, on top of `base`.
pub(super) fn read_wire(
    table: &TableReader<'_>,
    base: Option<&WirePlan>,
    defaults: Defaults,
) -> Option<WirePlan> {
    if base.is_none() {
        table.required("rate");
        if defaults.delay.is_none() {
            table.required("delay");
        }
    }
    let pace = match table.get("rate") {
        Some(_) => rate::read(table, "rate"),
        None => base.map(|base| base.pace.clone()),
    };
    let delay = match table.get("delay") {
        Some(node) => delay::read(table, node),
        None => base.map(|base| base.delay.clone()).or(defaults.delay.map(Delay::Fixed)),
    };
    let outage = match table.get("outage") {
        Some(_) => Some(outage::read(table, pace.as_ref())?),
        // A trace contains its own silences.
        None => base.and_then(|base| base.outage).filter(|_| !pace.as_ref().is_some_and(Pace::is_trace)),
    };
    let queue = match table.get("queue") {
        Some(_) => {
            Some(choice::read(table, "queue", &table.reader.plugins().all_queues(), QueueLimit::TABLE)?)
        }
        None => match base {
            Some(base) => base.queue.clone(),
            None => defaults.limited.then(default_queue),
        },
    };
    let loss = match table.get("loss") {
        Some(_) if shares::changes(table, "loss") => Some(Loss::OverTime(shares::losses(table)?)),
        Some(_) => Some(Loss::Model(choice::read(table, "loss", &registry::losses(), &[])?)),
        None => base.and_then(|base| base.loss.clone()),
    };
    let mut rules = base.map(|base| base.rules).unwrap_or_default();
    let mut duplicates = base.and_then(|base| base.duplicates.clone());
    if table.get("duplicate").is_some() {
        let (rule, over_time) = shares::duplicates(table)?;
        (rules.duplicates, duplicates) = (Some(rule), over_time);
    }
    let ecn = match table.get("ecn") {
        Some(_) => Some(table.read("ecn")?),
        None => base.and_then(|base| base.ecn),
    };
    let mut jitter = base.map(|base| base.jitter.clone()).unwrap_or_default();
    if table.get("jitter").is_some() {
        (rules.jitter, jitter) = jitter::read(table)?;
    }
    if table.get("detour").is_some() {
        rules.detour = Some(detour::read(table)?);
    }
    if table.get("reorder").is_some() {
        (rules.reorders, rules.skips) = shares::reorder(table)?;
    }
    if table.get("hold").is_some() {
        rules.hold = table.read("hold")?;
    }
    let changing = matches!(delay, None | Some(Delay::Changing(_)));
    let takes_no_time = matches!(delay, Some(Delay::Fixed(Span::ZERO)));
    let has_extra = rules.jitter > Span::ZERO || rules.detour.is_some();
    if rules.skips.is_some() && takes_no_time && !has_extra {
        table.problem_at(
            "reorder",
            "packets that skip a `delay` of 0",
            "a `delay` or a `jitter`, such as \"10 ms\": `reorder` lets some packets arrive without this delay",
        );
    } else if rules.reorders && rules.skips.is_none() && !has_extra && !changing {
        let key = if table.get("reorder").is_some() { "reorder" } else { "jitter" };
        table.problem_at(
            key,
            "`reorder` without a `jitter`",
            "a `jitter` such as \"2 ms\", a `detour` or a `delay` that changes: with one constant delay, no packet \
             overtakes another",
        );
    }
    let medium = match table.get("medium") {
        Some(_) => Some(read_medium(table)?),
        None => base.and_then(|base| base.medium.clone()),
    };
    if ecn == Some(EcnRule::Drop) && medium.is_some() {
        let key = if table.get("ecn").is_some() { "ecn" } else { "medium" };
        table.problem_at(
            key,
            "`ecn = \"drop\"` on a link that shares a medium",
            "`ecn = \"drop\"` on a separate link behind the medium, because the medium could retransmit a packet that \
             this link drops",
        );
    }
    let one_way = WirePlan {
        pace: pace?,
        delay: delay?,
        outage,
        queue,
        loss,
        ecn,
        rules,
        jitter,
        duplicates,
        medium,
        reverse: None,
    };
    let reverse = match table.get("reverse") {
        Some(_) => {
            let reverse = table.open("reverse")?;
            Some(Box::new(read_wire(&reverse, Some(&one_way.way_back()), defaults)?))
        }
        None => base.and_then(|base| base.reverse.clone()),
    };
    Some(WirePlan { reverse, ..one_way })
}

pub(super) fn default_queue() -> Choice {
    let descriptor = registry::queues()[0];
    let extra = choice::defaults(descriptor, QueueLimit::TABLE);
    Choice { extra, ..Choice::default_of(descriptor) }
}

/// The medium that a link names, with the location of the name.
#[derive(Clone, Debug)]
pub struct NamedMedium {
    /// The name of the medium.
    pub name: String,
    /// The path of the key that names it.
    pub path: String,
    /// The location of the name in the file.
    pub span: Place_,
}

/// Reads a link's `medium`.
fn read_medium(table: &TableReader<'_>) -> Option<NamedMedium> {
    let name = table.text("medium")?.to_owned();
    let span = table.get("medium").map(|node| node.span.clone()).unwrap_or_default();
    Some(NamedMedium { name, path: table.path_of("medium"), span })
}
