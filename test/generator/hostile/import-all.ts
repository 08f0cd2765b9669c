import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Run as a process of its own: what a generated module does when it is imported stays here.
const [root = ''] = process.argv.slice(2)
const paths: readonly string[] = JSON.parse(readFileSync(join(root, 'paths.json'), 'utf8'))
const modules: Record<string, unknown> = {}
for (const path of paths) modules[path] = { ...(await import(pathToFileURL(join(root, path)).href)) }
process.stdout.write(JSON.stringify({ hit: 'hit' in globalThis, modules }))
