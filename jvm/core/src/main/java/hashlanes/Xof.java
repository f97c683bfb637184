package hashlanes;

import java.nio.charset.StandardCharsets;

/**
 * A function with output of any length: SHAKE, cSHAKE, KMACXOF, TurboSHAKE, KangarooTwelve or
 * BLAKE3. It needs the native library.
 *
 * <table>
 * <caption>What each function takes</caption>
 * <tr><th>function</th><th>parameters</th></tr>
 * <tr><td>{@code shake128}, {@code shake256}</td><td>{@code customization} and {@code functionName}
 * (cSHAKE), or {@code key} and {@code customization} (KMACXOF)</td></tr>
 * <tr><td>{@code turboshake128}, {@code turboshake256}</td><td>{@code domain}</td></tr>
 * <tr><td>{@code kt128}, {@code kt256}</td><td>{@code customization}</td></tr>
 * <tr><td>{@code blake3}</td><td>{@code key} of 32 bytes, or {@code customization}: the context to
 * derive keys for</td></tr>
 * </table>
 */
public final class Xof implements MessageFunction, AutoCloseable {
    private final NativeFunction function;
    private final int length;

    /**
     * A function without parameters.
     *
     * @param name such as {@code shake128}
     * @param length bytes of the output for each message
     * @throws IllegalArgumentException if there is no such function, or the length is negative
     * @throws UnsupportedOperationException if there is no native library
     */
    public Xof(String name, int length) {
        this(name, length, null, null, null, 0);
    }

    /**
     * A function with parameters.
     *
     * @param name such as {@code shake128}
     * @param length bytes of the output for each message
     * @param key a secret, or null
     * @param customization a string that makes it another function, or null
     * @param functionName a name that NIST has given to a function, or null
     * @param domain a domain separation byte, or 0 for the usual one
     * @throws IllegalArgumentException if there is no such function, it does not take one of the
     *     parameters, or the length is negative
     * @throws UnsupportedOperationException if there is no native library
     */
    public Xof(String name, int length, byte[] key, byte[] customization, byte[] functionName,
            int domain) {
        if (length < 0 || length > Batch.MAX_OUTPUT) {
            throw new IllegalArgumentException("an output has 0 to " + Batch.MAX_OUTPUT
                    + " bytes, not " + length);
        }
        if (domain < 0 || domain > 127) {
            throw new IllegalArgumentException("a domain separation byte must be from 1 to 127, "
                    + "not " + domain);
        }
        Loader.requireNative();
        byte[] title = name.getBytes(StandardCharsets.UTF_8);
        this.length = length;
        function = new NativeFunction(
                Native.xof(title, length, key, customization, functionName, domain));
    }

    @Override
    public int outputLength() {
        return length;
    }

    /** Frees the function and overwrites its key. It cannot be used afterwards. */
    @Override
    public void close() {
        function.close();
    }

    NativeFunction function() {
        return function;
    }
}
