//! A TLS session between two OpenSSL endpoints in one process, whose keys are known.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::rc::Rc;
use std::sync::LazyLock;

use hashlanes_records::{CipherSuite, MacOrder, Version, WriteState};
use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sign::Signer;
use openssl::ssl::{
    HandshakeError, MidHandshakeSslStream, Ssl, SslContext, SslContextBuilder, SslMethod,
    SslOptions, SslRef, SslStream, SslVersion,
};
use openssl::x509::{X509, X509Builder, X509NameBuilder};

/// SSL_OP_NO_ENCRYPT_THEN_MAC, which the crate has no name for.
const NO_ENCRYPT_THEN_MAC: u64 = 1 << 19;

/// Bytes from one endpoint to the other.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pipe(Rc<RefCell<VecDeque<u8>>>);

impl Pipe {
    pub(crate) fn put(&self, bytes: &[u8]) {
        self.0.borrow_mut().extend(bytes);
    }
}

/// What an endpoint reads from and writes to.
#[derive(Debug)]
pub(crate) struct End {
    incoming: Pipe,
    outgoing: Pipe,
}

impl Read for End {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.incoming.0.borrow_mut().read(buffer)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            read => Ok(read),
        }
    }
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.outgoing.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session after its handshake.
pub(crate) struct Session {
    pub(crate) client: SslStream<End>,
    pub(crate) server: SslStream<End>,
    /// What the client reads from.
    pub(crate) to_client: Pipe,
    suite: CipherSuite,
    version: Version,
    order: MacOrder,
}

impl Session {
    pub(crate) fn new(suite: CipherSuite, version: Version, order: MacOrder) -> Self {
        let (to_client, to_server) = (Pipe::default(), Pipe::default());
        let context = |server| context(suite, version, order, server);
        let ssl = |server| Ssl::new(&context(server)).unwrap();
        let client_end = End { incoming: to_client.clone(), outgoing: to_server.clone() };
        let server_end = End { incoming: to_server, outgoing: to_client.clone() };
        // The client speaks first, then each answers the other.
        let mut client = Err(would_block(ssl(false).connect(client_end)));
        let mut server = Err(would_block(ssl(true).accept(server_end)));
        while client.is_err() || server.is_err() {
            client = client.or_else(step);
            server = server.or_else(step);
        }
        let (Ok(client), Ok(server)) = (client, server) else { unreachable!() };
        Self { client, server, to_client, suite, version, order }
    }

    /// The state in which the server writes its next record, after it has sent so many records of
    /// application data.
    pub(crate) fn server_state(&self, sent: u64) -> WriteState {
        let (encryption, mac) = (self.suite.encryption_key_len(), self.suite.mac_len());
        let block = key_block(self.server.ssl(), self.version, 2 * (mac + encryption));
        // RFC 5246 section 6.3: the MAC keys of client and server, then their encryption keys.
        let mac_key = &block[mac..2 * mac];
        let key = &block[2 * mac + encryption..];
        let state = WriteState::new(self.suite, self.version, self.order, key, mac_key).unwrap();
        // Number 0 was the server's Finished.
        state.with_sequence_number(1 + sent)
    }

