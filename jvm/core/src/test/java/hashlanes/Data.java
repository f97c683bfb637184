package hashlanes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.bouncycastle.crypto.digests.Blake2sDigest;
import org.bouncycastle.crypto.digests.Blake3Digest;
import org.bouncycastle.crypto.digests.KeccakDigest;
import org.bouncycastle.crypto.digests.MD5Digest;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA224Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA384Digest;
import org.bouncycastle.crypto.digests.SHA3Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.digests.SHA512tDigest;
import org.bouncycastle.crypto.digests.SHAKEDigest;
import org.bouncycastle.crypto.digests.SM3Digest;

/** Messages, and what others compute of them. */
final class Data {
    private Data() {}

    /** The lines of the vectors that all interfaces are tested with, split at spaces. */
    static List<String[]> vectors() throws IOException {
        Path file = Path.of(System.getProperty("hashlanes.root"), "vectors", "digests.txt");
        return Files.readAllLines(file).stream().filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" ")).toList();
    }

    static byte[] pattern(int length, int start, int modulus) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) ((i + start) % modulus);
        }
        return bytes;
    }

    static byte[] message(int length) {
        return pattern(length, 0, 251);
    }

    static byte[] random(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** BouncyCastle's digest of a message. */
    static byte[] expected(Algorithm algorithm, byte[] message) {
        if (algorithm == Algorithm.SHA256D) {
            return expected(Algorithm.SHA256, expected(Algorithm.SHA256, message));
        }
        Digest digest = bouncyCastle(algorithm);
        digest.update(message, 0, message.length);
        byte[] bytes = new byte[digest.getDigestSize()];
        digest.doFinal(bytes, 0);
        return bytes;
    }

    static Digest bouncyCastle(Algorithm algorithm) {
        return switch (algorithm) {
            case MD5 -> new MD5Digest();
            case SHA1 -> new SHA1Digest();
            case SHA224 -> new SHA224Digest();
            case SHA256, SHA256D -> new SHA256Digest();
            case SHA384 -> new SHA384Digest();
            case SHA512 -> new SHA512Digest();
            case SHA512_256 -> new SHA512tDigest(256);
            case SM3 -> new SM3Digest();
            case SHA3_224 -> new SHA3Digest(224);
            case SHA3_256 -> new SHA3Digest(256);
            case SHA3_384 -> new SHA3Digest(384);
            case SHA3_512 -> new SHA3Digest(512);
            case KECCAK256 -> new KeccakDigest(256);
            case KECCAK512 -> new KeccakDigest(512);
            case SHAKE128 -> new SHAKEDigest(128);
            case SHAKE256 -> new SHAKEDigest(256);
            case BLAKE2B -> new Blake2bDigest(512);
            case BLAKE2S -> new Blake2sDigest(256);
            case BLAKE3 -> new Blake3Digest(256);
        };
    }
}
