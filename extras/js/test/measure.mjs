// Digests of 10,000 messages beside node:crypto, in turns: `node measure.mjs FOLDER`, where FOLDER
// has the package. Times are CPU times of all threads, which other programs hardly change.

import { createHash, randomBytes } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const { load } = await import(pathToFileURL(resolve(process.argv[2], "node.js")));
const ROUNDS = Number(process.argv[3] ?? 41);
const COUNT = 10_000;

function median(values) {
  return values.sort((a, b) => a - b)[values.length >> 1];
}

const builds = { addon: await load({ native: true }), wasm: await load({ native: false }) };
function cpuTime() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

console.log(["function", "bytes", "call", "ns", "times faster", "blocked ms", "least"].join("\t"));
for (const algorithm of ["md5", "sha1", "sha256", "sha512"]) {
  for (const length of [100, 1024, 16384]) {
    const count = length > 1024 ? COUNT / 10 : COUNT;
    const messages = Array.from({ length: count }, () => randomBytes(length));
    const digestOf = (message) => createHash(algorithm).update(message).digest();
    const ways = { crypto: () => messages.map(digestOf) };
    for (const [build, hashlanes] of Object.entries(builds)) {
      ways[`${build}, digestMany`] = () => hashlanes.digestMany(messages, algorithm);
      ways[`${build}, digestManyAsync`] = () => hashlanes.digestManyAsync(messages, algorithm);
    }
    const right = ways.crypto();
    const times = {};
    const delays = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, way] of Object.entries(ways)) {
        const waits = name.endsWith("Async");
        const delay = monitorEventLoopDelay({ resolution: 1 });
        if (waits) {
          delay.enable();
          await new Promise((resolve) => setTimeout(resolve, 3));
          delay.reset();
        }
        const began = cpuTime();
        const digests = waits ? await way() : way();
        (times[name] ??= []).push(cpuTime() - began);
        if (waits) {
          await new Promise((resolve) => setTimeout(resolve, 3));
          delay.disable();
          // What a timer of 1 ms was late.
          (delays[name] ??= []).push(delay.max / 1e6 - 1);
        }
        const isWrong = (digest, i) => Buffer.compare(digest, right[i]) !== 0;
        if (digests.some(isWrong)) throw new Error(name);
      }
    }
    for (const name of Object.keys(ways)) {
      const ratio = median(times[name].map((time, round) => times.crypto[round] / time));
      const [least, blocked] = delays[name]
        ? [Math.min(...delays[name]).toFixed(1), median(delays[name]).toFixed(1)] : ["", ""];
      const ns = (median(times[name].slice()) * 1e3 / count).toFixed(0);
      console.log([algorithm, length, name, ns, ratio.toFixed(2), blocked, least].join("\t"));
    }
  }
}
