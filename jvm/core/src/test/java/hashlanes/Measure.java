package hashlanes;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.Provider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Measures the CPU time of many messages beside the JDK's {@code MessageDigest}, in turn, and
 * prints the best of each as a table: {@code cargo xtask jvm --measure}. With an argument it only
 * measures several threads.
 */
public final class Measure {
    private static final int ROUNDS = 15;
    private static final Provider OURS = new HashlanesProvider();
    private static int sink;

    private static final ThreadMXBean CPU = ManagementFactory.getThreadMXBean();

    private Measure() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            threads();
            return;
        }
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
            for (int length : new int[] {64, 1024, 32 << 10}) {
                one(algorithm, length);
            }
        }
        threads();
        System.err.println(sink);
    }

    private static void threads() throws Exception {
        for (int threads : new int[] {1, 2, 4, 8, 32}) {
            together(Algorithm.SHA3_256, threads);
        }
    }

    /** The provider in several threads beside the JDK: CPU time of all, and time. */
    private static void together(Algorithm algorithm, int threads) throws Exception {
        Provider jdk = MessageDigest.getInstance(algorithm.standardName, "SUN").getProvider();
        double[][] quotients = new double[2][ROUNDS];
        double each = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double[] theirs = together(algorithm, jdk, threads);
            double[] ours = together(algorithm, OURS, threads);
            each = round == 0 ? theirs[0] : Math.min(each, theirs[0]);
            for (int i = 0; i < 2; i++) {
                quotients[i][round] = theirs[i] / ours[i];
            }
        }
        Arrays.sort(quotients[0]);
        Arrays.sort(quotients[1]);
        System.out.printf("| %s, %d threads | 65,536 B | %.0f | %.2f | | time: %.2f |%n", algorithm,
                threads, each, quotients[0][ROUNDS / 2], quotients[1][ROUNDS / 2]);
    }

    /** Nanoseconds for a message: the CPU time of all threads, and the time. */
    private static double[] together(Algorithm algorithm, Provider provider, int threads)
            throws Exception {
        int messages = 2048 / threads;
        AtomicLong used = new AtomicLong();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            MessageDigest digest = MessageDigest.getInstance(algorithm.standardName, provider);
            byte[] message = Data.random(new Random(i), 1 << 16);
            all.add(new Thread(() -> {
                for (int j = 0; j < messages; j++) {
                    digest.digest(message);
                }
                used.addAndGet(CPU.getCurrentThreadCpuTime());
            }));
        }
        long start = System.nanoTime();
        all.forEach(Thread::start);
        for (Thread thread : all) {
            thread.join();
        }
        double total = messages * threads;
        return new double[] {used.get() / total, (System.nanoTime() - start) / total};
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

    /** One message: the provider beside the JDK. */
    private static void one(Algorithm algorithm, int length) throws Exception {
        MessageDigest ours = MessageDigest.getInstance(algorithm.standardName, OURS);
        MessageDigest jdk = Fallback.jdkDigest(algorithm);
        byte[] message = Data.random(new Random(1), length);
        IntSupplier one = () -> ours.digest(message)[0];
        print(algorithm + " alone", length, one,
                jdk == null ? null : () -> jdk.digest(message)[0]);
        Mac mac = Mac.getInstance(algorithm.macName(), OURS);
        Mac other = Fallback.jdkMac(algorithm);
        SecretKeySpec key = new SecretKeySpec(Data.random(new Random(2), 32), "key");
        mac.init(key);
        if (other != null) {
            other.init(key);
        }
        print("hmac " + algorithm + " alone", length, () -> mac.doFinal(message)[0],
                other == null ? null : () -> other.doFinal(message)[0]);
    }

    private static void print(String name, int length, IntSupplier ours, IntSupplier jdk) {
        double[] best = best(100 + length, ours, jdk == null ? ours : jdk);
        String lacks = String.format("lacks it; ours %.0f", best[0]);
        System.out.printf("| %s | 1 of %,d B | %s | %s | | |%n", name, length,
                jdk == null ? lacks : String.format("%.0f", best[1]),
                jdk == null ? "" : String.format("%.2f", best[1] / best[0]));
    }

    /** The least nanoseconds of a call of each, measured in turn. */
    private static double[] best(int estimate, IntSupplier... calls) {
        int repeats = Math.max(1, 10_000_000 / estimate);
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
