package hashlanes;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Collects messages and hashes them side by side. It can be used again and again, by one thread at
 * a time.
 *
 * <p>Messages in direct buffers are hashed where they are, without a copy. Arrays are copied:
 * those of less than 32 KiB when they are added, longer ones a piece at a time when they are
 * hashed, so that the garbage collector never waits. A direct buffer or a longer array must not
 * change until {@link #finish} returns.
 *
 * <p>A batch takes 340 KiB outside the heap. After an error it is empty.
 */
public final class Batch implements AutoCloseable {
    /** Bytes of the longest output. */
    static final int MAX_OUTPUT = 1 << 20;

    private static final int LARGE = 32 << 10;
    /** Long messages that are hashed at a time: at least as many as there are lanes. */
    private static final int LARGE_MESSAGES = 32;
    private static final byte[] NOTHING = {};

    private final MessageFunction function;
    private final NativeFunction nativeFunction;
    private final int length;
    /** Null if nothing is native, or the batch is closed. */
    private Staging staging;

    /** The long messages. */
    private final byte[][] arrays = new byte[LARGE_MESSAGES][];
    private final int[] offsets = new int[LARGE_MESSAGES];
    private final int[] lengths = new int[LARGE_MESSAGES];
    private final int[] places = new int[LARGE_MESSAGES];
    private int large;

    private byte[] results = NOTHING;
    private int size;

    /**
     * An empty batch.
     *
     * @param function what is computed of each message
     * @throws UnsupportedOperationException if the function needs the native library, and there is
     *     none
     */
    public Batch(MessageFunction function) {
        this.function = function;
        length = function.outputLength();
        if (Hashlanes.isNative()) {
            nativeFunction = function instanceof Algorithm algorithm ? algorithm.function()
                    : function instanceof HmacKey key ? key.function()
                    : ((Xof) function).function();
            staging = Staging.borrow();
        } else {
            nativeFunction = null;
            fallback();
        }
    }

    Batch(MessageFunction function, int messages) {
        this(function);
        long bytes = (long) messages * length;
        results = bytes <= Integer.MAX_VALUE - 8 ? new byte[(int) bytes] : NOTHING;
    }

    private Fallback fallback() {
        return function instanceof HmacKey key ? key.fallback() : Fallback.of((Algorithm) function);
    }

    /**
     * Adds a message.
     *
     * @param message the bytes
     */
    public void add(byte[] message) {
        append(message, 0, message.length);
    }

    /**
     * Adds part of an array as a message.
     *
     * @param array where the bytes are
     * @param offset where they begin
     * @param length how many there are
     * @throws IndexOutOfBoundsException if the array does not have this part
     */
    public void add(byte[] array, int offset, int length) {
        append(array, Objects.checkFromIndexSize(offset, length, array.length), length);
    }

    /**
     * Adds a buffer's bytes between its position and its limit as a message. Neither changes. A
     * direct buffer is read when the batch is finished at the latest: its arena must stay open, and
     * must not be closed by another thread while it is read.
     *
     * @param message the bytes
     */
    public void add(ByteBuffer message) {
        if (message.hasArray()) {
            int offset = message.arrayOffset() + message.position();
            append(message.array(), offset, message.remaining());
        } else if (nativeFunction == null || !message.isDirect() || !message.hasRemaining()) {
            byte[] copy = new byte[message.remaining()];
            message.duplicate().get(copy);
            append(copy, 0, copy.length);
        } else {
            ByteBuffer bytes = message.slice();
            add(bytes, Native.addressOf(bytes), bytes.limit());
        }
    }

    /** Adds memory of a direct buffer. */
    void add(ByteBuffer buffer, long address, int length) {
        makeRoom(0);
        staging.add(place(), buffer, address, length);
    }

    private void append(byte[] array, int offset, int length) {
        if (nativeFunction == null) {
            Fallback fallback = fallback();
            int place = place();
            fallback.hash(array, offset, length, results, place * this.length);
        } else if (length >= LARGE) {
            makeRoom(0);
            if (large == LARGE_MESSAGES) {
                hashLarge();
            }
            places[large] = place();
            arrays[large] = array;
            offsets[large] = offset;
            lengths[large++] = length;
        } else {
            makeRoom(length);
            staging.add(place(), array, offset, length);
        }
    }

    private void makeRoom(int bytes) {
        if (staging == null) {
            throw new IllegalStateException("the batch has been closed");
        }
        if (!staging.hasRoom(bytes)) {
            hash();
        }
    }

    /** Room for another result, and its place. */
    private int place() {
        long end = (size + 1L) * length;
        if (end > results.length) {
            if (end > Integer.MAX_VALUE - 8) {
                throw new IllegalStateException("the outputs of a batch are one array, which has "
                        + "no room for " + (size + 1L) + " of " + length + " bytes");
            }
            long more = Math.max(Math.max(end, 16L * length), results.length * 2L);
            results = Arrays.copyOf(results, (int) Math.min(more, Integer.MAX_VALUE - 8));
        }
        return size++;
    }

    private void hash() {
        boolean done = false;
        try {
            staging.hash(nativeFunction, length, results);
            done = true;
        } finally {
            if (!done) {
                clear();
            }
        }
    }

    private void hashLarge() {
        boolean done = false;
        try {
            long to = staging.room(large * length);
            nativeFunction.use(handle -> {
                Native.large(handle, arrays, offsets, lengths, large, to);
                return 0;
            });
            staging.take(places, 0, large, length, results);
            Arrays.fill(arrays, null);
            large = 0;
            done = true;
        } finally {
            if (!done) {
                clear();
            }
        }
    }

    /**
     * The number of messages that have been added.
     *
     * @return the number since the last {@link #finish}
     */
    public int size() {
        return size;
    }

    /**
     * Hashes what is left. The batch is empty afterwards.
     *
     * @return the outputs, in the order of the messages
     * @throws IllegalStateException if the key has been closed
     */
    public Digests finish() {
        try {
            hashRest();
            return new Digests(results, length, size);
        } finally {
            results = NOTHING;
            clear();
        }
    }

    /**
     * Hashes what is left, and writes the outputs as hexadecimal digits in ASCII, in the order of
     * the messages. The batch is empty afterwards.
     *
     * @param digits has room for two digits for each byte of the outputs
     * @return the number of digits
     * @throws IndexOutOfBoundsException if the array is too short
     * @throws IllegalStateException if the key has been closed
     */
    public int finishHex(byte[] digits) {
        try {
            hashRest();
            return Digests.hex(results, size * length, digits);
        } finally {
            clear();
        }
    }

    private void hashRest() {
        if (staging != null && !staging.isEmpty()) {
            hash();
        }
        if (large > 0) {
            hashLarge();
        }
    }

    /** Forgets the messages. */
    public void clear() {
        if (staging != null) {
            staging.clear();
        }
        Arrays.fill(arrays, 0, large, null);
        large = size = 0;
    }

    /** Lets other batches use the memory. It does nothing the second time. */
    @Override
    public void close() {
        clear();
        if (staging != null) {
            staging.giveBack();
            staging = null;
        }
    }
}
