// Hashes the same files with `crypto.subtle`, to compare throughput and digests.
//
// It takes only entire messages, so each file is read into memory. Files above a limit are skipped,
// and the number of files in memory is limited by their total size.

const MAX_FILE = 1 << 30; // maximum bytes in a file
const MAX_TOTAL = 64 << 20; // maximum bytes of files in memory, if there are several

// Hashes the files that already have digests. Resolves to { bytes, seconds, files, wrong, note }.
export async function measureSubtle(entries, algorithm, signal, progress) {
  const result = { bytes: 0, seconds: 0, files: 0, wrong: 0, note: "" };
  if (!algorithm.subtle) {
    return { ...result, note: `crypto.subtle has no ${algorithm.label}.` };
  }
  if (!globalThis.crypto?.subtle) {
    return { ...result, note: "crypto.subtle is available only over HTTPS and on localhost." };
  }
  const known = entries.filter(({ digest }) => digest);
  const chosen = known.filter(({ file }) => file.size <= MAX_FILE);
  const tooLarge = known.length - chosen.length;
  const show = progress("crypto.subtle", chosen.reduce((sum, { file }) => sum + file.size, 0));
  const began = performance.now();
  let next = 0;
  let together = 0;
  let wake = () => {};

  const one = async ({ file, digest }) => {
    const buffer = await crypto.subtle.digest(algorithm.subtle, await file.arrayBuffer());
    const hex = Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0"));
    result.wrong += hex.join("") !== digest;
    result.files += 1;
    result.bytes += file.size;
    show(file.size);
  };
  const inProgress = new Set();
  while (next < chosen.length || inProgress.size > 0) {
    signal.throwIfAborted();
    const entry = chosen[next];
    const fits = entry && (inProgress.size === 0 || together + entry.file.size <= MAX_TOTAL);
    if (fits && inProgress.size < 64) {
      next += 1;
      together += entry.file.size;
      const work = one(entry)
        .catch((error) => { result.note = `crypto.subtle failed: ${error.message}. `; })
        .finally(() => {
          inProgress.delete(work);
          together -= entry.file.size;
          wake();
        });
      inProgress.add(work);
    } else {
      await new Promise((resolve) => { wake = resolve; });
    }
  }
  result.seconds = (performance.now() - began) / 1000;
  const verdict = result.wrong === 0 ? "The digests are the same." : `${result.wrong} DIFFER.`;
  result.note +=
    `${algorithm.label} of ${result.files === 1 ? "1 file" : `${result.files} files`}, including ` +
    `reading. It holds entire files in memory. ${verdict}`;
  if (tooLarge > 0) result.note += ` ${tooLarge} are larger than 1 GiB and were skipped.`;
  return result;
}
