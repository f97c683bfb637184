package hashlanes;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;

/** A message in progress in native memory, for one thread at a time. */
final class NativeStream {
    /** What frees it, which must not refer to this object. */
    private record Memory(long handle) implements Runnable {
        @Override
        public void run() {
            Native.freeStream(handle);
        }
    }

    private final long handle;
    private final Cleaner.Cleanable cleanable;
    private boolean closed;

    private NativeStream(long handle) {
        this.handle = handle;
        cleanable = NativeFunction.CLEANER.register(this, new Memory(handle));
    }

    NativeStream(NativeFunction function) {
        this(function.use(Native::stream));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the message has been closed");
        }
    }

    synchronized void update(byte[] bytes, int offset, int length) {
        requireOpen();
        Native.update(handle, bytes, offset, length);
    }

    /** Takes all bytes of a buffer. */
    synchronized void update(ByteBuffer bytes) {
        requireOpen();
        int length = bytes.remaining();
        if (bytes.hasArray()) {
            update(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            bytes.position(bytes.limit());
        } else if (bytes.isDirect() && length > 0) {
            Native.updateMemory(handle, Native.address(bytes) + bytes.position(), length);
            bytes.position(bytes.limit());
        } else {
            byte[] piece = new byte[Math.min(length, 8 << 10)];
            while (bytes.hasRemaining()) {
                int now = Math.min(bytes.remaining(), piece.length);
                bytes.get(piece, 0, now);
                update(piece, 0, now);
            }
        }
    }

    /** Writes the digest and begins an empty message. */
    synchronized void finish(byte[] output, int offset) {
        requireOpen();
        Native.finish(handle, output, offset);
    }

    synchronized void reset() {
        requireOpen();
        Native.reset(handle);
    }

    synchronized NativeStream copy() {
        requireOpen();
        return new NativeStream(Native.copy(handle));
    }

    /** Frees the memory, and overwrites it. */
    synchronized void close() {
        closed = true;
        cleanable.clean();
    }
}
