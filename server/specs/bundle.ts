import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { isRecord, own } from '../../runtime/validation.ts'

/**
 * Returns a spec as one document: components of other files are copied to its own `components`, in the same section and
 * under the same name. Throws if a name would have two meanings.
 */
export function bundle(file: string): object {
  const bundler = new Bundler()
  return bundler.run(resolve(file))
}

/** A component at its definition. */
interface Component {
  readonly file: string
  readonly section: string
  readonly name: string
}

class Bundler {
  readonly #documents = new Map<string, Record<string, unknown>>()
  /** The components, keyed by section and name: the original, and its bundled copy. */
  readonly #taken = new Map<string, Map<string, { readonly origin: unknown; bundled?: unknown }>>()

  run(entry: string): object {
    const { components, ...rest } = this.#load(entry)
    for (const [section, members] of entriesOf(components)) {
      for (const [name] of entriesOf(members)) this.#take({ file: entry, section, name })
    }
    const document = this.#members(rest, entry)
    const sections = [...this.#taken].map(([section, members]) => {
      const bundled = [...members].map(([name, component]) => [name, component.bundled] as const)
      return [section, Object.fromEntries(bundled)] as const
    })
    return { ...document, components: Object.fromEntries(sections) }
  }

  #load(file: string): Record<string, unknown> {
    const known = this.#documents.get(file)
    if (known !== undefined) return known
    const document: unknown = parse(readFileSync(file, 'utf8'))
    if (!isRecord(document)) throw new Error(`${file} holds no OpenAPI document`)
    this.#documents.set(file, document)
    return document
  }

  #node(value: unknown, file: string): unknown {
    if (Array.isArray(value)) return value.map(item => this.#node(item, file))
    if (!isRecord(value)) return value
    return typeof value['$ref'] === 'string' ? this.#reference(value['$ref'], file) : this.#members(value, file)
  }

  #members(node: Record<string, unknown>, file: string): Record<string, unknown> {
    return Object.fromEntries(Object.entries(node).map(([name, member]) => [name, this.#node(member, file)]))
  }

  #reference(reference: string, file: string): object {
    const component = componentOf(reference, file)
    this.#take(component)
    return { $ref: `#/components/${component.section}/${component.name}` }
  }

  #take(component: Component): void {
    const { section, name } = component
    const { file, node } = this.#origin(component)
    const members = this.#taken.get(section) ?? new Map<string, { origin: unknown; bundled?: unknown }>()
    this.#taken.set(section, members)
    const known = members.get(name)
    if (known === undefined) {
      const taken: { origin: unknown; bundled?: unknown } = { origin: node }
      members.set(name, taken)
      taken.bundled = this.#node(node, file)
    } else if (!isDeepStrictEqual(known.origin, node)) {
      throw new Error(`component ${section}/${name} of ${file} means another thing elsewhere; rename one of them`)
    }
  }

  /**
   * Returns the definition of a component, and its file. A component that only refers to a component of the same name
   * in another file stands for that component.
   */
  #origin({ file, section, name }: Component): { readonly file: string; readonly node: unknown } {
    const { components } = this.#load(file)
    const members = isRecord(components) ? own(components, section) : undefined
    const node = isRecord(members) ? own(members, name) : undefined
    if (node === undefined) throw new Error(`${file} has no component ${section}/${name}`)
    if (!isRecord(node) || typeof node['$ref'] !== 'string') return { file, node }
    const next = componentOf(node['$ref'], file)
    const isSame = next.section === section && next.name === name && next.file !== file
    return isSame ? this.#origin(next) : { file, node }
  }
}

const entriesOf = (value: unknown): [string, unknown][] => (isRecord(value) ? Object.entries(value) : [])

function componentOf(reference: string, file: string): Component {
  const [, path = '', section, name] = /^([^#]*)#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? []
  if (section === undefined || name === undefined) {
    throw new Error(`${file}: reference "${reference}" names no component`)
  }
  return { file: path === '' ? file : resolve(dirname(file), path), section, name }
}
