"""`Lanes`: many messages that come in pieces, each at its own pace."""

import threading

from . import _hashlanes


class Lanes:
    """Many messages in progress, hashed side by side. Each has a key of your choice.

        with Lanes("sha256") as lanes:
            lanes.update("one", b"piece")
            lanes.finish("other", b"whole message")
            lanes.finish("one", b", last piece")
            digests = dict(lanes.flush())

    Pieces are hashed when there are enough to fill the lanes, or in `flush`. Until then the object
    keeps a reference to each; a buffer that may change is copied. Several threads may use one.
    """

    def __init__(self, name):
        self._lanes = _hashlanes.Lanes(name)
        self._lock = threading.Lock()
        # Messages have numbers below. A key that is finished may be used again before its message
        # is complete, so the way back is by number.
        self._numbers = {}
        self._keys = {}
        self._next = 0
        self._done = []

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
        with self._lock:
            self._open()
            return self._take()

    def flush(self):
        """Hash all that was submitted, and return what is complete, as `completed` does."""
        with self._lock:
            self._complete(self._open().flush())
            return self._take()

    def discard(self, key):
        """Abandon the message with this key. Raise KeyError if no message in progress has it."""
        with self._lock:
            lanes = self._open()
            number = self._numbers.pop(key)
            del self._keys[number]
            lanes.discard(number)

    def close(self):
        """Abandon all messages. What was complete and not returned is lost too."""
        with self._lock:
            self._lanes = None
            self._numbers, self._keys, self._done = {}, {}, []

    def __len__(self):
        """Messages that are in progress, or complete and not returned."""
        return len(self._keys) + len(self._done)

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
        with self._lock:
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
                completed = lanes.submit(data, number, last)
            except BaseException:
                if is_new:
                    del self._keys[number]
                    lanes.discard(number)
                raise
            if last:
                self._numbers.pop(key, None)
            else:
                self._numbers[key] = number
            self._complete(completed)

    def _complete(self, results):
        for number, digest in results:
            # The piece of a call that raised may have gone into the lanes.
            if number in self._keys:
                self._done.append((self._keys.pop(number), digest))

    def _take(self):
        done, self._done = self._done, []
        return done
