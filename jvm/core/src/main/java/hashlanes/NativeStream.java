package hashlanes;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * A message in progress, for one thread at a time. It takes native memory once a message is longer
 * than a few blocks, until the garbage collector has found this object. A key that it uses is freed
 * by it, because then no call is under way.
 */
final class NativeStream {
    /** Bytes that are kept here: each native call costs time. `lib.rs` has the same number. */
    private static final int KEPT = 256;

    /** What frees native memory, which must not refer to the object that owns it. */
    private record Memory(long handle) implements Runnable {
        @Override
        public void run() {
            Native.freeStream(handle);
        }
    }

    private final NativeFunction function;
    private final byte[] kept;
    private int count;
    /** Native memory, or 0 before it was needed. */
    private long handle;
    /** Whether it has a part of the message. */
    private boolean begun;

    NativeStream(NativeFunction function) {
        this(function, new byte[KEPT], 0);
    }

    private NativeStream(NativeFunction function, byte[] kept, int count) {
        this.function = function;
        this.kept = kept;
        this.count = count;
    }

    synchronized void update(byte input) {
        if (count == KEPT) {
            handle();
        }
        kept[count++] = input;
    }

    synchronized void update(byte[] bytes, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (length > KEPT - count) {
            Native.update(handle(), bytes, offset, length);
        } else {
            System.arraycopy(bytes, offset, kept, count, length);
            count += length;
        }
    }

    /** Native memory with all of the message until now. */
    private long handle() {
        if (handle == 0) {
            own(function.use(Native::stream));
        }
        begun = true;
        if (count > 0) {
            Native.update(handle, kept, 0, count);
            forget();
        }
        return handle;
    }

    private void own(long owned) {
        handle = owned;
        NativeFunction.CLEANER.register(this, new Memory(owned));
    }

    /** Takes all bytes of a buffer. */
    synchronized void update(ByteBuffer bytes) {
        int length = bytes.remaining();
        if (bytes.hasArray()) {
            update(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            bytes.position(bytes.limit());
        } else if (bytes.isDirect() && length > KEPT - count) {
            ByteBuffer view = bytes.slice();
            Native.updateMemory(handle(), Native.addressOf(view), view.limit());
            bytes.position(bytes.position() + view.limit());
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
        if (begun) {
            Native.finish(handle, kept, count, output, offset);
            begun = false;
        } else {
            Native.digest(function.handle(), kept, count, output, offset);
        }
        reset();
    }

    synchronized void reset() {
        if (begun) {
            Native.reset(handle);
            begun = false;
        }
        forget();
    }

    private void forget() {
        Arrays.fill(kept, 0, count, (byte) 0);
        count = 0;
    }

    /** Frees the key that it uses. */
    synchronized void free(HmacKey key) {
        key.close();
    }

    synchronized NativeStream copy() {
        NativeStream copy = new NativeStream(function, kept.clone(), count);
        if (begun) {
            copy.own(Native.copy(handle));
            copy.begun = true;
        }
        return copy;
    }
}
