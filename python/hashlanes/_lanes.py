"""`Lanes`: many messages that come in pieces, each at its own pace."""

from . import _hashlanes


class Lanes:
    """Many messages in progress, hashed side by side. Each has a key of your choice.

        with Lanes("sha256") as lanes:
            lanes.update("one", b"piece")
            lanes.finish("other", b"whole message")
            lanes.finish("one", b", last piece")
            digests = dict(lanes.flush())

    Pieces are hashed when there are enough to fill the lanes, or in `flush`. Until then the object
    keeps a reference to each; a buffer that may change is copied. Several threads may use one. A
    signal handler, or a key's __eq__, that uses it during another call of its thread gets
    RuntimeError.
    """

    def __init__(self, name):
        self._lanes = _hashlanes.Lanes(name)
        self._turn = _hashlanes.Turn()
        # Messages have numbers below. A key that is finished may be used again before its message
        # is complete, so the way back is by number.
        self._numbers = {}
        self._keys = {}
        self._next = 0

    @property
    def name(self):
        """The name of the algorithm."""
        return self._open().name

    def update(self, key, data):
        """Append a piece to the message with this key. Its first piece begins a message."""
        self._submit(key, data, False)

    def finish(self, key, data=b""):
        """Append the last piece. The key is free again, for another message."""
        self._submit(key, data, True)

    def completed(self):
        """The messages that are complete, as pairs of key and digest. Each is returned once."""
        with self._turn:
            return self._open().take(self._keys)

    def flush(self):
        """Hash all that was submitted, and return what is complete, as `completed` does."""
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
        """Abandon all messages. What was complete and not returned is lost too."""
        with self._turn:
            self._lanes = None
            self._numbers, self._keys = {}, {}

    def __len__(self):
        """Messages that are in progress, or complete and not returned."""
        return len(self._keys)

    def __enter__(self):
        self._open()
        return self

    def __exit__(self, *_):
        self.close()

    def _open(self):
        if self._lanes is None:
            raise ValueError("the lanes are closed")
        return self._lanes

    def _submit(self, key, data, last):
        with self._turn:
            lanes = self._open()
            # All is in its place before the piece is: whatever a handler of signals raises, no two
            # messages get one number.
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
