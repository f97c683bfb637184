package hashlanes;

import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** A message in progress in native memory, for one thread at a time. */
final class NativeStream {
    /** What frees it, which must not refer to this object. */
    private record Memory(long handle) implements Runnable {
        @Override
        public void run() {
            Native.freeStream(handle);
        }
    }

    /** Bytes that may be kept for the next call of native code, as each call costs time. */
    private static final int KEPT = 256;

    private final long handle;
    private final Cleaner.Cleanable cleanable;
    private final byte[] kept;
    private int count;
    /** Whether native code has bytes of the message, too. */
    private boolean begun;
    private boolean closed;

    private NativeStream(long handle, byte[] kept, int count, boolean begun) {
        this.handle = handle;
        this.kept = kept;
        this.count = count;
        this.begun = begun;
        cleanable = NativeFunction.CLEANER.register(this, new Memory(handle));
    }

    NativeStream(NativeFunction function) {
        this(function.use(Native::stream), new byte[KEPT], 0, false);
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the message has been closed");
        }
    }

    synchronized void update(byte input) {
        requireOpen();
        if (count == KEPT) {
            pass();
        }
        kept[count++] = input;
    }

    synchronized void update(byte[] bytes, int offset, int length) {
        requireOpen();
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length > KEPT - count) {
            pass();
        }
        if (length > KEPT) {
            begun = true;
            Native.update(handle, bytes, offset, length);
        } else {
            System.arraycopy(bytes, offset, kept, count, length);
            count += length;
        }
    }

    /** Hashes what is kept. */
    private void pass() {
        Native.update(handle, kept, 0, count);
        count = 0;
        begun = true;
    }

    /** Takes all bytes of a buffer. */
    synchronized void update(ByteBuffer bytes) {
        requireOpen();
        int length = bytes.remaining();
        if (bytes.hasArray()) {
            update(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            bytes.position(bytes.limit());
        } else if (bytes.isDirect() && length > 0) {
            pass();
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
        Native.finish(handle, kept, count, output, offset);
        begin();
    }

    synchronized void reset() {
        requireOpen();
        // After `finish`, as a MAC is reset, there is nothing to do.
        if (begun) {
            Native.reset(handle);
        }
        begin();
    }

    private void begin() {
        Arrays.fill(kept, (byte) 0);
        count = 0;
        begun = false;
    }

    synchronized NativeStream copy() {
        requireOpen();
        return new NativeStream(Native.copy(handle), kept.clone(), count, begun);
    }

    /** Frees the memory, and overwrites it. */
    synchronized void close() {
        closed = true;
        Arrays.fill(kept, (byte) 0);
        cleanable.clean();
    }
}
