/**
 * Runs `ninefold.ts` with the compile cache of Node.js enabled from the first module on. In TypeScript, this file would
 * itself need type stripping, and loading the type stripper costs more than the rest of a short command.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// generator/cli/compile-cache.ts does the same, but only after its own modules have loaded.
if (!process.env.CI && existsSync('node_modules')) enableCompileCache(resolve('node_modules/.cache/ninefold/modules'))
await import('../ninefold.ts')
