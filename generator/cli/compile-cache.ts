import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

/**
 * Enables the compile cache of Node.js for all modules that are loaded after this call, which halves the time of a
 * short run. The compile cache lies in `node_modules/.cache` of the working directory, as the cache of runs does.
 * Nothing is cached in CI or without `node_modules`.
 */
export function keepCompiled(): void {
  if (process.env.CI || !existsSync('node_modules')) return
  // Without a writable folder, Node.js compiles the modules each time.
  enableCompileCache(resolve('node_modules/.cache/ninefold/modules'))
}
