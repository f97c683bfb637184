package hashlanes;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Random;
import java.util.function.IntSupplier;

/**
 * Measures the CPU time of many messages beside the JDK's {@code MessageDigest}, in turn, and
 * prints the best of each as a table: {@code cargo xtask jvm --measure}.
 */
public final class Measure {
    private static final int ROUNDS = 7;
    private static int sink;

    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private Measure() {}

    public static void main(String[] arguments) throws Exception {
        System.out.println("| function | messages | JDK, ns each | times as fast | direct | hex |");
        System.out.println("|---|--:|--:|--:|--:|--:|");
        for (Algorithm algorithm : new Algorithm[] {Algorithm.MD5, Algorithm.SHA1, Algorithm.SHA256,
                Algorithm.SHA512, Algorithm.SHA3_256}) {
            for (int[] shape : new int[][] {{64, 64}, {64, 1024}, {1, 64}, {4096, 16},
                    {32, 1 << 17}}) {
                measure(algorithm, shape[0], shape[1]);
            }
        }
        for (Algorithm algorithm : Algorithm.values()) {
            one(algorithm);
        }
        System.err.println(sink);
    }

    private static void measure(Algorithm algorithm, int count, int length) throws Exception {
        MessageDigest jdk = MessageDigest.getInstance(algorithm.standardName, "SUN");
        Random random = new Random(1);
        byte[][] messages = new byte[count][];
        ByteBuffer direct = ByteBuffer.allocateDirect(count * length);
        for (int i = 0; i < count; i++) {
            messages[i] = Data.random(random, length);
            direct.put(messages[i]);
        }
        direct.flip();
        double[] best = best(count * (50 + length / 4), () -> {
            int sum = 0;
            for (byte[] message : messages) {
                sum += jdk.digest(message)[0];
            }
            return sum;
        }, () -> Digests.many(algorithm, messages).toArrays()[count - 1][0],
                () -> Digests.chunks(algorithm, direct, length).concatenated()[0],
                () -> Digests.many(algorithm, messages).toHex()[count - 1].length());
        System.out.printf("| %s | %,d of %,d B | %.0f | %.2f | %.2f | %.2f |%n", algorithm, count,
                length, best[0] / count, best[0] / best[1], best[0] / best[2], best[0] / best[3]);
    }

    /** One message in pieces: the provider beside the JDK, or its speed if the JDK lacks it. */
    private static void one(Algorithm algorithm) throws Exception {
        MessageDigest ours = MessageDigest.getInstance(algorithm.standardName,
                new HashlanesProvider());
        MessageDigest jdk = Fallback.jdkDigest(algorithm);
        byte[] piece = Data.random(new Random(1), 16 << 10);
        IntSupplier one = () -> {
            ours.update(piece);
            ours.update(piece);
            return ours.digest()[0];
        };
        IntSupplier other = () -> {
            jdk.update(piece);
            jdk.update(piece);
            return jdk.digest()[0];
        };
        double[] best = best(20_000, jdk == null ? one : other, one);
        System.out.printf("| %s alone | 2 pieces of 16 KiB | %.0f | %.2f | | |%n", algorithm,
                best[0], best[0] / best[1]);
    }

    /** The least nanoseconds of a call of each, measured in turn. */
    private static double[] best(int estimate, IntSupplier... calls) {
        int repeats = Math.max(1, 5_000_000 / estimate);
        double[] best = new double[calls.length];
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < calls.length; i++) {
                long start = CPU.getCurrentThreadCpuTime();
                for (int j = 0; j < repeats; j++) {
                    sink += calls[i].getAsInt();
                }
                double time = (CPU.getCurrentThreadCpuTime() - start) / (double) repeats;
                best[i] = round == 0 ? time : Math.min(best[i], time);
            }
        }
        return best;
    }
}
