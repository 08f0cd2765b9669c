import { bodyField, readJson, readText } from './body.ts'
import { endOfString, JsonText, parseJson, setMember } from './json.ts'
import type { JsonForm } from './parameters/types.ts'
import type { AnswerCodec, Codec } from './media.ts'
import { own } from './validation.ts'
import type { Faults } from './validation.ts'

/**
 * The places of 64-bit integers in a value of JSON: the value itself, the places of another schema, the places of several
 * schemas of the same value, or places inside of the value.
 */
export type Places = true | (() => Places) | readonly Places[] | Inner

/** The places inside of a list or an object. */
interface Inner {
  readonly items?: Places
  /** The places in the first items, by index, in place of `items`. */
  readonly first?: readonly Places[]
  readonly members?: Readonly<Record<string, Places>>
  /** The places in members whose names match a pattern. */
  readonly matching?: readonly (readonly [RegExp, Places])[]
  /** The places in all other members. */
  readonly rest?: Places
  /** The member whose value selects one of `forms`. */
  readonly tag?: string
  readonly forms?: Readonly<Record<string, Places>>
}

/** The codec of JSON with 64-bit integers, for bodies, answers, and parts of bodies. */
export type Int64Codec = JsonForm & Codec & AnswerCodec

/**
 * Returns the codec of JSON whose integers at `places` are `bigint`, or with `as: 'string'` decimal texts. On the wire
 * they are JSON numbers; with `as: 'string'`, texts with an integer count as this integer. Integers elsewhere are
 * numbers. The codec writes every `bigint`, wherever it is, and every `JsonText`.
 */
export function int64Json(places: Places, as?: 'string'): Int64Codec {
  const parse: JsonForm['parse'] = (text, maxDepth) => turned(parsed(text, maxDepth), places, as ? toText : toBigInt)
  return {
    name: 'exact',
    parse,
    write: value => written(as ? turned(value, places, fromText) : value),
    async read(body, reading) {
      const text = await readText(body, reading)
      return text ? readJson(text, bodyField, reading, parse) : undefined
    },
    readAnswer: async body => parse(await new Response(body).text(), Infinity),
  }
}

/** Checks a `bigint` of 64 bits between two bounds, both included, that is a multiple of `step`. */
export function bigInteger(
  value: unknown,
  field: string,
  faults: Faults,
  min = -9223372036854775808n,
  max = 9223372036854775807n,
  step = 1n,
): value is bigint {
  if (typeof value !== 'bigint') return faults.refuse(value, field, 'must be an integer')
  if (value < min) return faults.add(field, `must be at least ${min}`)
  if (value > max) return faults.add(field, `must be at most ${max}`)
  return value % step === 0n || faults.add(field, `must be a multiple of ${step}`)
}

/** Checks the decimal text of an integer of 64 bits; bounds are those of `bigInteger`. */
export function integerText(
  value: unknown,
  field: string,
  faults: Faults,
  ...limits: [min?: bigint, max?: bigint, step?: bigint]
): value is string {
  if (!isInteger(value)) return faults.refuse(value, field, 'must be an integer')
  return bigInteger(BigInt(value), field, faults, ...limits)
}

const isInteger = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:0|-?[1-9]\d{0,18})$/.test(value)

/** Returns a value without items and members in another form; `isPlace` is true for a 64-bit integer. */
type Turn = (value: unknown, isPlace: boolean) => unknown

const toBigInt: Turn = (value, isPlace) => {
  if (typeof value === 'bigint') return isPlace ? value : Number(value)
  return isPlace && Number.isSafeInteger(value) ? BigInt(Number(value)) : value
}

const toText: Turn = (value, isPlace) => {
  const found = toBigInt(value, isPlace)
  return typeof found === 'bigint' ? String(found) : found
}

const fromText: Turn = (value, isPlace) => (isPlace && isInteger(value) ? BigInt(value) : value)

/** Returns a copy of a value of JSON in which `turn` has turned each value without items and members. */
function turned(value: unknown, places: Places, turn: Turn): unknown {
  const all = placesAt(value, places)
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return turn(value, all.includes(true))
  const inner = all.filter(each => each !== true)
  if (Array.isArray(value)) {
    return value.map((item, i) =>
      turned(
        item,
        inner.map(({ first, items }) => first?.[i] ?? items ?? []),
        turn,
      ),
    )
  }
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    setMember(
      copy,
      name,
      turned(
        member,
        inner.map(each => placesOf(each, name)),
        turn,
      ),
    )
  }
  return copy
}

/** Returns the places of all schemas of a value. */
function placesAt(value: unknown, places: Places): readonly (true | Inner)[] {
  if (places === true) return [true]
  if (typeof places === 'function') return placesAt(value, places())
  if (isList(places)) return places.flatMap(each => placesAt(value, each))
  const { forms = {}, tag } = places
  if (tag === undefined) return [places]
  const chosen: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, tag) : undefined
  return placesAt(value, own(forms, String(chosen)) ?? [])
}

const isList = (places: Places): places is readonly Places[] => Array.isArray(places)

/** Returns the places in the member of a name. */
function placesOf({ members = {}, matching = [], rest = [] }: Inner, name: string): Places {
  const declared = own(members, name)
  const patterned = matching.filter(([pattern]) => pattern.test(name)).map(([, places]) => places)
  return declared === undefined && patterned.length === 0 ? rest : [declared ?? [], ...patterned]
}

/** The beginning of texts that stand for integers during a conversion; no sender can guess the beginning. */
const mark = /* @__PURE__ */ newMark()

function newMark(): string {
  return `${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`
}

/** Returns the value of JSON text, in which integers beyond 2^53, of at most 19 digits, are `bigint`. */
function parsed(text: string, maxDepth: number): unknown {
  if (!/\d{16}/.test(text)) return parseJson(text, maxDepth)
  return parseJson(quoted(text), maxDepth, (name, value) => {
    // A name that is a number is no JSON.
    if (name.startsWith(mark)) throw new SyntaxError()
    return typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value
  })
}

/** Returns JSON text whose long integers are texts, because not every engine gives the source of a number. */
function quoted(text: string): string {
  const token = /"|-?\d[\d.eE+-]*/g
  const parts: string[] = []
  let end = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [word] = found
    if (word === '"') token.lastIndex = endOfString(text, found.index) + 1
    else if (/^-?[1-9]\d{15,18}$/.test(word)) {
      parts.push(text.slice(end, found.index), `"${mark}${word}"`)
      end = token.lastIndex
    }
  }
  return parts.join('') + text.slice(end)
}

/** Returns a value as JSON, in which each `bigint` is an integer, and each `JsonText` its text. */
function written(value: unknown): string {
  const raw: string[] = []
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'bigint' && !(member instanceof JsonText)) return member
    return `${mark}${raw.push(member instanceof JsonText ? member.text : String(member)) - 1}`
  })
  if (raw.length === 0) return text
  return text.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_whole, index: string) => raw[Number(index)] ?? '')
}
