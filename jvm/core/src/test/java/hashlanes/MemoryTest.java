package hashlanes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
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
