// Builds the page: node build.mjs [--dev] [--out FOLDER]
//
// Bundles src/main.ts and src/styles.css to app-HASH.js and app-HASH.css, and what is imported on first
// use to files of its own, such as strategy-HASH.js; writes index.html with
// these names (nothing inline: the server's content security policy forbids it), favicon.svg and
// NOTICE.txt with the licences of what was bundled. FOLDER is by default the one that the Python
// package serves. --dev: readable, with source map.

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "esbuild";

const WEB = dirname(fileURLToPath(import.meta.url));
const STATIC = resolve(WEB, "..", "src", "untilt", "dashboard", "static");
const ENTRIES = ["src/main.ts", "src/styles.css"];
// Bundles of earlier builds, and the stamp by which the Python build knows its own.
const OWN = /^([a-z_]+-\w+\.(js|css)|page\.stamp)$/;

/** Bundle both entries in memory: files by name, the name of each entry, paths of what went in. */
async function bundle(isDev) {
  const result = await build({
    absWorkingDir: WEB,
    entryPoints: ENTRIES.map((path) => ({ in: path, out: "app" })),
    outdir: "out",
    entryNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    target: "es2022",
    // Letters as they are, not as \u escapes: the page is UTF-8.
    charset: "utf8",
    minify: !isDev,
    sourcemap: isDev ? "inline" : false,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "warning",
  });
  const files = new Map(result.outputFiles.map((file) => [basename(file.path), file.contents]));
  const nameOf = new Map();
  const inputs = [];
  for (const [path, output] of Object.entries(result.metafile.outputs)) {
    if (output.entryPoint !== undefined) nameOf.set(output.entryPoint, basename(path));
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      if (bytesInOutput > 0) inputs.push(input);
    }
  }
  return { files, nameOf, inputs };
}

/** index.html with the bundled names in place of the names of the sources. */
async function page(nameOf) {
  let html = await readFile(join(WEB, "index.html"), "utf8");
  for (const entry of ENTRIES) {
    const parts = html.split(`"/${entry}"`);
    if (parts.length !== 2) throw new Error(`index.html must name "/${entry}" once`);
    html = parts.join(`"/${nameOf.get(entry)}"`);
  }
  return html;
}

/** The licences of the packages whose files are in the bundle, in alphabetical order. */
async function notice(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const match = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input);
    if (match !== null) folders.add(match[0]);
  }
  const parts = ["The page of Untilt contains code of these packages.\n"];
  for (const folder of [...folders].sort()) {
    const about = JSON.parse(await readFile(join(WEB, folder, "package.json"), "utf8"));
    const names = await readdir(join(WEB, folder));
    const licence = names.find((name) => /^licen[cs]e(\.|$)/i.test(name));
    if (licence === undefined) throw new Error(`${about.name} has no licence file to pass on`);
    const text = await readFile(join(WEB, folder, licence), "utf8");
    const title = `${about.name} ${about.version} (${about.license})`;
    parts.push(`${"-".repeat(72)}\n${title}\n\n${text.trim()}\n`);
  }
  return parts.join("\n");
}

/** Replace what an earlier build left in `folder`; the page, which names the others, comes last. */
async function publish(folder, files) {
  await mkdir(folder, { recursive: true });
  const old = (await readdir(folder)).filter((name) => OWN.test(name) && !files.has(name));
  for (const [name, contents] of files) {
    const path = join(folder, name);
    await writeFile(`${path}.new`, contents);
    await rename(`${path}.new`, path);
  }
  for (const name of old) await rm(join(folder, name), { force: true });
}

const { values } = parseArgs({
  options: { dev: { type: "boolean", default: false }, out: { type: "string", default: STATIC } },
});
let bundled;
try {
  bundled = await bundle(values.dev);
} catch {
  // esbuild has said what is wrong and where.
  process.exit(1);
}
const { files, nameOf, inputs } = bundled;
files.set("favicon.svg", await readFile(join(WEB, "favicon.svg")));
files.set("NOTICE.txt", await notice(inputs));
files.set("index.html", await page(nameOf));
await publish(values.out, files);
