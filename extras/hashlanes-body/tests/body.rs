//! Bodies with known digests, whole, wrong, broken off and many at a time.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hashlanes_body::{
    Algorithm, BoxError, Checksum, DigestBody, DigestLayer, Digester, Digests, WrongDigest,
};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use md5::Digest;
use tower::{ServiceBuilder, ServiceExt, service_fn};

/// The message that every catalogue of CRCs gives check values for.
const NINE: &str = "123456789";
const NINE_MD5: &str = "25f9e794323b453885f5181f1b624d0b";
const NINE_MD5_BASE64: &str = "JfnnlDI7RTiF9RgfG2JNCw==";
const NINE_SHA256: &str = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";
const NINE_CRC32C_BASE64: &str = "4waSgw==";

/// A body of these frames.
struct Frames {
    frames: std::vec::IntoIter<Result<Frame<Bytes>, BoxError>>,
    /// It tells its length.
    sized: bool,
    /// It is often not ready.
    slow: bool,
}

impl Frames {
    fn new(data: &[Bytes], sized: bool) -> Self {
        let frames: Vec<_> = data.iter().cloned().map(|data| Ok(Frame::data(data))).collect();
        Self { frames: frames.into_iter(), sized, slow: false }
    }

    fn with_trailers(data: &[Bytes], trailers: HeaderMap) -> Self {
        let mut frames: Vec<_> = Self::new(data, false).frames.collect();
        frames.push(Ok(Frame::trailers(trailers)));
        Self { frames: frames.into_iter(), sized: false, slow: false }
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.slow && fastrand::bool() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(self.frames.next())
    }

    fn size_hint(&self) -> SizeHint {
        let data = |frame: &Result<Frame<Bytes>, BoxError>| {
            frame.as_ref().ok().and_then(Frame::data_ref).map_or(0, Bytes::len)
        };
        let length = self.frames.as_slice().iter().map(data).sum::<usize>() as u64;
        if self.sized { SizeHint::with_exact(length) } else { SizeHint::new() }
    }
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
}

/// The frames that pass, and the error that ends them.
async fn frames<B>(body: DigestBody<B>) -> (Vec<Frame<Bytes>>, Option<WrongDigest>)
where
    B: Body<Data = Bytes, Error = BoxError>,
{
    let (mut body, mut frames) = (pin!(body), Vec::new());
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => frames.push(frame),
            Err(error) => {
                assert!(body.frame().await.is_none(), "the error is the end");
                return (frames, Some(*error.downcast().expect("an error of the adapter")));
            }
        }
    }
    (frames, None)
}

fn nine(sized: bool) -> Frames {
    Frames::new(&[Bytes::from("1234"), Bytes::new(), Bytes::from("56789")], sized)
}

fn random(length: usize) -> Bytes {
    std::iter::repeat_with(|| fastrand::u8(..)).take(length).collect()
}

#[tokio::test]
async fn the_same_frames_pass_and_the_digests_are_right() {
    let data: Vec<Bytes> = [1, 70_000, 0, 5, 300_000].map(random).into();
    let all = data.concat();
    let trailers = headers(&[("x-note", "kept")]);
    let body = Frames::with_trailers(&data, trailers.clone());
    let wanted = [Checksum::MD5, Checksum::SHA256, Checksum::MD5];
    let (body, digests) = Digester::new().digest(body, &wanted, &HeaderMap::new());
    assert!(digests.get(Checksum::MD5).is_none());
    let (mut passed, wrong) = frames(body).await;
    assert_eq!(wrong, None);
    assert_eq!(passed.pop().unwrap().into_trailers().unwrap(), trailers);
    for (passed, data) in passed.iter().zip(&data) {
        let passed = passed.data_ref().unwrap();
        assert_eq!((passed.as_ptr(), passed.len()), (data.as_ptr(), data.len()), "shared");
    }
    assert_eq!(passed.len(), data.len());
    assert_eq!(digests.get(Checksum::MD5).unwrap(), &md5::Md5::digest(&all)[..]);
    assert_eq!(digests.get(Algorithm::Sha256).unwrap(), &sha2::Sha256::digest(&all)[..]);
    assert_eq!(digests.get(Checksum::SHA1), None, "not asked for");
    assert_eq!(digests.iter().count(), 2);
}

