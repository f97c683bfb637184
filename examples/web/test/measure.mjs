// Measures the page's throughput in headless Chromium: `node measure.mjs PAGE TOOLS`, see `cargo
// xtask web --measure`.
//
// The files are on tmpfs where available. There are ROUNDS rounds, in each of which hashlanes and
// crypto.subtle take turns, and the best of each is shown. The first round does not count, because
// engines compile while it runs.

import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { finished, open } from "./browser.mjs";

const ROUNDS = Number(process.argv[4] ?? 5);
const only = process.argv[5] ?? "";
const [folder, tools] = process.argv.slice(2, 4).map((path) => resolve(path));
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const files = mkdtempSync(join(base, "hashlanes-web-"));
const { browser, url, close } = await open(folder, tools);
try {
  const many = [];
  for (let i = 0; i < 1000; i++) {
    many.push(join(files, `${i}`));
    writeFileSync(many[i], randomBytes(64 << 10));
  }
  const large = join(files, "large");
  const bytes = randomBytes(256 << 20);
  writeFileSync(large, bytes);
  console.log(`${browser.version()}, ${cpus().length} cores, ${cpus()[0].model}; MB/s`);
  for (const [what, list] of [["1,000 files of 64 KiB", many], ["1 file of 256 MiB", [large]]]) {
    for (const algorithm of ["md5", "sha256"]) {
      for (const query of ["", "?plain"]) {
        if (`${what} ${algorithm} ${query}`.includes(only)) {
          await measure(what, list, algorithm, query);
        }
      }
    }
  }
} finally {
  await close();
  rmSync(files, { recursive: true });
}

async function measure(what, list, algorithm, query) {
  const page = await browser.newPage();
  await page.goto(url + query);
  await page.evaluate((algorithm) => {
    document.getElementById("algorithm").value = algorithm;
  }, algorithm);
  const best = { ours: 0, hashing: 0, subtle: 0, kernel: "" };
  for (let round = 0; round <= ROUNDS; round++) {
    await page.evaluate(() => { document.body.dataset.state = "chosen"; });
    await page.setInputFiles("#files", list);
    await finished(page);
    if (round === 0) continue;
    const [ours, subtle] = await page.evaluate(() => {
      const { figures, subtle } = document.body.dataset;
      return [JSON.parse(figures), JSON.parse(subtle)];
    });
    if (subtle.wrong > 0) throw new Error("the digests differ");
    best.ours = Math.max(best.ours, ours.bytes / ours.seconds / 1e6);
    best.hashing = Math.max(best.hashing, ours.bytes / ours.busy / 1e3);
    best.kernel = `${ours.kernel} (${ours.lanes})`;
    if (subtle.seconds > 0) {
      best.subtle = Math.max(best.subtle, subtle.bytes / subtle.seconds / 1e6);
    }
  }
  console.log(
    `${what}, ${algorithm}, ${best.kernel}: ${best.ours.toFixed(0)}, hashing only ` +
    `${best.hashing.toFixed(0)} per worker, crypto.subtle ${best.subtle.toFixed(0)}`,
  );
  await page.close();
}
