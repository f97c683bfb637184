package hashlanes;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Memory outside the heap in which the short messages of a batch are collected, the table by which
 * the native library finds messages, and room for their outputs.
 */
final class Staging {
    /** Messages that are hashed at a time. */
    static final int MESSAGES = 1024;
    /** Bytes of short messages that are hashed at a time: they fit into the second cache. */
    private static final int BYTES = 256 << 10;
    /** Bytes of an entry in the table: address and length. */
    private static final int ENTRY = 16;
    /** Bytes of long outputs that are computed at a time. */
    private static final int OUTPUT = 8 << 20;

    // Not kept by threads, which would keep this class for ever.
    private static final ArrayBlockingQueue<Staging> IDLE =
            new ArrayBlockingQueue<>(Runtime.getRuntime().availableProcessors());

    private final ByteBuffer data = ByteBuffer.allocateDirect(BYTES);
    private final ByteBuffer table =
            ByteBuffer.allocateDirect(MESSAGES * ENTRY).order(ByteOrder.nativeOrder());
    private final long dataAddress = Native.address(data);
    private final long tableAddress = Native.address(table);
    private ByteBuffer output = ByteBuffer.allocateDirect(64 * MESSAGES);
    private long outputAddress = Native.address(output);

    /** Where the outputs belong, counted in outputs. */
    private final int[] places = new int[MESSAGES];
    /** Direct buffers that the table refers to, which thus stay alive. */
    private final ByteBuffer[] direct = new ByteBuffer[MESSAGES];
    private int directs;
    private int pending;

    /** One that nobody uses. */
    static Staging borrow() {
        Staging idle = IDLE.poll();
        return idle == null ? new Staging() : idle;
    }

    /** Gives it back, empty. */
    void giveBack() {
        clear();
        IDLE.offer(this);
    }

    boolean hasRoom(int length) {
        return pending < MESSAGES && data.remaining() >= length;
    }

    boolean isEmpty() {
        return pending == 0;
    }

    /** Copies a message, for which there is room. */
    void add(int place, byte[] array, int offset, int length) {
        long address = dataAddress + data.position();
        data.put(array, offset, length);
        enter(place, address, length);
    }

    /** Adds memory of a direct buffer. There is room for no more than an entry. */
    void add(int place, ByteBuffer buffer, long address, int length) {
        if (directs == 0 || direct[directs - 1] != buffer) {
            direct[directs++] = buffer;
        }
        enter(place, address, length);
    }

    private void enter(int place, long address, int length) {
        table.putLong(pending * ENTRY, address);
        table.putLong(pending * ENTRY + 8, length);
        places[pending++] = place;
    }

    /** Hashes what has been added, writes the outputs to their places, and is empty. */
    void hash(NativeFunction function, int length, byte[] results) {
        for (int i = 0; i < directs; i++) {
            Native.assertAlive(direct[i]);
        }
        int step = length == 0 ? MESSAGES : Math.max(1, Math.min(MESSAGES, OUTPUT / length));
        for (int start = 0; start < pending; start += step) {
            int count = Math.min(step, pending - start);
            long to = room(count * length);
            long entries = tableAddress + (long) start * ENTRY;
            function.use(handle -> {
                Native.many(handle, entries, count, to);
                return 0;
            });
            take(places, start, count, length, results);
        }
        clear();
    }

    /** The address of memory for outputs. */
    long room(int bytes) {
        if (output.capacity() < bytes) {
            output = ByteBuffer.allocateDirect(bytes);
            outputAddress = Native.address(output);
        }
        return outputAddress;
    }

    /** Moves outputs to their places. */
    void take(int[] places, int start, int count, int length, byte[] results) {
        if (places[start + count - 1] - places[start] == count - 1) {
            output.get(0, results, places[start] * length, count * length);
            return;
        }
        for (int i = 0; i < count; i++) {
            output.get(i * length, results, places[start + i] * length, length);
        }
    }

    void clear() {
        data.clear();
        Arrays.fill(direct, 0, directs, null);
        pending = directs = 0;
    }
}
