/**
 * `npm run bench NAME` runs test/bench/NAME.ts, which prints a table of ratios. Without the name of a benchmark, the
 * script lists the names and exits with status 1.
 */
import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './project.ts'

const folder = join(root, 'test', 'bench')
const names = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
  .map(entry => parse(entry.name).name)
  .sort()
const [name] = process.argv.slice(2)

if (name !== undefined && names.includes(name)) {
  await import(pathToFileURL(join(folder, `${name}.ts`)).href)
} else {
  console.error(`bench: name one of ${names.join(', ')}`)
  process.exitCode = 1
}
