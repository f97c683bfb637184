package hashlanes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DigestsTest {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void theLibraryIsLoadedFromTheJar() {
        assertTrue(Hashlanes.isNative(), Hashlanes.problem());
        assertEquals(Algorithm.class.getPackage().getName(), "hashlanes");
    }

    @Test
    void theAlgorithmsAreThoseOfTheLibrary() {
        StringBuilder table = new StringBuilder();
        for (Algorithm algorithm : Algorithm.values()) {
            table.append(algorithm).append(' ').append(algorithm.digestLength).append(' ')
                    .append(algorithm.blockLength).append('\n');
            for (String spelling : algorithm.spellings()) {
                for (String name : List.of(spelling, spelling.replace('-', '_'),
                        spelling.replace("-", "").toUpperCase())) {
                    assertEquals(algorithm, Algorithm.of(name));
                    Native.free(Native.digester(name.getBytes(StandardCharsets.UTF_8)));
                }
            }
        }
        String description = new String(Native.describe(), StandardCharsets.UTF_8);
        assertEquals(Hashlanes.nativeVersion() + "\n" + table, description);
        for (String wrong : List.of("", "sha4", "sha--256", "sha256 ", "sha256\0", "ſha256")) {
            assertThrows(IllegalArgumentException.class, () -> Algorithm.of(wrong), wrong);
        }
    }

    @Test
    void theVectorsOfAllInterfaces() throws IOException {
        for (String[] line : Data.vectors()) {
            Algorithm algorithm = Algorithm.of(line[1]);
            if (line[0].equals("digest")) {
                byte[][] message = {Data.message(Integer.parseInt(line[2]))};
                assertEquals(line[3], Digests.many(algorithm, message).toHex()[0]);
            } else {
                byte[] key = Data.pattern(Integer.parseInt(line[2]), 128, 253);
                byte[][] message = {Data.message(Integer.parseInt(line[3]))};
                try (HmacKey prepared = new HmacKey(algorithm, key)) {
                    assertEquals(line[4], Digests.many(prepared, message).toHex()[0]);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyLengthAroundBlocksAndPieces(Algorithm algorithm) {
        List<byte[]> messages = new ArrayList<>();
        for (int length = 0; length <= 2 * algorithm.blockLength + 1; length++) {
            messages.add(Data.message(length));
        }
        for (int length : new int[] {1023, 1024, 1025, 8191, 8192, 8193, 32767, 32768, 32769,
                65536, 262143, 262144, 262145}) {
            messages.add(Data.message(length));
        }
        check(algorithm, messages.toArray(new byte[0][]));
    }

    @ParameterizedTest
    @EnumSource
    void randomMessages(Algorithm algorithm) {
        Random random = new Random(algorithm.ordinal());
        byte[][] messages = new byte[Integer.getInteger("hashlanes.messages", 3000)][];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = Data.random(random, random.nextInt(300));
        }
        check(algorithm, messages);
    }

    /** Compares every way in with BouncyCastle. */
    private static void check(Algorithm algorithm, byte[][] messages) {
        byte[][] expected = new byte[messages.length][];
        ByteBuffer[] buffers = new ByteBuffer[messages.length];
        int[] offsets = new int[messages.length + 1];
        for (int i = 0; i < messages.length; i++) {
            expected[i] = Data.expected(algorithm, messages[i]);
            offsets[i + 1] = offsets[i] + messages[i].length;
            buffers[i] = switch (i % 3) {
                case 0 -> Data.direct(messages[i]);
                case 1 -> ByteBuffer.wrap(messages[i]).asReadOnlyBuffer();
                default -> ByteBuffer.wrap(messages[i]);
            };
        }
        assertArrayEquals(expected, Digests.many(algorithm, messages).toArrays());
        assertArrayEquals(expected, Digests.many(algorithm, buffers).toArrays());
        ByteBuffer all = ByteBuffer.allocate(offsets[messages.length]);
        for (byte[] message : messages) {
            all.put(message);
        }
        IntBuffer table = IntBuffer.wrap(offsets);
        for (ByteBuffer data : new ByteBuffer[] {all.flip(), Data.direct(all.array())}) {
            assertArrayEquals(expected, Digests.many(algorithm, data, table).toArrays());
        }
    }

    @Test
    void chunksAreThoseOfTheBuffer() {
        byte[] bytes = Data.message(1000);
        for (ByteBuffer data : List.of(ByteBuffer.wrap(bytes), Data.direct(bytes))) {
            data.position(1);
            Digests digests = Digests.chunks(Algorithm.MD5, data, 64);
            assertEquals(16, digests.size());
            byte[] last = java.util.Arrays.copyOfRange(bytes, 961, 1000);
            assertArrayEquals(Data.expected(Algorithm.MD5, last), digests.get(15));
            data.position(1000);
            assertEquals(0, Digests.chunks(Algorithm.MD5, data, 64).size());
        }
        ByteBuffer data = ByteBuffer.wrap(bytes);
        assertThrows(IllegalArgumentException.class,
                () -> Digests.chunks(Algorithm.MD5, data, 0));
    }

    @Test
    void longMessagesOfMixedLengthsKeepTheirPlaces() {
        byte[][] messages = new byte[100][];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = Data.message(i % 3 == 0 ? i : 32768 + 5000 * i);
        }
        check(Algorithm.SHA256, messages);
        check(Algorithm.BLAKE3, messages);
        byte[][] outputs;
        try (Xof shake = new Xof("shake128", 40)) {
            outputs = Digests.many(shake, messages).toArrays();
        }
        byte[][] macs;
        try (HmacKey key = new HmacKey(Algorithm.MD5, new byte[] {1})) {
            macs = Digests.many(key, messages).toArrays();
            for (int i = 0; i < messages.length; i++) {
                assertArrayEquals(macs[i], Digests.many(key,
                        new ByteBuffer[] {Data.direct(messages[i])}).get(0));
                SHAKEDigest digest = new SHAKEDigest(128);
                digest.update(messages[i], 0, messages[i].length);
                byte[] output = new byte[40];
                digest.doFinal(output, 0, 40);
                assertArrayEquals(output, outputs[i]);
            }
        }
    }

    @Test
    void outputsOfAnyLength() {
        byte[][] messages = {"".getBytes(), "another message".getBytes()};
        try (Xof kt = new Xof("KT128", 4); Xof none = new Xof("shake256", 0);
                Xof longest = new Xof("blake3", 1 << 20)) {
            assertEquals("1ac2d450", Digests.many(kt, messages).toHex()[0]);
            assertEquals(0, Digests.many(none, messages).get(1).length);
            byte[] output = Digests.many(longest, messages).get(1);
            assertArrayEquals(Data.expected(Algorithm.BLAKE3, messages[1]),
                    java.util.Arrays.copyOf(output, 32));
        }
        assertThrows(IllegalArgumentException.class, () -> new Xof("kt128", -1));
        var error = assertThrows(IllegalArgumentException.class,
                () -> new Xof("kt128", 1, new byte[1], null, null, 0));
        assertEquals("kt128 takes no key", error.getMessage());
        error = assertThrows(IllegalArgumentException.class, () -> new Xof("sha\u00e9", 1));
        assertTrue(error.getMessage().startsWith("unknown function 'sha"), error.getMessage());
    }

    @Test
    void wrongPartsAreRefused() {
        byte[] bytes = new byte[10];
        try (Batch batch = new Batch(Algorithm.MD5)) {
            assertThrows(IndexOutOfBoundsException.class, () -> batch.add(bytes, 5, 6));
            assertThrows(IndexOutOfBoundsException.class, () -> batch.add(bytes, -1, 1));
            assertThrows(NullPointerException.class, () -> batch.add((byte[]) null));
            assertThrows(NullPointerException.class, () -> batch.add((ByteBuffer) null));
            assertThrows(NullPointerException.class, () -> batch.finishHex(null));
            assertEquals(0, batch.finish().size());
        }
        for (ByteBuffer data : List.of(ByteBuffer.wrap(bytes), Data.direct(bytes))) {
            for (int[] offsets : new int[][] {{0, 11}, {5, 4}, {-1, 2}}) {
                assertThrows(IndexOutOfBoundsException.class,
                        () -> Digests.many(Algorithm.MD5, data, IntBuffer.wrap(offsets)));
            }
            assertThrows(IllegalArgumentException.class,
                    () -> Digests.many(Algorithm.MD5, data, IntBuffer.allocate(0)));
        }
    }

    @Test
    void nullIsRefusedBeforeNativeCode() {
        Algorithm sha256 = Algorithm.SHA256;
        List.<Executable>of(
                () -> new HmacKey(sha256, null),
                () -> new HmacKey(null, new byte[1]),
                () -> new Xof(null, 1),
                () -> new Batch(null),
                () -> Digests.many(sha256, (byte[][]) null),
                () -> Digests.many(sha256, new byte[][] {new byte[1], null}),
                () -> Digests.many(sha256, new ByteBuffer[] {null}),
                () -> Digests.many(sha256, null, IntBuffer.allocate(1)),
                () -> Digests.many(sha256, ByteBuffer.allocateDirect(1), null),
                () -> Digests.chunks(sha256, null, 1)
        ).forEach(call -> assertThrows(NullPointerException.class, call));
    }

    @Test
    void aClosedKeyOrBatchIsAnErrorAndNoWrongDigest() {
        HmacKey key = new HmacKey(Algorithm.SHA256, new byte[32]);
        Batch batch = new Batch(key);
        batch.add(new byte[3]);
        key.close();
        key.close();
        assertThrows(IllegalStateException.class, batch::finish);
        assertEquals(0, batch.size());
        batch.close();
        batch.close();
        for (int length : new int[] {3, 40_000}) {
            var error = assertThrows(IllegalStateException.class,
                    () -> batch.add(new byte[length]));
            assertEquals("the batch has been closed", error.getMessage());
        }
        assertEquals(0, batch.size());
    }

    @Test
    void aPanicBecomesAnException() {
        var error = assertThrows(IllegalStateException.class, Native::panic);
        assertEquals("a bug in hashlanes: on purpose", error.getMessage());
    }

    @Test
    void manyThreadsShareKeysAndAlgorithms() throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        byte[][] messages = new byte[500][];
        for (int i = 0; i < messages.length; i++) {
            messages[i] = Data.message(i * 7);
        }
        try (HmacKey key = new HmacKey(Algorithm.SHA512, "key".getBytes())) {
            byte[] expected = Digests.many(key, messages).concatenated();
            List<Future<?>> futures = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                futures.add(threads.submit(() -> {
                    for (int j = 0; j < 50; j++) {
                        assertArrayEquals(expected, Digests.many(key, messages).concatenated());
                    }
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void hexadecimalDigitsAreLowerCase() {
        byte[][] messages = {"abc".getBytes(), {}};
        Digests digests = Digests.many(Algorithm.SHA1, messages);
        assertEquals(HEX.formatHex(digests.concatenated()),
                new String(digests.hexDigits(), StandardCharsets.US_ASCII));
        assertEquals("da39a3ee5e6b4b0d3255bfef95601890afd80709", digests.toHex()[1]);
    }

    @Test
    void aBatchWritesDigitsAgainAndAgain() {
        try (Batch batch = new Batch(Algorithm.MD5)) {
            byte[] digits = new byte[32 * 5000 + 1];
            // More than are hashed at a time, and more than the last time.
            for (int count : new int[] {0, 1, 5000, 3}) {
                byte[][] messages = new byte[count][];
                for (int i = 0; i < count; i++) {
                    messages[i] = Data.message(i % 40 == 0 ? 40_000 : i);
                    batch.add(messages[i]);
                }
                assertEquals(32 * count, batch.finishHex(digits));
                assertEquals(String.join("", Digests.many(Algorithm.MD5, messages).toHex()),
                        new String(digits, 0, 32 * count, StandardCharsets.US_ASCII));
            }
            batch.add(new byte[3]);
            assertThrows(IndexOutOfBoundsException.class, () -> batch.finishHex(new byte[31]));
            assertEquals(0, batch.size());
        }
    }
}
