package hashlanes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Provider;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** NIST's vectors and those of RFC 2202 and RFC 4231, which {@code cargo xtask setup} installs. */
class NistTest {
    private static final Provider OURS = new HashlanesProvider();
    private static final String FOLDER = System.getenv("HASHLANES_CAVP");

    @BeforeAll
    static void areThere() {
        boolean there = FOLDER != null && Files.isDirectory(Path.of(FOLDER));
        if (!there) {
            System.err.println("NIST's vectors: NOT RUN HERE: HASHLANES_CAVP names no folder");
        }
        assumeTrue(there, "HASHLANES_CAVP names no folder");
    }

    /** The values of a name in a file. */
    private static List<String> values(String file, String name) throws IOException {
        return Files.readAllLines(Path.of(FOLDER, file)).stream()
                .filter(line -> line.startsWith(name + " = "))
                .map(line -> line.substring(name.length() + 3).trim()).toList();
    }

    private static byte[][] bytes(String file, String name) throws IOException {
        return values(file, name).stream().map(HexFormat.of()::parseHex).toArray(byte[][]::new);
    }

    private static String file(Algorithm algorithm, String kind) {
        String name = algorithm.name();
        String folder = name.equals("SHA1") ? name : name.startsWith("SHA3_") ? "SHA3" : "SHA2";
        return folder + "/" + name + kind + ".rsp";
    }

    /** One by one through both kinds of digests, and all in one call. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "SHA(1|2..|384|512|512_256|3_...)")
    void messages(Algorithm algorithm) throws IOException, GeneralSecurityException {
        for (String kind : List.of("ShortMsg", "LongMsg")) {
            String file = file(algorithm, kind);
            List<String> lengths = values(file, "Len");
            byte[][] messages = bytes(file, "Msg");
            byte[][] expected = bytes(file, "MD");
            assertTrue(messages.length > 60 && messages.length == expected.length, file);
            for (int i = 0; i < messages.length; i++) {
                // The empty message is written as one byte.
                messages[i] = Arrays.copyOf(messages[i], Integer.parseInt(lengths.get(i)) / 8);
                for (MessageDigest digest : List.of(new StreamDigest(algorithm),
                        MessageDigest.getInstance(algorithm.standardName, OURS))) {
                    assertArrayEquals(expected[i], digest.digest(messages[i]), file);
                }
            }
            assertArrayEquals(expected, Digests.many(algorithm, messages).toArrays(), file);
        }
    }

    /** SHAVS, section 6.4, and SHA3VS, section 6.2.3: 100 chains of 1,000 digests, in lanes. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.MATCH_ALL, names = "SHA(1|2..|384|512|512_256|3_...)")
    void monteCarlo(Algorithm algorithm) throws IOException {
        String file = file(algorithm, "Monte");
        byte[] seed = bytes(file, "Seed")[0];
        byte[][] expected = bytes(file, "MD");
        assertEquals(100, expected.length, file);
        // A message of SHA-1 and SHA-2 is the three digests before it.
        int before = algorithm.name().startsWith("SHA3_") ? 1 : 3;
        int length = seed.length;
        byte[][] messages = new byte[100][before * length];
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < before; j++) {
                System.arraycopy(i == 0 ? seed : expected[i - 1], 0, messages[i], j * length,
                        length);
            }
        }
        for (int round = 0; round < 1000; round++) {
            Digests digests = Digests.many(algorithm, messages);
            for (int i = 0; i < 100; i++) {
                int kept = (before - 1) * length;
                System.arraycopy(messages[i], length, messages[i], 0, kept);
                System.arraycopy(digests.get(i), 0, messages[i], kept, length);
            }
        }
        for (int i = 0; i < 100; i++) {
            byte[] last = Arrays.copyOfRange(messages[i], (before - 1) * length, before * length);
            assertArrayEquals(expected[i], last, file + ", COUNT = " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"shake128, SHAKE/SHAKE128", "shake256, SHAKE/SHAKE256"})
    void outputs(String name, String prefix) throws IOException {
        byte[][] messages = bytes(prefix + "VariableOut.rsp", "Msg");
        byte[][] expected = bytes(prefix + "VariableOut.rsp", "Output");
        assertTrue(messages.length > 1000 && messages.length == expected.length);
        for (int i = 0; i < messages.length; i++) {
            try (Xof xof = new Xof(name, expected[i].length)) {
                byte[][] message = {messages[i]};
                assertArrayEquals(expected[i], Digests.many(xof, message).get(0));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"MD5, rfc-2202-md5", "SHA1, rfc-2202-sha1", "SHA224, rfc-4231-sha224",
            "SHA256, rfc-4231-sha256", "SHA384, rfc-4231-sha384", "SHA512, rfc-4231-sha512"})
    void macs(Algorithm algorithm, String name) throws IOException, GeneralSecurityException {
        String file = "../HMAC/" + name + ".txt";
        byte[][] keys = bytes(file, "Key");
        byte[][] messages = bytes(file, "Msg");
        byte[][] expected = bytes(file, "MD");
        assertTrue(keys.length >= 5 && keys.length == messages.length, file);
        Mac mac = Mac.getInstance(algorithm.macName(), OURS);
        for (int i = 0; i < keys.length; i++) {
            byte[][] message = {messages[i]};
            try (HmacKey key = new HmacKey(algorithm, keys[i])) {
                assertArrayEquals(expected[i], Digests.many(key, message).get(0), file);
            }
            mac.init(new SecretKeySpec(keys[i], "raw"));
            assertArrayEquals(expected[i], mac.doFinal(messages[i]), file);
        }
    }
}
