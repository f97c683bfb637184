package hashlanes;

/**
 * What computes an output for each of many messages: a hash function, HMAC with a key, or a
 * function with output of any length. {@link Digests} applies it.
 */
public sealed interface MessageFunction permits Algorithm, HmacKey, Xof {
    /**
     * Bytes of the output for each message.
     *
     * @return the number
     */
    int outputLength();
}
