// The face of JavaScript: see states.py.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , location, options] = process.argv;
const { load } = await import(pathToFileURL(location).href);
const hashlanes = await load(JSON.parse(options));
let data;

function answer([what, first, ...rest]) {
  if (what === "load") {
    data = readFileSync(first);
    return "ok";
  }
  if (what === "save") {
    const hasher = hashlanes.createHash(first).update(data.subarray(0, Number(rest[0])));
    const saved = Buffer.from(hasher.save()).toString("hex");
    hasher.digest();
    return saved;
  }
  if (what === "digest") return hashlanes.digest(data.subarray(0, Number(rest[0])), first, "hex");
  try {
    const hasher = hashlanes.restore(Buffer.from(first, "hex"));
    return hasher.update(data.subarray(Number(rest[0]), Number(rest[1]))).digest("hex");
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return "no";
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${answer(line.split(" "))}\n`);
}
