package hashlanes;

import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import javax.crypto.Mac;
import javax.crypto.ShortBufferException;

/** The functions of the JDK, for one message at a time. */
interface Fallback {
    void hash(byte[] message, int offset, int length, byte[] output, int place);

    /** A digest of the JDK's own, or null if it lacks the function. */
    static MessageDigest jdkDigest(Algorithm algorithm) {
        Provider provider = Security.getProvider("SUN");
        try {
            return provider == null ? null
                    : MessageDigest.getInstance(algorithm.standardName, provider);
        } catch (NoSuchAlgorithmException error) {
            return null;
        }
    }

    /** HMAC of the JDK's own, or null if it lacks the function. */
    static Mac jdkMac(Algorithm algorithm) {
        Provider provider = Security.getProvider("SunJCE");
        try {
            return provider == null ? null : Mac.getInstance(algorithm.macName(), provider);
        } catch (NoSuchAlgorithmException error) {
            return null;
        }
    }

    private static UnsupportedOperationException unsupported(String name) {
        return new UnsupportedOperationException(name + " needs the native library: "
                + Hashlanes.problem());
    }

    static Fallback of(Algorithm algorithm) {
        MessageDigest digest = jdkDigest(algorithm == Algorithm.SHA256D ? Algorithm.SHA256
                : algorithm);
        if (digest == null) {
            throw unsupported(algorithm.title);
        }
        return (message, offset, length, output, place) -> {
            digest.update(message, offset, length);
            if (algorithm == Algorithm.SHA256D) {
                digest.update(digest.digest());
            }
            try {
                digest.digest(output, place, algorithm.digestLength);
            } catch (DigestException error) {
                throw new IllegalStateException(error);
            }
        };
    }

    static Mac mac(Algorithm algorithm) {
        Mac mac = jdkMac(algorithm);
        if (mac == null) {
            throw unsupported("HMAC with " + algorithm.title);
        }
        return mac;
    }

    static Fallback of(Mac prepared) {
        final Mac mac;
        try {
            mac = (Mac) prepared.clone();
        } catch (CloneNotSupportedException error) {
            throw new IllegalStateException(error);
        }
        return (message, offset, length, output, place) -> {
            mac.update(message, offset, length);
            try {
                mac.doFinal(output, place);
            } catch (ShortBufferException error) {
                throw new IllegalStateException(error);
            }
        };
    }
}
