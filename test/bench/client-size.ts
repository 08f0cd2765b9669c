import { bundleSize, clientPrograms } from '../runtime/bundle-size.ts'

/** Prints the bytes that the client half of the runtime adds to a bundle. */
for (const [name, program] of Object.entries(clientPrograms)) {
  const { minified, gzipped } = await bundleSize(program)
  console.log(`${name.padEnd(32)}${String(minified).padStart(8)} B minified${String(gzipped).padStart(8)} B gzipped`)
}
