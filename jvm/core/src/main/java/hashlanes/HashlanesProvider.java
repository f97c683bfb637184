package hashlanes;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A provider of {@code MessageDigest} and {@code Mac} for every function, with the JDK's names and
 * object identifiers.
 *
 * <pre>{@code
 * Security.insertProviderAt(new HashlanesProvider(), 1);
 * }</pre>
 *
 * <p>A single message cannot use lanes. So {@code MessageDigest} is the JDK's own where it has
 * intrinsic code, which is as fast: MD5, SHA-1 and SHA-2. Without the native library all functions
 * are the JDK's, and those that it lacks are missing.
 */
public final class HashlanesProvider extends Provider {
    private static final long serialVersionUID = 1;

    /**
     * Functions for whose single messages the JVM has intrinsic code. Threads that shared lanes
     * would wait for each other: docs/record/zen5/README.md.
     */
    private static final Set<Algorithm> INTRINSIC = Set.of(Algorithm.MD5, Algorithm.SHA1,
            Algorithm.SHA224, Algorithm.SHA256, Algorithm.SHA384, Algorithm.SHA512,
            Algorithm.SHA512_256);

    private static final Map<Algorithm, String> MAC_OIDS = Map.of(
            Algorithm.SHA1, "1.2.840.113549.2.7",
            Algorithm.SHA224, "1.2.840.113549.2.8",
            Algorithm.SHA256, "1.2.840.113549.2.9",
            Algorithm.SHA384, "1.2.840.113549.2.10",
            Algorithm.SHA512, "1.2.840.113549.2.11",
            Algorithm.SHA512_256, "1.2.840.113549.2.13",
            Algorithm.SHA3_224, "2.16.840.1.101.3.4.2.13",
            Algorithm.SHA3_256, "2.16.840.1.101.3.4.2.14",
            Algorithm.SHA3_384, "2.16.840.1.101.3.4.2.15",
            Algorithm.SHA3_512, "2.16.840.1.101.3.4.2.16");

    /** A provider named {@code Hashlanes}. */
    public HashlanesProvider() {
        super("Hashlanes", "0.2", "Digests and HMAC of hashlanes");
        Provider sun = Security.getProvider("SUN");
        Provider jce = Security.getProvider("SunJCE");
        for (Algorithm algorithm : Algorithm.values()) {
            String name = algorithm.standardName;
            Service jdk = sun == null ? null : sun.getService("MessageDigest", name);
            boolean own = Hashlanes.isNative() && !(jdk != null && INTRINSIC.contains(algorithm));
            put("MessageDigest", name, algorithm, algorithm.oid, own, jdk);
            String macName = algorithm.macName();
            jdk = jce == null ? null : jce.getService("Mac", macName);
            put("Mac", macName, algorithm, MAC_OIDS.get(algorithm), Hashlanes.isNative(), jdk);
        }
    }

    private void put(String type, String name, Algorithm algorithm, String oid, boolean own,
            Service jdk) {
        if (own || jdk != null) {
            List<String> aliases = new ArrayList<>();
            if (oid != null) {
                aliases.addAll(List.of(oid, "OID." + oid));
            }
            for (String spelling : algorithm.spellings()) {
                String alias = type.equals("Mac") ? "Hmac-" + spelling : spelling;
                aliases.addAll(List.of(alias, alias.replace("-", "")));
            }
            if (type.equals("MessageDigest")) {
                aliases.add(algorithm.macName().substring("Hmac".length()));
            }
            aliases.removeIf(name::equalsIgnoreCase);
            putService(new Function(this, type, name, aliases, algorithm, own ? null : jdk));
        }
    }

    /** What makes objects of one function: our own, or those of the JDK. */
    private static final class Function extends Service {
        private final Algorithm algorithm;
        private final Service jdk;

        Function(Provider provider, String type, String name, List<String> aliases,
                Algorithm algorithm, Service jdk) {
            super(provider, type, name, jdk == null ? StreamDigest.class.getName()
                    : jdk.getClassName(), aliases, Map.of());
            this.algorithm = algorithm;
            this.jdk = jdk;
        }

        @Override
        public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
            if (jdk != null) {
                return jdk.newInstance(parameter);
            }
            return getType().equals("Mac") ? new StreamMac(algorithm)
                    : new StreamDigest(algorithm);
        }
    }
}
