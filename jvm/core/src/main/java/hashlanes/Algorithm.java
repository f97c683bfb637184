package hashlanes;

import java.util.ArrayList;
import java.util.List;

/** The hash functions. */
public enum Algorithm implements MessageFunction {
    /** MD5 (RFC 1321). */
    MD5("md5", 16, 64, "MD5", "1.2.840.113549.2.5", "md-5"),
    /** SHA-1 (FIPS 180-4). */
    SHA1("sha1", 20, 64, "SHA-1", "1.3.14.3.2.26", "sha-1", "sha"),
    /** SHA-224 (FIPS 180-4). */
    SHA224("sha224", 28, 64, "SHA-224", "2.16.840.1.101.3.4.2.4", "sha-224", "sha-2-224"),
    /** SHA-256 (FIPS 180-4). */
    SHA256("sha256", 32, 64, "SHA-256", "2.16.840.1.101.3.4.2.1", "sha-256", "sha-2-256"),
    /** SHA-384 (FIPS 180-4). */
    SHA384("sha384", 48, 128, "SHA-384", "2.16.840.1.101.3.4.2.2", "sha-384", "sha-2-384"),
    /** SHA-512 (FIPS 180-4). */
    SHA512("sha512", 64, 128, "SHA-512", "2.16.840.1.101.3.4.2.3", "sha-512", "sha-2-512"),
    /** SHA-512/256 (FIPS 180-4). */
    SHA512_256("sha512-256", 32, 128, "SHA-512/256", "2.16.840.1.101.3.4.2.6",
            "sha-512-256", "sha-2-512-256", "sha-512-t256"),
    /** SM3 (GB/T 32905-2016). */
    SM3("sm3", 32, 64, "SM3", "1.2.156.10197.1.401", "sm-3"),
    /** SHA3-224 (FIPS 202). */
    SHA3_224("sha3-224", 28, 144, "SHA3-224", "2.16.840.1.101.3.4.2.7", "sha-3-224"),
    /** SHA3-256 (FIPS 202). */
    SHA3_256("sha3-256", 32, 136, "SHA3-256", "2.16.840.1.101.3.4.2.8", "sha-3-256"),
    /** SHA3-384 (FIPS 202). */
    SHA3_384("sha3-384", 48, 104, "SHA3-384", "2.16.840.1.101.3.4.2.9", "sha-3-384"),
    /** SHA3-512 (FIPS 202). */
    SHA3_512("sha3-512", 64, 72, "SHA3-512", "2.16.840.1.101.3.4.2.10", "sha-3-512"),
    /** Keccak-256, with the padding from before FIPS 202. */
    KECCAK256("keccak256", 32, 136, "KECCAK-256", null, "keccak-256"),
    /** Keccak-512, with the padding from before FIPS 202. */
    KECCAK512("keccak512", 64, 72, "KECCAK-512", null, "keccak-512"),
    /** SHAKE128 (FIPS 202) with 32 bytes. */
    SHAKE128("shake128", 32, 168, "SHAKE128-256", "2.16.840.1.101.3.4.2.11", "shake-128"),
    /** SHAKE256 (FIPS 202) with 64 bytes. */
    SHAKE256("shake256", 64, 136, "SHAKE256-512", "2.16.840.1.101.3.4.2.12", "shake-256"),
    /** BLAKE2b (RFC 7693) with 64 bytes. */
    BLAKE2B("blake2b", 64, 128, "BLAKE2B-512", "1.3.6.1.4.1.1722.12.2.1.16",
            "blake-2b", "blake-2b-512"),
    /** BLAKE2s (RFC 7693) with 32 bytes. */
    BLAKE2S("blake2s", 32, 64, "BLAKE2S-256", "1.3.6.1.4.1.1722.12.2.2.8",
            "blake-2s", "blake-2s-256"),
    /** BLAKE3 with 32 bytes. */
    BLAKE3("blake3", 32, 64, "BLAKE3-256", null, "blake-3"),
    /** SHA-256 of SHA-256's digest. */
    SHA256D("sha256d", 32, 64, "SHA256D", null, "sha-256d", "sha-2-256d");

    final String title;
    final int digestLength;
    final int blockLength;
    /** The name in JCA: the JDK's if it has the function, else BouncyCastle's. */
    final String standardName;
    final String oid;
    /** In lower case, with a hyphen wherever a separator may stand. */
    private final List<String> spellings;
    /** The native function, which is never freed. Made on first use. */
    private NativeFunction function;

    Algorithm(String title, int digestLength, int blockLength, String standardName, String oid,
            String... spellings) {
        this.title = title;
        this.digestLength = digestLength;
        this.blockLength = blockLength;
        this.standardName = standardName;
        this.oid = oid;
        this.spellings = List.of(spellings);
    }

    /**
     * The algorithm with this name. Case does not matter, and one {@code -}, {@code _} or {@code /}
     * may stand between the parts of a name: {@code sha256}, {@code SHA-256} and {@code sha2-256}
     * are the same.
     *
     * @param name the name, as in all interfaces of hashlanes
     * @return the algorithm
     * @throws IllegalArgumentException if none has the name
     */
    public static Algorithm of(String name) {
        List<String> names = new ArrayList<>();
        for (Algorithm algorithm : values()) {
            if (algorithm.spellings.stream().anyMatch(spelling -> isSpelled(name, spelling))) {
                return algorithm;
            }
            names.add(algorithm.title);
        }
        throw new IllegalArgumentException("unknown algorithm '" + name + "'; expected one of "
                + String.join(", ", names));
    }

    private static boolean isSpelled(String name, String spelling) {
        int at = 0;
        for (char letter : spelling.toCharArray()) {
            char given = at < name.length() ? name.charAt(at) : 0;
            if (letter == '-') {
                at += given == '-' || given == '_' || given == '/' ? 1 : 0;
            } else if (given == letter || (given < 128 && Character.toLowerCase(given) == letter)) {
                at++;
            } else {
                return false;
            }
        }
        return at == name.length();
    }

    /**
     * Bytes of a digest.
     *
     * @return 16 to 64
     */
    @Override
    public int outputLength() {
        return digestLength;
    }

    /**
     * The name in all interfaces of hashlanes.
     *
     * @return such as {@code sha512-256}
     */
    @Override
    public String toString() {
        return title;
    }

    synchronized NativeFunction function() {
        if (function == null) {
            function = new NativeFunction(this);
        }
        return function;
    }

    /** The name of HMAC with this function, as the JDK forms it. */
    String macName() {
        String name = standardName.startsWith("SHA-") ? "SHA" + standardName.substring(4)
                : standardName;
        return "Hmac" + name;
    }

    List<String> spellings() {
        return spellings;
    }
}
