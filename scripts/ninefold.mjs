/**
 * Runs `ninefold.ts` with what Node.js makes of modules kept from the very first one on. In TypeScript this would have to
 * be stripped itself, and loading what strips types costs more than all else that a short command does.
 */
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'

// As generator/cli/compile-cache.ts has it, which is too late here.
if (!process.env.CI && existsSync('node_modules')) enableCompileCache(resolve('node_modules/.cache/ninefold/modules'))
await import('../ninefold.ts')
