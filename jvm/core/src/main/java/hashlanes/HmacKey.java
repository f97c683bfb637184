package hashlanes;

import java.security.InvalidKeyException;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key for HMAC (RFC 2104), prepared for any number of messages and threads. */
public final class HmacKey implements MessageFunction, AutoCloseable {
    final Algorithm algorithm;
    private final NativeFunction function;
    /** In place of the function, if it is not native. */
    private Mac mac;

    /**
     * Prepares a key.
     *
     * @param algorithm the hash function
     * @param key the secret, which is not needed afterwards
     * @throws UnsupportedOperationException if there is no native library and the JDK lacks the
     *     function
     */
    public HmacKey(Algorithm algorithm, byte[] key) {
        this.algorithm = algorithm;
        Objects.requireNonNull(key, "the key is null");
        if (Hashlanes.isNative()) {
            function = new NativeFunction(Native.hmac(NativeFunction.name(algorithm), key));
        } else {
            function = null;
            mac = Fallback.mac(algorithm);
            try {
                // An empty key is the same as a zero, and SecretKeySpec takes only the latter.
                mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, "raw"));
            } catch (InvalidKeyException error) {
                throw new IllegalStateException(error);
            }
        }
    }

    @Override
    public int outputLength() {
        return algorithm.digestLength;
    }

    /** Frees the key and overwrites it. It cannot be used afterwards. */
    @Override
    public synchronized void close() {
        if (function != null) {
            function.close();
        }
        mac = null;
    }

    NativeFunction function() {
        return function;
    }

    synchronized Fallback fallback() {
        if (mac == null) {
            throw new IllegalStateException("the key has been closed");
        }
        return Fallback.of(mac);
    }
}
