import { honouredEncodings } from './model/encoding.ts'
import type { Form } from './model/media-types.ts'
import type { ParameterStyle } from './model/types.ts'

/** The parts of the output that can honour a part of a document, in the order of the columns of the tables. */
export const artefacts = ['types', 'validators', 'client', 'server', 'comments'] as const

/** The artefacts that honour a part of a document; `reported` if none does, so that the generator reports the part. */
export type Honoured = readonly (typeof artefacts)[number][] | 'reported'

/** The server checks by the validators; clients, which check nothing by default, rely on the types. */
const typed: Honoured = ['types', 'validators', 'client', 'server']
const checked: Honoured = ['validators', 'server']
const direction: Honoured = ['types', 'validators', 'client', 'server']
const told: Honoured = ['comments']
/** Keywords for readers of the document, which reach no artefact and need no report. */
const silent: Honoured = []

/** The artefacts that honour each keyword of schemas, in OpenAPI 3.0, 3.1 or both. */
export const honouredKeywords: Readonly<Record<string, Honoured>> = {
  $anchor: typed,
  $comment: silent,
  $defs: typed,
  $dynamicAnchor: 'reported',
  $dynamicRef: 'reported',
  $id: 'reported',
  $ref: typed,
  $schema: silent,
  $vocabulary: 'reported',
  additionalProperties: typed,
  allOf: typed,
  anyOf: typed,
  const: typed,
  contains: checked,
  contentEncoding: checked,
  contentMediaType: typed,
  contentSchema: 'reported',
  default: ['types', 'server'],
  dependentRequired: checked,
  dependentSchemas: checked,
  deprecated: told,
  description: told,
  discriminator: typed,
  else: typed,
  enum: typed,
  example: silent,
  examples: silent,
  exclusiveMaximum: checked,
  exclusiveMinimum: checked,
  externalDocs: silent,
  format: checked,
  if: typed,
  items: typed,
  maxContains: checked,
  maxItems: checked,
  maxLength: checked,
  maxProperties: checked,
  maximum: checked,
  minContains: checked,
  minItems: checked,
  minLength: checked,
  minProperties: checked,
  minimum: checked,
  multipleOf: checked,
  not: checked,
  nullable: typed,
  oneOf: typed,
  pattern: checked,
  patternProperties: typed,
  prefixItems: typed,
  properties: typed,
  propertyNames: checked,
  readOnly: direction,
  required: typed,
  then: typed,
  title: silent,
  type: typed,
  unevaluatedItems: checked,
  unevaluatedProperties: checked,
  uniqueItems: checked,
  writeOnly: direction,
  xml: 'reported',
}

/** The artefacts that honour each style of parameters. */
export const honouredStyles: Readonly<Record<Exclude<ParameterStyle, 'json'>, Honoured>> = {
  form: typed,
  simple: typed,
  spaceDelimited: typed,
  pipeDelimited: typed,
  deepObject: typed,
  label: typed,
  matrix: typed,
}

/** A kind of media types, with the artefacts that honour its schema. */
interface HonouredMedia {
  readonly types: string
  readonly honoured: Honoured
}

/** The artefacts that honour the schema of each kind of media types. */
export const honouredMedia: Readonly<Record<Form, HonouredMedia>> = {
  json: { types: '`application/json`, `text/json`, `+json`', honoured: typed },
  form: { types: '`application/x-www-form-urlencoded`', honoured: typed },
  multipart: { types: '`multipart/form-data`', honoured: typed },
  lines: { types: '`application/x-ndjson`, `…/jsonl`', honoured: typed },
  events: { types: '`text/event-stream`', honoured: typed },
  text: { types: '`text/*`', honoured: typed },
  bytes: { types: 'everything else: bytes, without a schema', honoured: ['types', 'client', 'server'] },
  markup: { types: 'XML: text', honoured: 'reported' },
  stream: { types: '`application/json-seq`: text', honoured: 'reported' },
  opaque: { types: 'other `multipart/*`, and forms that are no objects: bytes', honoured: 'reported' },
}

const formNames = { form: honouredMedia.form.types, multipart: honouredMedia.multipart.types } as const

/** Returns the rows of the members of an encoding, a row for each kind of form. */
function encodingRows(): readonly (readonly string[])[] {
  return Object.entries(honouredEncodings).flatMap(([keyword, forms]: [string, readonly Form[]]) =>
    (['form', 'multipart'] as const).map(form => {
      const honoured: Honoured = forms.includes(form) ? ['client', 'server'] : 'reported'
      return [`\`${keyword}\``, formNames[form], ...cells(honoured)]
    }),
  )
}

/**
 * Returns the tables of docs/generator.md in Markdown. `versionsOf` returns the versions of OpenAPI that have a keyword,
 * such as `3.0, 3.1`.
 */
export function honouredTables(versionsOf: (keyword: string) => string): string {
  const keywords = Object.entries(honouredKeywords).map(([name, honoured]) => [
    `\`${name}\``,
    versionsOf(name),
    ...cells(honoured),
  ])
  const styles = Object.entries(honouredStyles).map(([name, honoured]) => [`\`${name}\``, ...cells(honoured)])
  const media = Object.values(honouredMedia).map(({ types, honoured }) => [types, ...cells(honoured)])
  return [
    table(['keyword', 'OpenAPI', ...artefacts], keywords),
    table(['style', ...artefacts], styles),
    table(['media type', ...artefacts], media),
    table(['`encoding`', 'form', ...artefacts], encodingRows()),
  ].join('\n\n')
}

const cells = (honoured: Honoured): readonly string[] =>
  artefacts.map((name, i) => {
    if (honoured === 'reported') return i === 0 ? 'reported' : ''
    return honoured.includes(name) ? 'yes' : ''
  })

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
