"""`Lanes`: many messages that arrive in pieces at different speeds."""

from . import _hashlanes


def not_copied(thing):
    """The error for objects that cannot be copied or pickled: a copy would share their state."""
    return TypeError(f"cannot copy or pickle {type(thing).__name__!r} object")


class Lanes:
    """Many messages in progress, hashed side by side. Each has a key of your choice.

        with Lanes("sha256") as lanes:
            lanes.update("one", b"piece")
            lanes.finish("other", b"entire message")
            lanes.finish("one", b", last piece")
            digests = dict(lanes.flush())

    Pieces are hashed when there are enough to fill the lanes, or in `flush`. Until then the object
    keeps a reference to each, or a copy of a mutable buffer. Several threads may share one object.
    A signal handler, or a key's __eq__, that uses it during another call of the same thread gets
    RuntimeError.
    """

    def __init__(self, name):
        self._lanes = _hashlanes.Lanes(name)
        self._turn = _hashlanes.Turn()
        # The extension identifies messages by number. A finished key may be reused before its
        # message is complete, so results are mapped back by number.
        self._numbers = {}
        self._keys = {}
        self._next = 0

    @property
    def name(self):
        """The name of the algorithm."""
        return self._open().name

    def update(self, key, data):
        """Append a piece to the message with this key. The first piece starts a new message."""
        self._submit(key, data, False)

    def finish(self, key, data=b""):
        """Append the last piece. The key can then be reused for another message."""
        self._submit(key, data, True)

    def completed(self):
        """The completed messages as pairs of key and digest. Each is returned once."""
        with self._turn:
            return self._open().take(self._keys)

    def flush(self):
        """Hash everything submitted so far. Return the completed messages, as `completed` does."""
        with self._turn:
            lanes = self._open()
            lanes.flush()
            return lanes.take(self._keys)

    def discard(self, key):
        """Abandon the message with this key. Raise KeyError if no message in progress has it."""
        with self._turn:
            lanes = self._open()
            number = self._numbers.pop(key)
            del self._keys[number]
            lanes.discard(number)

    def close(self):
        """Abandon all messages, including completed ones that have not been returned."""
        with self._turn:
            self._lanes = None
            self._numbers, self._keys = {}, {}

    def __len__(self):
        """Number of messages in progress, or complete but not returned."""
        return len(self._keys)

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce_ex__(self, _):
        raise not_copied(self)

    def _open(self):
        if self._lanes is None:
            raise ValueError("the lanes are closed")
        return self._lanes

    def _submit(self, key, data, last):
        with self._turn:
            lanes = self._open()
            # Register the number before submitting the piece: even if a signal handler raises here,
            # no two messages share a number.
            number = self._numbers.get(key)
            is_new = number is None
            if is_new:
                number = self._next
                self._next += 1
                self._keys[number] = key
            try:
                lanes.submit(data, number, last)
            except BaseException:
                if is_new:
                    del self._keys[number]
                    lanes.discard(number)
                raise
            if last:
                self._numbers.pop(key, None)
            else:
                self._numbers[key] = number
