package hashlanes;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;

/**
 * A {@code MessageDigest} of the native library. Where the JDK has intrinsic code, its digest
 * hashes the messages instead, unless several threads hash long ones, which then share lanes.
 */
final class StreamDigest extends MessageDigest implements Cloneable {
    /** Bytes of a message's first update from which on it may share lanes. */
    private static final int LONG = 4 << 10;
    /** Threads from which on sharing lanes pays: docs/record/zen5/jvm-threads.tsv. */
    static final int MANY = 6;

    private final Algorithm algorithm;
    /** The JDK's, or null if all messages are hashed by the native library. */
    private final MessageDigest jdk;
    /** Null before it was needed. */
    private NativeStream stream;
    /** Whether the JDK's hashes this message. */
    private boolean alone;
    /** Whether it has a part of the message. */
    private boolean begun;

    StreamDigest(Algorithm algorithm, MessageDigest jdk) {
        super(algorithm.standardName);
        this.algorithm = algorithm;
        this.jdk = jdk;
        alone = jdk != null;
        stream = alone ? null : new NativeStream(algorithm.function());
    }

    /** Whether the native library hashes this message. */
    boolean isShared() {
        return !alone;
    }

    @Override
    protected int engineGetDigestLength() {
        return algorithm.digestLength;
    }

    @Override
    protected void engineUpdate(byte input) {
        if (alone) {
            begun = true;
            jdk.update(input);
        } else {
            stream.update(input);
        }
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        if (length >= LONG) {
            besideOthers(() -> append(input, offset, length));
        } else {
            append(input, offset, length);
        }
    }

    private void append(byte[] input, int offset, int length) {
        if (alone) {
            begun = true;
            jdk.update(input, offset, length);
        } else {
            stream.update(input, offset, length);
        }
    }

    @Override
    protected void engineUpdate(ByteBuffer input) {
        if (input.remaining() >= LONG) {
            besideOthers(() -> append(input));
        } else {
            append(input);
        }
    }

    private void append(ByteBuffer input) {
        if (alone) {
            begun = true;
            jdk.update(input);
        } else {
            stream.update(input);
        }
    }

    /** Does work that may take long. If a message begins with it, there may be lanes to share. */
    private void besideOthers(Runnable work) {
        int threads = algorithm.busy.incrementAndGet();
        try {
            if (alone && !begun && threads >= MANY) {
                alone = false;
                if (stream == null) {
                    stream = new NativeStream(algorithm.function());
                }
            }
            work.run();
        } finally {
            algorithm.busy.decrementAndGet();
        }
    }

    @Override
    protected byte[] engineDigest() {
        if (alone) {
            begun = false;
            return jdk.digest();
        }
        byte[] digest = new byte[algorithm.digestLength];
        finish(digest, 0);
        return digest;
    }

    @Override
    protected int engineDigest(byte[] output, int offset, int room) throws DigestException {
        int length = algorithm.digestLength;
        if (room < length) {
            throw new DigestException("the digest has " + length + " bytes, and there is room for "
                    + room);
        }
        if (offset < 0 || room > output.length - offset) {
            throw new DigestException("the buffer has only " + output.length + " bytes");
        }
        if (alone) {
            begun = false;
            return jdk.digest(output, offset, room);
        }
        finish(output, offset);
        return length;
    }

    /** What has been deferred is hashed now. */
    private void finish(byte[] digest, int offset) {
        besideOthers(() -> stream.finish(digest, offset));
        alone = jdk != null;
    }

    @Override
    protected void engineReset() {
        if (alone) {
            jdk.reset();
        } else {
            stream.reset();
        }
        alone = jdk != null;
        begun = false;
    }

    @Override
    public Object clone() throws CloneNotSupportedException {
        StreamDigest copy =
                new StreamDigest(algorithm, jdk == null ? null : (MessageDigest) jdk.clone());
        copy.stream = stream == null ? null : stream.copy();
        copy.alone = alone;
        copy.begun = begun;
        return copy;
    }
}
