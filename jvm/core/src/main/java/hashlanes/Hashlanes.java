package hashlanes;

import java.nio.charset.StandardCharsets;

/** Whether the native library is in use, and why not. */
public final class Hashlanes {
    private Hashlanes() {}

    /**
     * Whether messages are hashed in lanes. Otherwise the functions of the JDK hash them one by one
     * and those that it lacks throw {@link UnsupportedOperationException}.
     *
     * @return whether the native library is loaded
     */
    public static boolean isNative() {
        return Loader.problem() == null;
    }

    /**
     * Why the native library is not loaded.
     *
     * @return the reason, or null if it is loaded
     */
    public static String problem() {
        return Loader.problem();
    }

    /**
     * The version of the native library.
     *
     * @return such as {@code 0.2.0}
     * @throws UnsupportedOperationException if it is not loaded
     */
    public static String nativeVersion() {
        Loader.requireNative();
        String description = new String(Native.describe(), StandardCharsets.US_ASCII);
        return description.substring(0, description.indexOf('\n'));
    }

    /**
     * Hashes known messages in every kernel that this CPU has, and compares the digests with known
     * ones. It takes about 10 ms.
     *
     * @throws IllegalStateException if a digest is wrong; the message names the kernel
     * @throws UnsupportedOperationException if the native library is not loaded
     */
    public static void selfTest() {
        Loader.requireNative();
        Native.selfTest();
    }
}
