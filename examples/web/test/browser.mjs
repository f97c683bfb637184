// Opens a page in headless Chromium, served from a local folder.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".wasm": "application/wasm",
};

// Serves `folder`, and starts a browser with the packages in `tools`, a folder with node_modules.
export async function open(folder, tools) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const path = join(folder, normalize(pathname === "/" ? "/index.html" : pathname));
    try {
      const length = statSync(path).size;
      response.writeHead(200, { "content-type": TYPES[extname(path)], "content-length": length });
      createReadStream(path).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { chromium } = createRequire(join(tools, "x.js"))("playwright-core");
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      // Chromium's sandbox does not start as root.
      ...(process.getuid() === 0 ? ["--no-sandbox"] : []),
      // Prevents requests to Google's hosts.
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-gpu", "--disable-quic", "--no-first-run",
    ],
  });
  return {
    browser,
    url: `http://localhost:${server.address().port}/`,
    async close() {
      await browser.close();
      server.close();
    },
  };
}

// Waits until the page has finished its work.
export async function finished(page, timeout = 300_000) {
  await page.waitForFunction(() => document.body.dataset.state === "done", null, { timeout });
}
