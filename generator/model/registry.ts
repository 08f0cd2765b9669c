import { posix } from 'node:path'
import { type DiagnosticList, messages } from '../diagnostics.ts'
import { isIdentifier } from '../identifier.ts'
import { isExtended } from '../read/dialect.ts'
import { elements, member, members, positionOf, whole } from '../read/located.ts'
import { segments } from '../read/pointer.ts'
import { referenceOf, resolve } from '../read/resolve.ts'
import type { Entry, Loaded, Located } from '../read/types.ts'
import { Names, pascal, schemaName, spelling } from './names.ts'

/** A named schema before it is built. */
export interface Registered {
  readonly id: string
  readonly name: string
  /** The name of the component in the document, if the TypeScript name differs from it. */
  readonly source: string | undefined
  readonly document: string
  readonly at: Located
  /**
   * The schemas that extend this schema. If the discriminator of this schema makes a union of its children, a reference
   * to this schema means any child.
   */
  readonly children: readonly Located[]
  /** Whether the entry is the base of a schema with children: the part that the children share. */
  readonly isBase: boolean
}

const keyOf = ({ file, pointer }: Located): string => `${file.file}#${pointer}`

/** Folder names that do not describe their content. */
const plainFolders: ReadonlySet<string> = new Set(['components', 'definitions', 'models', 'schemas', 'types'])

/**
 * Names each schema that is declared or referred to, once in a run. The components of an entry belong to the entry's
 * document. A schema in another file belongs to the first document that reaches the schema.
 */
export class Registry {
  readonly #loaded: Loaded
  readonly #diagnostics: DiagnosticList
  readonly #names = new Map<string, Names>()
  readonly #byPlace = new Map<string, Registered>()
  readonly #bases = new Map<string, Registered>()
  readonly #extensions: ReadonlyMap<string, readonly Located[]>
  readonly #registered: Registered[] = []
  #yielded = 0
  #isInterwoven = false

  constructor(loaded: Loaded, diagnostics: DiagnosticList) {
    this.#loaded = loaded
    this.#diagnostics = diagnostics
    this.#extensions = extensionsOf(loaded)
    for (const { name } of loaded.entries) this.#names.set(name, new Names(reserved(name)))
    const declared = loaded.entries.map(entry => this.#declare(entry))
    for (const registered of declared.flat()) if (registered.children.length > 0) this.#splitBase(registered)
  }

  /**
   * Whether a document refers to an unnamed schema of another document. The unnamed schema gets a name in the other
   * document.
   */
  get isInterwoven(): boolean {
    return this.#isInterwoven
  }

  /**
   * Returns the scope of a document's type names: the names of schemas, views and requests are claimed in this scope.
   */
  namesOf(document: string): Names {
    const names = this.#names.get(document) ?? new Names()
    this.#names.set(document, names)
    return names
  }

  /**
   * Returns the id of the schema at the target of a reference, and registers a schema without an id. `from` is the
   * referring document.
   */
  idOf(at: Located, from: string): string {
    return this.#registeredAt(at, from).id
  }

  /**
   * Returns the id of a reference inside `allOf`. For a schema that is the union of its children, returns the id of the
   * base.
   */
  idOfBranch(at: Located, from: string): string {
    const registered = this.#registeredAt(at, from)
    return (this.#bases.get(registered.id) ?? registered).id
  }

  /**
   * Yields each registered schema that no earlier iteration has yielded, including schemas that are registered during
   * the iteration.
   */
  *pending(): Generator<Registered, void, undefined> {
    for (let next = this.#registered[this.#yielded]; next; next = this.#registered[this.#yielded]) {
      this.#yielded += 1
      yield next
    }
  }

  #declare({ name: document, file }: Entry): readonly Registered[] {
    const schemas = members(member(member(whole(file), 'components') ?? whole(file), 'schemas'))
    return schemas.flatMap(([name, at]) => {
      if (this.#byPlace.has(keyOf(at))) return []
      const target = this.#adopted(at)
      const registered = this.#register(target, document, [schemaName(name), spelling(name)], name)
      this.#byPlace.set(keyOf(at), registered)
      const isPlain = registered.name === name || (isIdentifier(name) && registered.name === pascal(name))
      if (!isPlain) this.#diagnostics.add(messages.nameChanged(name, registered.name), positionOf(at))
      return [registered]
    })
  }

  /**
   * Returns the place to which the name of a component belongs. A component that is only a reference into a file that
   * is no entry gives its name to the schema at the target, unless the schema already has a name.
   */
  #adopted(at: Located): Located {
    const reference = Object.keys(Object(at.value)).length === 1 ? referenceOf(at.value) : undefined
    if (reference === undefined) return at
    const resolution = resolve(this.#loaded, at.file, reference)
    if (resolution.kind === 'fault' || this.#byPlace.has(keyOf(resolution.at))) return at
    const isEntry = this.#loaded.entries.some(({ file }) => file === resolution.at.file)
    return isEntry ? at : resolution.at
  }

  #registeredAt(at: Located, from: string): Registered {
    const known = this.#byPlace.get(keyOf(at))
    if (known) return known
    const owner = this.#loaded.entries.find(({ file }) => file === at.file)?.name ?? from
    if (owner !== from) this.#isInterwoven = true
    const registered = this.#register(at, owner, this.#namesFor(at))
    if (registered.children.length > 0) this.#splitBase(registered)
    return registered
  }

  #register(at: Located, document: string, wanted: readonly string[], component?: string): Registered {
    const name = this.namesOf(document).claim(...wanted)
    const children = this.#childrenOf(at)
    const source = component === name ? undefined : component
    const registered = { id: `${document}.${name}`, name, source, document, at, children, isBase: false }
    this.#byPlace.set(keyOf(at), registered)
    this.#registered.push(registered)
    return registered
  }

  #childrenOf(at: Located): readonly Located[] {
    const discriminator = member(at, 'discriminator')
    if (!discriminator || member(at, 'oneOf') || member(at, 'anyOf')) return []
    const children = this.#descendants(at)
    if (children.length === 0) this.#diagnostics.add(messages.discriminatorAlone(), positionOf(discriminator))
    return children
  }

