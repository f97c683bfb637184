//! Where in the structure a hash is computed (FIPS 205 section 4.2).

/// What a hash is for.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Chain = 0,
    OneTimeKey = 1,
    Tree = 2,
    ForsTree = 3,
    ForsRoots = 4,
    ChainSecret = 5,
    ForsSecret = 6,
}

/// An address.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) layer: u8,
    /// The number of the tree within its layer.
    pub(crate) tree: u64,
    pub(crate) kind: Kind,
    /// The leaf whose key pair this belongs to, or 0.
    pub(crate) key_pair: u32,
    /// The number of a chain, or the height of a node.
    pub(crate) chain: u32,
    /// The number of a hash in its chain, or of a node at its height.
    pub(crate) index: u32,
}

/// The bytes of an address before a message.
pub(crate) const FULL: usize = 32;

/// The bytes of an address in the SHA-2 sets (section 11.2): those that can be other than 0.
pub(crate) const COMPRESSED: usize = 22;

impl Address {
    /// Writes the address in the form that has the length of `bytes`.
    #[inline(always)]
    pub(crate) fn write(&self, bytes: &mut [u8]) {
        let (place, words) = bytes.split_at_mut(bytes.len() - 12);
        match place.len() + 12 {
            COMPRESSED => {
                place[0] = self.layer;
                place[1..9].copy_from_slice(&self.tree.to_be_bytes());
                place[9] = self.kind as u8;
            }
            _ => {
                place.fill(0);
                place[3] = self.layer;
                place[8..16].copy_from_slice(&self.tree.to_be_bytes());
                place[19] = self.kind as u8;
            }
        }
        words[..4].copy_from_slice(&self.key_pair.to_be_bytes());
        words[4..8].copy_from_slice(&self.chain.to_be_bytes());
        words[8..].copy_from_slice(&self.index.to_be_bytes());
    }
}
