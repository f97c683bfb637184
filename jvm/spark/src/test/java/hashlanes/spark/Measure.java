package hashlanes.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.spark.sql.SparkSession;

/**
 * Measures the CPU time of queries with lanes and without, in turn, and prints the best of each as
 * a table. The arguments are millions of rows and rounds, and perhaps lengths of values:
 * {@code cargo xtask jvm --measure --spark -- 2 5 64}.
 */
public final class Measure {
    private static final OperatingSystemMXBean CPU =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Measure() {}

    public static void main(String[] arguments) throws Exception {
        double millions = arguments.length > 0 ? Double.parseDouble(arguments[0]) : 1;
        int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
        Path folder = Files.createTempDirectory("hashlanes-spark");
        SparkSession spark = SparkSession.builder().master("local[2]")
                .config("spark.sql.extensions", HashlanesExtensions.class.getName())
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.local.dir", folder.toString())
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .getOrCreate();
        System.out.println("| query | bytes | Spark, s | without hashing, s | times as fast |");
        System.out.println("|---|--:|--:|--:|--:|");
        int[] lengths = arguments.length < 3 ? new int[] {16, 64, 256}
                : Arrays.stream(arguments).skip(2).mapToInt(Integer::parseInt).toArray();
        for (int length : lengths) {
            String file = folder.resolve("rows" + length).toString();
            // Random digits, of which each row has others.
            spark.range(0, (long) (millions * 1e6), 1, 2).selectExpr("substring(concat("
                    + "sha2(string(id), 512), sha2(string(-id - 1), 512)), 1, " + length + ") x")
                    .write().parquet(file);
            spark.read().parquet(file).createOrReplaceTempView("t");
            for (String hash : new String[] {"md5(x)", "sha2(x, 256)"}) {
                measure(spark, "SELECT count(DISTINCT H) FROM t", hash, length, rounds);
                measure(spark, "SELECT H FROM t", hash, length, rounds);
            }
        }
        spark.stop();
    }

    private static void measure(SparkSession spark, String query, String hash, int length,
            int rounds) {
        double[] best = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 3; i++) {
                spark.conf().set(InLanes.ENABLED(), Boolean.toString(i == 2));
                long start = CPU.getProcessCpuTime();
                // A string that costs little.
                String value = i == 1 ? "concat(x, '')" : hash;
                spark.sql(query.replace("H", value)).write().format("noop").mode("overwrite")
                        .save();
                best[i] = Math.min(best[i], (CPU.getProcessCpuTime() - start) / 1e9);
            }
        }
        System.out.printf("| `%s` | %d | %.2f | %.2f | %.2f |%n", query.replace("H", hash), length,
                best[0], best[1], best[0] / best[2]);
    }
}
