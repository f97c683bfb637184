package hashlanes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProviderTest {
    private static final Provider OURS = new HashlanesProvider();

    @Test
    void theVectorsOfAllInterfaces() throws IOException, GeneralSecurityException {
        for (String[] line : Data.vectors()) {
            Algorithm algorithm = Algorithm.of(line[1]);
            if (line[0].equals("digest")) {
                MessageDigest digest = MessageDigest.getInstance(algorithm.standardName, OURS);
                byte[] message = Data.message(Integer.parseInt(line[2]));
                assertEquals(line[3], hex(digest.digest(message)));
            } else if (!line[2].equals("0")) {
                byte[] key = Data.pattern(Integer.parseInt(line[2]), 128, 253);
                Mac mac = Mac.getInstance(algorithm.macName(), OURS);
                mac.init(new SecretKeySpec(key, "raw"));
                assertEquals(line[4], hex(mac.doFinal(Data.message(Integer.parseInt(line[3])))));
            }
        }
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    @Test
    void everyNameAndIdentifierOfTheJdkIsKnown() throws GeneralSecurityException {
        int known = 0;
        for (String jdk : List.of("SUN", "SunJCE")) {
            for (Object key : Security.getProvider(jdk).keySet()) {
                String[] words = key.toString().split("\\.", 4);
                boolean alias = words[0].equals("Alg") && words[1].equals("Alias");
                String type = alias ? words[2] : words[0];
                String name = alias ? words[3] : key.toString().substring(type.length() + 1);
                if (!List.of("MessageDigest", "Mac").contains(type) || name.contains(" ")) {
                    continue;
                }
                Provider.Service service = Security.getProvider(jdk).getService(type, name);
                if (service == null) {
                    continue;
                }
                String standard = service.getAlgorithm();
                boolean ours = Arrays.stream(Algorithm.values()).anyMatch(algorithm ->
                        standard.equals(algorithm.standardName)
                        || standard.equals(algorithm.macName()));
                if (ours) {
                    Provider.Service own = OURS.getService(type, name);
                    assertNotNull(own, name);
                    assertEquals(standard, own.getAlgorithm(), name);
                    known++;
                }
            }
        }
        assertTrue(known > 40, known + " names");
        MessageDigest.getInstance("sha256", OURS);
        Mac.getInstance("Hmac-SHA-256", OURS);
        assertThrows(NoSuchAlgorithmException.class, () -> MessageDigest.getInstance("MD2", OURS));
    }

    @ParameterizedTest
    @EnumSource
    void piecesClonesAndResets(Algorithm algorithm) throws GeneralSecurityException,
            CloneNotSupportedException {
        Random random = new Random(algorithm.ordinal());
        MessageDigest digest = new StreamDigest(algorithm);
        assertEquals(algorithm.digestLength, digest.getDigestLength());
        for (int i = 0; i < 50; i++) {
            byte[] message = Data.random(random, random.nextInt(30000));
            digest.update(message);
            digest.reset();
            MessageDigest clone = digest;
            for (int at = 0; at < message.length;) {
                int now = Math.min(message.length - at, 1 + random.nextInt(10000));
                ByteBuffer piece = ByteBuffer.wrap(message, at, now);
                switch (random.nextInt(5)) {
                    case 0 -> digest.update(message, at, now);
                    case 1 -> digest.update(piece);
                    case 2 -> digest.update(piece.asReadOnlyBuffer());
                    case 3 -> digest.update(Data.direct(Arrays.copyOfRange(message, at, at + now)));
                    default -> {
                        now = 1;
                        digest.update(message[at]);
                    }
                }
                at += now;
                if (random.nextInt(3) == 0) {
                    clone = (MessageDigest) digest.clone();
                    // What happens to one must not happen to the other.
                    digest.update((byte) 1);
                    MessageDigest swapped = digest;
                    digest = clone;
                    swapped.digest();
                }
            }
            byte[] output = new byte[algorithm.digestLength + 2];
            byte[] expected = Data.expected(algorithm, message);
            MessageDigest copy = (MessageDigest) digest.clone();
            assertEquals(expected.length, digest.digest(output, 1, expected.length + 1));
            assertArrayEquals(expected, Arrays.copyOfRange(output, 1, expected.length + 1));
            assertArrayEquals(expected, copy.digest());
        }
        MessageDigest last = digest;
        byte[] small = new byte[algorithm.digestLength - 1];
        assertThrows(DigestException.class, () -> last.digest(small, 0, small.length));
        assertThrows(IllegalArgumentException.class, () -> last.update(small, 1, small.length));
        assertArrayEquals(Data.expected(algorithm, new byte[0]), digest.digest());
    }

    @ParameterizedTest
    @EnumSource
    void macsAreThoseOfTheJdk(Algorithm algorithm) throws GeneralSecurityException,
            CloneNotSupportedException {
        Mac jdk = Fallback.jdkMac(algorithm);
        if (jdk == null) {
            return;
        }
        Mac ours = Mac.getInstance(algorithm.macName(), OURS);
        assertThrows(IllegalStateException.class, () -> ours.update((byte) 1));
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            SecretKey key = new SecretKeySpec(Data.random(random, 1 + random.nextInt(300)), "x");
            jdk.init(key);
            ours.init(key);
            for (int j = 0; j < 3; j++) {
                byte[] message = Data.random(random, random.nextInt(1000));
                ours.update(message);
                ours.reset();
                ours.update(message, 0, message.length / 2);
                Mac clone = (Mac) ours.clone();
                byte[] rest = Arrays.copyOfRange(message, message.length / 2, message.length);
                byte[] expected = jdk.doFinal(message);
                assertArrayEquals(expected, ours.doFinal(rest));
                clone.update(Data.direct(rest));
                assertArrayEquals(expected, clone.doFinal());
            }
        }
        assertEquals(jdk.getMacLength(), ours.getMacLength());
    }

    @Test
    void wrongKeysAreRefused() throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256", OURS);
        SecretKey key = new SecretKeySpec(new byte[1], "x");
        assertThrows(InvalidKeyException.class, () -> mac.init(null));
        assertThrows(InvalidAlgorithmParameterException.class,
                () -> mac.init(key, new IvParameterSpec(new byte[8])));
        var pair = KeyPairGenerator.getInstance("EC").generateKeyPair();
        assertThrows(InvalidKeyException.class, () -> mac.init(pair.getPrivate()));
    }

    /** A key that remembers the array that it gave away. */
    private static final class Watched implements SecretKey {
        private static final long serialVersionUID = 1;
        private final byte[] given = {1, 2, 3};

        @Override
        public String getAlgorithm() {
            return "raw";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            return given;
        }
    }

    @Test
    void theArrayOfAKeyIsOverwritten() throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256", OURS);
        Watched key = new Watched();
        mac.init(key);
        assertArrayEquals(new byte[3], key.given);
    }

    @Test
    void aMessageInTwoThreadsIsHashedSafely() throws Exception {
        // Which bytes come first is not known, only how many there are.
        MessageDigest digest = MessageDigest.getInstance("SHA3-256", OURS);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        byte[] piece = new byte[1000];
        try {
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                futures.add(threads.submit(() -> {
                    for (int j = 0; j < 1000; j++) {
                        digest.update(piece);
                    }
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
        byte[] expected = Data.expected(Algorithm.SHA3_256, new byte[4_000_000]);
        assertArrayEquals(expected, digest.digest());
    }

    @Test
    void longMessagesOfManyThreadsShareLanes() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try {
            List<Future<?>> futures = new ArrayList<>();
            for (Algorithm algorithm : List.of(Algorithm.MD5, Algorithm.SHA3_256)) {
                for (int i = 0; i < 16; i++) {
                    Random random = new Random(i);
                    futures.add(threads.submit(() -> {
                        MessageDigest own = new StreamDigest(algorithm);
                        for (int j = 0; j < 20; j++) {
                            byte[] one = Data.random(random, random.nextInt(200000));
                            own.update(one, 0, one.length / 2);
                            own.update(one, one.length / 2, one.length - one.length / 2);
                            assertArrayEquals(Data.expected(algorithm, one), own.digest());
                        }
                        return null;
                    }));
                }
            }
            for (Future<?> future : futures) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void anInterruptedThreadHashesAndStaysInterrupted() throws GeneralSecurityException {
        Thread.currentThread().interrupt();
        byte[][] messages = {Data.message(100000), Data.message(3)};
        byte[] digest = Digests.many(Algorithm.SHA3_256, messages).get(0);
        assertArrayEquals(digest, MessageDigest.getInstance("SHA3-256", OURS).digest(messages[0]));
        assertTrue(Thread.interrupted());
        assertArrayEquals(Data.expected(Algorithm.SHA3_256, messages[0]), digest);
    }

    @Test
    void insertedFirstItServesWhatTheJdkAsksFor() throws GeneralSecurityException {
        Security.insertProviderAt(OURS, 1);
        try {
            assertEquals("Hashlanes", MessageDigest.getInstance("SHA-256").getProvider().getName());
            assertEquals("Hashlanes", Mac.getInstance("HmacSHA512").getProvider().getName());
            // Signatures look for their digest by name.
            var pair = KeyPairGenerator.getInstance("RSA").generateKeyPair();
            var signature = java.security.Signature.getInstance("SHA3-256withRSA");
            signature.initSign(pair.getPrivate());
            signature.update((byte) 1);
            byte[] bytes = signature.sign();
            signature.initVerify(pair.getPublic());
            signature.update((byte) 1);
            assertTrue(signature.verify(bytes));
            assertFalse(bytes.length == 0);
        } finally {
            Security.removeProvider("Hashlanes");
        }
    }
}
