package hashlanes;

import java.nio.ByteBuffer;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.MacSpi;
import javax.crypto.SecretKey;

/** HMAC of the native library. The key is never in the heap, except while it is prepared. */
final class StreamMac extends MacSpi implements Cloneable {
    private final Algorithm algorithm;
    /** Null before there is a key. */
    private HmacKey prepared;
    private NativeStream stream;
    /** Whether a clone may use the same key. */
    private boolean shared;

    StreamMac(Algorithm algorithm) {
        this.algorithm = algorithm;
    }

    @Override
    protected int engineGetMacLength() {
        return algorithm.digestLength;
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        if (parameters != null) {
            throw new InvalidAlgorithmParameterException("HMAC takes no parameters");
        }
        if (!(key instanceof SecretKey)) {
            throw new InvalidKeyException("HMAC needs a SecretKey");
        }
        byte[] secret = key.getEncoded();
        if (secret == null) {
            throw new InvalidKeyException("the key cannot be encoded");
        }
        if (prepared != null && !shared) {
            stream.free(prepared);
        }
        shared = false;
        try {
            prepared = new HmacKey(algorithm, secret);
            stream = new NativeStream(prepared.function());
        } finally {
            Arrays.fill(secret, (byte) 0);
        }
    }

    private NativeStream stream() {
        if (stream == null) {
            throw new IllegalStateException("there is no key");
        }
        return stream;
    }

    @Override
    protected void engineUpdate(byte input) {
        stream().update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
        stream().update(input, offset, length);
    }

    @Override
    protected void engineUpdate(ByteBuffer input) {
        stream().update(input);
    }

    @Override
    protected byte[] engineDoFinal() {
        byte[] mac = new byte[algorithm.digestLength];
        stream().finish(mac, 0);
        return mac;
    }

    @Override
    protected void engineReset() {
        if (stream != null) {
            stream.reset();
        }
    }

    @Override
    public Object clone() throws CloneNotSupportedException {
        shared = true;
        StreamMac copy = (StreamMac) super.clone();
        copy.stream = stream == null ? null : stream.copy();
        return copy;
    }
}
