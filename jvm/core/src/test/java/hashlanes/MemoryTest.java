package hashlanes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stays in memory. */
class MemoryTest {
    private static final HashlanesProvider OURS = new HashlanesProvider();

    /** A key that is not in the heap, as the array that it hands out is overwritten. */
    private record Masked(byte[] masked) implements SecretKey {
        @Override
        public String getAlgorithm() {
            return "masked";
        }

        @Override
        public String getFormat() {
            return "RAW";
        }

        @Override
        public byte[] getEncoded() {
            return xor(masked, 0x55);
        }
    }

    private static byte[] xor(byte[] bytes, int mask) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = (byte) (bytes[i] ^ mask);
        }
        return result;
    }

    @Test
    void aHeapDumpHasNoKeys(@TempDir Path folder) throws Exception {
        Random random = new Random();
        byte[] found = Data.random(random, 48);
        Masked key = new Masked(Data.random(random, 48));
        Mac mac = Mac.getInstance("HmacSHA256", OURS);
        mac.init(key);
        mac.update(new byte[100]);
        mac.reset();
        Path file = folder.resolve("heap.hprof");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpHeap(file.toString(), false);
        byte[] dump = Files.readAllBytes(file);
        assertTrue(count(dump, found) > 0);
        assertTrue(count(dump, key.masked()) > 0);
        // The key, and what HMAC makes of it.
        for (int pad : new int[] {0, 0x36, 0x5c}) {
            assertEquals(0, count(dump, xor(key.masked(), 0x55 ^ pad)));
        }
        assertEquals(32, mac.doFinal().length);
    }

    @Test
    void closedKeysAreNotInNativeMemory() throws Exception {
        Random random = new Random();
        Masked kept = new Masked(Data.random(random, 900));
        Masked notKept = new Masked(Data.random(random, 900));
        byte[][] messages = {Data.message(3), Data.message(200)};
        try (Xof xof = new Xof("shake128", 32, kept.getEncoded(), null, null, 0);
                HmacKey hmac = new HmacKey(Algorithm.SHA3_256, notKept.getEncoded())) {
            Digests.many(xof, messages);
            Digests.many(hmac, messages);
            assertTrue(countOutsideHeap(kept) > 0);
            assertEquals(0, countOutsideHeap(notKept));
        }
        assertEquals(0, countOutsideHeap(kept));
    }

    /** How often memory that is not the heap, of 1 GiB by the POM, has the end of a key. */
    private static int countOutsideHeap(Masked key) throws IOException {
        byte[] wanted = Arrays.copyOfRange(key.masked(), 868, 900);
        ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
        int count = 0;
        try (FileChannel memory = FileChannel.open(Path.of("/proc/self/mem"))) {
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] bounds = line.split("[- ]", 4);
                long start = Long.parseUnsignedLong(bounds[0], 16);
                long end = Long.parseUnsignedLong(bounds[1], 16);
                if (!bounds[2].startsWith("rw") || end - start >= 512 << 20) {
                    continue;
                }
                // Pieces overlap by a key.
                for (; start < end; start += piece.capacity() - wanted.length) {
                    piece.clear().limit((int) Math.min(piece.capacity(), end - start));
                    // A thread that has ended leaves no stack to read.
                    try {
                        memory.read(piece, start);
                    } catch (IOException error) {
                        break;
                    }
                    count += countMasked(piece.flip(), wanted);
                    // Else this buffer would have what was found.
                    piece.put(0, new byte[piece.limit()]);
                }
            }
        }
        return count;
    }

    private static int countMasked(ByteBuffer bytes, byte[] wanted) {
        int count = 0;
        for (int i = 0; i + wanted.length <= bytes.limit(); i++) {
            int same = 0;
            while (same < wanted.length && (bytes.get(i + same) ^ 0x55) == wanted[same]) {
                same++;
            }
            count += same == wanted.length ? 1 : 0;
        }
        return count;
    }

    private static int count(byte[] bytes, byte[] wanted) {
        int count = 0;
        for (int i = 0; i + wanted.length <= bytes.length; i++) {
            boolean same = bytes[i] == wanted[0]
                    && Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length);
            count += same ? 1 : 0;
        }
        return count;
    }

    @Test
    void manyCallsLeaveMemoryAsItIs() throws Exception {
        // Ten million at 50,000 messages for each function.
        int calls = 200 * Integer.getInteger("hashlanes.messages", 1000);
        byte[][] messages = {Data.message(3), Data.message(200)};
        MessageDigest digest = MessageDigest.getInstance("SHA3-256", OURS);
        long before = 0;
        for (int i = 0; i < calls; i++) {
            if (i == calls / 4) {
                before = residentPages();
            }
            switch (i % 4) {
                case 0 -> Digests.many(Algorithm.BLAKE3, messages);
                case 1 -> {
                    try (HmacKey key = new HmacKey(Algorithm.MD5, messages[0])) {
                        Digests.many(key, messages);
                    }
                }
                case 2 -> {
                    digest.update(messages[1]);
                    digest = (MessageDigest) digest.clone();
                }
                default -> digest.digest();
            }
        }
        // Without the heap, whose pages the POM asks for at the start.
        long grown = (residentPages() - before) * 4096;
        assertTrue(grown < 48 << 20, grown + " bytes after " + calls + " calls");
    }

    private static long residentPages() throws IOException, InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            Thread.sleep(50);
        }
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]);
    }
}
