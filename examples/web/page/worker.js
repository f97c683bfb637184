// A worker: reads files in pieces, and hashes those of many files side by side.
//
// The next pieces are requested before the module hashes the current ones. There are thus at most
// two pieces of each file in memory, and their lengths are chosen so that the total is bounded.

const PLACES = 32; // maximum files in progress
const BUFFER = 8 << 20; // maximum bytes hashed in one call
const MIN = 256 << 10; // minimum bytes in a piece, unless the file has fewer left
const MAX = 4 << 20;

let module = null;
let exports = null;
let algorithm = 0;
let session = 0;
let places = [];
let waiting = []; // files waiting for a place
let asked = false; // whether a request for files is unanswered
let exhausted = false; // whether all files have been given out
let lanes = 1;
let wake = null;

onmessage = ({ data }) => {
  if (data.begin) {
    begin(data.begin).catch((error) => setTimeout(() => { throw error; }));
    return;
  }
  asked = false;
  exhausted = data.files.length === 0;
  waiting.push(...data.files);
  wake?.();
};

async function begin({ module: given, algorithm: wanted }) {
  if (module !== given) {
    exports = (await WebAssembly.instantiate(given, {})).exports;
    module = given;
  }
  exports.close(session);
  algorithm = wanted;
  session = exports.open(algorithm, PLACES);
  if (session === 0) throw new Error(`unknown algorithm ${algorithm}`);
  if (!exports.reserve(BUFFER, PLACES)) throw new Error("not enough memory");
  places = new Array(PLACES).fill(null);
  waiting = [];
  exhausted = false;
  lanes = exports.kernel(algorithm, PLACES) & 0xffff;
  asked = true;
  report({ want: PLACES });
  await run();
}

function report({ bytes = 0, busy = 0, done = [], want = 0, ended = false, ...kernel }) {
  postMessage({ bytes, busy, done, want, ended, ...kernel });
}

async function run() {
  for (;;) {
    fill();
    const active = places.filter(Boolean);
    const ready = active.filter((place) => place.ready);
    if (active.length === 0 && exhausted) break;
    // Wait for enough pieces to fill the lanes, or for all that are being read.
    if (ready.length === 0 || (ready.length < lanes && ready.length < active.length)) {
      await new Promise((resolve) => { wake = resolve; });
      wake = null;
      continue;
    }
    turn(active.length);
    // Lets messages and completed reads be handled.
    await new Promise((resolve) => nextMessage(resolve));
  }
  report({ ended: true });
}

// A timer would take milliseconds.
const channel = new MessageChannel();
let resolveMessage = null;
channel.port1.onmessage = () => resolveMessage();
function nextMessage(resolve) {
  resolveMessage = resolve;
  channel.port2.postMessage(0);
}

// Assigns places to waiting files, and requests more when there is room.
function fill() {
  for (let i = 0; i < PLACES && waiting.length > 0; i++) {
    if (places[i] === null) {
      const { index, file } = waiting.shift();
      const size = file.size;
      places[i] = { index, file, size, offset: 0, bytes: null, error: null, ready: false };
    }
  }
  const active = places.filter(Boolean).length;
  for (const place of places) if (place && !place.ready && !place.reading) read(place, active);
  const free = PLACES - active;
  if (!asked && !exhausted && waiting.length === 0 && free >= PLACES / 4) {
    asked = true;
    report({ want: free });
  }
}

function read(place, active) {
  const { file, size, offset } = place;
  const most = Math.min(MAX, Math.max(MIN, Math.floor(BUFFER / active)));
  place.reading = true;
  const end = Math.min(size, offset + most);
  // A slice would be another object for the browser process to create and open.
  const piece = end - offset === size ? file : file.slice(offset, end);
  // A deleted file also has a size of 0. Reading it fails with a FileReader, but not with
  // `arrayBuffer`.
  (size === 0 ? readAll(file) : piece.arrayBuffer())
    .then((buffer) => {
      if (file.size !== size || buffer.byteLength !== end - offset) {
        throw new Error("the file changed while it was read");
      }
      place.bytes = new Uint8Array(buffer);
    })
    .catch((error) => { place.error = error.message || String(error); })
    .finally(() => {
      place.reading = false;
      place.ready = true;
      wake?.();
    });
}

function readAll(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsArrayBuffer(file);
  });
}

// Hashes the pieces that are ready.
function turn(active) {
  const memory = new Uint8Array(exports.memory.buffer, exports.buffer(), BUFFER);
  const pieces = new Uint32Array(exports.memory.buffer, exports.pieces(), 2 * PLACES).fill(0);
  const done = [];
  const ended = [];
  let used = 0;
  let files = 0;
  for (let i = 0; i < PLACES; i++) {
    const place = places[i];
    if (!place?.ready) continue;
    if (place.error !== null) {
      exports.abandon(session, i);
      done.push({ index: place.index, error: place.error });
      places[i] = null;
      continue;
    }
    const { bytes } = place;
    if (used + bytes.length > BUFFER) continue; // left for the next turn
    memory.set(bytes, used);
    pieces[2 * i] = used;
    pieces[2 * i + 1] = bytes.length;
    used += bytes.length;
    files += 1;
    place.offset += bytes.length;
    place.bytes = null;
    place.ready = false;
    if (place.offset === place.size) ended.push(i);
    else read(place, active);
  }
  const began = performance.now();
  if (!exports.update(session)) throw new Error("a piece is outside the buffer");
  const digests = ended.map((i) => {
    const length = exports.finish(session, i);
    const digest = hex(new Uint8Array(exports.memory.buffer, exports.answer(), length));
    const { index } = places[i];
    places[i] = null;
    return { index, digest };
  });
  const busy = performance.now() - began;
  report({ bytes: used, busy, done: done.concat(digests), ...kernelFor(files) });
}

// The kernel for this number of files.
function kernelFor(files) {
  const answer = exports.kernel(algorithm, files);
  const name = new Uint8Array(exports.memory.buffer, exports.answer(), answer >>> 16);
  return { kernel: String.fromCharCode(...name), lanes: answer & 0xffff };
}

function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
