// Runs the unit tests: node test/run.mjs [options of node --test]
//
// Each NAME.test.ts beside this file is bundled, so that TypeScript and packages need nothing from
// Node, and given to Node's own test runner.

import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const TESTS = dirname(fileURLToPath(import.meta.url));

const names = (await readdir(TESTS)).filter((name) => name.endsWith(".test.ts")).sort();
if (names.length === 0) {
  console.error("there are no tests in web/test");
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), "untilt-page-tests-"));
try {
  await build({
    absWorkingDir: TESTS,
    entryPoints: names,
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    sourcemap: "inline",
    logLevel: "warning",
  });
  const built = names.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")));
  const words = ["--enable-source-maps", "--test", ...process.argv.slice(2), ...built];
  process.exitCode = spawnSync(process.execPath, words, { stdio: "inherit" }).status ?? 1;
} catch {
  // esbuild has said what is wrong and where.
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
