//! The order of messages of a cryptographic handshake that hides nothing: the three flights of TLS 1.3 with transport parameters in
//! them, and no secrets. Both stacks' sessions follow it.

/// Bytes that authentication adds to a packet with TLS.
pub const TAG_BYTES: usize = 16;

/// What comes next at one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The client writes its parameters.
    Hello,
    /// The server waits for the client's parameters.
    AwaitHello,
    /// The server writes that it has the client's parameters.
    Answer,
    /// The server writes its own parameters.
    Parameters,
    /// The client waits for the server's answer.
    AwaitAnswer,
    /// The client has the answer.
    Answered,
    /// The client waits for the server's parameters.
    AwaitParameters,
    /// The client writes the end of its handshake.
    Finish,
    /// The server waits for the end of the client's handshake.
    AwaitFinish,
    /// The handshake is over at this side.
    Done,
}

/// What one side writes at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// Its transport parameters.
    Parameters,
    /// A byte without a meaning.
    Token,
    /// Nothing.
    Nothing,
}

impl Step {
    /// Returns the step after a message has been read, and whether the message holds the peer's parameters.
    pub fn read(self) -> (Self, bool) {
        match self {
            Self::AwaitHello => (Self::Answer, true),
            Self::AwaitAnswer => (Self::Answered, false),
            Self::AwaitParameters => (Self::Finish, true),
            Self::AwaitFinish => (Self::Done, false),
            other => (other, false),
        }
    }

    /// Returns the step after it has been this side's turn to write, what it writes, and whether new keys follow.
    pub fn write(self) -> (Self, Writes, bool) {
        match self {
            Self::Hello => (Self::AwaitAnswer, Writes::Parameters, false),
            Self::Answer => (Self::Parameters, Writes::Token, true),
            Self::Parameters => (Self::AwaitFinish, Writes::Parameters, true),
            Self::Answered => (Self::AwaitParameters, Writes::Nothing, true),
            Self::Finish => (Self::Done, Writes::Token, true),
            other => (other, Writes::Nothing, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_finish_with_the_parameters_and_two_sets_of_keys() {
        let (mut client, mut server) = (Step::Hello, Step::AwaitHello);
        let (mut keys, mut parameters) = ([0; 2], [0; 2]);
        // Each side writes what it can, and the other reads it, until nothing is written any more.
        for _ in 0..6 {
            for side in 0..2 {
                let (writer, reader) =
                    if side == 0 { (&mut client, &mut server) } else { (&mut server, &mut client) };
                let (next, writes, has_keys) = writer.write();
                *writer = next;
                keys[side] += u32::from(has_keys);
                if writes != Writes::Nothing {
                    let (next, has_parameters) = reader.read();
                    *reader = next;
                    parameters[1 - side] += u32::from(has_parameters);
                }
            }
        }
        assert_eq!((client, server), (Step::Done, Step::Done));
        assert_eq!((keys, parameters), ([2, 2], [1, 1]));
    }
}
