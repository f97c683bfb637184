package hashlanes;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Finds and loads the native library, once: the file that the property {@code hashlanes.library}
 * names; or the one in {@code java.library.path}; or the one in the jar, from a private temporary
 * file. The property {@code hashlanes.native=false} loads nothing.
 */
final class Loader {
    private static final String NAME = "hashlanes_jvm";

    /** Why there is no native library, or null. */
    private static final String PROBLEM = load();

    private Loader() {}

    static String problem() {
        return PROBLEM;
    }

    /** Fails unless the library is loaded. */
    static void requireNative() {
        if (PROBLEM != null) {
            throw new UnsupportedOperationException("no native library: " + PROBLEM);
        }
    }

    private static String load() {
        if ("false".equals(System.getProperty("hashlanes.native"))) {
            return "the property hashlanes.native is false";
        }
        try {
            String path = System.getProperty("hashlanes.library");
            if (path != null) {
                System.load(new File(path).getAbsolutePath());
            } else if (!loadFromLibraryPath()) {
                loadFromJar();
            }
            return null;
        } catch (IOException | UnsatisfiedLinkError | SecurityException error) {
            return error.getMessage();
        }
    }

    private static boolean loadFromLibraryPath() {
        String file = System.mapLibraryName(NAME);
        String folders = System.getProperty("java.library.path", "");
        for (String folder : folders.split(File.pathSeparator)) {
            if (!folder.isEmpty() && new File(folder, file).isFile()) {
                System.loadLibrary(NAME);
                return true;
            }
        }
        return false;
    }

    /** The folder of the jar with the library for this machine, such as {@code linux-x86_64}. */
    static String platform() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String cpu = System.getProperty("os.arch", "");
        String name = cpu.equals("amd64") ? "x86_64" : cpu;
        String musl = isMusl(name) ? "-musl" : "";
        return system.split(" ")[0] + "-" + name + musl;
    }

    private static boolean isMusl(String cpu) {
        return new File("/lib/ld-musl-" + cpu + ".so.1").exists()
                && !new File("/lib64/ld-linux-x86-64.so.2").exists()
                && !new File("/lib/ld-linux-aarch64.so.1").exists();
    }

    private static void loadFromJar() throws IOException {
        String file = System.mapLibraryName(NAME);
        String name = "native/" + platform() + "/" + file;
        byte[] library = resource(name);
        if (library == null) {
            throw new IOException("the jar has none for " + platform()
                    + "; the property hashlanes.library can name one");
        }
        byte[] expected = resource(name + ".sha256");
        String digest = HexFormat.of().formatHex(sha256(library));
        if (expected == null || !digest.equals(new String(expected, StandardCharsets.US_ASCII))) {
            throw new IOException("the jar's " + name + " has the wrong SHA-256 " + digest);
        }
        // Only this user can enter the folder, so the file stays what was just checked.
        Path folder = Files.createTempDirectory("hashlanes");
        Path copy = folder.resolve(file);
        try {
            Files.write(copy, library);
            System.load(copy.toAbsolutePath().toString());
        } finally {
            // A library that is loaded needs no name.
            Files.deleteIfExists(copy);
            Files.deleteIfExists(folder);
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream stream = Loader.class.getResourceAsStream(name)) {
            return stream == null ? null : stream.readAllBytes();
        }
    }

    private static byte[] sha256(byte[] bytes) throws IOException {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException error) {
            throw new IOException(error);
        }
    }
}
