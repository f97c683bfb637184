# The npm package in an empty folder, without a registry.
mkdir /tmp/new
cd /tmp/new
timed npm install --offline --silent --no-audit --no-fund /dist/hashlanes-[0-9]*.tgz
has_notices node_modules/hashlanes "^RUST-LIBRARY"
timed node --input-type=module -e '
    import assert from "node:assert/strict";
    import { createHash } from "node:crypto";
    import { load } from "hashlanes";
    const messages = Array.from({ length: 1000 }, (_, i) => Buffer.alloc(i, i));
    for (const options of [{ native: true }, { simd: true }, { simd: false }]) {
        const hashlanes = await load(options);
        const right = messages.map((one) => createHash("sha256").update(one).digest("hex"));
        assert.deepEqual(hashlanes.digestMany(messages, "sha256", "hex"), right);
    }'
