//! The links that a flow crosses.

/// The path of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The links to the receiver.
    pub forward: Vec<u32>,
    /// The links back to the sender.
    pub backward: Vec<u32>,
    /// The other paths of the flow, if its transport has several.
    pub others: Vec<Self>,
}

impl Member {
    /// Returns all paths of the flow.
    pub fn paths(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.others)
    }

    /// Returns the number of links in both directions, over all paths.
    pub fn steps(&self) -> usize {
        self.paths().map(|path| path.forward.len() + path.backward.len()).sum()
    }
}
