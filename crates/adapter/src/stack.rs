//! What a transport stack tells its congestion controller, and what it honours.

/// The description of a stack, from which follows what can run under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// The name of the stack in messages.
    pub name: &'static str,
    /// Whether the stack paces at the rate that its controller gives. Otherwise it paces the window over the round trip by itself.
    pub honours_rates: bool,
    /// Whether the stack names each packet that it acknowledges or gives up. Otherwise packets are found by when they were sent and
    /// how large they are.
    pub names_packets: bool,
    /// Whether the stack tells how many packets were marked by the network. Otherwise it tells only that an acknowledgement reported
    /// marks, which counts as one mark.
    pub counts_marks: bool,
}
