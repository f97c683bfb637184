// The page: takes files, hashes them, and shows digests and throughput.

import { ALGORITHMS, Pool, manifestLine } from "./hashlanes.js";
import { measureSubtle } from "./subtle.js";
import { droppedFiles, pickedFiles } from "./files.js";

const $ = (id) => document.getElementById(id);

const SHOWN = 1000; // maximum rows of the table; the manifest has all of them

// `?plain` selects the module without vectors.
const plain = new URLSearchParams(location.search).has("plain");
const pool = Pool.load(plain ? { simd: false } : {});
let run = null; // the AbortController of the current run
let entries = []; // { name, file, digest, error }
let algorithm = null; // of the displayed digests

for (const { name, label } of ALGORITHMS) $("algorithm").add(new Option(label, name));
$("algorithm").value = "sha256";

pool.then(
  ({ simd }) => {
    const vectors = simd ? "with 128-bit vectors (SIMD128)" : "without vectors";
    $("engine").textContent = `WebAssembly ${vectors}, one worker for each of ` +
      `${navigator.hardwareConcurrency || 1} cores.`;
  },
  (error) => { $("engine").textContent = `Cannot load the module: ${error.message}`; },
);

$("pick").onclick = () => $("files").click();
$("pick-folder").onclick = () => $("folder").click();
for (const id of ["files", "folder"]) {
  $(id).onchange = () => {
    const found = pickedFiles($(id).files);
    $(id).value = ""; // so that the same files can be chosen again
    start(found);
  };
}
for (const type of ["dragenter", "dragover"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    $("drop").classList.add("over");
  });
}
addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) $("drop").classList.remove("over");
});
addEventListener("drop", async (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  start(await droppedFiles(event.dataTransfer));
});
$("algorithm").onchange = () => start(entries.map(({ name, file }) => ({ name, file })));
$("cancel").onclick = () => run?.abort(new DOMException("cancelled", "AbortError"));
$("clear").onclick = () => {
  entries = [];
  for (const id of ["results", "figures", "progress"]) $(id).hidden = true;
};
$("copy").onclick = async () => {
  await navigator.clipboard.writeText(manifest());
  $("copy").textContent = "Copied";
  setTimeout(() => { $("copy").textContent = "Copy"; }, 1500);
};
$("save").onclick = () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([manifest()], { type: "text/plain" }));
  link.download = `${algorithm.name.toUpperCase()}SUMS`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

function manifest() {
  return entries
    .filter(({ digest }) => digest)
    .map(({ name, digest }) => manifestLine(algorithm.name, digest, name))
    .join("");
}

// Hashes files, which replace the previous ones.
async function start(found) {
  if (found.length === 0 || run) return;
  run = new AbortController();
  document.body.dataset.state = "running";
  entries = found;
  algorithm = ALGORITHMS.find(({ name }) => name === $("algorithm").value);
  for (const control of [$("algorithm"), $("pick"), $("pick-folder")]) control.disabled = true;
  $("progress").hidden = false;
  $("cancel").hidden = false;
  $("figures").hidden = true;
  $("results").hidden = true;
  try {
    await hash(run.signal);
    if ($("compare").checked) await compare(run.signal);
    $("progress").hidden = true;
  } catch (error) {
    const cancelled = error.name === "AbortError";
    $("status").textContent = cancelled ? "Cancelled." : `Failed: ${error.message}`;
    $("cancel").hidden = true;
  } finally {
    showResults();
    run = null;
    for (const control of [$("algorithm"), $("pick"), $("pick-folder")]) control.disabled = false;
    document.body.dataset.state = "done";
  }
}

async function hash(signal) {
  const total = entries.reduce((sum, { file }) => sum + file.size, 0);
  const show = progress("Hashing", total);
  const figures = await (await pool).hash(entries.map(({ file }) => file), {
    algorithm: algorithm.name,
    signal,
    onBytes: show,
    onFile(index, digest, error) { Object.assign(entries[index], { digest, error }); },
  });
  const { bytes, seconds, busy, kernel, lanes, workers } = figures;
  $("rate").textContent = rate(bytes, seconds);
  const lane = lanes === 1 ? "1 lane" : `${lanes} lanes`;
  const worker = workers === 1 ? "1 worker" : `${workers} workers`;
  $("rate-note").textContent =
    `${algorithm.label} in ${kernel}, ${lane}, ${worker}; ${size(bytes)} in ` +
    `${duration(seconds)}, including reading. Hashing only: ${rate(bytes, busy / 1000)} ` +
    "per worker.";
  $("figures").hidden = false;
  $("subtle-rate").textContent = "–";
  $("subtle-note").textContent = "Not compared.";
  document.body.dataset.figures = JSON.stringify({ bytes, seconds, busy, kernel, lanes, workers });
}

async function compare(signal) {
  const result = await measureSubtle(entries, algorithm, signal, progress);
  document.body.dataset.subtle = JSON.stringify(result);
  $("subtle-rate").textContent = result.seconds > 0 ? rate(result.bytes, result.seconds) : "–";
  $("subtle-note").textContent = result.note;
}

// Returns a function that counts bytes and shows the progress.
function progress(what, total) {
  let done = 0;
  let due = false;
  const began = performance.now();
  const show = () => {
    due = false;
    if (!run || run.signal.aborted) return; // something else is displayed by now
    const seconds = (performance.now() - began) / 1000;
    $("bar").value = total > 0 ? done / total : 1;
    $("status").textContent =
      `${what}: ${size(done)} of ${size(total)}` +
      (seconds > 0.5 ? `, ${rate(done, seconds)}` : "");
  };
  show();
  return (bytes) => {
    done += bytes;
    if (!due) requestAnimationFrame(show);
    due = true;
  };
}

function showResults() {
  const finished = entries.filter(({ digest, error }) => digest || error);
  const failed = finished.filter(({ error }) => error).length;
  const bytes = finished.reduce((sum, { file, digest }) => sum + (digest ? file.size : 0), 0);
  const count = finished.length - failed;
  const open = entries.length - finished.length;
  $("summary").textContent =
    `${number(count)} ${count === 1 ? "file" : "files"}, ${size(bytes)}` +
    (failed > 0 ? `; ${number(failed)} cannot be read` : "") +
    (open > 0 ? `; ${number(open)} not hashed` : "");
  $("digest-head").textContent = algorithm.label;
  // Unreadable files come first, so that they are not overlooked.
  const order = finished.toSorted((a, b) => Boolean(b.error) - Boolean(a.error));
  $("list").replaceChildren(...order.slice(0, SHOWN).map(row));
  $("more").hidden = order.length <= SHOWN;
  $("more").textContent =
    `${number(order.length - SHOWN)} more are not shown. Copy and Save have all of them.`;
  $("copy").disabled = $("save").disabled = count === 0;
  $("results").hidden = false;
}

function row({ name, file, digest, error }) {
  const row = document.createElement("tr");
  for (const [text, style] of [
    [name, "name"],
    [size(file.size), "size"],
    error ? [`cannot be read: ${error}`, "error"] : [digest, "digest"],
  ]) {
    const cell = row.insertCell();
    cell.textContent = text;
    cell.className = style;
  }
  return row;
}

function number(value) {
  return value.toLocaleString("en");
}

function size(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  const digits = { maximumSignificantDigits: unit > 0 ? 3 : 21 };
  return `${value.toLocaleString("en", digits)} ${units[unit]}`;
}

function rate(bytes, seconds) {
  return seconds > 0 ? `${size(bytes / seconds)}/s` : "–";
}

function duration(seconds) {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${seconds.toLocaleString("en", { maximumSignificantDigits: 3 })} s`;
}
