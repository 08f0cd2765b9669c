import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

/**
 * Enables the compile cache of Node.js for modules loaded from here on, which halves the time of a short run. Like the
 * cache of runs, it lies in `node_modules/.cache` of the working directory. In CI nothing is cached.
 */
export function keepCompiled(): void {
  if (process.env.CI || !existsSync('node_modules')) return
  // Without a writable folder, Node.js compiles the modules each time.
  enableCompileCache(resolve('node_modules/.cache/ninefold/modules'))
}
