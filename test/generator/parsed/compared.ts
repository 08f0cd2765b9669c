import { type Emission, emissions } from '../../../generator/emit/emission.ts'
import { checkName } from '../../../generator/emit/names.ts'
import type { Model } from '../../../generator/model/types.ts'
import { plainOptions } from '../generation.ts'
import { type Declaration, type Read, read } from './declarations.ts'
import { checkedMembers, modelled, modelledArea, viewsOf } from './modelled.ts'

/**
 * Returns the differences between files and their model, a line for each declaration after the path of its file: `- `
 * for a declaration that only the model has, `+ ` for a declaration that only the file has. `only` limits the
 * comparison to the document with this name.
 */
export function differences(model: Model, files: ReadonlyMap<string, string>, only?: string): readonly string[] {
  return emissions(model, plainOptions)
    .filter(({ document }) => only === undefined || document.name === only)
    .flatMap(emission => filesOf(emission, files))
}

function filesOf(emission: Emission, files: ReadonlyMap<string, string>): readonly string[] {
  const folder = `${emission.document.name}/`
  const wanted = new Map(modelled(emission))
  if (files.has(`${folder}area.ts`)) wanted.set('area.ts', modelledArea(emission))
  const made = [...files.keys()].filter(path => path.startsWith(folder)).map(path => path.slice(folder.length))
  return [...new Set([...wanted.keys(), ...made])].flatMap(file => {
    const { declarations, named } = read(files.get(folder + file) ?? '')
    const lines = compared((wanted.get(file) ?? []).map(shown), declarations.map(shown))
    const unseen = file === 'validators.ts' ? unseenMembers(emission, named) : []
    return [...lines, ...unseen].map(line => `${folder}${file}: ${line}`)
  })
}

function compared(expected: readonly string[], found: readonly string[]): readonly string[] {
  if (expected.join('\n') === found.join('\n')) return []
  const lines = [
    ...expected.filter(line => !found.includes(line)).map(line => `- ${line}`),
    ...found.filter(line => !expected.includes(line)).map(line => `+ ${line}`),
  ]
  return lines.length > 0 ? lines : ['declarations are in another order']
}

const shown = ({ kind, members, name }: Declaration): string => `${kind} ${name} { ${members.join(', ')} }`

/** Returns a line for each member that the check of its schema does not read. */
const unseenMembers = (emission: Emission, named: Read['named']): readonly string[] =>
  emission.document.schemas.flatMap(schema =>
    [...viewsOf(schema)].flatMap(([name, view]) => {
      const check = checkName(name)
      const missing = checkedMembers(schema, view).filter(member => !named.get(check)?.has(member))
      return missing.map(member => `${check} does not look at ${JSON.stringify(member)}`)
    }),
  )
