package hashlanes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A target for Jazzer, compared with BouncyCastle: fuzz/README.md has the command. */
public final class DigestsFuzz {

    private DigestsFuzz() {}

    /** The first byte chooses a function. Each message is a length of two bytes and its bytes. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(input);
        if (!data.hasRemaining()) {
            return;
        }
        Algorithm[] all = Algorithm.values();
        Algorithm algorithm = all[(data.get() & 0xff) % all.length];
        List<byte[]> messages = new ArrayList<>();
        // Long messages repeat their bytes.
        while (data.remaining() > 2) {
            int length = data.getShort() & 0xffff;
            byte[] bytes = new byte[Math.min(data.remaining(), length)];
            data.get(bytes);
            byte[] message = new byte[length];
            for (int i = 0; i < length && bytes.length > 0; i++) {
                message[i] = bytes[i % bytes.length];
            }
            messages.add(message);
        }
        byte[][] expected = messages.stream().map(message -> Data.expected(algorithm, message))
                .toArray(byte[][]::new);
        check(expected, Digests.many(algorithm, messages.toArray(new byte[0][])));
        check(expected, Digests.many(algorithm,
                messages.stream().map(Data::direct).toArray(ByteBuffer[]::new)));
        int[] offsets = new int[messages.size() + 1];
        for (int i = 0; i < messages.size(); i++) {
            offsets[i + 1] = offsets[i] + messages.get(i).length;
        }
        ByteBuffer joined = ByteBuffer.allocateDirect(offsets[messages.size()]);
        messages.forEach(joined::put);
        check(expected, Digests.many(algorithm, joined.flip(), IntBuffer.wrap(offsets)));
        // One object for all, with the pieces and the clones that the messages ask for.
        MessageDigest digest = new StreamDigest(algorithm);
        for (int i = 0; i < expected.length; i++) {
            byte[] message = messages.get(i);
            int piece = 1 + (message.length > 0 ? (message[0] & 0xff) * 64 : 0);
            for (int at = 0; at < message.length; at += piece) {
                digest.update(message, at, Math.min(piece, message.length - at));
                if (message[at] == 'c') {
                    digest = (MessageDigest) digest.clone();
                }
            }
            if (message.length > 0 && message[0] == 'r') {
                digest.reset();
                digest.update(message);
            }
            assertArrayEquals(expected[i], digest.digest());
        }
    }

    private static void check(byte[][] expected, Digests digests) {
        if (!Arrays.deepEquals(expected, digests.toArrays())) {
            throw new AssertionError("other digests than BouncyCastle's");
        }
    }
}
