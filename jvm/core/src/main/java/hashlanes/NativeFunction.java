package hashlanes;

import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongUnaryOperator;

/**
 * A function in native memory. It is freed, and its key overwritten, by {@link #close} or after the
 * object has become unreachable.
 */
final class NativeFunction implements AutoCloseable {
    static final Cleaner CLEANER = Cleaner.create();

    /** What frees it, which must not refer to this object. */
    private record Memory(long handle) implements Runnable {
        @Override
        public void run() {
            Native.free(handle);
        }
    }

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    /** Null if it is never freed. */
    private final Cleaner.Cleanable cleanable;
    private long handle;

    NativeFunction(long handle) {
        this.handle = handle;
        cleanable = CLEANER.register(this, new Memory(handle));
    }

    /** A digester, which is never freed: its class keeps it, and a cleaner would keep the class. */
    NativeFunction(Algorithm algorithm) {
        handle = Native.digester(name(algorithm));
        cleanable = null;
    }

    static byte[] name(Algorithm algorithm) {
        return algorithm.title.getBytes(StandardCharsets.US_ASCII);
    }

    /** The function, for a caller that knows that nobody frees it meanwhile. */
    long handle() {
        if (handle == 0) {
            throw new IllegalStateException("the key has been closed");
        }
        return handle;
    }

    /** Uses the function, which other threads cannot free meanwhile. */
    long use(LongUnaryOperator use) {
        if (cleanable == null) {
            return use.applyAsLong(handle);
        }
        Lock reading = lock.readLock();
        reading.lock();
        try {
            return use.applyAsLong(handle());
        } finally {
            reading.unlock();
        }
    }

    @Override
    public void close() {
        Lock writing = lock.writeLock();
        writing.lock();
        try {
            handle = 0;
            if (cleanable != null) {
                cleanable.clean();
            }
        } finally {
            writing.unlock();
        }
    }
}
