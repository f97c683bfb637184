package hashlanes;

import java.nio.Buffer;
import java.nio.ByteBuffer;

/**
 * The native methods: see {@code jvm/native/src/lib.rs}, which lists what callers promise. A handle
 * is an address. What has no other class to check it is checked by the callers.
 */
final class Native {
    static {
        Loader.requireNative();
    }

    private Native() {}

    static native byte[] describe();

    static native void selfTest();

    static native long digester(byte[] name);

    static native long hmac(byte[] name, byte[] key);

    static native long xof(byte[] name, int length, byte[] key, byte[] customization,
            byte[] functionName, int domain);

    static native void free(long function);

    static native long address(Buffer buffer);

    /** The address of a buffer's bytes, of which there are some, and which its arena still has. */
    static long addressOf(ByteBuffer bytes) {
        assertAlive(bytes);
        return address(bytes) + bytes.position();
    }

    /**
     * Fails if the arena of a direct buffer has been closed. Native code would not notice.
     *
     * @throws IllegalStateException if so
     */
    static void assertAlive(ByteBuffer bytes) {
        if (bytes.limit() > 0) {
            bytes.get(0);
        }
    }

    static native void many(long function, long table, int count, long output);

    static native void large(long function, byte[][] arrays, int[] offsets, int[] lengths,
            int count, long output);

    static native void hex(byte[] bytes, int count, byte[] digits);

    static native long stream(long function);

    static native void update(long stream, byte[] bytes, int offset, int length);

    static native void updateMemory(long stream, long address, int length);

    static native void digest(long function, byte[] message, int count, byte[] output, int offset);

    static native void finish(long stream, byte[] last, int count, byte[] output, int offset);

    static native void reset(long stream);

    static native long copy(long stream);

    static native void freeStream(long stream);

    static native void panic();
}
