package hashlanes.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hashlanes.Algorithm;
import hashlanes.Digests;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole queries, with lanes and without. */
class QueriesTest {
    private static final String OPERATOR = "Hashlanes ";

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = SparkSession.builder().master("local[2]")
                .config("spark.sql.extensions", HashlanesExtensions.class.getName())
                .config("spark.ui.enabled", "false")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .getOrCreate();
        StructType schema = new StructType()
                .add("id", DataTypes.IntegerType, false)
                .add("s", DataTypes.StringType)
                .add("b", DataTypes.BinaryType)
                .add("n", DataTypes.LongType);
        Random random = new Random(1);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            int length = i % 500 == 0 ? 40000 : random.nextInt(200);
            byte[] bytes = new byte[random.nextInt(10) == 0 ? 0 : length];
            random.nextBytes(bytes);
            String text = random.nextInt(2) == 0 ? "aé\u4e2d\ud83d\ude00".repeat(length / 10)
                    : new String(bytes, StandardCharsets.ISO_8859_1);
            rows.add(RowFactory.create(i, random.nextInt(5) == 0 ? null : text,
                    random.nextInt(5) == 0 ? null : bytes,
                    random.nextInt(5) == 0 ? null : random.nextLong() % 100));
        }
        String file = folder.resolve("rows.parquet").toString();
        spark.createDataFrame(rows, schema).repartition(3).write().parquet(file);
        spark.read().parquet(file).createOrReplaceTempView("parquet_rows");
        String orc = folder.resolve("rows.orc").toString();
        spark.read().parquet(file).write().orc(orc);
        spark.read().orc(orc).createOrReplaceTempView("orc_rows");
        // Another plan than that of the file, whose queries would use the cache, too.
        spark.read().parquet(file).where("id >= 0").cache().createOrReplaceTempView("cached_rows");
        // Rows that are not unsafe, in a plan that is not local.
        spark.createDataFrame(spark.read().parquet(file).javaRDD(), schema)
                .createOrReplaceTempView("plain_rows");
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static Dataset<Row> query(String query, boolean enabled) {
        spark.conf().set(InLanes.ENABLED(), Boolean.toString(enabled));
        return spark.sql(query);
    }

    /** The plan, which is final if the query has run. */
    private static String plan(Dataset<Row> query) {
        return query.queryExecution().executedPlan().toString();
    }

    /** Compares the results of a query, whose rows must have an order. */
    private static String same(String query) {
        Dataset<Row> without = query(query, false);
        List<Row> expected = without.collectAsList();
        assertFalse(plan(without).contains(OPERATOR), query);
        Dataset<Row> with = query(query, true);
        assertEquals(without.schema(), with.schema(), query);
        List<Row> rows = with.collectAsList();
        assertEquals(expected.size(), rows.size(), query);
        for (int i = 0; i < rows.size(); i++) {
            assertEquals(expected.get(i), rows.get(i), query);
        }
        return plan(with);
    }

    @ParameterizedTest
    @ValueSource(strings = {"parquet_rows", "orc_rows", "cached_rows", "plain_rows"})
    void theSameRowsInLanes(String table) {
        boolean columns = table.equals("parquet_rows") || table.equals("orc_rows");
        List<List<String>> settings = List.of(
                List.of("spark.sql.adaptive.enabled", "true", "false", "true"),
                List.of("spark.sql.columnVector.offheap.enabled", "true", "false", "false"),
                List.of("spark.sql.codegen.wholeStage", "true", "true", "false"),
                List.of("spark.sql.codegen.factoryMode", "FALLBACK", "FALLBACK", "NO_CODEGEN"));
        for (int i = 1; i <= 3; i++) {
            for (List<String> setting : settings) {
                spark.conf().set(setting.get(0), setting.get(i));
            }
            for (String query : new String[] {
                "SELECT id, md5(s) FROM t ORDER BY id",
                "SELECT id, md5(b), sha1(b), sha(s), sha2(s, 0), sha2(b, 224) AS d, sha2(s, 256), "
                        + "sha2(s, 384), sha2(b, 512), s, n FROM t ORDER BY id",
                "SELECT md5(s) FROM t ORDER BY 1",
                "SELECT md5(s), sha1(b) FROM t ORDER BY 1, 2",
                "SELECT sha1(b), md5(s), sha1(b) FROM t ORDER BY 1, 2",
                "SELECT DISTINCT struct(d, e) FROM (SELECT md5(s) d, sha1(b) e FROM t) ORDER BY 1",
                "SELECT id, md5(concat(s, '-', n)), md5(md5(s)), md5(s) = md5(s), upper(md5(s)), "
                        + "unhex(sha1(b)), named_struct('d', md5(s), 'n', n) FROM t ORDER BY id",
                "SELECT count(DISTINCT md5(s)), count(*) FROM t",
                "SELECT count(DISTINCT md5(s)), sum(n), max(id) FROM t",
                "SELECT n, count(DISTINCT md5(s)), count(DISTINCT sha1(b)), max(s) FROM t "
                        + "GROUP BY n ORDER BY n",
                "SELECT sha2(s, 256) k, count(*), min(id), max(md5(s)) FROM t "
                        + "GROUP BY 1 ORDER BY 1",
                "SELECT sha2(concat(s, n), 512), s, count(*) FROM t "
                        + "GROUP BY sha2(concat(s, n), 512), s ORDER BY 1, 2",
                "SELECT DISTINCT md5(s) FROM t ORDER BY 1",
                "SELECT id, d FROM (SELECT id, md5(s) d FROM t) WHERE d < '8' ORDER BY id",
                "SELECT a.id, md5(b.s) FROM t a JOIN t b ON a.id = b.n AND a.id < 90 "
                        + "ORDER BY 1, 2",
                "SELECT id, md5(s) FROM t UNION ALL SELECT id, sha1(s) FROM t ORDER BY 1, 2",
                "SELECT id, hashlanes_digest(s, 'blake3'), hashlanes_digest(b, 'SHA-256') FROM t "
                        + "ORDER BY id",
                "SELECT id, hashlanes_digest_rows(id, s, b, n, 'sha256') d, "
                        + "hashlanes_digest_rows(n, 'md5') FROM t ORDER BY id",
                "SELECT count(DISTINCT hashlanes_digest_rows(*, 'blake3')) FROM t",
            }) {
                String plan = same(query.replace(" t", " " + table));
                assertTrue(plan.contains(OPERATOR), query + "\n" + plan);
                if (!Pattern.compile("concat|WHERE|JOIN|rows\\(").matcher(query).find()) {
                    // It takes whole columns.
                    Pattern direct = Pattern.compile(OPERATOR + "[^\n]*\n[^\n]*FileScan");
                    assertEquals(columns, direct.matcher(plan).find(), query + "\n" + plan);
                }
            }
        }
        settings.forEach(setting -> spark.conf().unset(setting.get(0)));
    }

    @Test
    void whatIsNotUnderstoodStaysWithSpark() {
        for (String query : new String[] {
            "SELECT id, if(n > 5, md5(s), sha1(s)) FROM parquet_rows ORDER BY id",
            "SELECT id, CASE WHEN n > 5 THEN md5(s) END FROM parquet_rows ORDER BY id",
            "SELECT id, coalesce(s, md5(b)) FROM parquet_rows ORDER BY id",
            "SELECT id, sha2(s, id % 2 * 256) FROM parquet_rows ORDER BY id",
            "SELECT id, sha2(s, 5), sha2(s, NULL), md5('constant') FROM parquet_rows ORDER BY id",
            "SELECT id, transform(array(s), x -> md5(x)) FROM parquet_rows ORDER BY id",
            "SELECT md5(CAST(n AS string)), sum(id) FROM parquet_rows GROUP BY n ORDER BY 1",
            "SELECT id, rand(5), md5(s) FROM parquet_rows ORDER BY id",
            "SELECT md5((SELECT max(s) FROM parquet_rows)), id FROM parquet_rows ORDER BY id",
            "SELECT id FROM parquet_rows WHERE md5(s) < '8' ORDER BY id",
        }) {
            assertFalse(same(query).contains(OPERATOR), query);
        }
    }

    @Test
    void explainShowsItBeforeAndAfter() {
        for (String query : new String[] {"SELECT md5(s) FROM parquet_rows",
                "SELECT count(DISTINCT md5(s)) FROM parquet_rows"}) {
            Dataset<Row> with = query(query, true);
            assertTrue(with.queryExecution().explainString(
                    org.apache.spark.sql.execution.ExplainMode.fromString("formatted"))
                    .contains(OPERATOR), query);
            with.collectAsList();
            assertTrue(plan(with).contains(OPERATOR), query);
        }
    }

    @Test
    void aLimitGetsTheRowsBeforeAnError() {
        // Row 20 cannot be cast, and is in the second batch, or the first.
        String table = "(SELECT id, CAST(if(id = 20, 'x', id) AS int) v FROM range(0, 40, 1, 1))";
        spark.conf().set("spark.sql.ansi.enabled", "true");
        try {
            assertEquals(18, query("SELECT md5(CAST(v AS string)) FROM " + table + " LIMIT 18",
                    true).collectAsList().size());
            for (boolean enabled : new boolean[] {true, false}) {
                Dataset<Row> all = query("SELECT md5(CAST(v AS string)) FROM " + table, enabled);
                Exception error = assertThrows(Exception.class, all::collectAsList);
                assertTrue(error.toString().contains("CAST_INVALID_INPUT"), error.toString());
            }
        } finally {
            spark.conf().unset("spark.sql.ansi.enabled");
        }
    }

    @Test
    void digestsOfOtherFunctions() {
        byte[][] abc = {"abc".getBytes(StandardCharsets.UTF_8)};
        for (boolean enabled : new boolean[] {true, false}) {
            for (Algorithm algorithm : Algorithm.values()) {
                String query = "SELECT hashlanes_digest(s, '" + algorithm + "') FROM "
                        + "(SELECT concat('ab', if(id < 2, 'c', NULL)) s FROM range(3))";
                List<Row> rows = query(query, enabled).collectAsList();
                String expected = Digests.many(algorithm, abc).toHex()[0];
                assertEquals(expected, rows.get(1).getString(0));
                assertTrue(rows.get(2).isNullAt(0));
            }
            var wrong = assertThrows(Exception.class,
                    () -> query("SELECT hashlanes_digest('a', 'sha4')", true).collectAsList());
            assertTrue(wrong.getMessage().contains("unknown algorithm 'sha4'"), wrong.getMessage());
            assertThrows(Exception.class, () -> query("SELECT hashlanes_digest('a')", true));
        }
    }

    /** What the Python program in docs/guide/frames.md and hashlib make of the same values. */
    @Test
    void rowsHaveTheFramesOfAllInterfaces() {
        spark.conf().set("spark.sql.session.timeZone", "UTC");
        String integers = "true, false, NULL, CAST(-1 AS tinyint), CAST(2 AS smallint), -3, "
                + "9223372036854775807, ";
        String[][] expected = {
            {"d91a60947a38d9c33d70b6a6fe404c31d327ab52bec155c91fe869f75d3adb98", integers
                + "CAST(1.5 AS float), CAST('-0' AS double), CAST('NaN' AS float), 'a\u00e9', "
                + "X'00FF', -1.50BD, 12345678901234567890123456789012345.678BD"},
            {"ebeb27206d0babe3325633eea3f3fae6bcd1a679f3d9ed1852912797601505a7",
                "DATE'1969-12-31', TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', "
                + "TIMESTAMP_LTZ'2026-01-02 03:04:05.000006', "
                + "INTERVAL '-0 23:59:59.999999' DAY TO SECOND"},
            {"7750d6e7fef8c9ddacaf6267b70dbd0b07ae48c4960573d86f8361efe2327a80",
                "map('a', 1, 'b', NULL), named_struct('p', 5, 'q', 'x', 'r', NULL), "
                + "array(1, NULL, 3), array(array('a'), array()), CAST(NULL AS array<int>)"},
            {"41127d0ac3b5ffff6a8b970210a6303f658f143deaacb87924e70d1165e69854",
                "INTERVAL '1-2' YEAR TO MONTH, make_interval(1, 2, 0, 3, 0, 0, 0.000005)"},
        };
        for (boolean enabled : new boolean[] {true, false}) {
            for (String[] row : expected) {
                // Values of rows, and constants.
                for (String from : new String[] {
                    "(SELECT if(id < 0, NULL, struct(" + row[1] + ")) s FROM range(3))", ""}) {
                    String values = from.isEmpty() ? row[1] : "s.*";
                    String query = "SELECT hashlanes_digest_rows(" + values + ", 'sha256')"
                            + (from.isEmpty() ? "" : " FROM " + from);
                    List<Row> rows = query(query, enabled).collectAsList();
                    assertEquals(from.isEmpty() ? 1 : 3, rows.size());
                    rows.forEach(made -> assertEquals(row[0], made.getString(0), query));
                }
            }
        }
        spark.conf().unset("spark.sql.session.timeZone");
        assertEquals("hashlanes_digest_rows(id, 7, md5)",
                query("SELECT hashlanes_digest_rows(id, 7, 'md5') FROM range(1)", true)
                        .columns()[0]);
        var wrong = assertThrows(Exception.class,
                () -> query("SELECT hashlanes_digest_rows('md5')", true));
        assertTrue(wrong.getMessage().contains("given 1 arguments"), wrong.getMessage());
    }
}
