// The installed package in headless Chromium, compared with node:crypto:
// `node browser.mjs BROWSER TOOLS`, see `cargo xtask web --test`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { fileURLToPath, pathToFileURL } from "node:url";

const [module, tools] = process.argv.slice(2);
const { open } = await import(pathToFileURL(module));
const folder = fileURLToPath(new URL("node_modules/hashlanes", import.meta.url));
const { browser, url, close } = await open(folder, tools);
try {
  const page = await browser.newPage();
  await page.route(url, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>test</title>" }));
  await page.goto(url);
  for (const simd of [undefined, true, false]) {
    const [kernel, ...digests] = await page.evaluate(async (simd) => {
      const { load } = await import("/browser.js");
      const hashlanes = await load({ simd });
      const messages = Array.from({ length: 300 }, (_, i) => new Uint8Array(i).fill(i));
      const hasher = hashlanes.createHash("sha512");
      for (const message of messages) hasher.update(message);
      return [hashlanes.kernel("sha256").name, ...hashlanes.digestMany(messages, "sha256", "hex"),
        hasher.digest("hex")];
    }, simd);
    assert.match(kernel, simd === false ? /^portable/ : /^simd128/);
    const messages = Array.from({ length: 300 }, (_, i) => Buffer.alloc(i, i));
    const right = messages.map((one) => createHash("sha256").update(one).digest("hex"));
    right.push(createHash("sha512").update(Buffer.concat(messages)).digest("hex"));
    assert.deepEqual(digests, right);
  }
  console.log(`ok: the package in Chromium ${browser.version()}`);
} finally {
  await close();
}
