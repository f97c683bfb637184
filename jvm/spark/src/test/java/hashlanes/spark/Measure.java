package hashlanes.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.apache.spark.sql.SparkSession;

/**
 * Measures the CPU time and the time of queries with lanes and without, in turn. Prints the best
 * of each as a table. The arguments are millions of rows and rounds, and perhaps lengths of values:
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
        System.out.println("| query | bytes | CPU: Spark, s | without hashing | times as fast | "
                + "time: Spark, s | without hashing | times as fast |");
        System.out.println("|---|--:|--:|--:|--:|--:|--:|--:|");
        int[] lengths = arguments.length < 3 ? new int[] {16, 64, 256}
                : Arrays.stream(arguments).skip(2).mapToInt(Integer::parseInt).toArray();
        for (int length : lengths) {
            String file = folder.resolve("rows" + length).toString();
            // Random digits, of which each row has others.
            spark.range(0, (long) (millions * 1e6), 1, 2).selectExpr("substring(concat("
                    + "sha2(string(id), 512), sha2(string(-id - 1), 512)), 1, " + length + ") x")
                    .selectExpr("x", "md5(x) d").write().parquet(file);
            spark.read().parquet(file).createOrReplaceTempView("t");
            for (String hash : new String[] {"md5(x)", "sha2(x, 256)"}) {
                measure(spark, "SELECT @ FROM t", hash, length, rounds);
                // Rows of the filter, in place of columns of the file.
                measure(spark, "SELECT @ FROM t WHERE x > ''", hash, length, rounds);
            }
            measure(spark, "SELECT count(DISTINCT @) FROM t", "md5(x)", length, rounds);
        }
        spark.stop();
    }

    private static void measure(SparkSession spark, String query, String hash, int length,
            int rounds) {
        double[][] best = new double[2][3];
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 3; i++) {
                spark.conf().set(InLanes.ENABLED(), Boolean.toString(i == 2));
                // A string that costs little, or the digests from the file where they are compared.
                String value = i != 1 ? hash : query.contains("DISTINCT") ? "d" : "concat(x, '')";
                long[] start = {CPU.getProcessCpuTime(), System.nanoTime()};
                spark.sql(query.replace("@", value)).write().format("noop").mode("overwrite")
                        .save();
                long[] end = {CPU.getProcessCpuTime(), System.nanoTime()};
                for (int j = 0; j < 2; j++) {
                    double time = (end[j] - start[j]) / 1e9;
                    best[j][i] = round == 0 ? time : Math.min(best[j][i], time);
                }
            }
        }
        System.out.printf("| `%s` | %d |", query.replace("@", hash), length);
        for (double[] times : best) {
            System.out.printf(" %.2f | %.2f | %.2f |", times[0], times[1], times[0] / times[2]);
        }
        System.out.println();
    }
}