    /// What the client reads until nothing more has come.
    pub(crate) fn client_reads(&mut self) -> Result<Vec<u8>, openssl::ssl::Error> {
        let (mut all, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match self.client.ssl_read(&mut buffer) {
                Ok(read) => all.extend_from_slice(&buffer[..read]),
                Err(error) if error.code() == openssl::ssl::ErrorCode::WANT_READ => {
                    return Ok(all);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

type Handshake = Result<SslStream<End>, MidHandshakeSslStream<End>>;

fn would_block(result: Result<SslStream<End>, HandshakeError<End>>) -> MidHandshakeSslStream<End> {
    match result {
        Err(HandshakeError::WouldBlock(mid)) => mid,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("a handshake needs an answer"),
    }
}

fn step(mid: MidHandshakeSslStream<End>) -> Handshake {
    match mid.handshake() {
        Ok(stream) => Ok(stream),
        Err(HandshakeError::WouldBlock(mid)) => Err(mid),
        Err(error) => panic!("{error}"),
    }
}

fn context(suite: CipherSuite, version: Version, order: MacOrder, server: bool) -> SslContext {
    let mut context = SslContextBuilder::new(SslMethod::tls()).unwrap();
    let version = match version {
        Version::Tls11 => SslVersion::TLS1_1,
        Version::Tls12 => SslVersion::TLS1_2,
    };
    context.set_min_proto_version(Some(version)).unwrap();
    context.set_max_proto_version(Some(version)).unwrap();
    // TLS 1.1 signs with SHA-1, which OpenSSL allows only so.
    context.set_cipher_list(&format!("{suite}:@SECLEVEL=0")).unwrap();
    if order == MacOrder::MacThenEncrypt {
        context.set_options(SslOptions::from_bits_retain(NO_ENCRYPT_THEN_MAC as _));
    }
    if server {
        let (key, certificate) = &*IDENTITY;
        context.set_private_key(key).unwrap();
        context.set_certificate(certificate).unwrap();
    }
    context.build()
}

/// The server's key and certificate. Nobody checks who signed it.
static IDENTITY: LazyLock<(PKey<Private>, X509)> = LazyLock::new(|| {
    let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
    let mut name = X509NameBuilder::new().unwrap();
    name.append_entry_by_text("CN", "localhost").unwrap();
    let name = name.build();
    let mut certificate = X509Builder::new().unwrap();
    certificate.set_version(2).unwrap();
    let number = BigNum::from_u32(1).unwrap().to_asn1_integer().unwrap();
    certificate.set_serial_number(&number).unwrap();
    certificate.set_subject_name(&name).unwrap();
    certificate.set_issuer_name(&name).unwrap();
    certificate.set_pubkey(&key).unwrap();
    certificate.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    certificate.set_not_after(&Asn1Time::days_from_now(1).unwrap()).unwrap();
    certificate.sign(&key, MessageDigest::sha256()).unwrap();
    (key, certificate.build())
});

/// The first bytes of the key block (RFC 5246 section 6.3).
fn key_block(ssl: &SslRef, version: Version, length: usize) -> Vec<u8> {
    let mut master = vec![0; 48];
    assert_eq!(ssl.session().unwrap().master_key(&mut master), 48);
    let mut seed = b"key expansion".to_vec();
    let mut random = [0; 32];
    assert_eq!(ssl.server_random(&mut random), 32);
    seed.extend_from_slice(&random);
    assert_eq!(ssl.client_random(&mut random), 32);
    seed.extend_from_slice(&random);
    match version {
        Version::Tls12 => p_hash(MessageDigest::sha256(), &master, &seed, length),
        // RFC 2246 section 5: MD5 with one half of the secret, SHA-1 with the other.
        Version::Tls11 => {
            let (one, other) = master.split_at(24);
            let md5 = p_hash(MessageDigest::md5(), one, &seed, length);
            let sha1 = p_hash(MessageDigest::sha1(), other, &seed, length);
            md5.iter().zip(sha1).map(|(a, b)| a ^ b).collect()
        }
    }
}

/// P_hash of RFC 5246 section 5.
fn p_hash(digest: MessageDigest, secret: &[u8], seed: &[u8], length: usize) -> Vec<u8> {
    let key = PKey::hmac(secret).unwrap();
    let hmac =
        |message: &[u8]| Signer::new(digest, &key).unwrap().sign_oneshot_to_vec(message).unwrap();
    let (mut output, mut a) = (Vec::new(), seed.to_vec());
    while output.len() < length {
        a = hmac(&a);
        output.extend(hmac(&[&a, seed].concat()));
    }
    output.truncate(length);
    output
}
