import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// This program imports modules in a process of its own, so that effects of the imported modules stay in this process.
const [root = ''] = process.argv.slice(2)
const paths: readonly string[] = JSON.parse(readFileSync(join(root, 'paths.json'), 'utf8'))
const modules: Record<string, unknown> = {}
/** Stands in for any group of handlers; this program calls no handler. */
const handlers = new Proxy({}, { get: () => ({}) })
for (const path of paths) {
  const module: Record<string, unknown> = await import(pathToFileURL(join(root, path)).href)
  const members = Object.entries(module).map(([name, value]) => {
    const isBinding = path.endsWith('/routes.ts') && typeof value === 'function'
    return [name, isBinding ? value(handlers) : value]
  })
  modules[path] = Object.fromEntries(members)
}
process.stdout.write(JSON.stringify({ hit: 'hit' in globalThis, modules }))