#[tokio::test]
async fn all_checksums_have_their_check_values() {
    let values = [
        (Checksum::MD5, NINE_MD5),
        (Checksum::SHA1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
        (Checksum::SHA256, NINE_SHA256),
        (Checksum::Crc32, "cbf43926"),
        (Checksum::Crc32c, "e3069283"),
        (Checksum::Crc64Nvme, "ae8b14860a799888"),
    ];
    let digester = Digester::new();
    for sharing in [true, false] {
        digester.set_sharing(sharing);
        let (body, digests) =
            digester.digest(nine(false), &values.map(|(checksum, _)| checksum), &HeaderMap::new());
        assert_eq!(body.collect().await.unwrap().to_bytes(), NINE);
        for (checksum, value) in values {
            assert_eq!(digests.hex(checksum).unwrap(), value, "{}", checksum.name());
        }
    }
    let messages: Vec<_> = digester.stats().iter().map(|(_, stats)| stats.messages).collect();
    assert_eq!(messages, [1, 1, 1], "one of each hash function, and none without sharing");
}

#[tokio::test]
async fn right_headers_pass_and_wrong_ones_end_the_body_in_an_error() {
    let right = [
        ("content-md5", NINE_MD5_BASE64),
        ("x-amz-content-sha256", NINE_SHA256),
        ("x-amz-checksum-crc32c", NINE_CRC32C_BASE64),
        ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
        ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
    ];
    let digester = Digester::new();
    for sized in [true, false] {
        let (body, digests) = digester.digest(nine(sized), &[], &headers(&right));
        let (passed, wrong) = frames(body).await;
        assert_eq!((passed.len(), wrong), (3, None));
        assert_eq!(digests.hex(Checksum::MD5).unwrap(), NINE_MD5);
        for (header, value) in right {
            for wrong_value in [value.replacen(char::is_alphanumeric, "_", 1), String::new()] {
                let announced = headers(&[(header, &wrong_value)]);
                let (body, _) = digester.digest(nine(sized), &[], &announced);
                let (passed, wrong) = frames(body).await;
                assert_eq!(wrong.unwrap().header(), header);
                let frames = if sized { 2 } else { 3 };
                assert_eq!(passed.len(), frames, "the last one is kept back if it is known");
            }
        }
    }
    for word in ["UNSIGNED-PAYLOAD", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"] {
        let announced = headers(&[("x-amz-content-sha256", word)]);
        let (body, digests) = digester.digest(nine(true), &[], &announced);
        assert_eq!(frames(body).await.1, None);
        assert_eq!(digests.iter().count(), 0);
    }
    let announced = headers(&[("x-amz-content-sha256", "UNSIGNED-PAYLOADzzz")]);
    let (body, _) = digester.digest(nine(true), &[], &announced);
    assert_eq!(frames(body).await.1.unwrap().header(), "x-amz-content-sha256");
}

#[tokio::test]
async fn announced_trailers_are_verified() {
    let name = "x-amz-checksum-crc32c";
    // Names are compared as bytes, so one that is not ASCII hides no other.
    let list = HeaderValue::from_bytes(b"x-other, X-Amz-Checksum-CRC32C, x-\xe4").unwrap();
    let announced = HeaderMap::from_iter([(HeaderName::from_static("x-amz-trailer"), list)]);
    let cases = [
        (headers(&[(name, NINE_CRC32C_BASE64)]), None),
        (headers(&[(name, "AAAAAA==")]), Some("does not have this digest")),
        (headers(&[("x-other", "")]), Some("ended without it")),
    ];
    for (trailers, message) in cases {
        let body = Frames::with_trailers(&[Bytes::from(NINE)], trailers);
        let (body, _) = Digester::new().digest(body, &[], &announced);
        let (passed, wrong) = frames(body).await;
        assert_eq!(passed.len(), if message.is_none() { 2 } else { 1 });
        let wrong = wrong.map(|wrong| wrong.to_string());
        assert_eq!(wrong.is_some(), message.is_some());
        assert!(wrong.unwrap_or_default().contains(message.unwrap_or_default()));
    }
    for sized in [true, false] {
        let (body, _) = Digester::new().digest(nine(sized), &[], &announced);
        assert_eq!(frames(body).await.1.unwrap().header(), name, "no trailers at all");
    }
}

#[tokio::test]
async fn every_field_of_a_digest_counts_and_a_refused_body_has_none() {
    const MD5: &str = "content-md5";
    const CRC: &str = "x-amz-checksum-crc32c";
    const CHUNKS: &str = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    let (payload, right, wrong) = ("x-amz-content-sha256", NINE_MD5_BASE64, "AAAA");
    let announced = ("x-amz-trailer", "content-md5");
    // The headers, the trailers, and which field is wrong.
    let cases = [
        (vec![(MD5, right), (MD5, right)], vec![(MD5, right), (MD5, right)], None),
        (vec![(MD5, right), (MD5, wrong)], vec![], Some(MD5)),
        (vec![(MD5, wrong), (MD5, right)], vec![], Some(MD5)),
        (vec![(MD5, right), announced], vec![(MD5, wrong)], Some(MD5)),
        (vec![(MD5, right), announced], vec![], Some(MD5)),
        (vec![announced], vec![(MD5, right), (MD5, wrong)], Some(MD5)),
        (vec![(MD5, right)], vec![(MD5, wrong)], Some(MD5)),
        (vec![(MD5, right)], vec![("x-amz-checksum-md5", wrong)], Some("x-amz-checksum-md5")),
        (vec![("trailer", "X-Amz-Checksum-CRC32C")], vec![(CRC, wrong)], Some(CRC)),
        (vec![("trailer", "X-Amz-Checksum-CRC32C")], vec![], None),
        (vec![(payload, CHUNKS), (payload, wrong)], vec![], Some(payload)),
        (vec![(payload, CHUNKS), (payload, NINE_SHA256)], vec![], None),
        (vec![], vec![(MD5, wrong)], None),
    ];
    for (in_headers, in_trailers, is_wrong) in cases {
        let body = match &in_trailers[..] {
            [] => nine(true),
            _ => Frames::with_trailers(&[Bytes::from(NINE)], headers(&in_trailers)),
        };
        let wanted = [Checksum::SHA1];
        let (body, digests) = Digester::new().digest(body, &wanted, &headers(&in_headers));
        let refused = frames(body).await.1.map(|wrong| wrong.header());
        assert_eq!(refused, is_wrong, "{in_headers:?} {in_trailers:?}");
        assert_eq!(digests.iter().next().is_some(), is_wrong.is_none());
        assert_eq!(digests.get(Checksum::SHA1).is_some(), is_wrong.is_none());
    }
}

#[tokio::test]
async fn digests_wait_for_announced_trailers() {
    let announced = headers(&[("x-amz-trailer", "content-md5")]);
    let body =
        Frames::with_trailers(&[Bytes::from(NINE)], headers(&[("content-md5", NINE_MD5_BASE64)]));
    let (body, digests) = Digester::new().digest(body, &[], &announced);
    let mut body = pin!(body);
    assert!(body.frame().await.unwrap().unwrap().is_data());
    assert_eq!(digests.get(Checksum::MD5), None);
    assert!(body.frame().await.unwrap().unwrap().is_trailers());
    assert_eq!(digests.hex(Checksum::MD5).unwrap(), NINE_MD5);
}

#[tokio::test]
async fn digests_wait_for_hinted_trailers_unless_the_body_has_ended() {
    const NAME: &str = "x-amz-checksum-md5";
    let hint = headers(&[("trailer", NAME)]);
    for (sized, value) in
        [true, false].into_iter().flat_map(|sized| [(sized, NINE_MD5_BASE64), (sized, "wrong")])
    {
        let trailers = headers(&[(NAME, value)]);
        let body = Frames { sized, ..Frames::with_trailers(&[Bytes::from(NINE)], trailers) };
        let (body, digests) = Digester::new().digest(body, &[], &hint);
        let mut body = pin!(body);
        assert!(body.frame().await.unwrap().unwrap().is_data());
        assert_eq!((digests.get(Checksum::MD5), body.is_end_stream()), (None, false));
        let is_right = value == NINE_MD5_BASE64;
        assert_eq!(body.frame().await.unwrap().is_ok(), is_right);
        assert_eq!(digests.get(Checksum::MD5).is_some(), is_right);
    }
    let (body, digests) = Digester::new().digest(nine(true), &[], &hint);
    assert_eq!(frames(body).await.1, None);
    assert_eq!(digests.hex(Checksum::MD5).unwrap(), NINE_MD5, "no trailers came");
    let (body, digests) = Digester::new().digest(Full::from(NINE), &[], &hint);
    let mut body = pin!(body);
    assert!(body.frame().await.unwrap().unwrap().is_data());
    assert_eq!(digests.hex(Checksum::MD5).unwrap(), NINE_MD5, "none can come");
    assert!(body.is_end_stream());
}

#[tokio::test]
async fn what_remains_is_told_and_the_end_only_when_digests_were_compared() {
    let wrong = headers(&[("content-md5", "wrong")]);
    for (headers, ends) in [(HeaderMap::new(), true), (wrong, false)] {
        let (body, digests) = Digester::new().digest(Full::from(NINE), &[Checksum::MD5], &headers);
        let mut body = pin!(body);
        assert_eq!(body.size_hint().exact(), Some(9));
        let frame = body.frame().await.unwrap();
        assert_eq!(frame.is_ok(), ends);
        assert_eq!(body.size_hint().exact(), Some(0));
        assert!(body.is_end_stream());
        assert_eq!(digests.get(Checksum::MD5).is_some(), ends);
    }
    let (empty, digests) =
        Digester::new().digest(Full::<Bytes>::default(), &[Checksum::MD5], &HeaderMap::new());
    assert!(!empty.is_end_stream(), "its digest is still to be made");
    empty.collect().await.unwrap();
    assert_eq!(digests.hex(Checksum::MD5).unwrap(), "d41d8cd98f00b204e9800998ecf8427e");
}

#[tokio::test]
async fn an_error_of_the_body_passes_and_there_is_no_digest() {
    let broken: [Result<_, BoxError>; 2] = [Ok(Frame::data(Bytes::from("a"))), Err("cut".into())];
    let body = Frames { frames: Vec::from(broken).into_iter(), sized: false, slow: false };
    let (body, digests) = Digester::new().digest(body, &[Checksum::MD5], &HeaderMap::new());
    assert_eq!(body.collect().await.unwrap_err().to_string(), "cut");
    assert!(digests.get(Checksum::MD5).is_none());
}

#[tokio::test]
async fn data_after_the_end_are_refused() {
    struct Liar(Frames);
    impl Body for Liar {
        type Data = Bytes;
        type Error = BoxError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
            Pin::new(&mut self.0).poll_frame(context)
        }

        fn is_end_stream(&self) -> bool {
            true
        }
    }
    let (body, digests) =
        Digester::new().digest(Liar(nine(false)), &[Checksum::MD5], &HeaderMap::new());
    let error = body.collect().await.unwrap_err();
    assert_eq!(error.to_string(), "the body is longer than it said");
    assert_eq!(digests.iter().count(), 0);
}