  #splitBase({ id, name, document, at }: Registered): void {
    const base = this.namesOf(document).claim(`${name}Base`)
    const registered = {
      id: `${document}.${base}`,
      name: base,
      source: undefined,
      document,
      at,
      children: [],
      isBase: true,
    }
    this.#bases.set(id, registered)
    this.#registered.push(registered)
  }

  /**
   * Returns the schemas that extend a schema, directly or indirectly. The children of a schema replace the schema if it
   * is the union of its children.
   */
  #descendants(at: Located): readonly Located[] {
    const found = new Map<string, Located>()
    const visited = new Set([keyOf(at)])
    const pending = [...(this.#extensions.get(keyOf(at)) ?? [])]
    for (const next of pending) {
      if (visited.has(keyOf(next))) continue
      visited.add(keyOf(next))
      const further = this.#extensions.get(keyOf(next)) ?? []
      if (!member(next, 'discriminator') || further.length === 0) found.set(keyOf(next), next)
      pending.push(...further)
    }
    return [...found.values()]
  }

  /**
   * Returns two names for a schema outside of `components`; the second name is used if the first is taken. The names
   * come from the schema's component, from its file and descriptive folders, or from the last names of its pointer.
   */
  #namesFor({ file, pointer }: Located): readonly string[] {
    const entry = this.#loaded.entries[0]?.file.file ?? ''
    const path = posix.relative(posix.dirname(entry), file.file).replace(/\.(ya?ml|json)$/i, '')
    const folders = path.split('/').filter(folder => folder !== '..' && !plainFolders.has(folder))
    const names = segments(pointer) ?? []
    const container = names[0] === 'components' ? 2 : Number(names[0] === 'definitions')
    const inner = names.slice(container).filter(name => name !== 'properties' && name !== '$defs')
    const plain = inner.map(pascal).join('')
    const ofFile = folders.map(pascal).join('')
    return plain === '' ? [schemaName(ofFile), spelling(path)] : [schemaName(plain), schemaName(`${ofFile}${plain}`)]
  }
}

/** Returns the reserved names of a document: types of its generated files that are no schemas. */
const reserved = (document: string): readonly string[] =>
  ['Client', 'Error', 'Handlers', 'Permission', 'Reason'].map(suffix => `${pascal(document)}${suffix}`)

/** Returns the components that extend a schema through `allOf`, keyed by the place of the extended schema. */
function extensionsOf(loaded: Loaded): ReadonlyMap<string, readonly Located[]> {
  const found = new Map<string, Located[]>()
  for (const file of loaded.files.values()) {
    for (const [, at] of members(member(member(whole(file), 'components') ?? whole(file), 'schemas'))) {
      // In OpenAPI 3.1, a reference with keywords beside it extends its target too.
      const beside = referenceOf(at.value) !== undefined && isExtended(at) ? [at] : []
      for (const branch of [...elements(member(at, 'allOf')), ...beside]) {
        const reference = referenceOf(branch.value)
        const resolution = reference === undefined ? undefined : resolve(loaded, file, reference)
        if (resolution?.kind !== 'found') continue
        const list = found.get(keyOf(resolution.at))
        if (list) list.push(at)
        else found.set(keyOf(resolution.at), [at])
      }
    }
  }
  return found
}
