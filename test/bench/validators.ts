import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { generation, newFolder, removeFolder, runtimeFrom, writeFiles } from '../generator/generation.ts'
import { isDateTime, isUuid } from '../../runtime/formats.ts'
import { type Check, Faults } from '../../runtime/validation.ts'
import { measure } from './measuring/rounds.ts'
import { printGroup } from './measuring/table.ts'
import { bodies } from './measuring/validators/bodies.ts'
import { serverCheck } from './measuring/validators/by-hand.ts'
import { byAjv, byTypebox, byZod, type Count, document } from './measuring/validators/peers.ts'

/**
 * This program prints the time of checking a body of 20 fields with 3 disks and 2 network interfaces: by the generated
 * check, by a handwritten check that also lists all faults, and by libraries. The limit is 1.4 times the handwritten
 * check, and less than ajv.
 */

const formats = { isDateTime, isUuid }
const byHand = serverCheck(formats)
const generated = await generatedCheck()

const counts: readonly (readonly [name: string, count: Count])[] = [
  ['by hand', body => byHand(body).length],
  ['generated', countOf(generated)],
  ['ajv', byAjv()],
  ['typebox', byTypebox(formats)],
  ['zod', byZod()],
]

for (const [title, list] of Object.entries<readonly unknown[]>(bodies)) {
  for (const [name, count] of counts) {
    const found = list.reduce((sum: number, body) => sum + count(body), 0)
    // Libraries report a value outside an enum or a union as more than one fault.
    if (title === 'with 4 faults' ? found < 4 : found !== 0) throw new Error(`${name} finds ${found} faults, ${title}`)
  }
  const contenders = counts.map(([name, count]) => ({
    name,
    units: list.length,
    run: () => {
      let found = 0
      for (const body of list) found += count(body)
      return found
    },
  }))
  const times = await measure(contenders)
  printGroup(
    title,
    contenders.map(({ name }, i) => [name, times[i] ?? Number.NaN]),
  )
}

function countOf(check: Check): Count {
  return body => {
    const faults = new Faults()
    check(body, faults)
    return faults.count
  }
}

/** Generates the check of the document's `Server` with the generator of this repository, and imports it. */
async function generatedCheck(): Promise<Check> {
  const folder = newFolder()
  try {
    const { files, printed } = await generation([document], folder, runtimeFrom(folder))
    const path = [...files.keys()].find(name => name.endsWith('validators.ts'))
    if (path === undefined) throw new Error(printed.join('\n'))
    writeFiles(folder, files)
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(join(folder, path)).href)
    const check = module['checkServer'] ?? module['checkServerInput']
    if (typeof check !== 'function') throw new Error(`found only ${Object.keys(module).join(', ')}`)
    return (value, faults) => check(value, faults) === true
  } finally {
    removeFolder(folder)
  }
}
