package hashlanes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the library is found, in processes of their own. */
class LoaderTest {
    @TempDir
    Path folder;

    /** What the other process does: prints the digests that it can compute, and the problem. */
    static final class Program {
        public static void main(String[] arguments) throws Exception {
            byte[][] messages = {"abc".getBytes(StandardCharsets.UTF_8), {}};
            for (String name : new String[] {"sha256", "sha256d", "blake3"}) {
                try {
                    System.out.println(Digests.many(Algorithm.of(name), messages).toHex()[0]);
                } catch (UnsupportedOperationException error) {
                    System.out.println(error.getMessage());
                }
            }
            try (HmacKey key = new HmacKey(Algorithm.SHA256, new byte[0]);
                    Batch batch = new Batch(key)) {
                batch.add(messages[0]);
                System.out.println(batch.finish().toHex()[0]);
            }
            System.out.println(new HashlanesProvider().getServices().size() > 30);
            System.out.println(Hashlanes.isNative() + " " + Hashlanes.problem());
            try {
                Hashlanes.selfTest();
                System.out.println(Hashlanes.nativeVersion());
            } catch (UnsupportedOperationException error) {
                System.out.println(error.getMessage());
            }
        }
    }

    private static final List<String> DIGESTS = List.of(
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358",
            "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
            "fd7adb152c05ef80dccf50a1fa4c05d5a3ec6da95575fc312ae7c5d091836351");

    private List<String> run(String... options) throws IOException, InterruptedException {
        return runIn(System.getProperty("java.class.path"), options);
    }

    private List<String> runIn(String path, String... options)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + "/bin/java");
        command.add("-Djava.library.path=");
        Collections.addAll(command, options);
        command.addAll(List.of("-cp", path, Program.class.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = process.inputReader().lines()
                .filter(line -> !line.startsWith("WARNING") && !line.isBlank()).toList();
        assertEquals(0, process.waitFor(), String.join("\n", lines));
        return lines;
    }

    private static void assertNative(List<String> lines) {
        assertEquals(DIGESTS, lines.subList(0, 4));
        assertEquals("true null", lines.get(5));
        assertTrue(lines.get(6).matches("\\d+\\.\\d+\\.\\d+"), lines.get(6));
    }

    private Path library() throws IOException {
        String name = System.mapLibraryName("hashlanes_jvm");
        Path copy = folder.resolve(name);
        try (InputStream stream = Loader.class.getResourceAsStream(
                "native/" + Loader.platform() + "/" + name)) {
            assertNotNull(stream, "the jar has no library for " + Loader.platform());
            Files.copy(stream, copy);
        }
        return copy;
    }

    @Test
    void fromTheJarThroughAFileThatIsGoneAfterwards() throws IOException, InterruptedException {
        assertNative(run("-Djava.io.tmpdir=" + folder));
        try (var left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void fromThePropertyAndFromTheLibraryPath() throws IOException, InterruptedException {
        Path library = library();
        assertNative(run("-Dhashlanes.library=" + library, "-Djava.io.tmpdir=/nonexistent"));
        assertNative(run("-Djava.library.path=/nonexistent:" + folder,
                "-Djava.io.tmpdir=/nonexistent"));
    }

    @Test
    void withoutItTheJdkHashesAndTheReasonIsNamed() throws IOException, InterruptedException {
        List<String> lines = run("-Dhashlanes.native=false");
        String reason = "the property hashlanes.native is false";
        assertEquals(List.of(DIGESTS.get(0), DIGESTS.get(1),
                "blake3 needs the native library: " + reason, DIGESTS.get(3), "false",
                "false " + reason, "no native library: " + reason), lines);
        lines = run("-Dhashlanes.library=/nonexistent.so");
        assertTrue(lines.get(5).startsWith("false "), lines.get(5));
        assertTrue(lines.get(5).contains("/nonexistent.so"), lines.get(5));
        lines = run("-Dos.arch=m68k");
        assertTrue(lines.get(5).contains("the jar has none for linux-m68k"), lines.get(5));
    }

    @Test
    void aLibraryWithAnotherDigestIsNotLoaded() throws IOException, InterruptedException {
        String file = System.mapLibraryName("hashlanes_jvm");
        Path place = folder.resolve("hashlanes/native/" + Loader.platform());
        Files.createDirectories(place);
        Files.write(place.resolve(file), new byte[] {1, 2, 3});
        Files.writeString(place.resolve(file + ".sha256"), "00");
        List<String> lines = runIn(folder + ":" + System.getProperty("java.class.path"));
        assertTrue(lines.get(5).contains("has the wrong SHA-256 039058c6"), lines.get(5));
        assertEquals(DIGESTS.get(0), lines.get(0));
    }

    @Test
    void aClassLoaderThatIsDroppedIsCollected() throws Exception {
        List<URL> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            places.add(Path.of(place).toUri().toURL());
        }
        WeakReference<ClassLoader> dropped = useAndDrop(places.toArray(new URL[0]));
        for (int i = 0; i < 100 && dropped.get() != null; i++) {
            System.gc();
            Thread.sleep(50);
        }
        assertNull(dropped.get(), "something keeps the class loader");
    }

    /** Runs the program in a class loader of its own, with its own library. */
    private static WeakReference<ClassLoader> useAndDrop(URL[] places) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        URLClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
        try (loader) {
            System.setOut(new PrintStream(printed, true));
            var main = loader.loadClass(Program.class.getName())
                    .getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        assertNative(printed.toString().lines().toList());
        return new WeakReference<>(loader);
    }
}