/// A message in frames of random lengths.
fn upload(number: usize) -> (Vec<Bytes>, Vec<u8>) {
    let lengths = (0..fastrand::usize(1..12)).map(|_| match number % 3 {
        0 => fastrand::usize(..2_000),
        1 => fastrand::usize(..50_000),
        _ => fastrand::usize(..200_000),
    });
    let data: Vec<Bytes> = lengths.map(random).collect();
    let digest = md5::Md5::digest(data.concat()).to_vec();
    (data, digest)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_bodies_share_lanes_while_others_break_off() {
    let digester = Digester::new();
    let bodies = (0..400).map(|number| {
        let digester = digester.clone();
        tokio::spawn(async move {
            let (data, md5) = upload(number);
            let slow = Frames { slow: true, ..Frames::new(&data, number % 2 == 0) };
            let (body, digests) =
                digester.digest(slow, &[Checksum::MD5, Checksum::SHA256], &HeaderMap::new());
            if number % 5 == 0 {
                return drop_after(body, fastrand::usize(..20)).await;
            }
            body.collect().await.unwrap();
            assert_eq!(digests.get(Checksum::MD5).unwrap(), md5);
        })
    });
    for body in bodies.collect::<Vec<_>>() {
        body.await.unwrap();
    }
    for (algorithm, stats) in digester.stats() {
        assert!(stats.bytes_shared > 0, "{algorithm}");
        assert!(stats.hashers <= 64, "{algorithm}: {} are kept", stats.hashers);
        assert_eq!(stats.waiting, 0);
    }
}

/// Polls a body a few times and drops it, wherever it is.
async fn drop_after(body: DigestBody<Frames>, polls: usize) {
    let mut body = Box::pin(body);
    for _ in 0..polls {
        poll_fn(|context| Poll::Ready(body.as_mut().poll_frame(context).is_ready())).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_body_dropped_at_any_point_leaves_nothing() {
    let digester = Digester::new();
    let mut context = Context::from_waker(Waker::noop());
    for polls in 0..16 {
        let mut bodies = Vec::new();
        for number in 0..8 {
            let (data, _) = upload(number % 2);
            let body = Frames::new(&data, number % 2 == 0);
            let checksums = [Checksum::MD5, Checksum::SHA512];
            bodies.push(Box::pin(digester.digest(body, &checksums, &HeaderMap::new()).0));
        }
        for _ in 0..polls {
            bodies.retain_mut(|body| match body.as_mut().poll_frame(&mut context) {
                Poll::Ready(None) => false,
                Poll::Ready(Some(frame)) => frame.is_ok(),
                Poll::Pending => true,
            });
        }
    }
    for (algorithm, stats) in digester.stats() {
        assert_eq!(stats.waiting, 0, "{algorithm}");
        assert!(stats.hashers <= 8, "{algorithm}: those of finished bodies");
    }
}

#[tokio::test]
async fn the_layer_puts_digests_into_the_extensions() {
    let layer = DigestLayer::with_digester(Digester::new(), [Checksum::MD5]);
    let service = ServiceBuilder::new().layer(layer).service(service_fn(
        |request: Request<DigestBody<Full<Bytes>>>| async move {
            let digests = request.extensions().get::<Digests>().cloned().expect("the layer's");
            request.into_body().collect().await?;
            Ok::<_, BoxError>((digests.hex(Checksum::MD5), digests.hex(Checksum::SHA256)))
        },
    ));
    let put =
        |header, value| Request::put("/").header(header, value).body(Full::from(NINE)).unwrap();
    let answer = service.clone().oneshot(put("x-amz-content-sha256", NINE_SHA256)).await.unwrap();
    assert_eq!(answer, (Some(NINE_MD5.to_owned()), Some(NINE_SHA256.to_owned())));
    let refused = service.oneshot(put("content-md5", "AAAA")).await.unwrap_err();
    let wrapped = std::io::Error::other(std::io::Error::other(refused));
    let refused = WrongDigest::find(&wrapped).unwrap();
    assert!(WrongDigest::find(&std::io::Error::other("another")).is_none());
    assert_eq!(refused.to_string(), "content-md5: the body does not have this digest");
}

#[tokio::test]
async fn metrics_are_those_of_all_algorithms_in_use() {
    let digester = Digester::new();
    assert!(digester.stats().is_empty());
    for _ in 0..2 {
        let (body, _) =
            digester.digest(nine(true), &[Checksum::MD5, Checksum::SHA256], &HeaderMap::new());
        body.collect().await.unwrap();
    }
    let metrics = digester.metrics();
    for line in [
        "# TYPE hashlanes_messages_total counter",
        "hashlanes_messages_total{algorithm=\"md5\"} 2",
        "hashlanes_messages_total{algorithm=\"sha256\"} 2",
        "hashlanes_bytes_alone_total{algorithm=\"md5\"} 18",
        "hashlanes_hashers{algorithm=\"md5\"} 1",
        "hashlanes_waiting{algorithm=\"md5\"} 0",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line} is missing in\n{metrics}");
    }
}
