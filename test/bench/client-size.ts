import { bundleSize, clientPrograms } from '../runtime/bundle-size.ts'

/** This program prints the minified and the gzipped size of a bundle of each client program, in bytes. */

for (const [name, program] of Object.entries(clientPrograms)) {
  const { minified, gzipped } = await bundleSize(program)
  console.log(`${name.padEnd(32)}${String(minified).padStart(8)} B minified${String(gzipped).padStart(8)} B gzipped`)
}
