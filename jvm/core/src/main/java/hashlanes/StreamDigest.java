package hashlanes;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;

/** A {@code MessageDigest} of the native library, whose long messages share lanes. */
final class StreamDigest extends MessageDigest implements Cloneable {
    private final Algorithm algorithm;
    private NativeStream stream;

    StreamDigest(Algorithm algorithm) {
        super(algorithm.standardName);
        this.algorithm = algorithm;
        stream = new NativeStream(algorithm.function());
    }

    @Override
    protected int engineGetDigestLength() {
        return algorithm.digestLength;
    }

    @Override
    protected void engineUpdate(byte input) {
        stream.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        stream.update(input, offset, length);
    }

    @Override
    protected void engineUpdate(ByteBuffer input) {
        stream.update(input);
    }

    @Override
    protected byte[] engineDigest() {
        byte[] digest = new byte[algorithm.digestLength];
        stream.finish(digest, 0);
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
        stream.finish(output, offset);
        return length;
    }

    @Override
    protected void engineReset() {
        stream.reset();
    }

    @Override
    public Object clone() throws CloneNotSupportedException {
        StreamDigest copy = (StreamDigest) super.clone();
        copy.stream = stream.copy();
        return copy;
    }
}
