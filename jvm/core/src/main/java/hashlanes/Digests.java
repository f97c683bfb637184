package hashlanes;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The outputs of a function for many messages, in the same order.
 *
 * <pre>{@code
 * byte[][] messages = {"abc".getBytes(), "".getBytes()};
 * byte[][] digests = Digests.many(Algorithm.SHA256, messages).toArrays();
 * }</pre>
 */
public final class Digests {
    private final byte[] bytes;
    private final int length;
    private final int size;

    Digests(byte[] bytes, int length, int size) {
        this.bytes = bytes.length == length * size ? bytes : Arrays.copyOf(bytes, length * size);
        this.length = length;
        this.size = size;
    }

    /**
     * Hashes arrays.
     *
     * @param function such as {@link Algorithm#SHA256}
     * @param messages any number, of any lengths
     * @return the outputs
     * @throws UnsupportedOperationException if the function needs the native library, and there is
     *     none
     */
    public static Digests many(MessageFunction function, byte[][] messages) {
        try (Batch batch = new Batch(function, messages.length)) {
            for (byte[] message : messages) {
                batch.add(message);
            }
            return batch.finish();
        }
    }

    /**
     * Hashes the bytes between each buffer's position and its limit, neither of which changes.
     * Direct buffers are not copied.
     *
     * @param function such as {@link Algorithm#SHA256}
     * @param messages any number, of any lengths
     * @return the outputs
     * @throws UnsupportedOperationException if the function needs the native library, and there is
     *     none
     */
    public static Digests many(MessageFunction function, ByteBuffer[] messages) {
        try (Batch batch = new Batch(function, messages.length)) {
            for (ByteBuffer message : messages) {
                batch.add(message);
            }
            return batch.finish();
        }
    }

    /**
     * Hashes consecutive parts of one buffer, as a column of Arrow has them. Message {@code i} is
     * from {@code offsets[i]} to {@code offsets[i + 1]}, counted from the buffer's position.
     *
     * @param function such as {@link Algorithm#SHA256}
     * @param data the bytes; a direct buffer is not copied
     * @param offsets between its position and its limit, one more than there are messages
     * @return the outputs
     * @throws IndexOutOfBoundsException if offsets decrease or lie outside the data
     * @throws IllegalArgumentException if there is no offset
     * @throws UnsupportedOperationException if the function needs the native library, and there is
     *     none
     */
    public static Digests many(MessageFunction function, ByteBuffer data, IntBuffer offsets) {
        int count = offsets.remaining() - 1;
        if (count < 0) {
            throw new IllegalArgumentException("there must be one more offset than messages");
        }
        try (Batch batch = new Batch(function, count)) {
            Parts parts = new Parts(batch, data);
            int first = offsets.position();
            for (int i = 0; i < count; i++) {
                int start = offsets.get(first + i);
                parts.add(start, offsets.get(first + i + 1) - start);
            }
            return batch.finish();
        }
    }

    /**
     * Hashes the consecutive chunks of a buffer. The last one may be shorter. Empty data has none.
     *
     * @param function such as {@link Algorithm#SHA256}
     * @param data the bytes between its position and its limit; a direct buffer is not copied
     * @param length bytes of a chunk
     * @return the outputs
     * @throws IllegalArgumentException if the length is not positive
     * @throws UnsupportedOperationException if the function needs the native library, and there is
     *     none
     */
    public static Digests chunks(MessageFunction function, ByteBuffer data, int length) {
        if (length < 1) {
            throw new IllegalArgumentException("a chunk has at least 1 byte, not " + length);
        }
        int bytes = data.remaining();
        int count = (int) ((bytes + (long) length - 1) / length);
        try (Batch batch = new Batch(function, count)) {
            Parts parts = new Parts(batch, data);
            for (long start = 0; start < bytes; start += length) {
                parts.add((int) start, (int) Math.min(length, bytes - start));
            }
            return batch.finish();
        }
    }

    /** Parts of a buffer, whose address is asked for once. */
    private static final class Parts {
        private final Batch batch;
        private final ByteBuffer data;
        private final long address;

        Parts(Batch batch, ByteBuffer data) {
            this.batch = batch;
            this.data = data.slice();
            boolean lies = data.isDirect() && data.hasRemaining() && Hashlanes.isNative();
            address = lies ? Native.addressOf(this.data) : 0;
        }

        void add(int start, int length) {
            Objects.checkFromIndexSize(start, length, data.limit());
            if (address != 0) {
                batch.add(data, address + start, length);
            } else if (data.hasArray()) {
                batch.add(data.array(), data.arrayOffset() + start, length);
            } else {
                batch.add(data.slice(start, length));
            }
        }
    }

    /**
     * The number of outputs.
     *
     * @return as many as there were messages
     */
    public int size() {
        return size;
    }

    /**
     * One output.
     *
     * @param index which
     * @return a new array
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public byte[] get(int index) {
        int start = Objects.checkIndex(index, size) * length;
        return Arrays.copyOfRange(bytes, start, start + length);
    }

    /**
     * All outputs.
     *
     * @return new arrays
     */
    public byte[][] toArrays() {
        byte[][] arrays = new byte[size][];
        for (int i = 0; i < size; i++) {
            arrays[i] = get(i);
        }
        return arrays;
    }

    /**
     * All outputs one after the other. It is not a copy: do not change it if you use this object
     * again.
     *
     * @return an array
     */
    public byte[] concatenated() {
        return bytes;
    }

    /**
     * The outputs as hexadecimal digits, one after the other, in ASCII.
     *
     * @return a new array
     */
    public byte[] hexDigits() {
        if (bytes.length > (Integer.MAX_VALUE - 8) / 2) {
            throw new OutOfMemoryError("no array has room for twice " + bytes.length + " digits");
        }
        byte[] digits = new byte[2 * bytes.length];
        hex(bytes, bytes.length, digits);
        return digits;
    }

    /** Writes the digits of the first bytes of an array, and returns their number. */
    static int hex(byte[] bytes, int count, byte[] digits) {
        Objects.checkFromIndexSize(0, Math.multiplyExact(2, count), digits.length);
        if (Hashlanes.isNative()) {
            Native.hex(bytes, count, digits);
        } else {
            String text = HexFormat.of().formatHex(bytes, 0, count);
            System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, digits, 0, 2 * count);
        }
        return 2 * count;
    }

    /**
     * Each output as hexadecimal digits.
     *
     * @return new strings, in lower case
     */
    public String[] toHex() {
        byte[] digits = hexDigits();
        String[] strings = new String[size];
        for (int i = 0; i < size; i++) {
            int start = 2 * length * i;
            strings[i] = new String(digits, start, 2 * length, StandardCharsets.ISO_8859_1);
        }
        return strings;
    }
}
