import { type DiagnosticList, type Message, messages } from '../diagnostics.ts'
import { dialectOf, isNewer } from './dialect.ts'
import { besideReference, type Kind, type Member, membersOf, referable, requiredOf, type Shape } from './kinds.ts'
import { kindAt } from './kind-at.ts'
import { elements, members, positionOf, text, whole } from './located.ts'
import { into, isRecord, own, segments } from './pointer.ts'
import { isCircular, referenceOf, resolve } from './resolve.ts'
import type { Loaded, Located, SourceFile } from './types.ts'

/** A visited object of a document. The walk follows references, so a visited object is never a reference. */
export interface Visited {
  readonly kind: Kind
  readonly at: Located
}

/**
 * Visits each OpenAPI object that the entries contain or refer to once. Reports faults of the shapes of the objects:
 * members that are missing, unknown, of a wrong type or not honoured, and broken references.
 */
export function* walk(loaded: Loaded, diagnostics: DiagnosticList): Generator<Visited, void, undefined> {
  const walker = new Walker(loaded, diagnostics)
  for (const { file } of loaded.entries)
    if (hasKnownVersion(file, diagnostics)) walker.come('document', { file, pointer: '', value: file.root })
  yield* walker.run()
}

class Walker {
  readonly #loaded: Loaded
  readonly #diagnostics: DiagnosticList
  readonly #pending: Visited[] = []
  /** The visited objects, keyed by kind. YAML aliases share an object between places. */
  readonly #seen = new Map<Kind, WeakSet<object>>()

  constructor(loaded: Loaded, diagnostics: DiagnosticList) {
    this.#loaded = loaded
    this.#diagnostics = diagnostics
  }

  *run(): Generator<Visited, void, undefined> {
    for (let next = this.#pending.pop(); next; next = this.#pending.pop()) {
      const { kind, at } = next
      // In OpenAPI 3.1, `true` and `false` are schemas.
      if (kind === 'schema' && typeof at.value === 'boolean' && isNewer(at)) continue
      if (!isRecord(at.value)) {
        this.#report(messages.wrongType(nameAt(at), 'an object'), at)
      } else if (this.#isNew(kind, at.value)) {
        const isReference = referable.has(kind) && Object.hasOwn(at.value, '$ref')
        if (isReference) this.#followed(kind, at)
        // In OpenAPI 3.1, the keywords beside the `$ref` of a schema count too.
        const isSchema = kind === 'schema' && isNewer(at)
        if (!isReference || isSchema) {
          this.#members(kind, at)
          yield next
        }
      }
    }
  }

  come(kind: Kind, at: Located): void {
    this.#pending.push({ kind, at })
  }

  #isNew(kind: Kind, value: object): boolean {
    const seen = this.#seen.get(kind) ?? new WeakSet()
    this.#seen.set(kind, seen)
    return !seen.has(value) && Boolean(seen.add(value))
  }

  #report(message: Message, at: Located): void {
    this.#diagnostics.add(message, positionOf(at))
  }

  #followed(kind: Kind, at: Located): void {
    const reference = referenceOf(at.value)
    const place = inside(at, '$ref')
    if (reference === undefined) return this.#report(messages.wrongType('$ref', 'text'), place)
    if (kind === 'operation') this.#report(messages.operationReference(), place)
    if (kind === 'pathItem') this.#merged(at)
    else if (kind !== 'schema' || !isNewer(at)) this.#beside(kind, at)
    const resolution = resolve(this.#loaded, at.file, reference)
    if (resolution.kind === 'fault') return this.#report(resolution.message, place)
    if (isCircular(this.#loaded, at)) return this.#report(messages.referenceCycle(reference), place)
    const found = kindAt(resolution.at)
    if (found !== undefined && found !== kind)
      return this.#report(messages.referenceKind(reference, nameOf(kind), nameOf(found)), place)
    this.come(kind, resolution.at)
  }

  #beside(kind: Kind, at: Located): void {
    for (const [name, sibling] of members(at)) {
      const isRead = kind === 'schema' ? besideReference.has(name) : name === '$ref'
      if (!isRead && !name.startsWith('x-')) this.#report(messages.besideReference(name), sibling)
    }
  }

  /** Visits the members next to the `$ref` of a path item, which replace equal members of its target. */
  #merged(at: Located): void {
    if (members(at).length > 1) this.#report(messages.pathItemMerged(), inside(at, '$ref'))
    this.#members('pathItem', at)
  }

  #members(kind: Kind, at: Located): void {
    const known = membersOf(kind, at.file.dialect)
    const record = isRecord(at.value) ? at.value : {}
    for (const name of Object.keys(record)) {
      const value = record[name]
      const rule = Object.hasOwn(known, name) ? known[name] : undefined
      // Most members are plain values, which need no place of their own.
      if ((name === '$ref' && referable.has(kind)) || (rule && isRight(rule, value))) continue
      if (rule) this.#member(name, rule, { file: at.file, pointer: into(at.pointer, name), value })
      else if (!name.startsWith('x-'))
        this.#report(messages.unknownMember(name, nameOf(kind), at.file.dialect), inside(at, name))
    }
    for (const name of requiredOf(kind, at.file.dialect)) {
      if (own(at.value, name) === undefined) this.#report(messages.missingMember(name, nameOf(kind)), at)
    }
  }

  #member(name: string, { shape, lost }: Member, at: Located): void {
    if (lost) return this.#report(messages.notHonoured(name), at)
    if (typeof shape === 'string') return this.#plain(shape, at)
    if ('one' in shape) return this.come(shape.one, at)
    if ('flagOr' in shape) return typeof at.value === 'boolean' ? undefined : this.come(shape.flagOr, at)
    if ('list' in shape) return this.#list(shape.list, at)
    if (!isRecord(at.value)) return this.#report(messages.wrongType(nameAt(at), 'an object'), at)
    for (const [key, value] of members(at)) {
      if (!key.startsWith('x-') || shape.map === 'schema' || shape.map === 'header') this.come(shape.map, value)
    }
  }

  #list(kind: Kind, at: Located): void {
    if (!Array.isArray(at.value)) return this.#report(messages.wrongType(nameAt(at), 'a list'), at)
    for (const element of elements(at)) this.come(kind, element)
  }

  #plain(shape: Extract<Shape, string>, at: Located): void {
    const { words } = plainShapes[shape]
    const isWord = shape === 'text' && typeof at.value !== 'object' && descriptive.has(nameAt(at))
    this.#report(isWord ? messages.textUnquoted(nameAt(at)) : messages.wrongType(nameAt(at), words), at)
  }
}

/**
 * Whether a document is of a version that the generator reads. Reports another version, whose members need no further
 * messages. A document whose version is absent or no text is read like one of 3.0.
 */
function hasKnownVersion(file: SourceFile, diagnostics: DiagnosticList): boolean {
  const document = whole(file)
  const member = formats.find(name => own(file.root, name) !== undefined)
  const version = text(document, member ?? 'openapi')
  if (member === 'openapi' && version !== undefined && dialectOf(version)) return true
  diagnostics.add(messages.documentVersion(member, version), file.positionOf(`/${member ?? 'openapi'}`))
  return member === undefined || (member === 'openapi' && version === undefined)
}

/** The members that name the version of a document, of OpenAPI and of the formats that are often given in its place. */
const formats = ['openapi', 'swagger', 'overlay', 'arazzo', 'asyncapi'] as const

const inside = (at: Located, name: string): Located => ({ ...at, pointer: into(at.pointer, name) })

const nameAt = (at: Located): string => segments(at.pointer)?.at(-1) ?? 'the document'

/** Returns the name of a kind in words: `requestBody` becomes `request body`. */
const nameOf = (kind: Kind): string => kind.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

/** Texts for readers of the document, which YAML reads as numbers or flags if they are not quoted. */
const descriptive: ReadonlySet<string> = new Set(['title', 'version', 'summary', 'description'])

/** Whether a plain value has the shape that a rule requires, or does not use a member that is not honoured. */
const isRight = ({ shape, lost }: Member, value: unknown): boolean =>
  lost ? value === false : typeof shape === 'string' && plainShapes[shape].fits(value)

interface PlainShape {
  readonly fits: (value: unknown) => boolean
  readonly words: string
}

const plainShapes: Readonly<Record<Extract<Shape, string>, PlainShape>> = {
  text: { fits: value => typeof value === 'string', words: 'text' },
  flag: { fits: value => typeof value === 'boolean', words: 'true or false' },
  number: { fits: value => typeof value === 'number', words: 'a number' },
  count: { fits: value => Number.isInteger(value) && Number(value) >= 0, words: 'a whole number from 0 on' },
  list: { fits: Array.isArray, words: 'a list' },
  texts: {
    fits: value => Array.isArray(value) && value.every(item => typeof item === 'string'),
    words: 'a list of texts',
  },
  textOrTexts: {
    fits: value => typeof value === 'string' || (Array.isArray(value) && value.every(item => typeof item === 'string')),
    words: 'text or a list of texts',
  },
  any: { fits: () => true, words: 'anything' },
}
